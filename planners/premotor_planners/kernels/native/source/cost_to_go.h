#pragma once

#include "lanes.h"

namespace premotor {

struct CostToGo {
    int rows, cols, sweeps, limit;
    void* scratch;  // cost_to_go_bytes of it
};

int64_t cost_to_go_bytes(int rows, int cols);

// Maps of rows x cols. Returns 0, or which input has a value that it must not have: 1 reach, 2 free; then nothing is
// written.
int cost_to_go(const CostToGo& run, const float* reach, const float* free, float* out);

}  // namespace premotor
