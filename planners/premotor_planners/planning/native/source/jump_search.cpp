#include "jump_search.h"

#include <cstdlib>
#include <limits>

namespace premotor {
namespace {

constexpr int kBucket = 31;  // half a cell
constexpr int64_t kCheckEvery = 64;

}  // namespace

int JumpSearch::run(int start, int goal, const Stopping& stopping, Found& found) {
    found.begin();
    expanded_ = 0, best_ = std::numeric_limits<int64_t>::max(), last_ = -1;
    goal_ = {goal, grid_.row(goal), grid_.col(goal)};
    if (const int reason = stopping.reason()) return reason;
    if (start == goal) {
        found.turns.push_back(goal);
        return 0;
    }
    nodes_.begin();
    nodes_.set(start, 0, start, 0xff);
    const int64_t least = octile(goal_.row - grid_.row(start), goal_.col - grid_.col(start));
    open_.begin(least, kBucket);
    open_.put(least, 0, start);
    for (OpenList::Entry entry; open_.take(best_, entry);) {
        Node& node = nodes_[entry.cell];
        const uint8_t directions = node.waiting;
        if (!directions || node.cost != entry.cost) continue;
        if (++expanded_ % kCheckEvery == 0)
            if (const int reason = stopping.reason()) return reason;
        node.waiting = 0, node.done |= directions;
        expand({entry.cell, grid_.row(entry.cell), grid_.col(entry.cell)}, entry.cost, directions);
    }
    if (last_ < 0) return kNoWay;
    collect(start, found);
    return 0;
}

void JumpSearch::expand(const Place& from, int64_t cost, uint8_t directions) {
    for (int d = 0; d < kStraight; d++)
        if (directions >> d & 1) straight(from, cost, d);
    for (int d = kStraight; d < kDirections; d++)
        if (directions >> d & 1) diagonal(from, cost, d);
}

void JumpSearch::straight(const Place& from, int64_t cost, int d) {
    const int room = tables_.distance(from.cell, d);
    const int ahead = (goal_.row - from.row) * kRow[d] + (goal_.col - from.col) * kCol[d];
    const bool in_line = kRow[d] ? goal_.col == from.col : goal_.row == from.row;
    if (in_line && ahead > 0 && ahead <= std::abs(room)) return arrive(from.cell, cost + ahead * kStep);
    if (room > 0) reach(from, cost + room * kStep, d, room);
}

void JumpSearch::diagonal(const Place& from, int64_t cost, int d) {
    const int room = tables_.distance(from.cell, d);
    const int down = (goal_.row - from.row) * kRow[d], across = (goal_.col - from.col) * kCol[d];
    const int steps = down < across ? down : across;
    if (steps > 0 && steps <= std::abs(room)) {
        const int rest = down + across - 2 * steps, turn = from.cell + steps * grid_.step(d);
        const int onward = kParts[d][down > across ? 0 : 1];
        if (rest == 0 || rest <= std::abs(tables_.distance(turn, onward)))
            arrive(from.cell, cost + steps * kDiagonalStep + rest * kStep);
    }
    if (room > 0) reach(from, cost + room * kDiagonalStep, d, room);
}

// A cell that is reached by two ways of one length goes on in the directions of both.
void JumpSearch::reach(const Place& from, int64_t cost, int d, int steps) {
    const int cell = from.cell + steps * grid_.step(d);
    const int row = from.row + steps * kRow[d], col = from.col + steps * kCol[d];
    if (nodes_.known(cell)) {
        Node& node = nodes_[cell];
        if (cost > node.cost) return;
        if (cost == node.cost) {
            const uint8_t more = uint8_t(tables_.onward(cell, d) & ~(node.done | node.waiting));
            if (!more) return;
            const bool queued = node.waiting;
            node.waiting |= more;
            if (queued) return;
            return open_.put(cost + octile(goal_.row - row, goal_.col - col), cost, cell);
        }
    }
    const int64_t estimate = cost + octile(goal_.row - row, goal_.col - col);
    if (estimate >= best_) return;
    nodes_.set(cell, cost, from.cell, tables_.onward(cell, d));
    open_.put(estimate, cost, cell);
}

void JumpSearch::arrive(int from, int64_t cost) {
    if (cost < best_) best_ = cost, last_ = from;
}

void JumpSearch::collect(int start, Found& found) const {
    found.turns.push_back(goal_.cell);
    for (int cell = last_;; cell = nodes_[cell].parent) {
        found.turns.push_back(cell);
        if (cell == start) return;
    }
}

}  // namespace premotor
