// The kernel cost_to_go: as many sweeps as asked for over a map in which every lane holds a band of columns.
//
// Column c lies in lane c / vectors of vector c % vectors, so that left and right neighbours are neighbouring vectors;
// the vectors at -1 and at `vectors` repeat the far end, moved by one lane. Sweeps are taken kDepth at a time, row by
// row behind one another, so that what they share stays in the first-level cache. No branch looks at the map.
#include "cost_to_go.h"

#include <algorithm>
#include <cmath>

namespace premotor {
namespace {

constexpr int kDepth = 8;
constexpr int kRing = 4;
constexpr uint16_t kStraight = 5, kDiagonal = 7;

struct Field {
    int rows, cols, vectors, stride;
    Lanes *reach, *next, *cost, *corner, *ring, *blocks, *empty;

    Field(int rows, int cols, Lanes* at)
        : rows(rows), cols(cols), vectors((cols + kLanes - 1) / kLanes), stride(vectors + 2) {
        const int64_t map = int64_t(rows) * stride;
        reach = at + 1, next = reach + map, cost = next + map, corner = cost + map;
        ring = corner + map, blocks = ring + kDepth * kRing * stride, empty = blocks + kDepth * stride;
    }
    int64_t size() const { return 4 * int64_t(rows) * stride + (kDepth * kRing + kDepth + 1) * int64_t(stride); }
    Lanes* row(Lanes* map, int r) const { return map + int64_t(r) * stride; }
    Lanes* kept(int level, int r) const { return ring + (level * kRing + r % kRing) * stride; }
};

void close_ends(Lanes* row, int vectors) {
    row[-1] = from_below(row[vectors - 1]);
    row[vectors] = from_above(row[0]);
}

// Whole numbers from 0 to `most`, as 16 bits; returns whether all were such.
bool read_row(const float* from, int cols, float most, uint16_t* to) {
    uint32_t highest, wrong = 0;
    std::memcpy(&highest, &most, sizeof most);
    for (int c = 0; c < cols; c++) {
        uint32_t bits;
        std::memcpy(&bits, from + c, sizeof bits);
        const uint32_t within = (bits <= highest) | (bits == 0x80000000u);  // of positive numbers the bits are in order
        const uint32_t kept = bits & (0u - within);
        float value;
        std::memcpy(&value, &kept, sizeof value);
        const int32_t whole = int32_t(value);
        wrong |= (within ^ 1u) | uint32_t(float(whole) != value);
        to[c] = uint16_t(whole);
    }
    return !wrong;
}

// The columns of each lane are a run: calls `move(first column, first place, how many)` for each.
template <class Move>
void for_each_lane(const Field& field, const Move& move) {
    for (int lane = 0, c = 0; c < field.cols; lane++, c += field.vectors)
        move(c, lane, std::min(field.vectors, field.cols - c));
}

void spread(const Field& field, const uint16_t* from, Lanes* row) {
    uint16_t* to = reinterpret_cast<uint16_t*>(row);
    for_each_lane(field, [&](int c, int place, int count) {
        for (int v = 0; v < count; v++) to[v * kLanes + place] = from[c + v];
    });
    close_ends(row, field.vectors);
}

void gather(const Field& field, const Lanes* row, float* to) {
    const uint16_t* from = reinterpret_cast<const uint16_t*>(row);
    for_each_lane(field, [&](int c, int place, int count) {
        for (int v = 0; v < count; v++) to[c + v] = float(from[v * kLanes + place]);
    });
}

// What a straight step into a cell costs, and what a diagonal one across a corner costs more: all ones where it is
// closed, so that nothing is left of any number. `cost` holds 1 in free cells when this begins.
void prepare(const Field& field) {
    for (int r = 0; r < field.rows; r++) {
        Lanes *here = field.row(field.cost, r), *reach = field.row(field.reach, r);
        for (int v = -1; v <= field.vectors; v++) here[v] = Lanes{} - here[v], reach[v] &= here[v];
    }
    for (int r = 0; r < field.rows; r++) {
        const Lanes* here = field.row(field.cost, r);
        const Lanes* below = r + 1 < field.rows ? field.row(field.cost, r + 1) : field.empty;
        Lanes* corner = field.row(field.corner, r);
        for (int v = -1; v < field.vectors; v++)
            corner[v] = ~(here[v] & here[v + 1] & below[v] & below[v + 1]) | (kDiagonal - kStraight);
    }
    for (int r = 0; r < field.rows; r++) {
        Lanes* here = field.row(field.cost, r);
        for (int v = 0; v < field.vectors; v++) here[v] = ~here[v] | kStraight;
    }
}

struct Rows {
    const Lanes *above, *here, *below, *cost, *corner;
    Lanes *blocks, *out;
};

// One row of one sweep. `blocks` holds the best of each open block of four above the row, and then of those below it.
inline void sweep_row(const Rows& rows, int vectors) {
    Lanes left = rows.here[-1], here = rows.here[0], below = rows.below[0];
    Lanes block = less_by(larger(larger(left, here), larger(rows.below[-1], below)), rows.corner[-1]);
    Lanes side = larger(rows.blocks[-1], block);
    rows.blocks[-1] = block;
    for (int v = 0; v < vectors; v++) {
        const Lanes right = rows.here[v + 1], below_right = rows.below[v + 1];
        block = less_by(larger(larger(here, right), larger(below, below_right)), rows.corner[v]);
        const Lanes other_side = larger(rows.blocks[v], block);
        rows.blocks[v] = block;
        const Lanes diagonal = larger(side, other_side);
        const Lanes straight = larger(larger(rows.above[v], below), larger(left, right));
        rows.out[v] = larger(here, less_by(larger(straight, diagonal), rows.cost[v]));
        side = other_side, left = here, here = right, below = below_right;
    }
    close_ends(rows.out, vectors);
}

// `depth` sweeps from `reach` to `next`.
void sweeps_at_once(const Field& field, int depth) {
    std::fill(field.blocks - 1, field.blocks - 1 + kDepth * field.stride, Lanes{});
    for (int step = 0; step < field.rows + depth - 1; step++) {
        for (int level = std::max(0, step - field.rows + 1); level < std::min(depth, step + 1); level++) {
            const int r = step - level;
            const auto before = [&](int row) -> const Lanes* {
                if (row < 0 || row >= field.rows) return field.empty;
                return level ? field.kept(level - 1, row) : field.row(field.reach, row);
            };
            Lanes* out = level == depth - 1 ? field.row(field.next, r) : field.kept(level, r);
            sweep_row({before(r - 1), before(r), before(r + 1), field.row(field.cost, r), field.row(field.corner, r),
                       field.blocks + level * field.stride, out}, field.vectors);
        }
    }
}

// 0, or which input has a value that it must not have: 1 reach, 2 free.
int load(const Field& field, const float* reach, const float* free, float most) {
    uint16_t* numbers = reinterpret_cast<uint16_t*>(field.ring);  // not yet in use, and longer than a row
    bool right = true, whole = true;
    for (int r = 0; r < field.rows; r++) {
        right &= read_row(reach + int64_t(r) * field.cols, field.cols, most, numbers);
        spread(field, numbers, field.row(field.reach, r));
        whole &= read_row(free + int64_t(r) * field.cols, field.cols, 1.0f, numbers);
        spread(field, numbers, field.row(field.cost, r));
    }
    return right ? (whole ? 0 : 2) : 1;
}

}  // namespace

int64_t cost_to_go_bytes(int rows, int cols) {
    return (Field(rows, cols, nullptr).size() + 1) * int64_t(sizeof(Lanes)) + 64;
}

int cost_to_go(const CostToGo& run, const float* reach, const float* free, float* out) {
    Lanes* at = reinterpret_cast<Lanes*>((reinterpret_cast<uintptr_t>(run.scratch) + 63) / 64 * 64);
    Field field(run.rows, run.cols, at);
    std::fill(at, at + field.size() + 1, Lanes{});
    if (const int wrong = load(field, reach, free, float(run.limit))) return wrong;
    prepare(field);
    for (int left = run.sweeps; left > 0; left -= kDepth) {
        sweeps_at_once(field, std::min(left, kDepth));
        std::swap(field.reach, field.next);
    }
    for (int r = 0; r < field.rows; r++) gather(field, field.row(field.reach, r), out + int64_t(r) * field.cols);
    return 0;
}

}  // namespace premotor
