#pragma once

#include <cstdint>

namespace premotor {

// Cells dx = first ... first + length - 1 of row dy, relative to the robot's cell, that its outline touches.
struct Run {
    int32_t heading, dy, first, length;
};

constexpr int kMostReach = 15;  // of |dy|, and of dx to either side

struct CSpace {
    int rows, cols, headings, runs, inflation;
    const Run* run;  // ordered by heading
    void* scratch;   // cspace_bytes of it
};

int64_t cspace_bytes(int rows, int cols);

// free: rows x cols; free_at: headings x rows x cols; near: rows x cols. Returns 0, or 1 where `free` has a value other
// than 0 and 1; then nothing is written.
int cspace(const CSpace& run, const float* free, float* free_at, float* near);

}  // namespace premotor
