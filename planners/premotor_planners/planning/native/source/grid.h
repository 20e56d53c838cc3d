// A grid with a closed border, the eight directions, and what a cell costs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace premotor {

using std::size_t;

enum Direction : int { kNorth, kEast, kSouth, kWest, kNorthEast, kSouthEast, kSouthWest, kNorthWest };
constexpr int kStraight = 4, kDirections = 8;
constexpr std::array<int, 8> kRow{-1, 0, 1, 0, -1, 1, 1, -1};
constexpr std::array<int, 8> kCol{0, 1, 0, -1, 1, 1, -1, -1};

// Of a diagonal: its two straight parts. Of a straight direction: the two beside it.
constexpr std::array<std::array<int, 2>, 8> kParts{{
    {kEast, kWest}, {kNorth, kSouth}, {kEast, kWest}, {kNorth, kSouth},
    {kNorth, kEast}, {kSouth, kEast}, {kSouth, kWest}, {kNorth, kWest},
}};

// The diagonal made of two straight directions, -1 where they are no pair.
constexpr int diagonal_of(int a, int b) {
    for (int d = kStraight; d < kDirections; d++)
        if ((kParts[d][0] == a && kParts[d][1] == b) || (kParts[d][0] == b && kParts[d][1] == a)) return d;
    return -1;
}

// Lengths in fixed point: sums of them are exact, so that a cost does not depend on the order of its steps.
constexpr int64_t kStep = int64_t{1} << 32;
constexpr int64_t kDiagonalStep = 6074001000;  // 2^32 sqrt 2, to 1e-11

// Rows and columns with one blocked cell around them; cells are numbered through, border included.
struct Grid {
    int rows, cols, stride;
    std::vector<uint8_t> free;

    Grid(int rows_, int cols_) : rows(rows_), cols(cols_), stride(cols_ + 2), free(size_t(rows_ + 2) * (cols_ + 2), 0) {}

    int size() const { return int(free.size()); }
    int at(int row, int col) const { return (row + 1) * stride + col + 1; }
    int row(int cell) const { return cell / stride - 1; }
    int col(int cell) const { return cell % stride - 1; }
    bool inside(int row, int col) const { return row >= 0 && row < rows && col >= 0 && col < cols; }
    int step(int direction) const { return kRow[direction] * stride + kCol[direction]; }
};

// The least length between two cells of an empty grid.
inline int64_t octile(int rows, int cols) {
    const int64_t dr = rows < 0 ? -rows : rows, dc = cols < 0 ? -cols : cols;
    const int64_t less = dr < dc ? dr : dc, more = dr < dc ? dc : dr;
    return kStep * (more - less) + kDiagonalStep * less;
}

}  // namespace premotor
