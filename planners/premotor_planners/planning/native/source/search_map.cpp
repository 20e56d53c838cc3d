#include "search_map.h"

#include <cmath>
#include <cstring>

namespace premotor {
namespace {

constexpr int kWhole = 64;  // from one changed cell in so many on, the tables are prepared anew

}  // namespace

SearchMap::SearchMap(int rows, int cols, const uint8_t* free, const int32_t* factor)
    : grid_(rows, cols), components_(grid_), nodes_(size_t(grid_.size())), costs_(grid_, factor_, nodes_, open_),
      lines_(grid_, factor_) {
    for (int row = 0; row < rows; row++)
        std::memcpy(&grid_.free[size_t(grid_.at(row, 0))], free + size_t(row) * size_t(cols), size_t(cols));
    components_.prepare();
    if (factor) {
        factor_.assign(size_t(grid_.size()), 0);
        renew(free, factor);
        return;
    }
    tables_ = std::make_unique<JumpTables>(grid_);
    tables_->prepare();
    jumps_ = std::make_unique<JumpSearch>(grid_, *tables_, nodes_, open_);
}

int64_t SearchMap::renew(const uint8_t* free, const int32_t* factor) {
    std::vector<int> changed;
    for (int row = 0; row < grid_.rows; row++) {
        const size_t offset = size_t(row) * size_t(grid_.cols), first = size_t(grid_.at(row, 0));
        if (factor) std::memcpy(&factor_[first], factor + offset, size_t(grid_.cols) * sizeof(int32_t));
        if (std::memcmp(&grid_.free[first], free + offset, size_t(grid_.cols)) == 0) continue;
        for (int col = 0; col < grid_.cols; col++)
            if (grid_.free[first + size_t(col)] != free[offset + size_t(col)]) changed.push_back(int(first) + col);
    }
    const bool whole = changed.size() > grid_.free.size() / kWhole;
    for (const int cell : changed) {
        grid_.free[size_t(cell)] ^= 1;
        if (!whole) components_.renew(cell);
    }
    if (whole)
        components_.prepare();
    else
        components_.finish();
    if (tables_ && whole) tables_->prepare();
    if (tables_ && !whole) tables_->renew(changed);
    return int64_t(changed.size());
}

int64_t SearchMap::search(int start, int goal, const Stopping& stopping, int32_t* path) {
    expanded_ = 0;
    if (!components_.joined(start, goal)) return kNoWay;
    const int reason =
        factor_.empty() ? jumps_->run(start, goal, stopping, found_) : costs_.run(start, goal, stopping, found_);
    expanded_ = factor_.empty() ? jumps_->expanded() : costs_.expanded();
    return reason ? reason : found_.write(grid_, path);
}

int64_t SearchMap::nearest(Point point, double within, int from, const Stopping& stopping) const {
    const auto bound = [within](double centre, int count, int sign) {
        return int(std::fmin(std::fmax(std::floor(centre + sign * (within + 1)), 0.0), count - 1.0));
    };
    int64_t best = kNoWay;
    double nearest = within * within * (1 + 1e-12);
    for (int row = bound(point.y, grid_.rows, -1), last = bound(point.y, grid_.rows, 1); row <= last; row++) {
        if (const int reason = stopping.reason()) return reason;
        for (int col = bound(point.x, grid_.cols, -1), end = bound(point.x, grid_.cols, 1); col <= end; col++) {
            const int cell = grid_.at(row, col);
            if (!grid_.free[size_t(cell)] || (from >= 0 && !components_.joined(from, cell))) continue;
            const double dx = col + 0.5 - point.x, dy = row + 0.5 - point.y, squared = dx * dx + dy * dy;
            if (best < 0 ? squared <= nearest : squared < nearest)
                best = int64_t(row) * grid_.cols + col, nearest = squared;
        }
    }
    return best;
}

}  // namespace premotor
