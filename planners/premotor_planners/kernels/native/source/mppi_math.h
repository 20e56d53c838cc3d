// Vectors of floats in the compiler's own notation, and the functions of the kernel mppi on them.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace premotor::mppi {

#if defined(__AVX512F__)
constexpr int kLanes = 16;
#elif defined(__AVX__)
constexpr int kLanes = 8;
#else  // no more than a register holds: compilers take wider comparisons and conversions apart, number by number
constexpr int kLanes = 4;
#endif

typedef float Floats __attribute__((vector_size(kLanes * 4)));
typedef int32_t Integers __attribute__((vector_size(kLanes * 4)));

template <class Value>
inline Value load(const void* from) {
    Value value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

inline void store(float* to, Floats value) { std::memcpy(to, &value, sizeof value); }

// In parts of 16 bytes: where a processor halves its vectors, loads from a whole one's upper half wait for the cache.
inline void store(uint32_t* to, Integers value) {
#if defined(__AVX__) && !defined(__AVX512F__)
    _mm_storeu_si128((__m128i*)to, _mm256_castsi256_si128((__m256i)value));
    _mm_storeu_si128((__m128i*)(to + 4), _mm256_extractf128_si256((__m256i)value, 1));
#else
    std::memcpy(to, &value, sizeof value);
#endif
}

inline Floats splat(float value) { return value - Floats{}; }

// Written out where the compiler would compare and blend.
#if defined(__AVX512F__)
inline Floats smaller(Floats a, Floats b) { return (Floats)_mm512_min_ps((__m512)a, (__m512)b); }
inline Floats larger(Floats a, Floats b) { return (Floats)_mm512_max_ps((__m512)a, (__m512)b); }
#elif defined(__AVX__)
inline Floats smaller(Floats a, Floats b) { return (Floats)_mm256_min_ps((__m256)a, (__m256)b); }
inline Floats larger(Floats a, Floats b) { return (Floats)_mm256_max_ps((__m256)a, (__m256)b); }
#elif defined(__SSE2__)
inline Floats smaller(Floats a, Floats b) { return (Floats)_mm_min_ps((__m128)a, (__m128)b); }
inline Floats larger(Floats a, Floats b) { return (Floats)_mm_max_ps((__m128)a, (__m128)b); }
#elif defined(__ARM_NEON)
inline Floats smaller(Floats a, Floats b) { return (Floats)vminq_f32((float32x4_t)a, (float32x4_t)b); }
inline Floats larger(Floats a, Floats b) { return (Floats)vmaxq_f32((float32x4_t)a, (float32x4_t)b); }
#else
inline Floats smaller(Floats a, Floats b) { return a < b ? a : b; }
inline Floats larger(Floats a, Floats b) { return a > b ? a : b; }
#endif

inline Floats clamp(Floats value, float low, float high) { return smaller(larger(value, splat(low)), splat(high)); }

// Without the part behind the point, |x| < 2^31.
#if defined(__AVX512F__)
inline Floats whole(Floats x) { return (Floats)_mm512_roundscale_ps((__m512)x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC); }
#elif defined(__AVX__)
inline Floats whole(Floats x) { return (Floats)_mm256_round_ps((__m256)x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC); }
#else
inline Floats whole(Floats x) { return __builtin_convertvector(__builtin_convertvector(x, Integers), Floats); }
#endif

// The nearest whole number, |x| < 2^22: as a float, and in the lower bits of `bits`.
inline Floats nearest(Floats x, Integers& bits) {
    const Floats magic = splat(12582912.0f);  // 1.5 * 2^23
    const Floats shifted = x + magic;
    std::memcpy(&bits, &shifted, sizeof bits);
    return shifted - magic;
}

// Sine and cosine, each within 1.5e-7 of the exact value for |x| <= 6000 (measured, see the tests); finite to 2^22.
// x = n pi/2 + r, |r| <= pi/4; pi/2 in three parts (Cody and Waite), so that n times the first two is exact for
// |n| < 2^13; then Taylor's series with the last coefficients economized over |r| <= pi/4.
inline void sine_cosine(Floats x, Floats& sine, Floats& cosine) {
    Integers quarter;
    const Floats n = nearest(x * 0.636619772367581343f, quarter);
    const Floats r = ((x - n * 1.5703125f) - n * 4.837512969970703125e-4f) - n * 7.54978995489188216e-8f;
    const Floats z = r * r;
    const Floats s = r + r * z * ((-1.9515295891e-4f * z + 8.3321608736e-3f) * z - 1.6666654611e-1f);
    const Floats c = 1.0f - 0.5f * z + z * z * ((2.443315711809948e-5f * z - 1.388731625493765e-3f) * z + 4.166664568298827e-2f);
    const Integers swapped = (quarter << 31) < 0;
    const Integers below = (quarter & 2) << 30, left = ((quarter + 1) & 2) << 30;  // sign bits
    const Floats first = swapped ? c : s, second = swapped ? s : c;
    sine = (Floats)((Integers)first ^ below);
    cosine = (Floats)((Integers)second ^ left);
}

// e^x for x <= 0 within 3e-7 of its value, relative; 0 below -80, so that no product of weights is subnormal.
// x = n ln 2 + r, |r| <= ln 2 / 2; ln 2 in two parts, e^r by a polynomial of degree 6.
inline Floats exponential(Floats x) {
    const Integers vanishes = x < -80.0f;
    x = larger(x, splat(-80.0f));
    Integers bits;
    const Floats n = nearest(x * 1.44269504088896341f, bits);
    const Floats r = (x - n * 0.693359375f) - n * -2.12194440e-4f;
    Floats p = splat(1.0f / 720);
    p = p * r + 1.0f / 120;
    p = p * r + 1.0f / 24;
    p = p * r + 1.0f / 6;
    p = p * r + 0.5f;
    p = (p * r + 1.0f) * r + 1.0f;
    const Integers exponent = (bits - 0x4b400000 + 127) << 23;
    return vanishes ? Floats{} : p * (Floats)exponent;
}

inline float least(Floats value) {
    float lanes[kLanes], found;
    store(lanes, value);
    found = lanes[0];
    for (int i = 1; i < kLanes; i++) found = lanes[i] < found ? lanes[i] : found;
    return found;
}

inline double sum(Floats value) {
    float lanes[kLanes];
    store(lanes, value);
    double total = 0;
    for (float lane : lanes) total += lane;
    return total;
}

// Each lane's two neighbours in memory: first[i] = from[at[i]], second[i] = from[at[i] + 1].
#if defined(__SSE2__)
inline __m128 two_pairs(const float* from, uint32_t a, uint32_t b) {
    const __m128 low = _mm_castsi128_ps(_mm_loadl_epi64((const __m128i*)(from + a)));
    return _mm_loadh_pi(low, (const __m64*)(from + b));
}
#endif
#if defined(__AVX__)
inline __m256 four_pairs(const float* from, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(two_pairs(from, a, b)), two_pairs(from, c, d), 1);
}

inline void pairs(const float* from, const uint32_t* at, Floats& first, Floats& second) {
    for (int part = 0; part < kLanes / 8; part++, at += 8) {
        const __m256 a = four_pairs(from, at[0], at[1], at[4], at[5]), b = four_pairs(from, at[2], at[3], at[6], at[7]);
        const __m256 even = _mm256_shuffle_ps(a, b, 0x88), odd = _mm256_shuffle_ps(a, b, 0xdd);
        std::memcpy((char*)&first + 32 * part, &even, 32);
        std::memcpy((char*)&second + 32 * part, &odd, 32);
    }
}
#elif defined(__SSE2__)
inline void pairs(const float* from, const uint32_t* at, Floats& first, Floats& second) {
    const __m128 a = two_pairs(from, at[0], at[1]), b = two_pairs(from, at[2], at[3]);
    first = (Floats)_mm_shuffle_ps(a, b, 0x88);
    second = (Floats)_mm_shuffle_ps(a, b, 0xdd);
}
#elif defined(__ARM_NEON)
inline void pairs(const float* from, const uint32_t* at, Floats& first, Floats& second) {
    const float32x4_t a = vcombine_f32(vld1_f32(from + at[0]), vld1_f32(from + at[1]));
    const float32x4_t b = vcombine_f32(vld1_f32(from + at[2]), vld1_f32(from + at[3]));
    const float32x4x2_t found = vuzpq_f32(a, b);
    first = (Floats)found.val[0];
    second = (Floats)found.val[1];
}
#else
inline void pairs(const float* from, const uint32_t* at, Floats& first, Floats& second) {
    for (int lane = 0; lane < kLanes; lane++) {
        first[lane] = from[at[lane]];
        second[lane] = from[at[lane] + 1];
    }
}
#endif

}  // namespace premotor::mppi
