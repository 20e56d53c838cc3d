// Chooses the kernels for the instruction set compiled for, and walks tiles and blocks of tokens.
#if defined(PREMOTOR_PORTABLE)  // for tests on any machine
#include "linear_portable.h"
namespace premotor { namespace kernels = portable; }
#elif defined(__AVX512BW__) && defined(__AVX512VNNI__)
#include "linear_avx512.h"
namespace premotor { namespace kernels = avx512; }
#elif defined(__AVX2__) && defined(__FMA__)
#include "linear_avx2.h"
namespace premotor { namespace kernels = avx2; }
#elif defined(__aarch64__)
#include "linear_neon.h"
namespace premotor { namespace kernels = neon; }
#else
#include "linear_portable.h"
namespace premotor { namespace kernels = portable; }
#endif

namespace premotor {
namespace {

using kernels::kTokens;

inline size_t token_block_bytes(Precision precision, int cols, int tokens) {
    return static_cast<size_t>(tokens) * group_count(cols) * kernels::activation_group_bytes(precision);
}

// One tile against one block of tokens; only the first `rows` of the 16 results are written.
template <Precision P, int T>
void block_product(const uint8_t* tile, const uint8_t* x, int groups, float* y, int ldy, int rows, bool first_pass) {
    if (rows == kTile) {
        kernels::tile_product<P, T>(tile, x, groups, y, ldy, first_pass);
        return;
    }
    float whole[T * kTile];
    kernels::tile_product<P, T>(tile, x, groups, whole, kTile, first_pass);
    for (int t = 0; t < T; ++t) std::copy_n(whole + t * kTile, rows, y + static_cast<ptrdiff_t>(t) * ldy);
}

// The last block, of fewer tokens.
template <Precision P, int T = kTokens - 1>
void short_block_product(int tokens, const uint8_t* tile, const uint8_t* x, int groups, float* y, int ldy, int rows,
                         bool first_pass) {
    if (tokens == T) {
        block_product<P, T>(tile, x, groups, y, ldy, rows, first_pass);
    } else if constexpr (T > 1) {
        short_block_product<P, T - 1>(tokens, tile, x, groups, y, ldy, rows, first_pass);
    }
}

// One tile against n tokens; `first_pass` when its weights are yet to come from memory.
template <Precision P>
void tile_rows(const Linear& linear, int tile_index, const uint8_t* x, int n, float* y, int ldy, int rows,
               bool first_pass) {
    const uint8_t* tile = linear.data + tile_index * tile_bytes(P, linear.cols);
    const int groups = group_count(linear.cols);
    const size_t stride = token_block_bytes(P, linear.cols, kTokens);
    int t = 0;
    for (; t + kTokens <= n; t += kTokens, x += stride, y += static_cast<ptrdiff_t>(kTokens) * ldy) {
        block_product<P, kTokens>(tile, x, groups, y, ldy, rows, first_pass && t == 0);
    }
    short_block_product<P>(n - t, tile, x, groups, y, ldy, rows, first_pass && t == 0);
}

// Tokens whose activations stay in the second-level cache while all tiles pass over them.
inline int tokens_at_once(Precision precision, int cols) {
    constexpr size_t kCacheShare = 192 * 1024;
    const int blocks = static_cast<int>(kCacheShare / token_block_bytes(precision, cols, kTokens));
    return kTokens * std::max(4, blocks);
}

template <Precision P>
void all_rows(const Linear& linear, const uint8_t* x, int n, float* y, int ldy, int first_row, int end_row) {
    const int chunk = tokens_at_once(P, linear.cols);
    for (int t = 0; t < n; t += chunk) {
        const uint8_t* tokens = x + token_block_bytes(P, linear.cols, t);
        float* out = y + static_cast<ptrdiff_t>(t) * ldy;
        for (int row = first_row; row < end_row; row += kTile) {
            tile_rows<P>(linear, row / kTile, tokens, std::min(chunk, n - t), out + row, ldy,
                         std::min(kTile, end_row - row), true);
        }
    }
}

template <Precision P>
void some_rows(const Linear& linear, const uint8_t* x, int n, const int* wanted, int count, float* y, int ldy) {
    for (int t = 0; t < n; t += kTokens) {
        const int tokens = std::min(kTokens, n - t);
        for (int i = 0; i < count; ++i) {
            float whole[kTokens * kTile];
            tile_rows<P>(linear, wanted[i] / kTile, x, tokens, whole, kTile, kTile, false);
            for (int k = 0; k < tokens; ++k) {
                y[static_cast<ptrdiff_t>(t + k) * ldy + i] = whole[k * kTile + wanted[i] % kTile];
            }
        }
        x += token_block_bytes(P, linear.cols, kTokens);
    }
}

}  // namespace

const char* linear_instruction_set() { return kernels::kName; }

int activation_token_step(Precision) { return kTokens; }

size_t activation_bytes(Precision precision, int n, int cols) { return token_block_bytes(precision, cols, n); }

void activation_pack(Precision precision, int n, int cols, const float* x, int ldx, void* packed, int first, int end) {
    const int groups = group_count(cols);
    for (int t = first; t < end; ++t) {
        const int block = t / kTokens * kTokens;
        const int tokens = std::min(kTokens, n - block);
        uint8_t* group = static_cast<uint8_t*>(packed) + token_block_bytes(precision, cols, block);
        const float* row = x + static_cast<ptrdiff_t>(t) * ldx;
        for (int g = 0; g < groups; ++g) {
            float last[kGroup] = {};
            const float* values = row + g * kGroup;
            if ((g + 1) * kGroup > cols) {
                std::copy_n(values, cols - g * kGroup, last);
                values = last;
            }
            kernels::pack_activations(precision, values, t - block, tokens, group);
            group += tokens * kernels::activation_group_bytes(precision);
        }
    }
}

void linear_rows(const Linear& linear, const void* packed_x, int n, float* y, int ldy, int first_row, int end_row) {
    const uint8_t* x = static_cast<const uint8_t*>(packed_x);
    switch (linear.precision) {
        case Precision::F32: return all_rows<Precision::F32>(linear, x, n, y, ldy, first_row, end_row);
        case Precision::BF16: return all_rows<Precision::BF16>(linear, x, n, y, ldy, first_row, end_row);
        case Precision::I8: return all_rows<Precision::I8>(linear, x, n, y, ldy, first_row, end_row);
        case Precision::I4: return all_rows<Precision::I4>(linear, x, n, y, ldy, first_row, end_row);
    }
}

void linear_some_rows(const Linear& linear, const void* packed_x, int n, const int* wanted, int count, float* y,
                      int ldy) {
    const uint8_t* x = static_cast<const uint8_t*>(packed_x);
    switch (linear.precision) {
        case Precision::F32: return some_rows<Precision::F32>(linear, x, n, wanted, count, y, ldy);
        case Precision::BF16: return some_rows<Precision::BF16>(linear, x, n, wanted, count, y, ldy);
        case Precision::I8: return some_rows<Precision::I8>(linear, x, n, wanted, count, y, ldy);
        case Precision::I4: return some_rows<Precision::I4>(linear, x, n, wanted, count, y, ldy);
    }
}

}  // namespace premotor
