// Packing of weights: quantize, interleave; and back, for embedding lookups and tests.
#include "linear_quantize.h"

namespace premotor {
namespace {

// Where the parts of row `row` of a tile lie inside one group's bytes.
inline void put_scale(uint8_t* group, int row, uint16_t half) {
    std::memcpy(group + 4 * (row % 8) + 2 * (row / 8), &half, sizeof half);
}

inline float get_scale(const uint8_t* group, int row) {
    uint16_t half;
    std::memcpy(&half, group + 4 * (row % 8) + 2 * (row / 8), sizeof half);
    return bf16_to_float(half);
}

void put_group(Precision precision, const float* w, int row, uint8_t* group) {
    int8_t q[kGroup];
    switch (precision) {
        case Precision::F32:
            for (int c = 0; c < kGroup; ++c) std::memcpy(group + 4 * (c * kTile + row), w + c, 4);
            return;
        case Precision::BF16:
            for (int c = 0; c < kGroup; ++c) {
                const uint16_t half = float_to_bf16(w[c]);
                std::memcpy(group + 4 * (c / 2 * kTile + row) + 2 * (c % 2), &half, sizeof half);
            }
            return;
        case Precision::I8:
            put_scale(group, row, quantize_int8(w, q));
            for (int c = 0; c < kGroup; ++c) {
                group[kScaleBytes + (c / 4) * 4 * kTile + 4 * row + c % 4] = static_cast<uint8_t>(q[c] + 128);
            }
            return;
        case Precision::I4:
            put_scale(group, row, quantize_int4(w, q));
            for (int c = 0; c < kGroup / 2; ++c) {
                const int low = q[c] + 8, high = q[c + kGroup / 2] + 8;
                group[kScaleBytes + (c / 4) * 4 * kTile + 4 * row + c % 4] = static_cast<uint8_t>(low | high << 4);
            }
            return;
    }
}

void get_group(Precision precision, const uint8_t* group, int row, float* w) {
    switch (precision) {
        case Precision::F32:
            for (int c = 0; c < kGroup; ++c) std::memcpy(w + c, group + 4 * (c * kTile + row), 4);
            return;
        case Precision::BF16:
            for (int c = 0; c < kGroup; ++c) {
                uint16_t half;
                std::memcpy(&half, group + 4 * (c / 2 * kTile + row) + 2 * (c % 2), sizeof half);
                w[c] = bf16_to_float(half);
            }
            return;
        case Precision::I8: {
            const float scale = get_scale(group, row);
            for (int c = 0; c < kGroup; ++c) {
                w[c] = scale * (group[kScaleBytes + (c / 4) * 4 * kTile + 4 * row + c % 4] - 128);
            }
            return;
        }
        case Precision::I4: {
            const float scale = get_scale(group, row);
            for (int c = 0; c < kGroup / 2; ++c) {
                const int both = group[kScaleBytes + (c / 4) * 4 * kTile + 4 * row + c % 4];
                w[c] = scale * ((both & 15) - 8);
                w[c + kGroup / 2] = scale * ((both >> 4) - 8);
            }
            return;
        }
    }
}

}  // namespace

int linear_row_step(Precision) { return kTile; }

size_t linear_bytes(Precision precision, int rows, int cols) {
    return static_cast<size_t>((rows + kTile - 1) / kTile) * tile_bytes(precision, cols);
}

void linear_pack(Precision precision, int rows, int cols, const float* w, uint8_t* packed, int first_row,
                 int end_row) {
    const int groups = group_count(cols);
    const int padded_end = end_row == rows ? (rows + kTile - 1) / kTile * kTile : end_row;
    for (int row = first_row; row < padded_end; ++row) {
        uint8_t* tile = packed + static_cast<size_t>(row / kTile) * tile_bytes(precision, cols);
        for (int g = 0; g < groups; ++g) {
            float values[kGroup] = {};
            const int count = std::min(kGroup, cols - g * kGroup);
            if (row < end_row) {
                std::copy_n(w + static_cast<size_t>(row - first_row) * cols + g * kGroup, count, values);
            }
            put_group(precision, values, row % kTile, tile + g * tile_group_bytes(precision));
        }
    }
}

void linear_unpack_rows(const Linear& linear, int first, int count, float* out) {
    const int groups = group_count(linear.cols);
    for (int i = 0; i < count; ++i) {
        const int row = first + i;
        const uint8_t* tile = linear.data + static_cast<size_t>(row / kTile) * tile_bytes(linear.precision, linear.cols);
        for (int g = 0; g < groups; ++g) {
            float values[kGroup];
            get_group(linear.precision, tile + g * tile_group_bytes(linear.precision), row % kTile, values);
            std::copy_n(values, std::min(kGroup, linear.cols - g * kGroup),
                        out + static_cast<size_t>(i) * linear.cols + g * kGroup);
        }
    }
}

}  // namespace premotor
