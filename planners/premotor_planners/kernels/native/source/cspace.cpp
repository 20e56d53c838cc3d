// The kernel cspace: obstacles as bits, 64 cells a word. Growing by a row of the outline is an or of shifted words; the
// runs of all headings share the maps grown by each run's length. No branch looks at the map.
#include "cspace.h"

#include <algorithm>
#include <cstring>

namespace premotor {
namespace {

constexpr int kLongest = 2 * kMostReach + 1;
constexpr int kStraight = 5, kDiagonal = 7;

struct Bits {
    int rows, cols, words, stride;
    uint64_t *grown, *hit;

    Bits(int rows, int cols, uint64_t* at) : rows(rows), cols(cols), words((cols + 63) / 64), stride(words + 2) {
        grown = at, hit = at + int64_t(kLongest) * (rows + 2 * kMostReach) * stride;
    }
    int64_t size() const { return int64_t(kLongest) * (rows + 2 * kMostReach) * stride + int64_t(rows) * words; }
    // Bit x: whether one of the `length` cells from x on is occupied. A whole word lies before the first column.
    uint64_t* row(int length, int r) const {
        return grown + (int64_t(length - 1) * (rows + 2 * kMostReach) + r + kMostReach) * stride;
    }
};

inline uint64_t from(uint64_t low, uint64_t high, int shift) { return (low >> shift) | ((high << 1) << (63 - shift)); }

// What lies beyond the map is occupied. Returns whether every value was 0 or 1.
bool read_map(const Bits& bits, const float* free) {
    std::fill(bits.grown, bits.row(2, -kMostReach), ~uint64_t{0});
    uint32_t wrong = 0;
    for (int r = 0; r < bits.rows; r++) {
        uint64_t* row = bits.row(1, r) + 1;
        for (int c = 0; c < bits.cols; c++) {
            uint32_t value;
            std::memcpy(&value, free + int64_t(r) * bits.cols + c, sizeof value);
            wrong |= (value != 0x3F800000u) & ((value << 1) != 0);
            row[c / 64] ^= uint64_t(value == 0x3F800000u) << (c % 64);
        }
    }
    return !wrong;
}

void grow(const Bits& bits) {
    for (int length = 2; length <= kLongest; length++) {
        for (int r = -kMostReach; r < bits.rows + kMostReach; r++) {
            const uint64_t *cells = bits.row(1, r), *shorter = bits.row(length - 1, r);
            uint64_t* longer = bits.row(length, r);
            for (int w = 0; w + 1 < bits.stride; w++) longer[w] = shorter[w] | from(cells[w], cells[w + 1], length - 1);
            longer[bits.stride - 1] = ~uint64_t{0};
        }
    }
}

void add_run(const Bits& bits, const Run& run) {
    const int start = run.first < 0 ? 0 : 1, shift = run.first & 63;
    for (int r = 0; r < bits.rows; r++) {
        const uint64_t* row = bits.row(run.length, r + run.dy) + start;
        uint64_t* hit = bits.hit + int64_t(r) * bits.words;
        for (int w = 0; w < bits.words; w++) hit[w] |= from(row[w], row[w + 1], shift);
    }
}

typedef uint32_t Eight __attribute__((vector_size(32)));

// The bits of one byte as floats: 1 where a bit is 0.
inline Eight unhit(uint32_t byte) {
    const Eight bit = {1, 2, 4, 8, 16, 32, 64, 128}, one = Eight{} + 0x3F800000u;
    return (Eight)((bit & (Eight{} + byte)) == 0) & one;
}

void write_free(const Bits& bits, float* out) {
    for (int r = 0; r < bits.rows; r++, out += bits.cols) {
        const uint64_t* hit = bits.hit + int64_t(r) * bits.words;
        for (int c = 0; c < bits.cols; c += 8) {
            const Eight values = unhit(uint32_t(hit[c / 64] >> (c % 64)) & 255);
            if (c + 8 <= bits.cols)
                std::memcpy(out + c, &values, sizeof values);
            else
                std::memcpy(out + c, &values, (bits.cols - c) * sizeof(float));
        }
    }
}

inline uint8_t larger(uint8_t a, uint8_t b) { return a > b ? a : b; }
inline uint8_t less_by(uint8_t a, uint8_t b) { return larger(a, b) - b; }

// One sweep of closeness from `from` to `to`, maps with a border of zeros; `wide` is the best of three along a row.
void spread(int rows, int cols, const uint8_t* from, uint8_t* to, uint8_t* wide) {
    const int stride = cols + 2;
    for (int64_t i = 1; i + 1 < int64_t(rows + 2) * stride; i++)
        wide[i] = larger(larger(from[i - 1], from[i]), from[i + 1]);
    for (int r = 1; r <= rows; r++) {
        const int64_t at = int64_t(r) * stride + 1;
        const uint8_t *here = from + at, *above = here - stride, *below = here + stride, *side = wide + at;
        uint8_t* out = to + at;
        for (int c = 0; c < cols; c++) {
            const uint8_t around = larger(larger(side[c - stride], side[c + stride]), side[c]);
            const uint8_t cross = larger(larger(above[c], below[c]), side[c]);
            out[c] = larger(here[c], less_by(larger(cross, less_by(around, kDiagonal - kStraight)), kStraight));
        }
    }
}

void write_near(const CSpace& run, const float* free, uint8_t* at, float* near) {
    const int64_t stride = run.cols + 2, size = (run.rows + 2) * stride;
    uint8_t *map = at, *next = at + size, *wide = at + 2 * size;
    std::memset(at, 0, 3 * size);
    const uint8_t top = kStraight * (run.inflation + 1);
    for (int r = 0; r < run.rows; r++)
        for (int c = 0; c < run.cols; c++)
            map[(r + 1) * stride + c + 1] = free[int64_t(r) * run.cols + c] == 1.0f ? 0 : top;
    for (int i = 0; i < run.inflation; i++) {
        spread(run.rows, run.cols, map, next, wide);
        std::swap(map, next);
    }
    for (int r = 0; r < run.rows; r++)
        for (int c = 0; c < run.cols; c++) near[int64_t(r) * run.cols + c] = map[(r + 1) * stride + c + 1];
}

}  // namespace

int64_t cspace_bytes(int rows, int cols) {
    return Bits(rows, cols, nullptr).size() * int64_t(sizeof(uint64_t)) + 3 * int64_t(rows + 2) * (cols + 2) + 64;
}

int cspace(const CSpace& run, const float* free, float* free_at, float* near) {
    uint64_t* at = reinterpret_cast<uint64_t*>((reinterpret_cast<uintptr_t>(run.scratch) + 63) / 64 * 64);
    const Bits bits(run.rows, run.cols, at);
    if (!read_map(bits, free)) return 1;
    grow(bits);
    const Run *next = run.run, *end = run.run + run.runs;
    for (int heading = 0; heading < run.headings; heading++) {
        std::fill_n(bits.hit, int64_t(bits.rows) * bits.words, uint64_t{0});
        for (; next < end && next->heading == heading; next++) add_run(bits, *next);
        write_free(bits, free_at + int64_t(heading) * run.rows * run.cols);
    }
    write_near(run, free, reinterpret_cast<uint8_t*>(at + bits.size()), near);
    return 0;
}

}  // namespace premotor
