// Kernels for 64-bit ARM: four registers hold four columns of the 16 rows of a tile; sdot, or widening products
// where the processor lacks it, add their products with a token's four int8 activations.
// I4 uses nibbles of q + 8, so sums start at minus 8 times the sum of the group's activations; bytes of I8 become
// signed by flipping the top bit.
#pragma once

#include <arm_neon.h>

#include "linear_group.h"
#include "linear_quantize.h"

namespace premotor::neon {

constexpr int kTokens = 4;  // a block: tokens that share one pass over a tile
constexpr int kParts = kTile / 4;
#if defined(__ARM_FEATURE_DOTPROD)
constexpr const char* kName = "neon-dot";
#else
constexpr const char* kName = "neon";
#endif

using premotor::activation_group_bytes;

inline void pack_activations(Precision precision, const float* x, int t, int tokens, uint8_t* group) {
    pack_quantized(precision, x, t, tokens, group, 0);
}

// Adds to four rows' sums the products of four columns with four activations, lane `Lane` of x.
template <int Lane>
inline int32x4_t add_dot(int32x4_t sum, int8x16_t w, int8x16_t x) {
#if defined(__ARM_FEATURE_DOTPROD)
    return vdotq_laneq_s32(sum, w, x, Lane);
#else
    const int8x16_t q = vreinterpretq_s8_s32(vdupq_laneq_s32(vreinterpretq_s32_s8(x), Lane));
    const int32x4_t first = vpaddlq_s16(vmull_s8(vget_low_s8(w), vget_low_s8(q)));
    const int32x4_t second = vpaddlq_s16(vmull_high_s8(w, q));
    return vaddq_s32(sum, vpaddq_s32(first, second));
#endif
}

template <int Lane, int T>
inline void add_quad(const int8x16_t* w, const uint8_t* x, int offset, int32x4_t (*sums)[kParts]) {
#pragma GCC unroll 4
    for (int t = 0; t < T; ++t) {
        const int8x16_t q = vld1q_s8(reinterpret_cast<const int8_t*>(x) + t * sizeof(QuantizedGroup) + offset);
#pragma GCC unroll 4
        for (int part = 0; part < kParts; ++part) sums[t][part] = add_dot<Lane>(sums[t][part], w[part], q);
    }
}

// Quad `Lane` of columns and, for I8, its like in the group's second half.
template <Precision P, int Lane, int T>
inline void add_quads(const uint8_t* w, const uint8_t* x, int32x4_t (*sums)[kParts]) {
    int8x16_t low[kParts], high[kParts];
#pragma GCC unroll 4
    for (int part = 0; part < kParts; ++part) {
        const uint8x16_t bytes = vld1q_u8(w + 64 * Lane + 16 * part);
        if constexpr (P == Precision::I8) {
            const uint8x16_t more = vld1q_u8(w + 64 * (Lane + kQuads / 2) + 16 * part);
            low[part] = vreinterpretq_s8_u8(veorq_u8(bytes, vdupq_n_u8(128)));
            high[part] = vreinterpretq_s8_u8(veorq_u8(more, vdupq_n_u8(128)));
        } else {
            low[part] = vreinterpretq_s8_u8(vandq_u8(bytes, vdupq_n_u8(15)));
            high[part] = vreinterpretq_s8_u8(vshrq_n_u8(bytes, 4));
        }
    }
    add_quad<Lane, T>(low, x, 0, sums);
    add_quad<Lane, T>(high, x, kGroup / 2, sums);
}

// Scales of rows 4 part ... 4 part + 3: low halves of the words for rows below 8, high halves above.
inline float32x4_t load_scales(const uint8_t* group, int part) {
    const uint32x4_t both = vreinterpretq_u32_u8(vld1q_u8(group + 16 * (part % 2)));
    return vreinterpretq_f32_u32(part < 2 ? vshlq_n_u32(both, 16) : vandq_u32(both, vdupq_n_u32(0xffff0000u)));
}

template <Precision P, int T>
inline void add_integer_group(const uint8_t* w, const uint8_t* x, float32x4_t (*total)[kParts]) {
    int32x4_t sums[T][kParts];
    float scale[T];
    for (int t = 0; t < T; ++t) {
        QuantizedGroup token;
        std::memcpy(&token, x + t * sizeof token, sizeof token);
        for (int part = 0; part < kParts; ++part) sums[t][part] = vdupq_n_s32(token.start);
        scale[t] = token.scale;
    }
    add_quads<P, 0, T>(w + kScaleBytes, x, sums);
    add_quads<P, 1, T>(w + kScaleBytes, x, sums);
    add_quads<P, 2, T>(w + kScaleBytes, x, sums);
    add_quads<P, 3, T>(w + kScaleBytes, x, sums);
    for (int part = 0; part < kParts; ++part) {
        const float32x4_t scales = load_scales(w, part);
        for (int t = 0; t < T; ++t) {
            total[t][part] = vfmaq_f32(total[t][part], vcvtq_f32_s32(sums[t][part]), vmulq_n_f32(scales, scale[t]));
        }
    }
}

// One column of 16 float weights with T tokens.
template <int T>
inline void add_column(const float32x4_t* w, const uint8_t* x, int column, float32x4_t (*sums)[kParts]) {
#pragma GCC unroll 4
    for (int t = 0; t < T; ++t) {
        float value;
        std::memcpy(&value, x + 4 * (column * T + t), sizeof value);
#pragma GCC unroll 4
        for (int part = 0; part < kParts; ++part) {
            sums[t][part] = vfmaq_f32(sums[t][part], w[part], vdupq_n_f32(value));
        }
    }
}

// Columns 2 pair and 2 pair + 1 of a group as floats.
template <Precision P>
inline void load_columns(const uint8_t* w, int pair, float32x4_t* even, float32x4_t* odd) {
    for (int part = 0; part < kParts; ++part) {
        if constexpr (P == Precision::F32) {
            const float* column = reinterpret_cast<const float*>(w) + 2 * pair * kTile + 4 * part;
            even[part] = vld1q_f32(column);
            odd[part] = vld1q_f32(column + kTile);
        } else {
            const uint32x4_t both = vreinterpretq_u32_u8(vld1q_u8(w + 4 * pair * kTile + 16 * part));
            even[part] = vreinterpretq_f32_u32(vshlq_n_u32(both, 16));
            odd[part] = vreinterpretq_f32_u32(vandq_u32(both, vdupq_n_u32(0xffff0000u)));
        }
    }
}

template <Precision P, int T>
inline void add_float_group(const uint8_t* w, const uint8_t* x, float32x4_t (*total)[kParts]) {
    float32x4_t sums[T][kParts];
    for (int t = 0; t < T; ++t) {
        for (int part = 0; part < kParts; ++part) sums[t][part] = vdupq_n_f32(0.0f);
    }
#pragma GCC unroll 4
    for (int pair = 0; pair < kGroup / 2; ++pair) {
        float32x4_t even[kParts], odd[kParts];
        load_columns<P>(w, pair, even, odd);
        add_column<T>(even, x, 2 * pair, sums);
        add_column<T>(odd, x, 2 * pair + 1, sums);
    }
    for (int t = 0; t < T; ++t) {
        for (int part = 0; part < kParts; ++part) total[t][part] = vaddq_f32(total[t][part], sums[t][part]);
    }
}

// out[t * ld + r] = the products of a tile's 16 rows with a block of T tokens; the first pass brings the tile from
// memory.
template <Precision P, int T>
void tile_product(const uint8_t* tile, const uint8_t* x, int groups, float* out, int ld, bool first_pass) {
    float32x4_t total[T][kParts];
    for (int t = 0; t < T; ++t) {
        for (int part = 0; part < kParts; ++part) total[t][part] = vdupq_n_f32(0.0f);
    }
    for (int g = 0; g < groups; ++g) {
        if (first_pass) {
            for (size_t at = 0; at < tile_group_bytes(P); at += 64) __builtin_prefetch(tile + 2048 + at);
        }
        if constexpr (P == Precision::I4 || P == Precision::I8) {
            add_integer_group<P, T>(tile, x, total);
        } else {
            add_float_group<P, T>(tile, x, total);
        }
        tile += tile_group_bytes(P);
        x += T * activation_group_bytes(P);
    }
    for (int t = 0; t < T; ++t) {
        for (int part = 0; part < kParts; ++part) {
            vst1q_f32(out + static_cast<ptrdiff_t>(t) * ld + 4 * part, total[t][part]);
        }
    }
}

}  // namespace premotor::neon
