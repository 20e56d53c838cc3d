// What the phases of a program do; see Runner::add_layers for their order.
#pragma once

#include "runner.h"

namespace premotor::model {

constexpr int kPackTokens = 16;  // tokens that a thread prepares at a time in a large step

struct Work {
    static void embed(void* state, const Phase& phase, int chunk, int thread);
    static void prepare_attention(void* state, const Phase& phase, int chunk, int thread);
    static void prepare_output(void* state, const Phase& phase, int chunk, int thread);
    static void prepare_mlp(void* state, const Phase& phase, int chunk, int thread);
    static void prepare_down(void* state, const Phase& phase, int chunk, int thread);
    static void qkv(void* state, const Phase& phase, int chunk, int thread);
    static void output(void* state, const Phase& phase, int chunk, int thread);
    static void gate_up(void* state, const Phase& phase, int chunk, int thread);
    static void down(void* state, const Phase& phase, int chunk, int thread);
    static void finish(void* state, const Phase& phase, int chunk, int thread);
    static void pack_words(void* state, const Phase& phase, int chunk, int thread);
    static void word_range(void* state, const Phase& phase, int chunk, int thread);
    static void word_choice(void* state, const Phase& phase, int chunk, int thread);
    template <class T>
    static void write(void* state, const Phase& phase, int chunk, int thread);
    template <class T>
    static void attention(void* state, const Phase& phase, int chunk, int thread);

   private:
    using Fill = void (*)(Runner& runner, int layer, int first, int end, float* rows, bool keep);
    static void residual(Runner& runner, int layer, bool mlp, int first, int end, float* rows, bool keep);
    static void before_attention(Runner& runner, int layer, int first, int end, float* rows, bool keep);
    static void before_mlp(Runner& runner, int layer, int first, int end, float* rows, bool keep);
    static void joined(Runner& runner, int layer, int first, int end, float* rows, bool keep);
    static void prepare(Runner& runner, const Phase& phase, int chunk, int thread, int width, Targets targets, Fill fill);
    static const uint8_t* input(Runner& runner, const Phase& phase, int chunk, int thread, int width, Targets targets,
                                Fill fill, const float* ready);
    static void lower(const Runner& runner, int layer, Targets targets, int first, int end, const float* rows, int width,
                      float* low);
    static void raise(const Runner& runner, int layer, int thread, int target, int number, int columns, int first, int end,
                      float* y, int ldy);
    template <class T>
    static const Cache<T>& cache(const Runner& runner);
};

}  // namespace premotor::model
