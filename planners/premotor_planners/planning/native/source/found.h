// A way that a search has found.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "grid.h"

namespace premotor {

struct Found {
    int straight = 0, diagonal = 0;  // steps of each kind
    std::vector<int> turns;          // cells, goal first: a diagonal and then a straight piece lead from each to the one before

    void begin() { turns.clear(), straight = diagonal = 0; }

    // Rows and columns of every cell from the start to the goal; counts the steps. `out` has room for 2 * grid.size().
    int64_t write(const Grid& grid, int32_t* out) {
        int row = grid.row(turns.back()), col = grid.col(turns.back());
        int32_t* end = out;
        *end++ = row, *end++ = col;
        for (size_t i = turns.size() - 1; i-- > 0;) {
            const int to_row = grid.row(turns[i]), to_col = grid.col(turns[i]);
            while (row != to_row || col != to_col) {
                const int dr = (to_row > row) - (to_row < row), dc = (to_col > col) - (to_col < col);
                row += dr, col += dc;
                (dr && dc ? diagonal : straight)++;
                *end++ = row, *end++ = col;
            }
        }
        return (end - out) / 2;
    }
};

}  // namespace premotor
