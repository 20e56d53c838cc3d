// The shortest way over a grid, from jump point to jump point.
#pragma once

#include "found.h"
#include "jump_tables.h"
#include "nodes.h"
#include "open_list.h"
#include "stopping.h"

namespace premotor {

class JumpSearch {
   public:
    JumpSearch(const Grid& grid, const JumpTables& tables, Nodes& nodes, OpenList& open)
        : grid_(grid), tables_(tables), nodes_(nodes), open_(open) {}

    // 0 with the turns in `found`, or an Outcome. Both ends are free.
    int run(int start, int goal, const Stopping& stopping, Found& found);

    int64_t expanded() const { return expanded_; }

   private:
    struct Place {
        int cell, row, col;
    };

    void expand(const Place& from, int64_t cost, uint8_t directions);
    void straight(const Place& from, int64_t cost, int direction);
    void diagonal(const Place& from, int64_t cost, int direction);
    void reach(const Place& from, int64_t cost, int direction, int steps);
    void arrive(int from, int64_t cost);
    void collect(int start, Found& found) const;

    const Grid& grid_;
    const JumpTables& tables_;
    Nodes& nodes_;
    OpenList& open_;
    Place goal_{};
    int64_t best_ = 0, expanded_ = 0;
    int last_ = -1;  // the cell from which the goal is reached at cost best_
};

}  // namespace premotor
