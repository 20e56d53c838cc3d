#include "adapters.h"

#include <algorithm>

#include "vector.h"

namespace premotor::model {
namespace {

float dot(const float* a, const float* x, int size) {
    Vector sums[2] = {};
    int i = 0;
    for (; i + 2 * kLanes <= size; i += 2 * kLanes) {
        sums[0] += load(a + i) * load(x + i);
        sums[1] += load(a + i + kLanes) * load(x + i + kLanes);
    }
    float total = sum(sums[0] + sums[1]);
    for (; i < size; i++) total += a[i] * x[i];
    return total;
}

// kLanes columns of B (low), or the last few of them: the same operations, so that where a range ends changes nothing.
void add_columns(const Factors& factors, const float* low, int outputs, int column, int count, float* y) {
    Vector total = {};
    for (int64_t k = 0; k < factors.rank; k++) {
        float lanes[kLanes] = {};
        const float* b = factors.b + k * outputs + column;
        if (count < kLanes) std::copy_n(b, count, lanes), b = lanes;
        total += low[k] * load(b);
    }
    float added[kLanes];
    store(added, total);
    for (int i = 0; i < count; i++) y[i] += added[i];
}

}  // namespace

void project_down(const Adapter& adapter, int layer, Targets targets, const float* x, int inputs, float* low, int stride) {
    for (int target = targets.first; target < targets.first + targets.count; target++, low += stride) {
        const Factors& factors = adapter.factors[(size_t)(layer * kTargets + target)];
        for (int64_t k = 0; k < factors.rank; k++) low[k] = dot(factors.a + k * inputs, x, inputs);
    }
}

void project_up(const Factors& factors, const float* low, int outputs, int first, int end, float* y) {
    if (factors.rank == 0) return;
    for (int column = first; column < end; column += kLanes)
        add_columns(factors, low, outputs, column, std::min(kLanes, end - column), y + column);
}

}  // namespace premotor::model
