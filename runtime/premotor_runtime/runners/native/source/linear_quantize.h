// Choice of scale and integers for one group of 32 weights or activations.
#pragma once

#include <algorithm>
#include <cmath>

#include "linear_layout.h"

namespace premotor {

// Compared as integers: magnitudes of floats order like their bits, and an integer maximum becomes a vector.
// NaN ranks above infinity, so a group that holds one has a scale of NaN and its products are NaN.
inline float largest_magnitude(const float* values) {
    int32_t largest = 0;
    for (int i = 0; i < kGroup; ++i) {
        largest = std::max(largest, static_cast<int32_t>(float_to_bits(values[i]) & 0x7fffffffu));
    }
    return bits_to_float(static_cast<uint32_t>(largest));
}

// The bf16 number nearest to value, but not below it: dividing by it never overshoots the range of q.
inline uint16_t bf16_at_least(float value) {
    uint16_t half = float_to_bf16(value);
    if (bf16_to_float(half) < value) ++half;
    return half;
}

// Quantizes 32 weights to [-127, 127]; returns the bf16 scale.
inline uint16_t quantize_int8(const float* w, int8_t* q) {
    const uint16_t half = bf16_at_least(largest_magnitude(w) / 127.0f);
    const float scale = bf16_to_float(half);
    const float inverse = scale > 0.0f ? 1.0f / scale : 0.0f;
    for (int i = 0; i < kGroup; ++i) {
        q[i] = round_to_int8(std::min(127.0f, std::max(-127.0f, w[i] * inverse)));
    }
    return half;
}

// Four floats in a vector register of any instruction set (a GCC and Clang extension).
typedef float Four __attribute__((vector_size(16)));

inline Four load_four(const float* values) {
    Four four;
    std::memcpy(&four, values, sizeof four);
    return four;
}

inline float add_up(Four values) { return (values[0] + values[2]) + (values[1] + values[3]); }

// Nearest integers in [-8, 7].
inline Four nearest_int4(Four values) {
    const Four shift = {kRoundingShift, kRoundingShift, kRoundingShift, kRoundingShift};
    const Four most = {7.0f, 7.0f, 7.0f, 7.0f}, least = {-8.0f, -8.0f, -8.0f, -8.0f};
    Four rounded = (values + shift) - shift;
    rounded = rounded > most ? most : rounded;
    return rounded < least ? least : rounded;
}

// Quantizes 32 weights to [-8, 7]; returns the bf16 scale (of either sign).
// Each trial maps the largest magnitude to `reach` and rounds to integers q. The best scale for these is
// sum(w q) / sum(q q), and leaves a squared error of sum(w w) - sum(w q)^2 / sum(q q): the trial with the largest
// quotient wins, and w is rounded once more with its scale.
inline uint16_t quantize_int4(const float* w, int8_t* q) {
    constexpr float kReach[] = {-8.8f, -8.3f, -7.8f, -7.3f, -6.8f, 6.8f, 7.3f, 7.8f, 8.3f, 8.8f};
    const float largest = largest_magnitude(w);
    float best_gain = 0.0f, scale = 0.0f;
    for (const float reach : kReach) {
        const float inverse = largest > 0.0f ? reach / largest : 0.0f;
        Four products = {}, squares = {};
        for (int i = 0; i < kGroup; i += 4) {
            const Four nearest = nearest_int4(load_four(w + i) * inverse);
            products += load_four(w + i) * nearest;
            squares += nearest * nearest;
        }
        const float product = add_up(products), square = add_up(squares);
        if (product * product > best_gain * square) {
            best_gain = product * product / square;
            scale = product / square;
        }
    }
    uint16_t half = float_to_bf16(scale);
    if ((half & 0x7fff) < 0x80) half = 0;  // nothing, or too small to divide by
    const float inverse = half != 0 ? 1.0f / bf16_to_float(half) : 0.0f;
    for (int i = 0; i < kGroup; i += 4) {
        const Four nearest = nearest_int4(load_four(w + i) * inverse);
        for (int lane = 0; lane < 4; ++lane) q[i + lane] = static_cast<int8_t>(nearest[lane]);
    }
    return half;
}

// Quantizes 32 activations to [-127, 127]; returns the float scale.
inline float quantize_activations(const float* x, int8_t* q) {
    const float largest = largest_magnitude(x);
    const float inverse = largest > 0.0f ? 127.0f / largest : 0.0f;
    for (int i = 0; i < kGroup; ++i) q[i] = round_to_int8(x[i] * inverse);
    return largest / 127.0f;
}

}  // namespace premotor
