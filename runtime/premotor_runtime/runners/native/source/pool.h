// A few threads that go through the phases of a program together.
//
// A phase is cut into chunks; threads claim chunks until none are left, and the one that finishes the last chunk opens
// the next phase. Nobody waits for a thread that has claimed nothing: when another process takes a core, the others do
// its share. The calling thread is thread 0; the others spin shortly after each program, then sleep.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace premotor::model {

constexpr int kMaxChunks = 60000;

struct Phase {
    void (*work)(void* state, const Phase& phase, int chunk, int thread);
    int layer;
    int chunks;     // 1 to kMaxChunks
    int first = 0;  // run are `count` of them, from `first` on
    int count = chunks;
};

class Pool {
   public:
    // `cores` (may be empty) are processor numbers; thread t is bound to cores[t % size].
    Pool(int threads, std::vector<int> cores);
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    int threads() const { return threads_; }

    // Runs `count` phases (at least one) in order; returns when the last is done. One caller at a time.
    // In a forked child, whose copy of the pool has no workers, the caller does it all.
    void run(const Phase* phases, size_t count, void* state);

   private:
    void serve(int thread);
    bool help(int thread, uint64_t ticket);
    void open(uint32_t number);
    uint64_t wait_for_change(uint64_t seen);
    void bind(int thread) const;

    const int threads_;
    const std::vector<int> cores_;
    const int process_;
    // phase number, chunks in it, next chunk: 32, 16 and 16 bits. A claim adds 1 and is valid when next < chunks; a
    // valid claim keeps the phase, and so the program, in place until it is finished.
    alignas(64) std::atomic<uint64_t> ticket_{0};
    alignas(64) std::atomic<int> unfinished_{0};
    alignas(64) std::atomic<int> sleepers_{0};
    std::atomic<bool> stopping_{false};
    const Phase* program_ = nullptr;
    uint32_t first_ = 0, end_ = 0;  // numbers of the program's phases
    void* state_ = nullptr;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::thread> workers_;
};

}  // namespace premotor::model
