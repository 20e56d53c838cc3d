// How packed weights and activations lie in memory; every kernel and the packer agree on this file.
//
// A tile is 16 rows by all columns (padded to whole groups), group after group:
//   F32   [column][16 rows] float
//   BF16  [pair of columns][16 rows] two bf16, the even column in the low half
//   I8    [scales][8 quads of columns][16 rows][4 columns] uint8 = q + 128
//   I4    [scales][4 quads of columns][16 rows][4 columns] uint8, low nibble = q + 8 of quad k, high nibble = of quad k + 4
// Scales are bf16, two to a 32-bit word: row i in the low half and row i + 8 in the high half, i < 8.
// One load of weights so serves 8 or 16 rows, and sums need no step across lanes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "linear.h"

namespace premotor {

constexpr int kTile = 16;                     // rows
constexpr int kQuads = kGroup / 4;            // of columns in a group
constexpr size_t kScaleBytes = 2 * kTile;     // of a tile's group

inline int group_count(int cols) { return (cols + kGroup - 1) / kGroup; }

// Bytes of one group of a tile.
constexpr size_t tile_group_bytes(Precision precision) {
    return precision == Precision::F32    ? size_t{4} * kTile * kGroup
           : precision == Precision::BF16 ? size_t{2} * kTile * kGroup
           : precision == Precision::I8   ? kScaleBytes + kTile * kGroup
                                          : kScaleBytes + kTile * kGroup / 2;
}

inline size_t tile_bytes(Precision precision, int cols) { return tile_group_bytes(precision) * group_count(cols); }

inline float bits_to_float(uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

inline uint32_t float_to_bits(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

inline float bf16_to_float(uint16_t half) { return bits_to_float(uint32_t{half} << 16); }

// Nearest, ties to even; NaN stays NaN.
inline uint16_t float_to_bf16(float value) {
    const uint32_t bits = float_to_bits(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);
    return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

// Nearest integer, ties to even, for |value| < 2^22; an addition instead of a call, so that loops become vectors.
constexpr float kRoundingShift = 12582912.0f;  // 1.5 * 2^23
inline float round_even(float value) { return (value + kRoundingShift) - kRoundingShift; }
inline int8_t round_to_int8(float value) {
    return static_cast<int8_t>(static_cast<uint8_t>(float_to_bits(value + kRoundingShift) & 0xffu));
}

}  // namespace premotor
