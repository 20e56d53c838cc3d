// Softmax attention over paged keys and values, cut into units that any thread may compute.
//
// A unit is some consecutive tokens of one chunk, one key-value head with the query heads that share it, and a part of
// the context. Chunks of few tokens cut their context into parts, whose results `combine` joins (as in FlashDecoding);
// the cut depends on the chunk alone, so that neither the batch nor the number of threads changes a result.
#pragma once

#include <vector>

#include "cache.h"
#include "model.h"

namespace premotor::model {

constexpr int kSegmentTiles = 8;
constexpr int kSegment = kSegmentTiles * kCacheTile;                            // score columns computed at a time
constexpr int kUnitTokens = kSharing >= 24 ? 1 : 24 / kSharing;            // tokens in a unit
constexpr int kUnitRows = kUnitTokens * kSharing;                          // query vectors in a unit
constexpr int kMaxParts = 8;
constexpr int kSplitTokens = 4;                                            // chunks of at most so many tokens are cut

// A chunk of the step: `count` tokens from position `start`, whose first stands in row `row` of the step's arrays.
struct Span {
    int row, count, start;
    const int* table;
};

struct Unit {
    int span, token, tokens, head, part, parts;
    size_t partial;  // where its results go when parts > 1, in floats
};

struct Partials {
    size_t floats = 0;
    std::vector<int> first_unit;  // of each span
};

// The units of all spans for one layer kind; `window` 0 is none.
Partials cut(const std::vector<Span>& spans, int tile_positions, int window, std::vector<Unit>& units);

struct AttentionScratch {
    float query[kUnitRows * kHeadDim];
    float scores[kUnitRows * kSegment];
    float mixed[kUnitRows * kPadded];
    float maximum[kUnitRows], rest[kUnitRows];
    float tile[kPadded * kCacheTile];
};

struct AttentionInput {
    const Model* model;
    int layer;
    const float* qkv;  // (tokens, kQkv)
    const Rotation* rotation;
    bool write;  // keys and values of the tokens are not in the cache yet: the last part writes them (one token a span)
};

// Writes keys and values of token `token` of `span`, all heads.
template <class T>
void write_token(const AttentionInput& in, const Cache<T>& cache, const Span& span, int token);

// Results to attended (tokens, kQueries), or to `partials` when the unit is one of several parts.
template <class T>
void attend(const AttentionInput& in, const Cache<T>& cache, const Span& span, const Unit& unit,
            AttentionScratch& scratch, float* attended, float* partials);

// The row (kQueries) of token `token` of a span whose units start at `units` and have more than one part.
void combine(const Unit* units, int token, const float* partials, float* row);

}  // namespace premotor::model
