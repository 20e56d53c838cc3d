// Kernels for AVX-512 with VNNI: one register holds four columns of all 16 rows of a tile, and vpdpbusd adds their
// products with a token's four int8 activations. Weights are unsigned (q + 8, q + 128), so sums start at minus 8 or
// minus 128 times the sum of the group's activations.
#pragma once

#include <immintrin.h>

#include "linear_group.h"
#include "linear_quantize.h"

namespace premotor::avx512 {

constexpr int kTokens = 8;  // a block: tokens that share one pass over a tile
constexpr const char* kName = "avx512-vnni";

using premotor::activation_group_bytes;

inline void pack_activations(Precision precision, const float* x, int t, int tokens, uint8_t* group) {
    pack_quantized(precision, x, t, tokens, group, 128);
}

inline __m512i spread(const void* p) {
    int32_t word;
    std::memcpy(&word, p, sizeof word);
    return _mm512_set1_epi32(word);
}

inline __m512 spread_float(const void* p) { return _mm512_castsi512_ps(spread(p)); }

// Scales of a tile's group, rows 0-7 from low halves and 8-15 from high ones.
inline __m512 load_scales(const uint8_t* group) {
    const __m256i both = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(group));
    const __m256i low = _mm256_slli_epi32(both, 16);
    const __m256i high = _mm256_and_si256(both, _mm256_set1_epi32(static_cast<int>(0xffff0000u)));
    return _mm512_castsi512_ps(_mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1));
}

template <int T>
inline void add_quad(__m512i w, const uint8_t* x, int quad, __m512i* sums) {
#pragma GCC unroll 8
    for (int t = 0; t < T; ++t) {
        sums[t] = _mm512_dpbusd_epi32(sums[t], w, spread(x + t * sizeof(QuantizedGroup) + 4 * quad));
    }
}

template <Precision P, int T>
inline void add_integer_group(const uint8_t* w, const uint8_t* x, __m512* total) {
    const __m512i mask = _mm512_set1_epi8(15);
    __m512i sums[T];
#pragma GCC unroll 8
    for (int t = 0; t < T; ++t) {
        sums[t] = spread(x + t * sizeof(QuantizedGroup) + offsetof(QuantizedGroup, start));
    }
#pragma GCC unroll 8
    for (int k = 0; k < (P == Precision::I8 ? kQuads : kQuads / 2); ++k) {
        const __m512i quad = _mm512_loadu_si512(w + kScaleBytes + 64 * k);
        if constexpr (P == Precision::I8) {
            add_quad<T>(quad, x, k, sums);
        } else {
            add_quad<T>(_mm512_and_si512(quad, mask), x, k, sums);
            add_quad<T>(_mm512_and_si512(_mm512_srli_epi16(quad, 4), mask), x, k + kQuads / 2, sums);
        }
    }
    const __m512 scales = load_scales(w);
#pragma GCC unroll 8
    for (int t = 0; t < T; ++t) {
        const __m512 scale = spread_float(x + t * sizeof(QuantizedGroup) + offsetof(QuantizedGroup, scale));
        total[t] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sums[t]), _mm512_mul_ps(scales, scale), total[t]);
    }
}

template <int T>
inline void add_column(__m512 w, const uint8_t* x, int column, __m512* sums) {
#pragma GCC unroll 8
    for (int t = 0; t < T; ++t) sums[t] = _mm512_fmadd_ps(w, spread_float(x + 4 * (column * T + t)), sums[t]);
}

template <Precision P, int T>
inline void add_float_group(const uint8_t* w, const uint8_t* x, __m512* total) {
    const __m512i mask = _mm512_set1_epi32(static_cast<int>(0xffff0000u));
    __m512 even[T], odd[T];
#pragma GCC unroll 8
    for (int t = 0; t < T; ++t) even[t] = odd[t] = _mm512_setzero_ps();
#pragma GCC unroll 4
    for (int c = 0; c < kGroup; c += 2) {
        if constexpr (P == Precision::F32) {
            const float* column = reinterpret_cast<const float*>(w) + c * kTile;
            add_column<T>(_mm512_loadu_ps(column), x, c, even);
            add_column<T>(_mm512_loadu_ps(column + kTile), x, c + 1, odd);
        } else {
            const __m512i pair = _mm512_loadu_si512(w + 2 * c * kTile);
            add_column<T>(_mm512_castsi512_ps(_mm512_slli_epi32(pair, 16)), x, c, even);
            add_column<T>(_mm512_castsi512_ps(_mm512_and_si512(pair, mask)), x, c + 1, odd);
        }
    }
#pragma GCC unroll 8
    for (int t = 0; t < T; ++t) total[t] = _mm512_add_ps(total[t], _mm512_add_ps(even[t], odd[t]));
}

// Asks for the weights two kilobytes ahead: the hardware's own prefetching stops at a page.
template <Precision P>
inline void fetch_ahead(const uint8_t* group) {
    for (size_t at = 0; at < tile_group_bytes(P); at += 64) {
        _mm_prefetch(reinterpret_cast<const char*>(group) + 2048 + at, _MM_HINT_T0);
    }
}

// out[t * ld + r] = the products of a tile's 16 rows with a block of T tokens; the first pass brings the tile from
// memory.
template <Precision P, int T>
void tile_product(const uint8_t* tile, const uint8_t* x, int groups, float* out, int ld, bool first_pass) {
    __m512 total[T];
    for (int t = 0; t < T; ++t) total[t] = _mm512_setzero_ps();
    for (int g = 0; g < groups; ++g) {
        if (first_pass) fetch_ahead<P>(tile);
        if constexpr (P == Precision::I4 || P == Precision::I8) {
            add_integer_group<P, T>(tile, x, total);
        } else {
            add_float_group<P, T>(tile, x, total);
        }
        tile += tile_group_bytes(P);
        x += T * activation_group_bytes(P);
    }
    for (int t = 0; t < T; ++t) _mm512_storeu_ps(out + static_cast<ptrdiff_t>(t) * ld, total[t]);
}

}  // namespace premotor::avx512
