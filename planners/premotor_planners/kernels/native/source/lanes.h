// Vectors of unsigned 16-bit numbers in the compiler's own notation: AVX-512, AVX2, NEON or plain SSE2 from one source.
#pragma once

#include <cstdint>
#include <cstring>
#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace premotor {

#if defined(__AVX512BW__)
constexpr int kLanes = 32;
#elif defined(__AVX2__) && !defined(__znver1__)  // the first Zen halves 256-bit operations
constexpr int kLanes = 16;
#else
constexpr int kLanes = 8;
#endif

typedef uint16_t Lanes __attribute__((vector_size(kLanes * 2)));

inline Lanes all_lanes(uint16_t value) { return Lanes{} + value; }

inline Lanes larger(Lanes a, Lanes b) {
#if defined(__AVX512BW__)
    return (Lanes)_mm512_max_epu16((__m512i)a, (__m512i)b);
#elif defined(__AVX2__) && !defined(__znver1__)
    return (Lanes)_mm256_max_epu16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)  // signed: the values are at most 2048, and SSE2 has no unsigned one
    return (Lanes)_mm_max_epi16((__m128i)a, (__m128i)b);
#elif defined(__ARM_NEON)
    return (Lanes)vmaxq_u16((uint16x8_t)a, (uint16x8_t)b);
#else
    return a > b ? a : b;
#endif
}

// a - b, and 0 where b is the larger one.
inline Lanes less_by(Lanes a, Lanes b) {
#if defined(__AVX512BW__)
    return (Lanes)_mm512_subs_epu16((__m512i)a, (__m512i)b);
#elif defined(__AVX2__) && !defined(__znver1__)
    return (Lanes)_mm256_subs_epu16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
    return (Lanes)_mm_subs_epu16((__m128i)a, (__m128i)b);
#elif defined(__ARM_NEON)
    return (Lanes)vqsubq_u16((uint16x8_t)a, (uint16x8_t)b);
#else
    return larger(a, b) - b;
#endif
}

// Every lane takes its lower neighbour's number; 0 comes in at the end.
inline Lanes from_below(Lanes value) {
#if defined(__AVX2__) && !defined(__AVX512BW__) && !defined(__znver1__)
    const __m256i low_half = _mm256_permute2x128_si256((__m256i)value, (__m256i)value, 0x08);
    return (Lanes)_mm256_alignr_epi8((__m256i)value, low_half, 14);
#elif defined(__SSE2__) && !defined(__AVX512BW__)
    return (Lanes)_mm_slli_si128((__m128i)value, 2);
#elif defined(__ARM_NEON)
    return (Lanes)vextq_u16(vdupq_n_u16(0), (uint16x8_t)value, 7);
#else
    uint16_t numbers[kLanes + 1] = {0};
    std::memcpy(numbers + 1, &value, sizeof value);
    std::memcpy(&value, numbers, sizeof value);
    return value;
#endif
}

// Every lane takes its higher neighbour's number; 0 comes in at the end.
inline Lanes from_above(Lanes value) {
#if defined(__AVX2__) && !defined(__AVX512BW__) && !defined(__znver1__)
    const __m256i high_half = _mm256_permute2x128_si256((__m256i)value, (__m256i)value, 0x81);
    return (Lanes)_mm256_alignr_epi8(high_half, (__m256i)value, 2);
#elif defined(__SSE2__) && !defined(__AVX512BW__)
    return (Lanes)_mm_srli_si128((__m128i)value, 2);
#elif defined(__ARM_NEON)
    return (Lanes)vextq_u16((uint16x8_t)value, vdupq_n_u16(0), 1);
#else
    uint16_t numbers[kLanes + 1] = {0};
    std::memcpy(numbers, &value, sizeof value);
    std::memcpy(&value, numbers + 1, sizeof value);
    return value;
#endif
}

}  // namespace premotor
