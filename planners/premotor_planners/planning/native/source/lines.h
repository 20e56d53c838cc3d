// Straight pieces between points (x in columns, y in rows; cell (r, c) covers [c, c + 1) x [r, r + 1)).
#pragma once

#include <cstdint>
#include <vector>

#include "grid.h"
#include "stopping.h"

namespace premotor {

struct Point {
    double x, y;
};

class Lines {
   public:
    // `factor` is empty where every free cell costs the same.
    Lines(const Grid& grid, const std::vector<int32_t>& factor) : grid_(grid), factor_(factor) {}

    // Whether every cell that the closed segment touches, borders and corners included, is free.
    bool clear(Point a, Point b) const;
    // The segment's length, each part of it times its cell's factor; infinite for ends outside the map.
    double cost(Point a, Point b) const;
    // Which of `count` points are kept: the first, the last, and between them as few as straight pieces need that are
    // clear and cost no more than what they replace. Pieces between neighbours are not questioned. Returns how many, or
    // an Outcome.
    int64_t shorten(const Point* points, int64_t count, const Stopping& stopping, int32_t* kept) const;

   private:
    struct Way;

    const Grid& grid_;
    const std::vector<int32_t>& factor_;
};

}  // namespace premotor
