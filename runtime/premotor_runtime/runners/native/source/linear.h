// Matrix products of the native runner: y = x W^T with W kept at 32, 16, 8 or 4 bits.
//
// W has `rows` output features and `cols` input features. It is packed once, at load, into tiles of
// `linear_row_step` rows; x is packed once per product and shared by every thread; then each thread
// computes its own range of output rows for all n tokens, reading its part of W once.
//
// Any rows >= 1 and cols >= 1 are taken: rows are padded to the tile and cols to the group inside.
// A token's result depends neither on n, nor on its place among the n, nor on how rows are shared.
//
//   F32   as given.
//   BF16  rounded to nearest even; products and sums in float32.
//   I8    q in [-127, 127], one scale for 32 columns of a row; activations likewise.
//   I4    q in [-8, 7], one scale for 32 columns of a row; activations as for I8.
//
// For I8 and I4 the sum of q_w q_x inside a group is exact in integers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace premotor {

enum class Precision : int { F32 = 0, BF16 = 1, I8 = 2, I4 = 3 };

constexpr int kGroup = 32;  // columns that share a scale

struct Linear {
    Precision precision;
    int rows;             // output features
    int cols;             // input features
    int group;            // kGroup
    const uint8_t* data;  // linear_bytes() bytes that linear_pack wrote, aligned to kAlignment
};

constexpr size_t kAlignment = 64;  // of packed weights and packed activations

// Bytes of a packed (rows, cols) matrix.
size_t linear_bytes(Precision precision, int rows, int cols);

// Ranges of rows given to linear_pack and linear_rows start at a multiple of this.
int linear_row_step(Precision precision);

// Quantizes and interleaves rows [first_row, end_row) of a (rows, cols) matrix into `packed`.
// `w` holds just these rows, row-major, cols apart. end_row is a multiple of the row step, or rows.
// Disjoint ranges may be packed from several threads at once.
void linear_pack(Precision precision, int rows, int cols, const float* w, uint8_t* packed,
                 int first_row, int end_row);

// The whole matrix.
inline void linear_pack(Precision precision, int rows, int cols, const float* w, uint8_t* packed) {
    linear_pack(precision, rows, cols, w, packed, 0, rows);
}

// Writes the dequantized rows [first, first + count) to out, (count, cols) row-major. No alignment of rows asked.
void linear_unpack_rows(const Linear& linear, int first, int count, float* out);

// Bytes of n packed activation vectors; kAlignment-aligned memory is to be given.
size_t activation_bytes(Precision precision, int n, int cols);

// Tokens given to activation_pack by one thread start at a multiple of this.
int activation_token_step(Precision precision);

// Packs tokens [first, end) of n for products with weights of this precision; x is (n, cols) with rows ldx floats apart
// (x points at token 0). end is a multiple of the token step, or n. Disjoint ranges may be packed at once.
// The result serves every Linear of the same precision and cols.
void activation_pack(Precision precision, int n, int cols, const float* x, int ldx, void* packed, int first, int end);

inline void activation_pack(Precision precision, int n, int cols, const float* x, int ldx, void* packed) {
    activation_pack(precision, n, cols, x, ldx, packed, 0, n);
}

// One thread's share: y[t * ldy + row] = sum_c x[t, c] W[row, c] for all t < n and first_row <= row < end_row.
// first_row is a multiple of the row step; end_row too, or it is rows. y points at token 0, row 0.
void linear_rows(const Linear& linear, const void* packed_x, int n, float* y, int ldy, int first_row, int end_row);

// y[t * ldy + i] = sum_c x[t, c] W[wanted[i], c] for t < n, i < count: the logits of a few words. Costs a tile a row.
void linear_some_rows(const Linear& linear, const void* packed_x, int n, const int* wanted, int count, float* y,
                      int ldy);

// The instruction set these kernels were compiled for: "avx512-vnni", "avx2", "neon-dot", "neon" or "portable".
const char* linear_instruction_set();

}  // namespace premotor
