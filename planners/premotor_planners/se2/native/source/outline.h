// Whether the robot's true outline, at any pose, touches an occupied cell.
#pragma once

#include <algorithm>
#include <cstdint>

#include "curves.h"

namespace premotor {

struct Room {  // lengths in cells from the grid's lower left corner
    int rows, cols;
    const uint8_t* occupied;  // beyond the grid everything is
    int headings;
    const uint8_t* fits;  // headings x rows x cols: 1 where the outline certainly is free anywhere in cell and heading
    int corners;
    const double* corner;

    bool is_occupied(int r, int c) const {
        return r < 0 || c < 0 || r >= rows || c >= cols || occupied[int64_t(r) * cols + c];
    }
    bool certainly_free(const Pose& pose) const {
        const int r = int(std::floor(pose.y)), c = int(std::floor(pose.x));
        if (!headings || r < 0 || c < 0 || r >= rows || c >= cols) return false;
        int h = int(std::lround(pose.yaw / (2 * M_PI) * headings)) % headings;
        if (h < 0) h += headings;
        return fits[(int64_t(h) * rows + r) * cols + c];
    }

    // Whether every point within `margin` of the outline is free.
    bool free_at(const Pose& pose, double margin) const;
};

}  // namespace premotor
