// Which free cells are joined through shared edges, kept up while single cells change.
#pragma once

#include <cstdint>
#include <vector>

#include "grid.h"

namespace premotor {

class Components {
   public:
    explicit Components(const Grid& grid) : grid_(grid), label_(size_t(grid.size()), 0) {}

    void prepare();
    // After a cell's freedom has changed in the grid; `finish` after the last of several.
    void renew(int cell);
    void finish();

    bool joined(int a, int b) const { return label_[a] && label_[b] && root(label_[a]) == root(label_[b]); }

   private:
    int32_t root(int32_t label) const;
    void join(int32_t a, int32_t b);
    bool splits(int cell) const;

    const Grid& grid_;
    std::vector<int32_t> label_, parent_;
    bool stale_ = false;
};

}  // namespace premotor
