// Aligned arrays that only grow, so that a step allocates nothing once it has seen its largest batch.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>


namespace premotor::model {

template <class T>
class Buffer {
   public:
    Buffer() = default;
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    Buffer(Buffer&& other) noexcept : data_(other.data_), size_(other.size_) { other.data_ = nullptr, other.size_ = 0; }
    ~Buffer() { std::free(data_); }

    // Room for `size` elements; what was there is lost when it grows.
    T* reserve(size_t size) {
        if (size > size_) {
            std::free(data_);
            data_ = nullptr, size_ = 0;
            const size_t room = size + size / 4;
            void* fresh = nullptr;
            if (posix_memalign(&fresh, 64, room * sizeof(T) + 64)) throw std::bad_alloc();
            data_ = (T*)fresh, size_ = room;
        }
        return data_;
    }

    T* data() const { return data_; }

   private:
    T* data_ = nullptr;
    size_t size_ = 0;
};

// Zeroed memory that takes up room only where it has been written.
class Pages {
   public:
    explicit Pages(size_t size) {
        base_ = std::calloc(size + 64, 1);
        if (!base_) throw std::bad_alloc();
        data_ = (char*)(((size_t)base_ + 63) & ~(size_t)63);
    }
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;
    ~Pages() { std::free(base_); }
    char* data() const { return data_; }

   private:
    void* base_ = nullptr;
    char* data_ = nullptr;
};

}  // namespace premotor::model
