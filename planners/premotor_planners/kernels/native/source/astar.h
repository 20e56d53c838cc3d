#pragma once

#include <cstdint>

namespace premotor {

struct Grid {
    int rows, cols;
    const float* free;  // rows x cols, 1 in free cells
};

// The cost of the cheapest way between two cells in the steps of cost_to_go (5 and 7, no corner cut), -1 without one;
// `expanded` is the number of cells that were looked around from.
int64_t astar(const Grid& grid, int start, int goal, int64_t* expanded);

}  // namespace premotor
