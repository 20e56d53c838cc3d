// Aligned arrays that only grow, so that a step allocates nothing once it has seen its largest batch.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

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

// Zeroed memory that is there from the start: the first touch of a page takes the system up to milliseconds, which a step
// does not have. In huge pages where the system gives them on request: attention goes through a page of its own for every
// head and block, more of them than a processor remembers.
class Pages {
   public:
    explicit Pages(size_t size) {
        const size_t room = (size + kHuge - 1) / kHuge * kHuge + kHuge;
#if defined(__linux__)
        base_ = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base_ == MAP_FAILED) throw std::bad_alloc();
        madvise(base_, room, MADV_HUGEPAGE);  // refused by some systems: then the pages are small
        touch((char*)base_, room);
#else
        base_ = std::calloc(room, 1);
        if (!base_) throw std::bad_alloc();
#endif
        size_ = room;
        data_ = (char*)(((size_t)base_ + kHuge - 1) / kHuge * kHuge);
    }
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;
    ~Pages() {
#if defined(__linux__)
        munmap(base_, size_);
#else
        std::free(base_);
#endif
    }
    char* data() const { return data_; }

   private:
    static void touch(char* base, size_t size) {
        for (size_t at = 0; at < size; at += kSmall) ((volatile char*)base)[at] = 0;
    }

    static constexpr size_t kSmall = 4096, kHuge = (size_t)1 << 21;
    void* base_ = nullptr;
    size_t size_ = 0;
    char* data_ = nullptr;
};

}  // namespace premotor::model
