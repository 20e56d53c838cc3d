// When to give up: a deadline on the steady clock, and a byte that another thread sets.
#pragma once

#include <chrono>
#include <cstdint>

namespace premotor {

enum Outcome : int { kNoWay = -1, kTimeout = -2, kCancelled = -3, kNoMemory = -4 };

class Stopping {
   public:
    Stopping(int64_t budget_ns, const volatile uint8_t* cancelled)
        : deadline_(budget_ns < 0 ? INT64_MAX : now() + budget_ns), cancelled_(cancelled) {}

    // 0 to go on, else why not.
    int reason() const {
        if (cancelled_ && *cancelled_) return kCancelled;
        return deadline_ != INT64_MAX && now() >= deadline_ ? kTimeout : 0;
    }

   private:
    static int64_t now() {
        using namespace std::chrono;
        return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
    }

    int64_t deadline_;
    const volatile uint8_t* cancelled_;
};

}  // namespace premotor
