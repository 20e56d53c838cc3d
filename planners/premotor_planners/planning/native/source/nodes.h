// What a search knows of each cell, forgotten at once when the next begins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace premotor {

using std::size_t;

struct Node {
    int64_t cost;
    int32_t parent;
    uint16_t search;
    uint8_t waiting, done;  // directions, as bits
};
static_assert(sizeof(Node) == 16, "four nodes to a cache line");

class Nodes {
   public:
    explicit Nodes(size_t count) : count_(count) { clear(); }

    // Searches are counted in 16 bits; after the last, memory that the system has cleared takes the place of the old.
    void begin() {
        if (search_ == UINT16_MAX) clear();
        search_++;
    }

    bool known(int cell) const { return nodes_[size_t(cell)].search == search_; }
    Node& operator[](int cell) { return nodes_[size_t(cell)]; }
    void set(int cell, int64_t cost, int parent, uint8_t waiting) {
        nodes_[size_t(cell)] = {cost, parent, search_, waiting, 0};
    }

   private:
    struct Free {
        void operator()(Node* nodes) const { std::free(nodes); }
    };

    void clear() {
        nodes_.reset();
        nodes_.reset(static_cast<Node*>(std::calloc(count_, sizeof(Node))));
        if (!nodes_) throw std::bad_alloc();
        search_ = 0;
    }

    size_t count_;
    uint16_t search_ = 0;
    std::unique_ptr<Node[], Free> nodes_;
};

}  // namespace premotor
