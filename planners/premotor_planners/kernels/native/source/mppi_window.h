// The planes around the robot, sampled at many points.
#pragma once

#include "mppi_math.h"

namespace premotor::mppi {

constexpr float kEdge = 1e-3f;  // of a cell: samples beyond the window are taken this far inside its last row or column

// Points among the cells of a plane: each lies `right` and `up` (parts of a cell) of the centre of cell `corner`.
struct Places {
    alignas(64) uint32_t corner[kLanes];
    Floats right, up;
};

struct Window {
    const float *clearance, *guide;
    int32_t cols;
    float last_col, last_row;

    Window(const float* fields, int32_t rows, int32_t cols)
        : clearance(fields), guide(fields + (int64_t)rows * cols), cols(cols), last_col((float)(cols - 1) - kEdge),
          last_row((float)(rows - 1) - kEdge) {}

    // x and y in cells.
    void find(Floats x, Floats y, Places& found) const {
        const Floats col = clamp(x, 0.0f, last_col), row = clamp(y, 0.0f, last_row);
        const Floats c = whole(col), r = whole(row);
        store(found.corner, __builtin_convertvector(r * (float)cols + c, Integers));  // exact: below 2^24, see mppi.py
        found.right = col - c;
        found.up = row - r;
    }

    // Bilinear.
    Floats sample(const float* plane, const Places& at) const {
        Floats low, low_right, high, high_right;
        pairs(plane, at.corner, low, low_right);
        pairs(plane + cols, at.corner, high, high_right);
        low += (low_right - low) * at.right;
        high += (high_right - high) * at.right;
        return low + (high - low) * at.up;
    }
};

}  // namespace premotor::mppi
