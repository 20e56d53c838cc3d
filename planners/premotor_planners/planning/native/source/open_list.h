// What is still to be looked at, in buckets of nearly equal estimates; the last put into a bucket comes out first.
//
// Within a bucket the order is not exact: whoever uses it takes improvements of cells that were looked at already, and
// goes on until the first bucket left begins no lower than the best way found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace premotor {

using std::size_t;

class OpenList {
   public:
    struct Entry {
        int64_t cost;
        int32_t cell, next;
    };

    // Estimates from `lowest` on, 2^shift to a bucket.
    void begin(int64_t lowest, int shift) {
        for (int i = first_; i <= last_; i++) heads_[size_t(i)] = -1;
        entries_.clear();
        lowest_ = lowest, shift_ = shift, first_ = 0, last_ = -1;
    }

    void put(int64_t estimate, int64_t cost, int cell) {
        const int bucket = int((estimate - lowest_) >> shift_);
        if (bucket >= int(heads_.size())) heads_.resize(size_t(bucket) * 2 + 64, -1);
        if (bucket > last_) last_ = bucket;
        entries_.push_back({cost, cell, heads_[size_t(bucket)]});
        heads_[size_t(bucket)] = int32_t(entries_.size()) - 1;
    }

    // False when nothing is left below `limit`.
    bool take(int64_t limit, Entry& out) {
        while (first_ <= last_ && heads_[size_t(first_)] < 0) first_++;
        if (first_ > last_ || lowest_ + (int64_t(first_) << shift_) >= limit) return false;
        int32_t& head = heads_[size_t(first_)];
        out = entries_[size_t(head)];
        head = out.next;
        return true;
    }

   private:
    std::vector<int32_t> heads_;
    std::vector<Entry> entries_;
    int64_t lowest_ = 0;
    int shift_ = 0, first_ = 0, last_ = -1;
};

}  // namespace premotor
