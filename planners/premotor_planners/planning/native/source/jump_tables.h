// For every cell and direction: how far it is to the next jump point (> 0), or to the last free cell (<= 0).
//
// Jump points as in Harabor and Grastien, "Online Graph Pruning for Pathfinding on Grid Maps" (2011), in the variant
// that cuts no corners; tables as in Rabin and Silva, "JPS+: An Extreme A* Speed Optimization for Static Uniform Cost
// Grids" (2015).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "grid.h"

namespace premotor {

class JumpTables {
   public:
    explicit JumpTables(const Grid& grid);

    void prepare();
    // What follows from cells whose freedom has changed (grid already holds it).
    void renew(const std::vector<int>& cells);

    int distance(int cell, int direction) const { return distance_[size_t(cell) * kDirections + direction]; }
    const int16_t* row(int cell) const { return &distance_[size_t(cell) * kDirections]; }
    const std::vector<int16_t>& values() const { return distance_; }

    // Directions to go on in for a way that came to `cell` by `direction`, as bits.
    uint8_t onward(int cell, int direction) const;

   private:
    template <int D>
    void sweep();
    template <int D>
    int16_t value(int cell) const;
    int16_t value(int cell, int direction) const;
    bool forced(int cell, int direction) const;

    const Grid& grid_;
    std::vector<int16_t> distance_;
    std::vector<std::pair<int, int>> waiting_;
};

}  // namespace premotor
