#include "pool.h"

#include <unistd.h>

#include <chrono>

#if defined(__linux__)
#include <pthread.h>
#include <sched.h>
#endif

namespace premotor::model {
namespace {

// How long a thread polls before it sleeps: within a step for as long as another thread's share may last longer, after a
// step for as long as the next one usually takes to come. It does not yield: on kernels since 6.18 a thread that yields
// forfeits its turn to whatever else runs on its core, and then a step waits milliseconds for it.
constexpr auto kPollInside = std::chrono::microseconds(60);
constexpr auto kPollBetween = std::chrono::microseconds(300);
constexpr int kPollsPerLook = 32;  // polls between two looks at the clock

inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

inline uint32_t number_of(uint64_t ticket) { return (uint32_t)(ticket >> 32); }
inline int chunks_of(uint64_t ticket) { return (int)(ticket >> 16 & 0xffff); }
inline int next_of(uint64_t ticket) { return (int)(ticket & 0xffff); }

}  // namespace

Pool::Pool(int threads, std::vector<int> cores) : threads_(threads), cores_(std::move(cores)), process_(getpid()) {
    for (int thread = 1; thread < threads; thread++) workers_.emplace_back([this, thread] { serve(thread); });
}

Pool::~Pool() {
    stopping_ = true;
    {
        std::lock_guard<std::mutex> lock(mutex_);
        changed_.notify_all();
    }
    for (auto& worker : workers_) {
        if (getpid() == process_)
            worker.join();
        else
            worker.detach();  // after fork() the child has no such thread to wait for
    }
}

void Pool::run(const Phase* phases, size_t count, void* state) {
    bind(0);
    if (threads_ == 1) {
        for (const Phase* phase = phases; phase < phases + count; phase++)
            for (int chunk = phase->first; chunk < phase->first + phase->count; chunk++) phase->work(state, *phase, chunk, 0);
        return;
    }
    program_ = phases;
    state_ = state;
    first_ = end_;
    end_ = first_ + (uint32_t)count;
    const uint32_t end = end_;
    open(first_);
    for (;;) {
        const uint64_t ticket = ticket_.load(std::memory_order_acquire);
        if (number_of(ticket) == end) return;
        if (!help(0, ticket)) wait_for_change(ticket);
    }
}

void Pool::serve(int thread) {
    bind(thread);
    while (!stopping_) {
        const uint64_t ticket = ticket_.load(std::memory_order_acquire);
        if (!help(thread, ticket)) wait_for_change(ticket);
    }
}

// Claims and runs chunks of the phase that `ticket` shows; false when there was none left to claim.
bool Pool::help(int thread, uint64_t ticket) {
    if (next_of(ticket) >= chunks_of(ticket)) return false;
    const uint64_t claim = ticket_.fetch_add(1, std::memory_order_acq_rel);
    const int chunk = next_of(claim);
    if (chunk >= chunks_of(claim)) return false;
    const uint32_t number = number_of(claim);
    const Phase& phase = program_[number - first_];
    phase.work(state_, phase, phase.first + chunk, thread);
    if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) open(number + 1);
    return true;
}

void Pool::open(uint32_t number) {
    const int chunks = number == end_ ? 0 : program_[number - first_].count;
    unfinished_.store(chunks, std::memory_order_relaxed);
    ticket_.store((uint64_t)number << 32 | (uint64_t)chunks << 16);
    if (sleepers_.load() > 0) {
        std::lock_guard<std::mutex> lock(mutex_);
        changed_.notify_all();
    }
}

// Returns the ticket once its phase is another than that of `seen` (or the pool ends).
uint64_t Pool::wait_for_change(uint64_t seen) {
    const uint32_t number = number_of(seen);
    const bool inside = chunks_of(seen) > 0;
    uint64_t ticket;
    const auto until = std::chrono::steady_clock::now() + (inside ? kPollInside : kPollBetween);
    do {
        for (int poll = 0; poll < kPollsPerLook; poll++) {
            if (number_of(ticket = ticket_.load(std::memory_order_acquire)) != number || stopping_) return ticket;
            relax();
        }
    } while (std::chrono::steady_clock::now() < until);
    sleepers_.fetch_add(1);
    {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [&] { return number_of(ticket = ticket_.load()) != number || stopping_; });
    }
    sleepers_.fetch_sub(1);
    return ticket;
}

void Pool::bind(int thread) const {
#if defined(__linux__)
    if (cores_.empty()) return;
    static thread_local const Pool* bound = nullptr;
    if (bound == this) return;
    bound = this;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)cores_[(size_t)thread % cores_.size()], &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);  // a core that is not there leaves the thread as it was
#else
    (void)thread;
#endif
}

}  // namespace premotor::model
