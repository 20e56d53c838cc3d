// The functions that Python calls (see bindings.py). Nothing here throws; numbers returned are the constants below.

#include <new>
#include <vector>

#include "runner.h"

using namespace premotor;
using namespace premotor::model;

namespace {

enum Outcome : int {
    kDone = 0,
    kToken = 1,       // a token is outside the vocabulary
    kTable = 2,       // a block table is too short, or names a block that is not there
    kWanted = 3,      // a wanted index is outside its chunk
    kWord = 4,        // an id in `among` is outside the vocabulary
    kEmpty = 5,       // a chunk has no tokens, or starts before position 0
    kNoMemory = 6,
    kAdapter = 7,     // an adapter has not been added
    kPaused = 8,      // a step in parts is not done yet
};

struct Handle {
    Runner runner;
    int blocks, block_size;
};

bool words_exist(const int64_t* ids, int64_t count, int vocabulary) {
    for (int64_t i = 0; i < count; i++)
        if (ids[i] < 0 || ids[i] >= vocabulary) return false;
    return true;
}

int check(const Handle& handle, const StepInput& input) {
    const int vocabulary = handle.runner.model.embedding.rows, head = handle.runner.model.head.rows;
    const int32_t *token = input.tokens, *table = input.tables, *wanted = input.wanted;
    for (int number = 0; number < input.chunks; number++) {
        const ChunkInput& chunk = input.chunk[number];
        if (chunk.count < 1 || chunk.start < 0) return kEmpty;
        if (chunk.adapter < -1 || chunk.adapter >= handle.runner.adapters()) return kAdapter;
        for (int64_t i = 0; i < chunk.count; i++, token++)
            if (*token < 0 || *token >= vocabulary) return kToken;
        if ((chunk.start + chunk.count + handle.block_size - 1) / handle.block_size > chunk.table_length) return kTable;
        for (int64_t i = 0; i < chunk.table_length; i++, table++)
            if (*table < 0 || *table >= handle.blocks) return kTable;
        for (int64_t i = 0; i < chunk.wanted; i++, wanted++)
            if (*wanted < 0 || *wanted >= chunk.count) return kWanted;
        if (chunk.pick != kNothing && chunk.among_count > 0 && !words_exist(chunk.among, chunk.among_count, head)) return kWord;
    }
    return kDone;
}

template <class Call>
int guarded(Call call) {
    try {
        call();
        return kDone;
    } catch (const std::bad_alloc&) {
        return kNoMemory;
    } catch (...) {
        return kNoMemory;
    }
}

}  // namespace

extern "C" {

// Offsets into `weights`, in bytes; -1: the model has none.
struct LayerPlaces {
    int64_t qkv, output, gate, up, down, attention_norm, mlp_norm, qkv_bias, query_norm, key_norm, post_attention_norm,
        post_mlp_norm, window, local;
};

struct ModelPlaces {
    const uint8_t* weights;
    const LayerPlaces* layers;
    int64_t layer_count, precision, table_precision, vocabulary, embedding, head, final_norm;
    double epsilon, embedding_scale, attention_scale;
};

struct RunnerOptions {
    const float *global_frequencies, *local_frequencies;  // kHalf each
    const int32_t* cores;
    int64_t core_count, threads, blocks, block_size, half_cache;
};

const char* premotor_instruction_set() { return linear_instruction_set(); }

int64_t premotor_linear_bytes(int precision, int rows, int cols) { return (int64_t)linear_bytes((Precision)precision, rows, cols); }

int premotor_row_step(int precision) { return linear_row_step((Precision)precision); }

void premotor_pack(int precision, int rows, int cols, const float* w, uint8_t* packed, int first, int end) {
    linear_pack((Precision)precision, rows, cols, w, packed, first, end);
}

void premotor_unpack(int precision, int rows, int cols, const uint8_t* packed, int first, int count, float* out) {
    linear_unpack_rows(Linear{(Precision)precision, rows, cols, kGroup, packed}, first, count, out);
}

void* premotor_create(const ModelPlaces* places, const RunnerOptions* options) {
    const uint8_t* base = places->weights;
    const Precision precision = (Precision)places->precision;
    const auto matrix = [&](int64_t at, int rows, int cols) { return Linear{precision, rows, cols, kGroup, base + at}; };
    const auto table = [&](int64_t at) {
        return Linear{(Precision)places->table_precision, (int)places->vocabulary, kHidden, kGroup, base + at};
    };
    const auto vector = [&](int64_t at) { return at < 0 ? nullptr : (const float*)(base + at); };
    try {
        Model model{precision,
                    table(places->embedding),
                    table(places->head),
                    vector(places->final_norm),
                    {},
                    (float)places->epsilon,
                    (float)places->embedding_scale,
                    (float)places->attention_scale};
        for (int64_t number = 0; number < places->layer_count; number++) {
            const LayerPlaces& at = places->layers[number];
            model.layers.push_back({matrix(at.qkv, kQkv, kHidden), matrix(at.output, kHidden, kQueries),
                                    matrix(at.gate, kInner, kHidden), matrix(at.up, kInner, kHidden),
                                    matrix(at.down, kHidden, kInner), vector(at.attention_norm), vector(at.mlp_norm),
                                    vector(at.qkv_bias), vector(at.query_norm), vector(at.key_norm),
                                    vector(at.post_attention_norm), vector(at.post_mlp_norm), (int)at.window, at.local != 0});
        }
        return new Handle{Runner(std::move(model), options->global_frequencies, options->local_frequencies,
                                 (int)options->blocks, (int)options->block_size, options->half_cache != 0,
                                 (int)options->threads, {options->cores, options->cores + options->core_count}),
                          (int)options->blocks, (int)options->block_size};
    } catch (...) {
        return nullptr;
    }
}

void premotor_destroy(void* handle) { delete static_cast<Handle*>(handle); }

// `factors`: kTargets for each layer, which stay where they are. Adapters are numbered from 0 on in the order added.
int premotor_add_adapter(void* given, const Factors* factors) {
    Runner& runner = static_cast<Handle*>(given)->runner;
    const size_t count = runner.model.layers.size() * kTargets;
    return guarded([&] { runner.add_adapter({factors, factors + count}); });
}

// `pairs`: source and target, one after the other. Nothing is copied unless all blocks exist.
int premotor_copy_blocks(void* given, const int32_t* pairs, int count) {
    const Handle& handle = *static_cast<Handle*>(given);
    for (int i = 0; i < 2 * count; i++)
        if (pairs[i] < 0 || pairs[i] >= handle.blocks) return kTable;
    for (int i = 0; i < count; i++) handle.runner.copy_block(pairs[2 * i], pairs[2 * i + 1]);
    return kDone;
}

int premotor_step(void* given, int chunks, const int64_t* chunk, const int32_t* tokens, const int32_t* tables,
                  const int32_t* wanted, float* hidden, int32_t* token, double* logprob) {
    Handle& handle = *static_cast<Handle*>(given);
    const StepInput input{chunks, reinterpret_cast<const ChunkInput*>(chunk), tokens, tables, wanted, hidden, token, logprob};
    if (const int outcome = check(handle, input)) return outcome;
    return guarded([&] { handle.runner.step(input); });
}

// The same step in parts: what is given must live until `premotor_go_on` has returned kDone, or another step is begun.
int premotor_begin(void* given, int chunks, const int64_t* chunk, const int32_t* tokens, const int32_t* tables,
                   const int32_t* wanted, float* hidden, int32_t* token, double* logprob) {
    Handle& handle = *static_cast<Handle*>(given);
    const StepInput input{chunks, reinterpret_cast<const ChunkInput*>(chunk), tokens, tables, wanted, hidden, token, logprob};
    if (const int outcome = check(handle, input)) return outcome;
    return guarded([&] { handle.runner.begin(input); });
}

int premotor_go_on(void* given, double seconds) {
    bool done = false;
    const int failed = guarded([&] { done = static_cast<Handle*>(given)->runner.go_on(seconds); });
    return failed ? failed : done ? kDone : kPaused;
}

// `steps` steps over chunks of one token each, every next token being the likeliest. Results of step s at [s * chunks];
// from a step on whose logits are not finite, a chunk's tokens are -1.
int premotor_decode(void* given, int chunks, const int64_t* chunk, const int32_t* tokens, const int32_t* tables, int steps,
                    int32_t* token, double* logprob) {
    Handle& handle = *static_cast<Handle*>(given);
    int outcome = kDone;
    const int failed = guarded([&] {
        std::vector<ChunkInput> next((const ChunkInput*)chunk, (const ChunkInput*)chunk + chunks);
        std::vector<int32_t> last(tokens, tokens + chunks);
        std::vector<char> broken((size_t)chunks, 0);
        for (int step = 0; step < steps; step++, token += chunks, logprob += chunks) {
            const StepInput input{chunks, next.data(), last.data(), tables, nullptr, nullptr, token, logprob};
            if ((outcome = check(handle, input))) return;
            handle.runner.step(input);
            for (size_t i = 0; i < next.size(); i++) {
                broken[i] = broken[i] || token[i] < 0;
                if (broken[i]) token[i] = -1;
                last[i] = broken[i] ? 0 : token[i];
                next[i].start++;
            }
        }
    });
    return failed ? failed : outcome;
}

int premotor_logits(void* handle, const float* hidden, int rows, int first, int end, float* out) {
    return guarded([&] { static_cast<Handle*>(handle)->runner.logits(hidden, rows, first, end, out); });
}

int premotor_chosen_logits(void* given, const float* hidden, int rows, const int64_t* ids, int count, float* out) {
    Runner& runner = static_cast<Handle*>(given)->runner;
    if (!words_exist(ids, count, runner.model.head.rows)) return kWord;
    return guarded([&] { runner.logits(hidden, rows, ids, count, out); });
}

int premotor_normalizers(void* handle, const float* hidden, int rows, int first, int end, double* largest, double* rest) {
    return guarded([&] { static_cast<Handle*>(handle)->runner.normalizers(hidden, rows, first, end, largest, rest); });
}

}  // extern "C"
