// Keys and values in pages, laid out for vectors.
//
// A block of `block_size` positions is cut into tiles of up to 16 positions. For each layer, key-value head, block and
// tile (in this order, so that a head reads on through a run of blocks) there are a K part, [dimension][16 positions],
// and a V part, [16 dimensions at a time][16 positions][16], so that both products of attention read whole vectors and
// need no sums across lanes.
#pragma once

#include <cstddef>
#include <cstring>

#include "memory.h"
#include "shape.h"
#include "vector.h"

namespace premotor::model {

constexpr int kCacheTile = 16;
constexpr int kSlices = (kHeadDim + 15) / 16;  // groups of 16 dimensions in V
constexpr int kPadded = kSlices * 16;

template <class T>
class Cache {
   public:
    static constexpr size_t kTileSize = (size_t)(kHeadDim + kPadded) * kCacheTile;

    Cache(int layers, int blocks, int block_size)
        : block_size(block_size),
          tile_positions(common_divisor(block_size, kCacheTile)),
          tiles_per_block(block_size / tile_positions),
          layers_(layers),
          blocks_(blocks),
          pages_((size_t)layers * blocks * tiles_per_block * kKvHeads * kTileSize * sizeof(T)) {}

    // The K part of the tile that holds `position`; the V part follows it.
    T* keys(int layer, const int* table, int position, int head) const {
        const size_t block = (size_t)table[position / block_size], tile = (size_t)(position % block_size / tile_positions);
        const size_t index = (((size_t)layer * kKvHeads + head) * blocks_ + block) * tiles_per_block + tile;
        return (T*)pages_.data() + index * kTileSize;
    }
    static T* values(T* keys) { return keys + (size_t)kHeadDim * kCacheTile; }

    void write(int layer, const int* table, int position, int head, const float* key, const float* value) const {
        T* tile = keys(layer, table, position, head);
        const int lane = position % tile_positions;
        for (int i = 0; i < kHeadDim; i++) put(tile + i * kCacheTile, lane, key[i]);
        T* slices = values(tile);
        for (int i = 0; i < kHeadDim; i++) put(slices + (i / 16 * kCacheTile + lane) * 16, i % 16, bounded(value[i]));
    }

    // Block `source`, every layer and head, over block `target`.
    void copy_block(int source, int target) const {
        const size_t size = (size_t)tiles_per_block * kTileSize;
        for (size_t head = 0; source != target && head < layers_ * kKvHeads; head++) {
            T* blocks = (T*)pages_.data() + head * blocks_ * size;
            std::memcpy(blocks + (size_t)target * size, blocks + (size_t)source * size, size * sizeof(T));
        }
    }

    const int block_size, tile_positions, tiles_per_block;

   private:
    // Whole tiles are mixed, with weight 0 where a position is not seen: what is left there must be finite. A state that
    // is not finite still shows, since its key is not either.
    static float bounded(float x) { return x != x ? 0.0f : x > 3e38f ? 3e38f : x < -3e38f ? -3e38f : x; }

    static int common_divisor(int a, int b) { return b == 0 ? a : common_divisor(b, a % b); }
    const size_t layers_, blocks_;
    Pages pages_;
};

}  // namespace premotor::model
