#include "pace.h"

#include <algorithm>
#include <cmath>

namespace premotor::model {
namespace {

constexpr double kMostGrowth = 2.0;  // by one measurement
constexpr double kEasing = 0.05;     // of the way down to a faster one
constexpr double kDoubt = 0.99;      // after a refusal

int size_of(double amount) { return std::ilogb(std::max(1.0, amount)); }

}  // namespace

// Of that size; else of the next smaller one, else of the next larger one; null when none was seen.
const Pace::Seen* Pace::nearest(Function work, int size) const {
    const Seen* best = nullptr;
    const auto far = [&](const Seen& seen) { return seen.size <= size ? size - seen.size : 64 + seen.size - size; };
    for (const Seen& seen : seen_)
        if (seen.work == work && (!best || far(seen) < far(*best))) best = &seen;
    return best;
}

double Pace::chunk_seconds(const Phase& phase, double amount) const {
    const Seen* seen = nearest(phase.work, size_of(amount));
    return seen ? seen->seconds * std::max(1.0, amount / seen->amount) / phase.chunks : 0.0;
}

void Pace::note(const Phase& phase, double amount, int count, double seconds) {
    const double whole = seconds / count * phase.chunks;
    const int size = size_of(amount);
    Seen* seen = const_cast<Seen*>(nearest(phase.work, size));
    if (!seen || seen->size != size) {
        seen_.push_back({phase.work, size, amount, whole});
        return;
    }
    const double before = seen->seconds * std::max(1.0, amount / seen->amount);
    seen->amount = std::max(seen->amount, amount);
    seen->seconds = whole > before ? std::min(whole, kMostGrowth * before) : before + kEasing * (whole - before);
}

void Pace::refused(const Phase& phase, double amount) {
    if (const Seen* seen = nearest(phase.work, size_of(amount))) const_cast<Seen*>(seen)->seconds *= kDoubt;
}

}  // namespace premotor::model
