// The cheapest way over a grid whose cells cost differently: A* over all cells.
//
// A step costs its length times the mean of both cells' factors, so that it costs the same in both directions.
#pragma once

#include <vector>

#include "found.h"
#include "nodes.h"
#include "open_list.h"
#include "stopping.h"

namespace premotor {

constexpr int64_t kUnit = 1024;                                    // the factor 1
constexpr int64_t kCostStep = 470832, kCostDiagonalStep = 665857;  // sqrt 2 to 2e-12
constexpr double kCostScale = 2.0 * kUnit * kCostStep;             // a cell's length at factor 1

class CostSearch {
   public:
    CostSearch(const Grid& grid, const std::vector<int32_t>& factor, Nodes& nodes, OpenList& open)
        : grid_(grid), factor_(factor), nodes_(nodes), open_(open) {}

    // 0 with the turns in `found`, or an Outcome. Both ends are free.
    int run(int start, int goal, const Stopping& stopping, Found& found);

    int64_t expanded() const { return expanded_; }
    double cost() const { return double(best_) / kCostScale; }

   private:
    void expand(int cell, int64_t cost);
    int64_t estimate(int row, int col) const;
    void collect(int start, int goal, Found& found) const;

    const Grid& grid_;
    const std::vector<int32_t>& factor_;
    Nodes& nodes_;
    OpenList& open_;
    int goal_ = -1, goal_row_ = 0, goal_col_ = 0;
    int64_t best_ = 0, expanded_ = 0;
};

}  // namespace premotor
