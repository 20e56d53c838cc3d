#include "components.h"

namespace premotor {

int32_t Components::root(int32_t label) const {
    while (parent_[label] != label) label = parent_[label];
    return label;
}

void Components::join(int32_t a, int32_t b) {
    a = root(a), b = root(b);
    if (a < b)
        parent_[b] = a;
    else
        parent_[a] = b;
}

void Components::prepare() {
    parent_.assign(1, 0);
    for (int row = 0; row < grid_.rows; row++)
        for (int cell = grid_.at(row, 0), end = cell + grid_.cols; cell < end; cell++) {
            if (!grid_.free[cell]) {
                label_[cell] = 0;
                continue;
            }
            const int32_t left = label_[cell - 1], above = label_[cell - grid_.stride];
            if (!left && !above) {
                label_[cell] = int32_t(parent_.size());
                parent_.push_back(label_[cell]);
            } else {
                label_[cell] = left ? left : above;
                if (left && above && left != above) join(left, above);
            }
        }
    for (size_t label = 1; label < parent_.size(); label++) parent_[label] = root(int32_t(label));
    stale_ = false;
}

// Whether the free cells beside a cell that is no longer free may have been joined through it alone.
bool Components::splits(int cell) const {
    constexpr int ring[8] = {kNorth, kNorthEast, kEast, kSouthEast, kSouth, kSouthWest, kWest, kNorthWest};
    int pieces = 0;
    for (int i = 0; i < 8; i += 2) {
        if (!grid_.free[cell + grid_.step(ring[i])]) continue;
        const bool corner = grid_.free[cell + grid_.step(ring[i + 1])];
        pieces += !(corner && grid_.free[cell + grid_.step(ring[(i + 2) % 8])]);
    }
    return pieces > 1;
}

void Components::renew(int cell) {
    if (stale_) return;
    if (!grid_.free[cell]) {
        label_[cell] = 0;
        stale_ = splits(cell);
        return;
    }
    label_[cell] = int32_t(parent_.size());
    parent_.push_back(label_[cell]);
    for (int d = 0; d < kStraight; d++)
        if (const int32_t beside = label_[cell + grid_.step(d)]) join(label_[cell], beside);
}

void Components::finish() {
    if (stale_ || parent_.size() > 2 * label_.size()) prepare();
}

}  // namespace premotor
