// Vectors of floats in the compiler's own notation, and the functions of the kernel mppi on them.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__AVX__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace premotor::mppi {

#if defined(__AVX512F__)
constexpr int kLanes = 16;
#else
constexpr int kLanes = 8;
#endif

typedef float Floats __attribute__((vector_size(kLanes * 4)));
typedef int32_t Integers __attribute__((vector_size(kLanes * 4)));
typedef float Four __attribute__((vector_size(16)));

template <class Value>
inline Value load(const void* from) {
    Value value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

inline void store(float* to, Floats value) { std::memcpy(to, &value, sizeof value); }

inline Floats splat(float value) { return value - Floats{}; }

// Written out where the compiler would compare and blend.
#if defined(__AVX512F__)
inline Floats smaller(Floats a, Floats b) { return (Floats)_mm512_min_ps((__m512)a, (__m512)b); }
inline Floats larger(Floats a, Floats b) { return (Floats)_mm512_max_ps((__m512)a, (__m512)b); }
#elif defined(__AVX__)
inline Floats smaller(Floats a, Floats b) { return (Floats)_mm256_min_ps((__m256)a, (__m256)b); }
inline Floats larger(Floats a, Floats b) { return (Floats)_mm256_max_ps((__m256)a, (__m256)b); }
#else
inline Floats smaller(Floats a, Floats b) { return a < b ? a : b; }
inline Floats larger(Floats a, Floats b) { return a > b ? a : b; }
#endif

inline Floats clamp(Floats value, float low, float high) { return smaller(larger(value, splat(low)), splat(high)); }

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
    const Integers swapped = (quarter & 1) != 0;
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

// Columns of `kLanes` rows of four.
#if defined(__AVX__)
inline void transpose(const Four* row, Floats (&column)[4]) {
    for (int half = 0; half < kLanes / 8; half++, row += 8) {
        __m256 pair[4];
        for (int i = 0; i < 4; i++)
            pair[i] = _mm256_insertf128_ps(_mm256_castps128_ps256((__m128)row[i]), (__m128)row[i + 4], 1);
        const __m256 a = _mm256_unpacklo_ps(pair[0], pair[1]), b = _mm256_unpackhi_ps(pair[0], pair[1]);
        const __m256 c = _mm256_unpacklo_ps(pair[2], pair[3]), d = _mm256_unpackhi_ps(pair[2], pair[3]);
        const __m256 found[4] = {_mm256_shuffle_ps(a, c, 0x44), _mm256_shuffle_ps(a, c, 0xee),
                                 _mm256_shuffle_ps(b, d, 0x44), _mm256_shuffle_ps(b, d, 0xee)};
        for (int i = 0; i < 4; i++) std::memcpy((char*)&column[i] + 32 * half, &found[i], 32);
    }
}
#elif defined(__ARM_NEON)
inline void transpose(const Four* row, Floats (&column)[4]) {
    for (int half = 0; half < kLanes / 4; half++) {
        const float32x4x4_t found = vld4q_f32((const float*)(row + 4 * half));
        for (int i = 0; i < 4; i++) std::memcpy((char*)&column[i] + 16 * half, &found.val[i], 16);
    }
}
#else
inline void transpose(const Four* row, Floats (&column)[4]) {
    for (int lane = 0; lane < kLanes; lane++)
        for (int i = 0; i < 4; i++) column[i][lane] = row[lane][i];
}
#endif

}  // namespace premotor::mppi
