// A map that is prepared for searches, and what is asked of it. Not to be used from two threads at once.
#pragma once

#include <memory>

#include "components.h"
#include "cost_search.h"
#include "jump_search.h"
#include "lines.h"

namespace premotor {

class SearchMap {
   public:
    // `factor` null: every free cell costs the same, and jump points are prepared.
    SearchMap(int rows, int cols, const uint8_t* free, const int32_t* factor);
    SearchMap(const SearchMap&) = delete;
    SearchMap& operator=(const SearchMap&) = delete;

    // New content for the whole map; what has not changed is not prepared again. Returns how many cells were not the same.
    int64_t renew(const uint8_t* free, const int32_t* factor);

    // Cells of the way written to `path`, or an Outcome.
    int64_t search(int start, int goal, const Stopping& stopping, int32_t* path);

    // The free cell whose centre is nearest to a point and at most `within` cells away, joined with `from` unless that
    // is -1; kNoWay without one. Of equally near ones that with the lowest number.
    int64_t nearest(Point point, double within, int from, const Stopping& stopping) const;

    const Grid& grid() const { return grid_; }
    const Components& components() const { return components_; }
    const JumpTables* tables() const { return tables_.get(); }
    const Lines& lines() const { return lines_; }
    const Found& found() const { return found_; }
    // Cells that the last search looked around from.
    int64_t expanded() const { return expanded_; }
    // Of the last way, in cells; with factors only, else the steps tell it.
    double cost() const { return factor_.empty() ? 0.0 : costs_.cost(); }

   private:
    Grid grid_;
    std::vector<int32_t> factor_;
    Components components_;
    std::unique_ptr<JumpTables> tables_;
    Nodes nodes_;
    OpenList open_;
    std::unique_ptr<JumpSearch> jumps_;
    CostSearch costs_;
    Lines lines_;
    Found found_;
    int64_t expanded_ = 0;
};

}  // namespace premotor
