// The kernel heading_cost_to_go (see heading_cost_to_go.py, its definition) on 16-bit numbers, and where a footprint of
// discs fits by a map of clearance. Maps have a border of kEdge closed cells, so that no move leaves them.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#define PREMOTOR_API extern "C" __attribute__((visibility("default")))

namespace {

constexpr int kEdge = 2;

// As in heading_cost_to_go_native.py.
struct Lattice {
    int32_t headings, rows, cols, sweeps, limit, turn, reverse;
    const int32_t* moves;  // headings x (rows, cols, cost)
};

struct Maps {
    int64_t stride, plane, size;

    explicit Maps(const Lattice& of)
        : stride((of.cols + 2 * kEdge + 15) / 16 * 16), plane(stride * (of.rows + 2 * kEdge)), size(plane * of.headings) {}
    int64_t row(int h, int r) const { return h * plane + (r + kEdge) * stride + kEdge; }
};

bool read(const Lattice& of, const Maps& maps, const float* from, int most, int16_t* to) {
    bool whole = true;
    for (int h = 0; h < of.headings; h++)
        for (int r = 0; r < of.rows; r++)
            for (int c = 0; c < of.cols; c++) {
                const float value = *from++;
                const bool fits = value >= 0 && value <= most;
                const int16_t number = fits ? (int16_t)value : 0;
                whole &= fits && (float)number == value;
                to[maps.row(h, r) + c] = number;
            }
    return whole;
}

}  // namespace

PREMOTOR_API int64_t premotor_heading_bytes(const Lattice* of) { return 3 * Maps(*of).size * (int64_t)sizeof(int16_t); }

// Maps of (headings, rows, cols). Returns 0, or which input has a value that it must not have: 1 reach, 2 free.
PREMOTOR_API int premotor_heading_cost_to_go(const Lattice* of, const float* reach, const float* free, int16_t* scratch,
                                             float* out) {
    const Maps maps(*of);
    int16_t *now = scratch, *next = scratch + maps.size, *open = scratch + 2 * maps.size;
    std::memset(scratch, 0, 3 * maps.size * sizeof(int16_t));
    if (!read(*of, maps, reach, of->limit, now)) return 1;
    if (!read(*of, maps, free, 1, open)) return 2;
    for (int64_t i = 0; i < maps.size; i++) open[i] = (int16_t)-open[i], now[i] &= open[i];
    const int16_t turn = (int16_t)of->turn;
    for (int sweep = 0; sweep < of->sweeps; sweep++) {
        for (int h = 0; h < of->headings; h++) {
            const int32_t* move = of->moves + 3 * h;
            const int64_t ahead = move[0] * maps.stride + move[1];
            const int16_t cost = (int16_t)move[2], back = (int16_t)(move[2] + of->reverse);
            const int left = (h + 1) % of->headings, right = (h + of->headings - 1) % of->headings;
            for (int r = 0; r < of->rows; r++) {
                const int64_t at = maps.row(h, r);
                const int16_t *here = now + at, *mask = open + at;
                const int16_t *one = now + maps.row(left, r), *other = now + maps.row(right, r);
                int16_t* result = next + at;
                for (int c = 0; c < of->cols; c++) {
                    const int16_t moved = std::max((int16_t)(here[c + ahead] - cost), (int16_t)(here[c - ahead] - back));
                    const int16_t turned = (int16_t)(std::max(one[c], other[c]) - turn);
                    result[c] = std::max(here[c], std::max(moved, turned)) & mask[c];
                }
            }
        }
        std::swap(now, next);
    }
    for (int h = 0; h < of->headings; h++)
        for (int r = 0; r < of->rows; r++)
            for (int c = 0; c < of->cols; c++) *out++ = now[maps.row(h, r) + c];
    return 0;
}

// free_at (headings, rows, cols) of cells `block` times as wide as those of `clearance`, whose part from (row0, col0)
// on is looked at: 1 where all discs' centres have a clearance of `radius` for some cell of the block, else 0.
PREMOTOR_API void premotor_heading_free(const float* clearance, int map_cols, int row0, int col0, int block, int headings,
                                        int rows, int cols, const float* offsets, int discs, float radius, int map_rows,
                                        float* free_at) {
    for (int h = 0; h < headings; h++) {
        const double angle = 2 * M_PI * h / headings;
        int shift_row[8], shift_col[8];
        for (int d = 0; d < discs; d++) {
            shift_row[d] = (int)std::lround(offsets[d] * std::sin(angle));
            shift_col[d] = (int)std::lround(offsets[d] * std::cos(angle));
        }
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < cols; c++) {
                bool fits = false;
                for (int part = 0; part < block * block && !fits; part++) {
                    const int row = row0 + r * block + part / block, col = col0 + c * block + part % block;
                    bool clear = true;
                    for (int d = 0; d < discs && clear; d++) {
                        const int y = row + shift_row[d], x = col + shift_col[d];
                        clear = y >= 0 && y < map_rows && x >= 0 && x < map_cols &&
                                clearance[(int64_t)y * map_cols + x] >= radius;
                    }
                    fits = clear;
                }
                *free_at++ = fits ? 1.0f : 0.0f;
            }
    }
}
