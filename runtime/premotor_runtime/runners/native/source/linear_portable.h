// Kernels in plain C++; loops over the 16 rows of a tile become vectors where the compiler can.
#pragma once

#include "linear_quantize.h"

namespace premotor::portable {

constexpr int kTokens = 4;  // a block: tokens that share one pass over a tile
constexpr const char* kName = "portable";

// One token's group of quantized activations.
struct QuantizedGroup {
    int8_t q[kGroup];
    float scale;
};

constexpr size_t activation_group_bytes(Precision precision) {
    return precision == Precision::F32 || precision == Precision::BF16 ? sizeof(float) * kGroup
                                                                       : sizeof(QuantizedGroup);
}

// Packs one group of token t of a block of T tokens; `group` is the block's group.
inline void pack_activations(Precision precision, const float* x, int t, int tokens, uint8_t* group) {
    if (precision == Precision::F32 || precision == Precision::BF16) {
        for (int c = 0; c < kGroup; ++c) std::memcpy(group + 4 * (c * tokens + t), x + c, 4);
        return;
    }
    QuantizedGroup packed;
    packed.scale = quantize_activations(x, packed.q);
    std::memcpy(group + t * sizeof packed, &packed, sizeof packed);
}

template <Precision P, int T>
void add_float_group(const uint8_t* w, const uint8_t* x, float (*sums)[kTile]) {
    for (int c = 0; c < kGroup; ++c) {
        float values[kTile];
        if (P == Precision::F32) {
            std::memcpy(values, w + 4 * c * kTile, sizeof values);
        } else {
            uint16_t halves[2 * kTile];
            std::memcpy(halves, w + 4 * (c / 2) * kTile, sizeof halves);
            for (int r = 0; r < kTile; ++r) values[r] = bf16_to_float(halves[2 * r + c % 2]);
        }
        for (int t = 0; t < T; ++t) {
            float value;
            std::memcpy(&value, x + 4 * (c * T + t), 4);
            for (int r = 0; r < kTile; ++r) sums[t][r] += values[r] * value;
        }
    }
}

template <Precision P, int T>
void add_integer_group(const uint8_t* w, const uint8_t* x, float (*sums)[kTile]) {
    float scales[kTile];
    for (int r = 0; r < kTile; ++r) {
        uint16_t half;
        std::memcpy(&half, w + 4 * (r % 8) + 2 * (r / 8), sizeof half);
        scales[r] = bf16_to_float(half);
    }
    w += kScaleBytes;
    for (int t = 0; t < T; ++t) {
        QuantizedGroup token;
        std::memcpy(&token, x + t * sizeof token, sizeof token);
        int32_t dots[kTile] = {};
        for (int c = 0; c < (P == Precision::I8 ? kGroup : kGroup / 2); ++c) {
            const uint8_t* column = w + (c / 4) * 4 * kTile + c % 4;
            for (int r = 0; r < kTile; ++r) {
                const int both = column[4 * r];
                if (P == Precision::I8) {
                    dots[r] += (both - 128) * token.q[c];
                } else {
                    dots[r] += ((both & 15) - 8) * token.q[c] + ((both >> 4) - 8) * token.q[c + kGroup / 2];
                }
            }
        }
        for (int r = 0; r < kTile; ++r) sums[t][r] += static_cast<float>(dots[r]) * (scales[r] * token.scale);
    }
}

// out[t * ld + r] = the products of a tile's 16 rows with a block of T tokens.
template <Precision P, int T>
void tile_product(const uint8_t* tile, const uint8_t* x, int groups, float* out, int ld, bool) {
    float sums[T][kTile] = {};
    for (int g = 0; g < groups; ++g) {
        const uint8_t* w = tile + g * tile_group_bytes(P);
        const uint8_t* tokens = x + g * T * activation_group_bytes(P);
        if (P == Precision::F32 || P == Precision::BF16) {
            add_float_group<P, T>(w, tokens, sums);
        } else {
            add_integer_group<P, T>(w, tokens, sums);
        }
    }
    for (int t = 0; t < T; ++t) std::memcpy(out + static_cast<ptrdiff_t>(t) * ld, sums[t], sizeof sums[t]);
}

}  // namespace premotor::portable
