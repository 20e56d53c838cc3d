#include "model.h"

#include <cmath>

#include "vector.h"

namespace premotor::model {

void Rotation::cover(int positions) {
    if (positions <= covered_) return;
    const int target = (positions + 255) / 256 * 256;
    table_.resize((size_t)target * kHeadDim);
    for (int position = covered_; position < target; position++) {
        float* row = table_.data() + (size_t)position * kHeadDim;
        for (int i = 0; i < kHalf; i++) {
            const float angle = (float)position * frequencies_[i];
            row[i] = std::cos(angle);
            row[kHalf + i] = std::sin(angle);
        }
    }
    covered_ = target;
}

void normalize(const float* x, const float* weight, int size, float epsilon, float* y) {
    Vector squares[2] = {};
    int i = 0;
    for (; i + 2 * kLanes <= size; i += 2 * kLanes) {
        const Vector a = load(x + i), b = load(x + i + kLanes);
        squares[0] += a * a;
        squares[1] += b * b;
    }
    float total = sum(squares[0] + squares[1]);
    for (; i < size; i++) total += x[i] * x[i];
    const float scale = 1.0f / std::sqrt(total / (float)size + epsilon);
    for (i = 0; i + kLanes <= size; i += kLanes) store(y + i, load(x + i) * scale * load(weight + i));
    for (; i < size; i++) y[i] = x[i] * scale * weight[i];
}

void rotate(const float* x, const float* cosines_and_sines, float* y) {
    const float *cosines = cosines_and_sines, *sines = cosines_and_sines + kHalf;
    int i = 0;
    for (; i + kLanes <= kHalf; i += kLanes) {
        const Vector a = load(x + i), b = load(x + kHalf + i), c = load(cosines + i), s = load(sines + i);
        store(y + i, a * c - b * s);
        store(y + kHalf + i, b * c + a * s);
    }
    for (; i < kHalf; i++) {
        const float a = x[i], b = x[kHalf + i];
        y[i] = a * cosines[i] - b * sines[i];
        y[kHalf + i] = b * cosines[i] + a * sines[i];
    }
}

// Both are x times a logistic: SiLU(x) = x / (1 + e^-x), and 0.5 (1 + tanh u) = 1 / (1 + e^-2u).
static inline Vector activated(Vector x) {
    const Vector inner = kGelu ? (x + 0.044715f * x * x * x) * 1.5957691216057308f : x;
    return x / (1.0f + exponential(-inner));
}

void activate(float* gate, const float* up, int size) {
    int i = 0;
    for (; i + kLanes <= size; i += kLanes) store(gate + i, activated(load(gate + i)) * load(up + i));
    if (i == size) return;
    float x[kLanes] = {};
    std::memcpy(x, gate + i, (size_t)(size - i) * sizeof(float));
    store(x, activated(load(x)));
    for (int rest = 0; i + rest < size; rest++) gate[i + rest] = x[rest] * up[i + rest];
}

}  // namespace premotor::model
