// One step of the model over a whole batch, as a program of phases for the pool.
#pragma once

#include <memory>
#include <vector>

#include "adapters.h"
#include "attention.h"
#include "cache.h"
#include "model.h"
#include "pace.h"
#include "pool.h"
#include "words.h"

namespace premotor::model {

enum Pick : int { kNothing = 0, kGreedy = 1, kLogits = 2 };

// One chunk as the caller describes it: nine 8-byte fields.
struct ChunkInput {
    int64_t count, start, table_length, wanted, pick;
    int64_t among_count;   // -1: all words
    const int64_t* among;  // ids
    float* logits;         // where they go when pick is kLogits
    int64_t adapter;       // its number in the order of add_adapter; -1: none
};

struct StepInput {
    int chunks;
    const ChunkInput* chunk;
    const int32_t *tokens, *tables, *wanted;  // of all chunks, one after the other
    float* hidden;                            // (wanted of all chunks, kHidden)
    int32_t* token;                           // one a chunk; -1: none
    double* logprob;                          // one a chunk
};

// What a thread needs for itself.
struct Scratch {
    AttentionScratch attention;
    Buffer<float> rows, low;
    Buffer<uint8_t> packed;
    uint64_t prepared = 0;  // the phase that `packed` was made for
};

class Runner {
   public:
    Runner(Model model, const float* global_frequencies, const float* local_frequencies, int blocks, int block_size,
           bool half_cache, int threads, std::vector<int> cores);

    // `factors` has kTargets for each layer; what they point to is the caller's to keep.
    void add_adapter(std::vector<Factors> factors);
    int adapters() const { return (int)adapters_.size(); }

    void step(const StepInput& input);

    // A step in parts: `begin`, then `go_on` until it returns true. What `input` points to must live until then. Other
    // work may not come in between, but for copy_block; a `begin` gives up what was begun before.
    void begin(const StepInput& input);
    // Goes on for at most `seconds` (infinity: to the end), as far as can be told from how long the parts have taken; true
    // once all is done.
    bool go_on(double seconds);

    void copy_block(int source, int target) const;

    // Logits of words [first, end) for `rows` final hidden states (rows, kHidden), to out (rows, end - first).
    void logits(const float* hidden, int rows, int first, int end, float* out);
    // Of the words `ids`, to out (rows, count).
    void logits(const float* hidden, int rows, const int64_t* ids, int count, float* out);
    // Largest logit and sum of e^(logit - largest) over words [first, end), one of each a row.
    void normalizers(const float* hidden, int rows, int first, int end, double* largest, double* rest);

    const Model model;

   private:
    friend struct Work;
    template <class T>
    void add_layers(const Cache<T>& cache);
    void lay_out(const StepInput& input);
    void lay_out_adapters(const StepInput& input);
    float* low(float* from, int token) const { return from + (size_t)token * kLowRows * low_stride_; }
    void ask_words(const StepInput& input);
    void answer(const StepInput& input) const;
    void prepare_step(const StepInput& input);
    void add_words();
    void run_all();
    bool run_some(double until);
    double amount_of(const Phase& phase) const;
    void add(void (*work)(void*, const Phase&, int, int), int layer, int chunks);
    int pieces(const Linear& linear) const;

    static constexpr int kLowRows = 3;  // the most targets that share an input

    std::vector<std::unique_ptr<Adapter>> adapters_;
    std::unique_ptr<Cache<float>> floats_;
    std::unique_ptr<Cache<Half>> halves_;
    Rotation global_, local_;
    Pool pool_;
    std::vector<Scratch> scratch_;
    std::vector<Phase> program_;
    uint64_t serial_ = 0;  // grows with every phase run
    size_t at_ = 0;        // the phase of the program that a step in parts has come to
    bool fine_ = false;    // cut finely, for a step in parts
    Pace pace_;
    StepInput begun_{};

    // the step at work
    const StepInput* input_ = nullptr;
    int tokens_ = 0;
    bool small_ = false;   // each thread prepares its own copy of a product's input: cheaper than another phase
    bool single_ = false;  // one token a chunk: attention writes keys and values itself
    std::vector<Span> spans_;
    std::vector<int> span_of_;    // of each token
    std::vector<Unit> units_[2];  // for layers without and with a window
    Partials partials_[2];
    double pairs_[2] = {};  // of a token and a position that it sees
    std::vector<AdaptedRows> adapted_;
    int low_stride_ = 0;  // the largest rank of the step's adapters
    Buffer<float> low_;   // of every token: a row for each target of the product that follows
    Buffer<float> stream_[2], qkv_, attended_, partial_, branch_, gate_, up_;
    Buffer<uint8_t> packed_;
    Words words_;
    std::vector<int> answers_;  // of each chunk: which question of words_ it asked, or -1
};

}  // namespace premotor::model
