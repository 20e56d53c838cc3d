// Kernels for AVX2 and FMA without the dot-product instructions.
//
// I4: unsigned nibbles times int8 with vpmaddubsw. A 16-bit lane takes 16 products of a group, at most 16 * 15 * 127 =
// 30480, so it adds all eight of a group before widening. It starts at minus 8 times the sum of its activations (the
// offset of the nibbles), which leaves a sum within +-16256; 16384 is added to the low lane and taken from the high
// one, so that low lanes are positive, and `(v >> 16) + (v & 0xffff)` adds the two without the multiplier port.
//
// I8: unsigned bytes as 16-bit words, even and odd columns apart, times int16 with vpmaddwd, which cannot overflow;
// the 32-bit sum starts at minus 128 times the sum of the activations.
#pragma once

#include <immintrin.h>

#include "linear_quantize.h"

namespace premotor::avx2 {

constexpr int kTokens = 4;  // a block: tokens that share one pass over a tile
constexpr const char* kName = "avx2";

// One token's group for I4: columns in order; the start of the two 16-bit lanes.
struct NibbleGroup {
    int8_t q[kGroup];
    int16_t start[2];
    float scale;
};

// One token's group for I8: of every four columns a, b, c, d the words a, c, b, d.
struct ByteGroup {
    int16_t q[kGroup];
    int32_t start;  // -128 sum of q
    float scale;
};

constexpr size_t activation_group_bytes(Precision precision) {
    return precision == Precision::I4   ? sizeof(NibbleGroup)
           : precision == Precision::I8 ? sizeof(ByteGroup)
                                        : sizeof(float) * kGroup;
}

inline void pack_nibble_group(const float* x, uint8_t* out) {
    NibbleGroup group;
    group.scale = quantize_activations(x, group.q);
    const __m256i q = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(group.q));
    const __m256i pairs = _mm256_maddubs_epi16(_mm256_set1_epi8(8), q);  // 8 (q0 + q1), 8 (q2 + q3), ...
    __m128i sum = _mm_add_epi16(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256(pairs, 1));
    sum = _mm_add_epi16(sum, _mm_shuffle_epi32(sum, 0x4e));
    sum = _mm_add_epi16(sum, _mm_shuffle_epi32(sum, 0xb1));
    const int32_t start = _mm_cvtsi128_si32(_mm_sub_epi16(_mm_set1_epi32(static_cast<int>(0xc0004000u)), sum));
    std::memcpy(group.start, &start, sizeof start);
    std::memcpy(out, &group, sizeof group);
}

inline void pack_byte_group(const float* x, uint8_t* out) {
    int8_t q[kGroup];
    ByteGroup group;
    group.scale = quantize_activations(x, q);
    int sum = 0;
    for (int c = 0; c < kGroup; ++c) sum += q[c];
    group.start = -128 * sum;
    const __m128i order = _mm_setr_epi8(0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15);
    for (int c = 0; c < kGroup; c += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(q + c));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(group.q + c),
                            _mm256_cvtepi8_epi16(_mm_shuffle_epi8(bytes, order)));
    }
    std::memcpy(out, &group, sizeof group);
}

// Packs one group of token t of a block of `tokens`; `group` is the block's group.
inline void pack_activations(Precision precision, const float* x, int t, int tokens, uint8_t* group) {
    if (precision == Precision::I4) {
        pack_nibble_group(x, group + t * sizeof(NibbleGroup));
    } else if (precision == Precision::I8) {
        pack_byte_group(x, group + t * sizeof(ByteGroup));
    } else {
        for (int c = 0; c < kGroup; ++c) std::memcpy(group + 4 * (c * tokens + t), x + c, 4);
    }
}

inline __m256i load(const void* p) { return _mm256_load_si256(static_cast<const __m256i*>(p)); }

inline __m256i spread(const void* p) {
    int32_t word;
    std::memcpy(&word, p, sizeof word);
    return _mm256_set1_epi32(word);
}

inline __m256 spread_float(const void* p) {
    float value;
    std::memcpy(&value, p, sizeof value);
    return _mm256_set1_ps(value);
}

// Adds, and hides the sum from the compiler: it would otherwise reorder integer additions and spill every product.
inline __m256i add_words16(__m256i sum, __m256i product) {
    sum = _mm256_add_epi16(sum, product);
    __asm__("" : "+x"(sum));
    return sum;
}

inline __m256i add_words32(__m256i sum, __m256i product) {
    sum = _mm256_add_epi32(sum, product);
    __asm__("" : "+x"(sum));
    return sum;
}

// Scales of a tile's group, rows 0-7 and 8-15.
struct Scales {
    __m256 low, high;
};

inline Scales load_scales(const uint8_t* group) {
    const __m256i both = load(group);
    return {_mm256_castsi256_ps(_mm256_slli_epi32(both, 16)),
            _mm256_castsi256_ps(_mm256_and_si256(both, _mm256_set1_epi32(static_cast<int>(0xffff0000u))))};
}

// Running results of a tile with T tokens.
template <int T>
struct Sums {
    __m256 low[T], high[T];
};

inline __m256 add_scaled(__m256 sum, __m256i dot, __m256 weight_scale, __m256 token_scale) {
    return _mm256_fmadd_ps(_mm256_cvtepi32_ps(dot), _mm256_mul_ps(weight_scale, token_scale), sum);
}

inline __m256i add_lanes(__m256i v) {
    return _mm256_add_epi32(_mm256_srai_epi32(v, 16), _mm256_and_si256(v, _mm256_set1_epi32(0xffff)));
}

// Adds one quad of columns of nibbles to the 16-bit sums.
template <int T>
inline void add_nibbles(__m256i low, __m256i high, const uint8_t* x, int quad, __m256i (*sums)[T]) {
#pragma GCC unroll 8
    for (int t = 0; t < T; ++t) {
        const __m256i q = spread(x + t * sizeof(NibbleGroup) + 4 * quad);
        sums[0][t] = add_words16(sums[0][t], _mm256_maddubs_epi16(low, q));
        sums[1][t] = add_words16(sums[1][t], _mm256_maddubs_epi16(high, q));
    }
}

template <int T>
inline void add_nibble_group(const uint8_t* w, const uint8_t* x, Sums<T>& total) {
    const __m256i mask = _mm256_set1_epi8(15);
    __m256i sums[2][T];
#pragma GCC unroll 8
    for (int t = 0; t < T; ++t) {
        sums[0][t] = sums[1][t] = spread(x + t * sizeof(NibbleGroup) + offsetof(NibbleGroup, start));
    }
#pragma GCC unroll 4
    for (int k = 0; k < kQuads / 2; ++k) {
        const __m256i low = load(w + kScaleBytes + 64 * k), high = load(w + kScaleBytes + 64 * k + 32);
        add_nibbles<T>(_mm256_and_si256(low, mask), _mm256_and_si256(high, mask), x, k, sums);
        add_nibbles<T>(_mm256_and_si256(_mm256_srli_epi16(low, 4), mask),
                       _mm256_and_si256(_mm256_srli_epi16(high, 4), mask), x, k + kQuads / 2, sums);
    }
    const Scales scales = load_scales(w);
#pragma GCC unroll 8
    for (int t = 0; t < T; ++t) {
        const __m256 scale = spread_float(x + t * sizeof(NibbleGroup) + offsetof(NibbleGroup, scale));
        total.low[t] = add_scaled(total.low[t], add_lanes(sums[0][t]), scales.low, scale);
        total.high[t] = add_scaled(total.high[t], add_lanes(sums[1][t]), scales.high, scale);
    }
}

// Adds two of every four columns, as 16-bit words, to the 32-bit sums.
template <int T>
inline void add_words(__m256i low, __m256i high, const uint8_t* x, int pair, __m256i (*sums)[T]) {
#pragma GCC unroll 8
    for (int t = 0; t < T; ++t) {
        const __m256i q = spread(x + t * sizeof(ByteGroup) + 4 * pair);
        sums[0][t] = add_words32(sums[0][t], _mm256_madd_epi16(low, q));
        sums[1][t] = add_words32(sums[1][t], _mm256_madd_epi16(high, q));
    }
}

template <int T>
inline void add_byte_group(const uint8_t* w, const uint8_t* x, Sums<T>& total) {
    const __m256i mask = _mm256_set1_epi16(255);
    __m256i sums[2][T];
#pragma GCC unroll 8
    for (int t = 0; t < T; ++t) {
        sums[0][t] = sums[1][t] = spread(x + t * sizeof(ByteGroup) + offsetof(ByteGroup, start));
    }
#pragma GCC unroll 8
    for (int k = 0; k < kQuads; ++k) {
        const __m256i low = load(w + kScaleBytes + 64 * k), high = load(w + kScaleBytes + 64 * k + 32);
        add_words<T>(_mm256_and_si256(low, mask), _mm256_and_si256(high, mask), x, 2 * k, sums);
        add_words<T>(_mm256_srli_epi16(low, 8), _mm256_srli_epi16(high, 8), x, 2 * k + 1, sums);
    }
    const Scales scales = load_scales(w);
#pragma GCC unroll 8
    for (int t = 0; t < T; ++t) {
        const __m256 scale = spread_float(x + t * sizeof(ByteGroup) + offsetof(ByteGroup, scale));
        total.low[t] = add_scaled(total.low[t], sums[0][t], scales.low, scale);
        total.high[t] = add_scaled(total.high[t], sums[1][t], scales.high, scale);
    }
}

// One column of 16 float weights with T tokens.
template <int T>
inline void add_column(__m256 low, __m256 high, const uint8_t* x, int column, Sums<T>& sums) {
#pragma GCC unroll 8
    for (int t = 0; t < T; ++t) {
        const __m256 value = spread_float(x + 4 * (column * T + t));
        sums.low[t] = _mm256_fmadd_ps(low, value, sums.low[t]);
        sums.high[t] = _mm256_fmadd_ps(high, value, sums.high[t]);
    }
}

template <Precision P, int T>
inline void add_float_group(const uint8_t* w, const uint8_t* x, Sums<T>& total) {
    const __m256i mask = _mm256_set1_epi32(static_cast<int>(0xffff0000u));
    Sums<T> sums;
#pragma GCC unroll 8
    for (int t = 0; t < T; ++t) sums.low[t] = sums.high[t] = _mm256_setzero_ps();
#pragma GCC unroll 4
    for (int c = 0; c < kGroup; c += 2) {
        if constexpr (P == Precision::F32) {
            const float* column = reinterpret_cast<const float*>(w) + c * kTile;
            add_column<T>(_mm256_load_ps(column), _mm256_load_ps(column + 8), x, c, sums);
            add_column<T>(_mm256_load_ps(column + 16), _mm256_load_ps(column + 24), x, c + 1, sums);
        } else {
            const __m256i low = load(w + 2 * c * kTile), high = load(w + 2 * c * kTile + 32);
            add_column<T>(_mm256_castsi256_ps(_mm256_slli_epi32(low, 16)),
                          _mm256_castsi256_ps(_mm256_slli_epi32(high, 16)), x, c, sums);
            add_column<T>(_mm256_castsi256_ps(_mm256_and_si256(low, mask)),
                          _mm256_castsi256_ps(_mm256_and_si256(high, mask)), x, c + 1, sums);
        }
    }
#pragma GCC unroll 8
    for (int t = 0; t < T; ++t) {
        total.low[t] = _mm256_add_ps(total.low[t], sums.low[t]);
        total.high[t] = _mm256_add_ps(total.high[t], sums.high[t]);
    }
}

// Asks for the weights two kilobytes ahead: the hardware's own prefetching stops at a page and leaves a third unused.
template <Precision P>
inline void fetch_ahead(const uint8_t* group) {
    for (size_t at = 0; at < tile_group_bytes(P); at += 64) {
        _mm_prefetch(reinterpret_cast<const char*>(group) + 2048 + at, _MM_HINT_T0);
    }
}

// out[t * ld + r] = the products of a tile's 16 rows with a block of T tokens; the first pass brings the tile from memory.
template <Precision P, int T>
void tile_product(const uint8_t* tile, const uint8_t* x, int groups, float* out, int ld, bool first_pass) {
    Sums<T> total;
    for (int t = 0; t < T; ++t) total.low[t] = total.high[t] = _mm256_setzero_ps();
    for (int g = 0; g < groups; ++g) {
        if (first_pass) fetch_ahead<P>(tile);
        if constexpr (P == Precision::I4) {
            add_nibble_group<T>(tile, x, total);
        } else if constexpr (P == Precision::I8) {
            add_byte_group<T>(tile, x, total);
        } else {
            add_float_group<P, T>(tile, x, total);
        }
        tile += tile_group_bytes(P);
        x += T * activation_group_bytes(P);
    }
    for (int t = 0; t < T; ++t) {
        _mm256_storeu_ps(out + static_cast<ptrdiff_t>(t) * ld, total.low[t]);
        _mm256_storeu_ps(out + static_cast<ptrdiff_t>(t) * ld + 8, total.high[t]);
    }
}

}  // namespace premotor::avx2
