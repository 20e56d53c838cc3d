// The model's shape, given by the compiler's -D options (see build.py), so that inner loops have known lengths.
#pragma once

#if !defined(PREMOTOR_HIDDEN) || !defined(PREMOTOR_INNER) || !defined(PREMOTOR_HEADS) || !defined(PREMOTOR_KV_HEADS) || \
    !defined(PREMOTOR_HEAD_DIM) || !defined(PREMOTOR_QKV_BIAS) || !defined(PREMOTOR_QK_NORM) ||                        \
    !defined(PREMOTOR_POST_NORMS) || !defined(PREMOTOR_GELU)
#error "the model's shape is missing: compile through build.py"
#endif

namespace premotor::model {

constexpr int kHidden = PREMOTOR_HIDDEN;
constexpr int kInner = PREMOTOR_INNER;
constexpr int kHeads = PREMOTOR_HEADS;
constexpr int kKvHeads = PREMOTOR_KV_HEADS;
constexpr int kHeadDim = PREMOTOR_HEAD_DIM;
constexpr bool kQkvBias = PREMOTOR_QKV_BIAS;      // a vector added to query, key and value
constexpr bool kQkNorm = PREMOTOR_QK_NORM;        // RMSNorm of each head of query and key
constexpr bool kPostNorms = PREMOTOR_POST_NORMS;  // RMSNorm of what attention and MLP return
constexpr bool kGelu = PREMOTOR_GELU;             // tanh-approximated GELU; SiLU otherwise

constexpr int kQueries = kHeads * kHeadDim;
constexpr int kKvSize = kKvHeads * kHeadDim;
constexpr int kQkv = kQueries + 2 * kKvSize;
constexpr int kSharing = kHeads / kKvHeads;  // query heads that share a key-value head
constexpr int kHalf = kHeadDim / 2;

}  // namespace premotor::model
