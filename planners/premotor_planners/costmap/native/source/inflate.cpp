// Inflation: the exact squared distance to the nearest lethal cell within a reach, down the columns and then along the
// rows (Felzenszwalb and Huttenlocher, "Distance Transforms of Sampled Functions", 2012), and a table of costs.
#include <algorithm>
#include <cstdint>
#include <vector>

namespace premotor {
namespace {

constexpr uint8_t kFree = 0, kInscribed = 253, kLethal = 254, kUnknown = 255;

struct Window {
    int rows, cols, reach;  // of the inner window; the outer one is `reach` cells wider on every side
    int outer_rows() const { return rows + 2 * reach; }
    int outer_cols() const { return cols + 2 * reach; }
};

// Cells up or down to the nearest lethal one of the same column, at most reach + 1.
void down_columns(const Window& window, const uint8_t* costs, uint8_t* gap) {
    const int rows = window.outer_rows(), cols = window.outer_cols();
    const uint8_t far = uint8_t(window.reach + 1);
    for (int c = 0; c < cols; c++) gap[c] = costs[c] == kLethal ? 0 : far;
    for (int r = 1; r < rows; r++) {
        const uint8_t *row = costs + int64_t(r) * cols, *above = gap + int64_t(r - 1) * cols;
        uint8_t* here = gap + int64_t(r) * cols;
        for (int c = 0; c < cols; c++) {
            const uint8_t next = uint8_t(above[c] + 1);
            here[c] = row[c] == kLethal ? 0 : (next < far ? next : far);
        }
    }
    for (int r = rows - 2; r >= 0; r--) {
        const uint8_t* below = gap + int64_t(r + 1) * cols;
        uint8_t* here = gap + int64_t(r) * cols;
        for (int c = 0; c < cols; c++) {
            const uint8_t next = uint8_t(below[c] + 1);
            here[c] = next < here[c] ? next : here[c];
        }
    }
}

// squares: outer_cols numbers of the outer row; squared: cols numbers of the inner one.
void along_row(const Window& window, const uint16_t* squares, uint16_t* squared) {
    const int cols = window.cols;
    for (int c = 0; c < cols; c++) squared[c] = squares[c + window.reach];
    for (int dx = 1; dx <= window.reach; dx++) {
        const uint16_t *left = squares + window.reach - dx, *right = squares + window.reach + dx;
        const uint16_t more = uint16_t(dx * dx);
        for (int c = 0; c < cols; c++) {
            const uint16_t nearer = uint16_t((left[c] < right[c] ? left[c] : right[c]) + more);
            squared[c] = nearer < squared[c] ? nearer : squared[c];
        }
    }
}

uint8_t inflated(uint8_t cost, uint8_t grown, bool into_unknown) {
    if (cost != kUnknown) return std::max(cost, grown);
    return grown >= (into_unknown ? uint8_t(kFree + 1) : kInscribed) ? grown : cost;
}

}  // namespace
}  // namespace premotor

// scratch: outer rows * outer columns bytes.
extern "C" void premotor_costmap_inflate(int rows, int cols, int reach, int into_unknown, const uint8_t* table,
                                         uint8_t* scratch, const uint8_t* costs, uint8_t* out, uint16_t* squared) {
    using namespace premotor;
    const Window window{rows, cols, reach};
    const int outer = window.outer_cols();
    down_columns(window, costs, scratch);
    std::vector<uint16_t> squares(static_cast<size_t>(outer));
    for (int r = 0; r < rows; r++) {
        const uint8_t *gap = scratch + int64_t(r + reach) * outer, *row = costs + int64_t(r + reach) * outer + reach;
        for (int c = 0; c < outer; c++) squares[size_t(c)] = uint16_t(gap[c] * gap[c]);
        along_row(window, squares.data(), squared + int64_t(r) * cols);
        for (int c = 0; c < cols; c++) {
            const int64_t i = int64_t(r) * cols + c;
            out[i] = inflated(row[c], table[squared[i]], into_unknown != 0);
        }
    }
}
