// What Python calls: nothing is checked here but the values of maps.
#include "astar.h"
#include "cost_to_go.h"
#include "cspace.h"

extern "C" {

const char* premotor_instruction_set() {
#if defined(__AVX512BW__)
    return "avx512";
#elif defined(__AVX2__)
    return "avx2";
#elif defined(__ARM_NEON)
    return "neon";
#elif defined(__SSE2__)
    return "sse2";
#else
    return "portable";
#endif
}

int64_t premotor_cost_to_go_bytes(int rows, int cols) { return premotor::cost_to_go_bytes(rows, cols); }

int premotor_cost_to_go(int rows, int cols, int sweeps, int limit, void* scratch, const float* reach, const float* free,
                        float* out) {
    return premotor::cost_to_go({rows, cols, sweeps, limit, scratch}, reach, free, out);
}

int64_t premotor_cspace_bytes(int rows, int cols) { return premotor::cspace_bytes(rows, cols); }

int premotor_cspace(int rows, int cols, int headings, int runs, int inflation, const premotor::Run* run, void* scratch,
                    const float* free, float* free_at, float* near) {
    return premotor::cspace({rows, cols, headings, runs, inflation, run, scratch}, free, free_at, near);
}

int64_t premotor_astar(int rows, int cols, const float* free, int start, int goal, int64_t* expanded) {
    return premotor::astar({rows, cols, free}, start, goal, expanded);
}
}
