// A* with a binary heap and the octile estimate: what cost_to_go is measured beside, and checked against.
#include "astar.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

namespace premotor {
namespace {

using Entry = std::pair<int32_t, int32_t>;  // estimate of the whole way, cell
constexpr int32_t kFar = std::numeric_limits<int32_t>::max();

int32_t estimate(const Grid& grid, int cell, int goal) {
    const int dr = std::abs(cell / grid.cols - goal / grid.cols), dc = std::abs(cell % grid.cols - goal % grid.cols);
    return 5 * std::max(dr, dc) + 2 * std::min(dr, dc);
}

bool is_free(const Grid& grid, int r, int c) {
    return r >= 0 && r < grid.rows && c >= 0 && c < grid.cols && grid.free[r * grid.cols + c] == 1.0f;
}

template <class Visit>
void for_each_step(const Grid& grid, int cell, const Visit& visit) {
    const int r = cell / grid.cols, c = cell % grid.cols;
    for (int dr = -1; dr <= 1; dr++)
        for (int dc = -1; dc <= 1; dc++)
            if ((dr || dc) && is_free(grid, r + dr, c + dc) && is_free(grid, r + dr, c) && is_free(grid, r, c + dc))
                visit((r + dr) * grid.cols + c + dc, dr && dc ? 7 : 5);
}

}  // namespace

int64_t astar(const Grid& grid, int start, int goal, int64_t* expanded) {
    *expanded = 0;
    if (!is_free(grid, start / grid.cols, start % grid.cols)) return -1;
    std::vector<int32_t> cost(size_t(grid.rows) * grid.cols, kFar);
    std::vector<bool> closed(cost.size());
    std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> open;
    cost[start] = 0;
    open.push({estimate(grid, start, goal), start});
    while (!open.empty()) {
        const int32_t cell = open.top().second;
        open.pop();
        if (closed[cell]) continue;
        if (cell == goal) return cost[cell];
        closed[cell] = true;
        ++*expanded;
        for_each_step(grid, cell, [&](int next, int step) {
            if (cost[cell] + step >= cost[next]) return;
            cost[next] = cost[cell] + step;
            open.push({cost[next] + estimate(grid, next, goal), next});
        });
    }
    return -1;
}

}  // namespace premotor
