// LoRA adapters kept apart (Hu et al. 2021): what they add to a product, y += B (A x), for the tokens of their own chunks.
// Always in float32, whatever the precision of the weights.
#pragma once

#include <cstdint>
#include <vector>

#include "model.h"

namespace premotor::model {

// The matrices that an adapter may change, in the order of the factors given for a layer.
enum Target : int { kQuery = 0, kKey, kValue, kAttended, kGate, kUp, kDown, kTargets };

// Consecutive targets that share their input.
struct Targets {
    int first, count;
};

// `a` (rank, inputs), `b` (rank, outputs), the scale within it; rank 0 where the target is not changed.
struct Factors {
    int64_t rank;
    const float *a, *b;
};

struct Adapter {
    std::vector<Factors> factors;  // of layer n from n * kTargets on
    int rank;                      // the largest
};

// Tokens [row, row + count) of a step, which use `adapter`.
struct AdaptedRows {
    int row, count;
    const Adapter* adapter;
};

// low[target][k] = sum_c a[k, c] x[c] for each of `targets`, `stride` apart; x has `inputs` elements.
void project_down(const Adapter& adapter, int layer, Targets targets, const float* x, int inputs, float* low, int stride);

// y[c] += sum_k low[k] b[k, c] for first <= c < end, c counted within the target's own `outputs`.
void project_up(const Factors& factors, const float* low, int outputs, int first, int end, float* y);

}  // namespace premotor::model
