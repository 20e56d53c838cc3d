// Short vectors of floats in the compiler's own notation: AVX-512, AVX2, NEON or plain SSE2 from one source.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace premotor::model {

#if defined(__AVX512F__)
constexpr int kLanes = 16;
#else
constexpr int kLanes = 8;
#endif

typedef float Vector __attribute__((vector_size(kLanes * 4)));
typedef int32_t Integers __attribute__((vector_size(kLanes * 4)));

inline Vector load(const float* from) {
    Vector value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

inline void store(float* to, Vector value) { std::memcpy(to, &value, sizeof value); }

inline Vector splat(float value) { return value - Vector{}; }

inline Vector larger(Vector a, Vector b) { return a > b ? a : b; }

inline float sum(Vector value) {
    float lanes[kLanes], total = 0;
    store(lanes, value);
    for (int width = kLanes / 2; width > 0; width /= 2)
        for (int i = 0; i < width; i++) lanes[i] += lanes[i + width];
    total = lanes[0];
    return total;
}

inline float largest(Vector value) {
    float lanes[kLanes];
    store(lanes, value);
    float best = lanes[0];
    for (int i = 1; i < kLanes; i++) best = lanes[i] > best ? lanes[i] : best;
    return best;
}

inline Integers lane_numbers() {
    Integers numbers;
    for (int i = 0; i < kLanes; i++) numbers[i] = i;
    return numbers;
}

// e^x to about 2 units in the last place, 0 and infinity replaced by the ends of the normal range; NaN stays NaN.
// x = n ln 2 + r, |r| <= ln 2 / 2; ln 2 in two parts (Cody and Waite), e^r by a polynomial of degree 6.
inline Vector exponential(Vector x) {
    x = x < -87.0f ? splat(-87.0f) : x;
    x = x > 88.0f ? splat(88.0f) : x;
    const Vector magic = splat(12582912.0f);  // 1.5 * 2^23: adding it rounds to a whole number
    const Vector shifted = x * 1.44269504088896341f + magic;
    const Vector n = shifted - magic;
    const Vector r = (x - n * 0.693359375f) - n * -2.12194440e-4f;
    Vector p = splat(1.0f / 720);
    p = p * r + 1.0f / 120;
    p = p * r + 1.0f / 24;
    p = p * r + 1.0f / 6;
    p = p * r + 0.5f;
    p = (p * r + 1.0f) * r + 1.0f;
    Integers bits, whole;
    std::memcpy(&bits, &shifted, sizeof bits);
    std::memcpy(&whole, &magic, sizeof whole);
    bits = (bits - whole + 127) << 23;
    Vector scale;
    std::memcpy(&scale, &bits, sizeof scale);
    return p * scale;
}

// The upper half of a float's bits: 8 bits of precision, the whole range. Widening costs a shift or a mask, which on
// many processors is less than converting from binary16.
typedef uint16_t Half;

inline Half to_half(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    if (value != value) return (Half)(bits >> 16 | 0x40);
    return (Half)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);  // to nearest, ties to even
}

// Rows of 16 numbers as the cache keeps them: floats in order; halves i and i + 8 in one word, so that one load and two
// operations give both.
constexpr int kRow = 16;
constexpr int kWords = kRow / kLanes;  // vectors in a row

inline void load_row(const float* from, Vector (&to)[kWords]) {
    for (int w = 0; w < kWords; w++) to[w] = load(from + w * kLanes);
}

#if defined(__AVX512F__)
// Both halves by one shift each: two narrow vectors would meet through memory, which costs more than the product.
inline void load_row(const Half* from, Vector (&to)[kWords]) {
    const __m512i shifts = _mm512_inserti64x4(_mm512_setzero_si512(), _mm256_set1_epi32(16), 0);
    const __m512i twice = _mm512_broadcast_i64x4(_mm256_loadu_si256((const __m256i*)from));
    to[0] = (Vector)_mm512_and_si512(_mm512_sllv_epi32(twice, shifts), _mm512_set1_epi32((int)0xffff0000u));
}
#else
inline void load_row(const Half* from, Vector (&to)[kWords]) {
    typedef uint32_t Pairs __attribute__((vector_size(32)));
    Pairs pairs;
    std::memcpy(&pairs, from, sizeof pairs);
    to[0] = (Vector)(pairs << 16);
    to[kWords - 1] = (Vector)(pairs & 0xffff0000u);
}
#endif

inline void put(float* row, int i, float value) { row[i] = value; }
inline void put(Half* row, int i, float value) { row[i % 8 * 2 + i / 8] = to_half(value); }

}  // namespace premotor::model
