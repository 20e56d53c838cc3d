#include "attention.h"

#include <algorithm>
#include <cmath>

namespace premotor::model {
namespace {

constexpr int kPartialRow = kPadded + 2;

// c[r][0..16) (+)= sum over k < depth of a[r][k] * b[k][0..16). Few rows take every second or fourth k into sums of
// their own, so that additions do not wait for each other.
template <int Rows, class T>
inline void product_rows(const float* a, int lda, const T* b, int depth, float* c, int ldc, bool add) {
    constexpr int kSums = Rows == 1 ? 4 : Rows == 2 ? 2 : 1;
    Vector sums[kSums][Rows][kWords] = {};
    int k = 0;
    for (; k + kSums <= depth; k += kSums)
        for (int s = 0; s < kSums; s++) {
            Vector right[kWords];
            load_row(b + (size_t)(k + s) * kRow, right);
            for (int r = 0; r < Rows; r++)
                for (int w = 0; w < kWords; w++) sums[s][r][w] += a[r * lda + k + s] * right[w];
        }
    for (; k < depth; k++) {
        Vector right[kWords];
        load_row(b + (size_t)k * kRow, right);
        for (int r = 0; r < Rows; r++)
            for (int w = 0; w < kWords; w++) sums[0][r][w] += a[r * lda + k] * right[w];
    }
    for (int r = 0; r < Rows; r++)
        for (int w = 0; w < kWords; w++) {
            Vector total = sums[0][r][w];
            for (int s = 1; s < kSums; s++) total += sums[s][r][w];
            float* to = c + r * ldc + w * kLanes;
            store(to, add ? load(to) + total : total);
        }
}

// mixed[r][16 dimensions of `slice`] += the values of tiles [first, last], each position with its weight.
template <int Rows, class T>
inline void mix_rows(const float* weights, const T* const* values, int first, int last, int slice, float* mixed) {
    constexpr int kSums = Rows == 1 ? 4 : Rows == 2 ? 2 : 1;
    Vector sums[kSums][Rows][kWords] = {};
    for (int tile = first; tile <= last; tile++) {
        const T* b = values[tile] + slice * kCacheTile * 16;
        const float* a = weights + tile * kCacheTile;
        for (int k = 0; k < kCacheTile; k += kSums)
            for (int s = 0; s < kSums; s++) {
                Vector right[kWords];
                load_row(b + (k + s) * kRow, right);
                for (int r = 0; r < Rows; r++)
                    for (int w = 0; w < kWords; w++) sums[s][r][w] += a[r * kSegment + k + s] * right[w];
            }
    }
    for (int r = 0; r < Rows; r++)
        for (int w = 0; w < kWords; w++) {
            Vector total = sums[0][r][w];
            for (int s = 1; s < kSums; s++) total += sums[s][r][w];
            float* to = mixed + r * kPadded + slice * 16 + w * kLanes;
            store(to, load(to) + total);
        }
}

constexpr int kMostRows = 6;  // whose sums fit in registers

template <class T>
void mix(int rows, const float* weights, const T* const* values, int first, int last, float* mixed) {
    for (int slice = 0; slice < kSlices; slice++) switch (rows) {
            case 1: mix_rows<1>(weights, values, first, last, slice, mixed); break;
            case 2: mix_rows<2>(weights, values, first, last, slice, mixed); break;
            case 3: mix_rows<3>(weights, values, first, last, slice, mixed); break;
            case 4: mix_rows<4>(weights, values, first, last, slice, mixed); break;
            case 5: mix_rows<5>(weights, values, first, last, slice, mixed); break;
            default: mix_rows<6>(weights, values, first, last, slice, mixed); break;
        }
}

// `count` numbers of the cache as floats; those that are floats stay where they are.
const float* widened(const float* from, int, float*) { return from; }
const float* widened(const Half* from, int count, float* room) {
    for (int i = 0; i < count; i += kRow) {
        Vector row[kWords];
        load_row(from + i, row);
        for (int w = 0; w < kWords; w++) store(room + i + w * kLanes, row[w]);
    }
    return room;
}

// Asks for `count` numbers ahead of their use: the parts of the tiles are too short for the processor to foresee.
template <class T>
inline void fetch(const T* from, int count) {
    for (const char* at = (const char*)from; at < (const char*)(from + count); at += 64) __builtin_prefetch(at, 0, 2);
}

template <class T>
void product(int rows, const float* a, int lda, const T* b, int depth, float* c, int ldc, bool add) {
    while (rows > 0) {
        const int now = rows <= kMostRows ? rows : rows < 2 * kMostRows ? (rows + 1) / 2 : kMostRows;
        switch (now) {
            case 1: product_rows<1>(a, lda, b, depth, c, ldc, add); break;
            case 2: product_rows<2>(a, lda, b, depth, c, ldc, add); break;
            case 3: product_rows<3>(a, lda, b, depth, c, ldc, add); break;
            case 4: product_rows<4>(a, lda, b, depth, c, ldc, add); break;
            case 5: product_rows<5>(a, lda, b, depth, c, ldc, add); break;
            default: product_rows<6>(a, lda, b, depth, c, ldc, add); break;
        }
        rows -= now, a += now * lda, c += now * ldc;
    }
}

const float* bias_at(const Layer& layer, int at) { return kQkvBias ? layer.qkv_bias + at : nullptr; }

// One head of query or key: bias, norm and rotation.
void turned(const float* x, const float* bias, const float* norm, float epsilon, const float* rotation, float* y) {
    if (kQkvBias) {
        for (int i = 0; i < kHeadDim; i++) y[i] = x[i] + bias[i];
        x = y;
    }
    if (kQkNorm) {
        normalize(x, norm, kHeadDim, epsilon, y);
        x = y;
    }
    rotate(x, rotation, y);
}

template <class T>
void write_head(const AttentionInput& in, const Cache<T>& cache, const Span& span, int token, int head) {
    const Layer& layer = in.model->layers[in.layer];
    const int position = span.start + token;
    const float* row = in.qkv + (size_t)(span.row + token) * kQkv;
    const int key_at = kQueries + head * kHeadDim, value_at = key_at + kKvSize;
    float key[kHeadDim], value[kHeadDim];
    turned(row + key_at, bias_at(layer, key_at), layer.key_norm, in.model->epsilon, in.rotation->row(position), key);
    const float* bias = bias_at(layer, value_at);
    for (int i = 0; i < kHeadDim; i++) value[i] = kQkvBias ? row[value_at + i] + bias[i] : row[value_at + i];
    cache.write(in.layer, span.table, position, head, key, value);
}

void load_queries(const AttentionInput& in, const Span& span, const Unit& unit, float* query) {
    const Layer& layer = in.model->layers[in.layer];
    for (int t = 0; t < unit.tokens; t++)
        for (int shared = 0; shared < kSharing; shared++) {
            const int token = unit.token + t, at = (unit.head * kSharing + shared) * kHeadDim;
            float* to = query + (t * kSharing + shared) * kHeadDim;
            turned(in.qkv + (size_t)(span.row + token) * kQkv + at, bias_at(layer, at), layer.query_norm,
                   in.model->epsilon, in.rotation->row(span.start + token), to);
            for (int i = 0; i < kHeadDim; i++) to[i] *= in.model->attention_scale;
        }
}

// Scores of one row become weights against the new maximum; what was mixed so far is scaled down to it.
// Columns hold tiles [first, last] of a segment; a position p of them is seen when low <= p < high.
void soften(float* scores, int first, int last, int tile_positions, int segment_start, int low, int high, float* maximum,
            float* rest, float* mixed) {
    const Integers lanes = lane_numbers();
    Vector best = splat(-INFINITY);
    for (int tile = first; tile <= last; tile++) {
        const int base = segment_start + tile * tile_positions;
        const int from = std::max(0, low - base), to = std::min(tile_positions, high - base);
        for (int w = 0; w < kWords; w++) {
            const Integers lane = lanes + w * kLanes;
            const Integers seen = (lane >= from) & (lane < to);
            float* at = scores + tile * kCacheTile + w * kLanes;
            const Vector masked = seen ? load(at) : splat(-INFINITY);
            store(at, masked);
            best = masked > best || masked != masked ? masked : best;
        }
    }
    const float top = std::max(*maximum, largest(best));
    if (top == -INFINITY) {  // nothing seen yet
        for (int tile = first; tile <= last; tile++)
            for (int w = 0; w < kWords; w++) store(scores + tile * kCacheTile + w * kLanes, Vector{});
        return;
    }
    Vector total = {};
    for (int at = first * kCacheTile; at < (last + 1) * kCacheTile; at += kLanes) {
        const Vector score = load(scores + at);
        const Vector weight = score == -INFINITY ? Vector{} : exponential(score - top);
        store(scores + at, weight);
        total += weight;
    }
    const float shrink = *maximum == -INFINITY ? 0.0f : std::exp(*maximum - top);
    if (shrink != 1.0f)
        for (int i = 0; i < kPadded; i += kLanes) store(mixed + i, load(mixed + i) * shrink);
    *rest = *rest * shrink + sum(total);
    *maximum = top;
}

}  // namespace

Partials cut(const std::vector<Span>& spans, int tile_positions, int window, std::vector<Unit>& units) {
    Partials partials;
    units.clear();
    const int segment = kSegmentTiles * tile_positions;
    for (int number = 0; number < (int)spans.size(); number++) {
        const Span& span = spans[number];
        partials.first_unit.push_back((int)units.size());
        const int first = window ? std::max(0, span.start - window + 1) : 0;
        const int segments = (span.start + span.count - 1) / segment - first / segment + 1;
        const int parts = span.count <= kSplitTokens ? std::min(segments, kMaxParts) : 1;
        for (int token = 0; token < span.count; token += kUnitTokens) {
            const int tokens = std::min(kUnitTokens, span.count - token);
            for (int head = 0; head < kKvHeads; head++)
                for (int part = 0; part < parts; part++) {
                    units.push_back({number, token, tokens, head, part, parts, partials.floats});
                    if (parts > 1) partials.floats += (size_t)tokens * kSharing * kPartialRow;
                }
        }
    }
    return partials;
}

template <class T>
void write_token(const AttentionInput& in, const Cache<T>& cache, const Span& span, int token) {
    for (int head = 0; head < kKvHeads; head++) write_head(in, cache, span, token, head);
}

template <class T>
void attend(const AttentionInput& in, const Cache<T>& cache, const Span& span, const Unit& unit,
            AttentionScratch& scratch, float* attended, float* partials) {
    const int window = in.model->layers[in.layer].window, tile_positions = cache.tile_positions;
    const int segment = kSegmentTiles * tile_positions, rows = unit.tokens * kSharing;
    if (in.write && unit.part == unit.parts - 1) write_head(in, cache, span, unit.token, unit.head);
    load_queries(in, span, unit, scratch.query);
    std::fill_n(scratch.mixed, rows * kPadded, 0.0f);
    std::fill_n(scratch.rest, rows, 0.0f);
    std::fill_n(scratch.maximum, rows, -INFINITY);

    const int span_low = window ? std::max(0, span.start - window + 1) : 0;  // what the whole span's cut is made from
    const int first_segment = span_low / segment, segments = (span.start + span.count - 1) / segment - first_segment + 1;
    const int begin = first_segment + segments * unit.part / unit.parts;
    const int end = first_segment + segments * (unit.part + 1) / unit.parts;
    const int unit_start = span.start + unit.token, unit_stop = unit_start + unit.tokens;
    const int unit_low = window ? std::max(0, unit_start - window + 1) : 0;
    const T* tiles[kSegmentTiles];
    for (int number = begin; number < end; number++) {
        const int base = number * segment;
        const int low = std::max(base, unit_low), high = std::min(base + segment, unit_stop);
        if (low >= high) continue;
        const int first = (low - base) / tile_positions, last = (high - 1 - base) / tile_positions;
        for (int tile = first; tile <= last; tile++) tiles[tile] = cache.keys(in.layer, span.table, base + tile * tile_positions, unit.head);
        for (int tile = first; tile <= last; tile++) {
            if (tile < last) fetch(tiles[tile + 1], kHeadDim * kCacheTile);
            fetch(Cache<T>::values(const_cast<T*>(tiles[tile])), kPadded * kCacheTile);
            float* scores = scratch.scores + tile * kCacheTile;
            if (rows <= kMostRows)
                product(rows, scratch.query, kHeadDim, tiles[tile], kHeadDim, scores, kSegment, false);
            else  // several rounds over the tile: it is widened once
                product(rows, scratch.query, kHeadDim, widened(tiles[tile], kHeadDim * kCacheTile, scratch.tile), kHeadDim,
                        scores, kSegment, false);
            tiles[tile] = Cache<T>::values(const_cast<T*>(tiles[tile]));
        }
        for (int row = 0; row < rows; row++) {
            const int position = unit_start + row / kSharing;
            const int row_low = window ? std::max(low, position - window + 1) : low;
            soften(scratch.scores + row * kSegment, first, last, tile_positions, base, row_low, std::min(high, position + 1),
                   scratch.maximum + row, scratch.rest + row, scratch.mixed + row * kPadded);
        }
        if (rows <= kMostRows) {
            mix(rows, scratch.scores, tiles, first, last, scratch.mixed);
            continue;
        }
        for (int tile = first; tile <= last; tile++) {
            const float* values = widened(tiles[tile], kPadded * kCacheTile, scratch.tile);
            for (int slice = 0; slice < kSlices; slice++)
                product(rows, scratch.scores + tile * kCacheTile, kSegment, values + slice * kCacheTile * 16, kCacheTile,
                        scratch.mixed + slice * 16, kPadded, true);
        }
    }
    for (int row = 0; row < rows; row++) {
        const float* mixed = scratch.mixed + row * kPadded;
        if (unit.parts > 1) {
            float* to = partials + unit.partial + (size_t)row * kPartialRow;
            to[0] = scratch.maximum[row], to[1] = scratch.rest[row];
            std::copy_n(mixed, kPadded, to + 2);
        } else {
            const float scale = 1.0f / scratch.rest[row];
            float* to = attended + (size_t)(span.row + unit.token + row / kSharing) * kQueries +
                        (unit.head * kSharing + row % kSharing) * kHeadDim;
            for (int i = 0; i < kHeadDim; i++) to[i] = mixed[i] * scale;
        }
    }
}

void combine(const Unit* units, int token, const float* partials, float* row) {
    const int parts = units->parts;
    const Unit* group = units + (size_t)(token / kUnitTokens) * kKvHeads * parts;
    for (int query = 0; query < kHeads; query++) {
        const Unit* unit = group + query / kSharing * parts;
        const size_t at = (size_t)(token % kUnitTokens * kSharing + query % kSharing) * kPartialRow;
        float top = -INFINITY, rest = 0;
        for (int part = 0; part < parts; part++) top = std::max(top, partials[unit[part].partial + at]);
        float* to = row + query * kHeadDim;
        std::fill_n(to, kHeadDim, 0.0f);
        for (int part = 0; part < parts; part++) {
            const float* from = partials + unit[part].partial + at;
            const float share = from[0] == -INFINITY ? 0.0f : std::exp(from[0] - top);
            rest += from[1] * share;
            for (int i = 0; i < kHeadDim; i++) to[i] += from[2 + i] * share;
        }
        for (int i = 0; i < kHeadDim; i++) to[i] /= rest;
    }
}

template void write_token(const AttentionInput&, const Cache<float>&, const Span&, int);
template void write_token(const AttentionInput&, const Cache<Half>&, const Span&, int);
template void attend(const AttentionInput&, const Cache<float>&, const Span&, const Unit&, AttentionScratch&, float*, float*);
template void attend(const AttentionInput&, const Cache<Half>&, const Span&, const Unit&, AttentionScratch&, float*, float*);

}  // namespace premotor::model
