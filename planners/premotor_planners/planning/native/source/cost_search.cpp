#include "cost_search.h"

#include <limits>

namespace premotor {
namespace {

constexpr int kBucket = 29;  // half a cell at factor 1
constexpr int64_t kCheckEvery = 256;

}  // namespace

int64_t CostSearch::estimate(int row, int col) const {
    const int64_t dr = row < goal_row_ ? goal_row_ - row : row - goal_row_;
    const int64_t dc = col < goal_col_ ? goal_col_ - col : col - goal_col_;
    const int64_t less = dr < dc ? dr : dc, more = dr < dc ? dc : dr;
    return 2 * kUnit * (kCostStep * (more - less) + kCostDiagonalStep * less);
}

int CostSearch::run(int start, int goal, const Stopping& stopping, Found& found) {
    found.begin();
    expanded_ = 0, best_ = std::numeric_limits<int64_t>::max();
    goal_ = goal, goal_row_ = grid_.row(goal), goal_col_ = grid_.col(goal);
    if (const int reason = stopping.reason()) return reason;
    nodes_.begin();
    nodes_.set(start, 0, start, 1);
    const int64_t least = estimate(grid_.row(start), grid_.col(start));
    open_.begin(least, kBucket);
    if (start == goal)
        best_ = 0;
    else
        open_.put(least, 0, start);
    for (OpenList::Entry entry; open_.take(best_, entry);) {
        Node& node = nodes_[entry.cell];
        if (!node.waiting || node.cost != entry.cost) continue;
        if (++expanded_ % kCheckEvery == 0)
            if (const int reason = stopping.reason()) return reason;
        node.waiting = 0;
        expand(entry.cell, entry.cost);
    }
    if (best_ == std::numeric_limits<int64_t>::max()) return kNoWay;
    collect(start, goal, found);
    return 0;
}

void CostSearch::expand(int cell, int64_t cost) {
    const int row = grid_.row(cell), col = grid_.col(cell);
    for (int d = 0; d < kDirections; d++) {
        const int next = cell + grid_.step(d);
        if (!grid_.free[next]) continue;
        if (d >= kStraight && !(grid_.free[cell + grid_.step(kParts[d][0])] && grid_.free[cell + grid_.step(kParts[d][1])]))
            continue;
        const int64_t length = d < kStraight ? kCostStep : kCostDiagonalStep;
        const int64_t reached = cost + length * (int64_t(factor_[cell]) + factor_[next]);
        if (nodes_.known(next) && reached >= nodes_[next].cost) continue;
        const int64_t whole = reached + estimate(row + kRow[d], col + kCol[d]);
        if (whole >= best_) continue;
        nodes_.set(next, reached, cell, 1);
        if (next == goal_)
            best_ = reached;
        else
            open_.put(whole, reached, next);
    }
}

void CostSearch::collect(int start, int goal, Found& found) const {
    for (int cell = goal;; cell = nodes_[cell].parent) {
        found.turns.push_back(cell);
        if (cell == start) return;
    }
}

}  // namespace premotor
