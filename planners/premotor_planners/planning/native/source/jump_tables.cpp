#include "jump_tables.h"

namespace premotor {

JumpTables::JumpTables(const Grid& grid) : grid_(grid), distance_(size_t(grid.size()) * kDirections, 0) {}

// A straight way must stop where a cell beside it can be reached by no diagonal: the corner before it is blocked.
bool JumpTables::forced(int cell, int direction) const {
    const int back = -grid_.step(direction);
    for (const int side : kParts[direction]) {
        const int beside = cell + grid_.step(side);
        if (grid_.free[beside] && !grid_.free[beside + back]) return true;
    }
    return false;
}

uint8_t JumpTables::onward(int cell, int direction) const {
    if (direction >= kStraight)
        return uint8_t(1 << direction | 1 << kParts[direction][0] | 1 << kParts[direction][1]);
    const int back = -grid_.step(direction);
    uint8_t found = uint8_t(1 << direction);
    for (const int side : kParts[direction]) {
        const int beside = cell + grid_.step(side);
        if (grid_.free[beside] && !grid_.free[beside + back])
            found |= uint8_t(1 << side | 1 << diagonal_of(direction, side));
    }
    return found;
}

template <int D>
int16_t JumpTables::value(int cell) const {
    const int next = cell + grid_.step(D);
    if (!grid_.free[cell] || !grid_.free[next]) return 0;
    constexpr int a = kParts[D][0], b = kParts[D][1];
    if (D >= kStraight && !(grid_.free[cell + grid_.step(a)] && grid_.free[cell + grid_.step(b)])) return 0;
    if (D < kStraight ? forced(next, D) : distance(next, a) > 0 || distance(next, b) > 0) return 1;
    const int beyond = distance(next, D);
    return int16_t(beyond > 0 ? beyond + 1 : beyond - 1);
}

int16_t JumpTables::value(int cell, int direction) const {
    switch (direction) {
        case kNorth: return value<kNorth>(cell);
        case kEast: return value<kEast>(cell);
        case kSouth: return value<kSouth>(cell);
        case kWest: return value<kWest>(cell);
        case kNorthEast: return value<kNorthEast>(cell);
        case kSouthEast: return value<kSouthEast>(cell);
        case kSouthWest: return value<kSouthWest>(cell);
        default: return value<kNorthWest>(cell);
    }
}

// A value follows from the next cell's in its direction: rows and cells are taken from the far end.
template <int D>
void JumpTables::sweep() {
    const int first = grid_.at(0, 0), last = grid_.at(grid_.rows - 1, grid_.cols - 1);
    if (grid_.step(D) < 0)
        for (int cell = first; cell <= last; cell++) distance_[size_t(cell) * kDirections + D] = value<D>(cell);
    else
        for (int cell = last; cell >= first; cell--) distance_[size_t(cell) * kDirections + D] = value<D>(cell);
}

void JumpTables::prepare() {
    sweep<kNorth>();
    sweep<kEast>();
    sweep<kSouth>();
    sweep<kWest>();
    sweep<kNorthEast>();
    sweep<kSouthEast>();
    sweep<kSouthWest>();
    sweep<kNorthWest>();
}

// Values are recomputed where an input of theirs has changed, and that counts as a change only where they differ. What
// depends on what has no circles, so this ends, and with the values that `prepare` gives.
void JumpTables::renew(const std::vector<int>& cells) {
    for (const int cell : cells)
        for (int d = 0; d < kDirections; d++) {
            const int ahead = grid_.step(d);
            for (const int from : {cell, cell - ahead}) waiting_.emplace_back(from, d);
            for (const int part : kParts[d]) {
                waiting_.emplace_back(cell - grid_.step(part), d);
                if (d < kStraight) waiting_.emplace_back(cell - grid_.step(part) - ahead, d);
            }
        }
    while (!waiting_.empty()) {
        const auto [cell, d] = waiting_.back();
        waiting_.pop_back();
        if (cell < 0 || cell >= grid_.size() || !grid_.inside(grid_.row(cell), grid_.col(cell))) continue;
        int16_t& old = distance_[size_t(cell) * kDirections + d];
        const int16_t now = value(cell, d);
        if (now == old) continue;
        const bool turns = (now > 0) != (old > 0);
        old = now;
        waiting_.emplace_back(cell - grid_.step(d), d);
        if (d < kStraight && turns)
            for (const int side : kParts[d]) {
                const int diagonal = diagonal_of(d, side);
                waiting_.emplace_back(cell - grid_.step(diagonal), diagonal);
            }
    }
}

}  // namespace premotor
