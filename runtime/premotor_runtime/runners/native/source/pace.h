// How long the chunks of a phase take, as seen so far: what a program needs to know to stop in time.
#pragma once

#include <vector>

#include "pool.h"

namespace premotor::model {

class Pace {
   public:
    // Seconds that one chunk of `phase` is expected to take at most when the phase has `amount` to do (tokens, or pairs of
    // tokens and positions); 0 while unknown.
    double chunk_seconds(const Phase& phase, double amount) const;

    // `count` chunks of `phase` took `seconds`. One slow spell at most doubles what is expected.
    void note(const Phase& phase, double amount, int count, double seconds);

    // Nothing was done because a chunk of `phase` did not fit: expects a little less, so that what one slow spell left
    // behind does not stand for ever.
    void refused(const Phase& phase, double amount);

   private:
    using Function = void (*)(void* state, const Phase& phase, int chunk, int thread);
    struct Seen {
        Function work;
        int size;  // of the amount, as a power of two
        double amount, seconds;  // of the whole phase
    };
    const Seen* nearest(Function work, int size) const;
    std::vector<Seen> seen_;  // some dozens
};

}  // namespace premotor::model
