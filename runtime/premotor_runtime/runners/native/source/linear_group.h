#pragma once
// Activations as signed bytes with one scale and a start value per group, for products that add into 32 bits.
#include <cstdint>
#include <cstring>

#include "linear.h"
#include "linear_quantize.h"

namespace premotor {

// One token's group of quantized activations. `start`: what the sum of products begins with, for weights kept unsigned.
struct QuantizedGroup {
    int8_t q[kGroup];
    int32_t start;
    float scale;
};

constexpr size_t activation_group_bytes(Precision precision) {
    return precision == Precision::F32 || precision == Precision::BF16 ? sizeof(float) * kGroup
                                                                       : sizeof(QuantizedGroup);
}

// Packs one group of token t of a block of `tokens`; `group` is the block's group, `byte_offset` what I8 weights are
// raised by (0 where they stay signed); I4 weights are raised by 8.
inline void pack_quantized(Precision precision, const float* x, int t, int tokens, uint8_t* group, int byte_offset) {
    if (precision == Precision::F32 || precision == Precision::BF16) {
        for (int c = 0; c < kGroup; ++c) std::memcpy(group + 4 * (c * tokens + t), x + c, 4);
        return;
    }
    QuantizedGroup packed;
    packed.scale = quantize_activations(x, packed.q);
    int sum = 0;
    for (int c = 0; c < kGroup; ++c) sum += packed.q[c];
    packed.start = -(precision == Precision::I8 ? byte_offset : 8) * sum;
    std::memcpy(group + t * sizeof packed, &packed, sizeof packed);
}

}  // namespace premotor
