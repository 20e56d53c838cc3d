#include "runner.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "work.h"

namespace premotor::model {
namespace {

constexpr double kNearly = 0.5;  // a refusal for less time than this share of what was needed proves nothing
constexpr double kFineProducts = 4e6;  // multiplications in a piece of a step in parts: a fraction of a millisecond
constexpr int kSmallStep = 4096;  // so many numbers of the stream, at most, are prepared by every thread for itself

double bytes_of(const Linear& linear) {
    const double weight = linear.precision == Precision::F32    ? 4
                          : linear.precision == Precision::BF16 ? 2
                          : linear.precision == Precision::I8   ? 1.0625
                                                                : 0.5625;
    return weight * linear.rows * linear.cols;
}

int at_least_one(int count) { return std::max(1, count); }

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

Runner::Runner(Model given, const float* global_frequencies, const float* local_frequencies, int blocks, int block_size,
               bool half_cache, int threads, std::vector<int> cores)
    : model(std::move(given)),
      global_(global_frequencies),
      local_(local_frequencies),
      pool_(threads, std::move(cores)),
      scratch_((size_t)threads) {
    const int layers = (int)model.layers.size();
    if (half_cache)
        halves_ = std::make_unique<Cache<Half>>(layers, blocks, block_size);
    else
        floats_ = std::make_unique<Cache<float>>(layers, blocks, block_size);
}

void Runner::add_adapter(std::vector<Factors> factors) {
    int rank = 0;
    for (const Factors& each : factors) rank = std::max(rank, (int)each.rank);
    adapters_.push_back(std::make_unique<Adapter>(Adapter{std::move(factors), rank}));
}

void Runner::copy_block(int source, int target) const {
    if (halves_)
        halves_->copy_block(source, target);
    else
        floats_->copy_block(source, target);
}

void Runner::step(const StepInput& input) {
    fine_ = false;
    prepare_step(input);
    run_all();
    answer(input);
}

void Runner::begin(const StepInput& input) {
    begun_ = input;
    fine_ = true;
    prepare_step(begun_);
    at_ = 0;
}

bool Runner::go_on(double seconds) {
    if (!run_some(std::isinf(seconds) ? seconds : now() + seconds)) return false;
    serial_ += program_.size();
    answer(begun_);
    return true;
}

// Phase by phase; of a phase at most what is expected to take half of the time left, since chunks are not all alike. The
// first of a kind is one chunk.
bool Runner::run_some(double until) {
    double began = now();
    for (bool fruitless = true; at_ < program_.size(); fruitless = false) {
        Phase& phase = program_[at_];
        const int left = phase.chunks - phase.first;
        const double amount = amount_of(phase);
        const double expected = pace_.chunk_seconds(phase, amount), fit = (until - began) / std::max(expected, 1e-9);
        if (fit < 1.0) {
            if (fruitless && fit > kNearly) pace_.refused(phase, amount);
            return false;
        }
        phase.count = std::isinf(until) ? left : expected > 0.0 ? (int)std::clamp<double>(fit / 2, 1.0, left) : 1;
        pool_.run(&phase, 1, this);
        const double ended = now();
        pace_.note(phase, amount, phase.count, ended - began);
        began = ended;
        phase.first += phase.count;
        at_ += phase.first == phase.chunks;
    }
    return true;
}

double Runner::amount_of(const Phase& phase) const {
    const bool attends = phase.work == Work::attention<float> || phase.work == Work::attention<Half>;
    return attends ? pairs_[model.layers[(size_t)phase.layer].window ? 1 : 0] : (double)tokens_;
}

void Runner::prepare_step(const StepInput& input) {
    input_ = &input;
    lay_out(input);
    ask_words(input);
    program_.clear();
    add(Work::embed, 0, at_least_one((tokens_ + kPackTokens - 1) / kPackTokens));
    if (halves_)
        add_layers(*halves_);
    else
        add_layers(*floats_);
    add(Work::finish, 0, 1);
    add_words();
}

void Runner::lay_out(const StepInput& input) {
    spans_.clear(), span_of_.clear();
    tokens_ = 0;
    single_ = true;
    int positions = 0, window = 0;
    const int32_t* table = input.tables;
    for (int number = 0; number < input.chunks; number++) {
        const ChunkInput& chunk = input.chunk[number];
        spans_.push_back({tokens_, (int)chunk.count, (int)chunk.start, table});
        span_of_.insert(span_of_.end(), (size_t)chunk.count, number);
        tokens_ += (int)chunk.count;
        table += chunk.table_length;
        positions = std::max(positions, (int)(chunk.start + chunk.count));
        single_ = single_ && chunk.count == 1;
    }
    for (const Layer& layer : model.layers) window = std::max(window, layer.window);
    pairs_[0] = pairs_[1] = 0.0;
    for (const Span& span : spans_) {
        const double seen = span.start + 0.5 * (span.count + 1);
        pairs_[0] += span.count * seen;
        pairs_[1] += span.count * std::min(seen, (double)window);
    }
    global_.cover(positions), local_.cover(positions);
    const int tile_positions = halves_ ? halves_->tile_positions : floats_->tile_positions;
    partials_[0] = cut(spans_, tile_positions, 0, units_[0]);
    partials_[1] = cut(spans_, tile_positions, window, units_[1]);
    small_ = tokens_ * kHidden <= kSmallStep || (pool_.threads() == 1 && !fine_);

    const size_t n = (size_t)tokens_;
    const int widest = std::max({kHidden, kQueries, kInner});
    for (auto& stream : stream_) stream.reserve(n * kHidden);
    qkv_.reserve(n * kQkv), attended_.reserve(n * kQueries), branch_.reserve(n * kHidden);
    gate_.reserve(n * kInner), up_.reserve(n * kInner);
    partial_.reserve(std::max(partials_[0].floats, partials_[1].floats));
    const size_t packed = activation_bytes(model.precision, tokens_, widest);
    packed_.reserve(packed);
    for (Scratch& scratch : scratch_) {
        scratch.rows.reserve(small_ ? n * widest : (size_t)kPackTokens * widest);
        if (small_) scratch.packed.reserve(packed);
    }
    lay_out_adapters(input);
}

void Runner::lay_out_adapters(const StepInput& input) {
    adapted_.clear();
    low_stride_ = 0;
    for (int number = 0; number < input.chunks; number++) {
        const int64_t adapter = input.chunk[number].adapter;
        if (adapter < 0) continue;
        const Span& span = spans_[(size_t)number];
        adapted_.push_back({span.row, span.count, adapters_[(size_t)adapter].get()});
        low_stride_ = std::max(low_stride_, adapted_.back().adapter->rank);
    }
    if (adapted_.empty()) return;
    const size_t low = (size_t)tokens_ * kLowRows * low_stride_;
    if (!small_) low_.reserve(low);
    for (Scratch& scratch : scratch_)
        if (small_) scratch.low.reserve(low);
}

void Runner::add(void (*work)(void*, const Phase&, int, int), int layer, int chunks) {
    program_.push_back({work, layer, chunks});
}

// Into how many chunks a product is cut: enough to even out the threads, not so many that claiming them costs.
int Runner::pieces(const Linear& linear) const {
    const int step = linear_row_step(linear.precision), tiles = (linear.rows + step - 1) / step, threads = pool_.threads();
    const double bytes = bytes_of(linear), work = bytes * std::max(1.0, tokens_ / 4.0);
    const int by_cache = tokens_ > 16 || fine_ ? (int)(bytes / 131072) + 1 : 1;
    const int by_time = fine_ ? (int)((double)linear.rows * linear.cols * tokens_ / kFineProducts) : 1;
    const int by_work = threads == 1 ? 1 : threads * (int)std::clamp(work / (threads * 49152.0), 1.0, 4.0);
    return std::clamp(std::max({by_cache, by_work, by_time}), 1, std::min(tiles, kMaxChunks));
}

template <class T>
void Runner::add_layers(const Cache<T>&) {
    const int packs = (tokens_ + kPackTokens - 1) / kPackTokens;
    const auto prepare = [&](void (*work)(void*, const Phase&, int, int), int layer) {
        if (!small_) add(work, layer, packs);
    };
    for (int number = 0; number < (int)model.layers.size(); number++) {
        const Layer& layer = model.layers[(size_t)number];
        prepare(Work::prepare_attention, number);
        add(Work::qkv, number, pieces(layer.qkv));
        if (!single_) add(Work::write<T>, number, packs);
        const int units = (int)units_[layer.window ? 1 : 0].size();
        add(Work::attention<T>, number, std::min(units, kMaxChunks));
        prepare(Work::prepare_output, number);
        add(Work::output, number, pieces(layer.output));
        prepare(Work::prepare_mlp, number);
        add(Work::gate_up, number, pieces(layer.gate));
        prepare(Work::prepare_down, number);
        add(Work::down, number, pieces(layer.down));
    }
}

void Runner::ask_words(const StepInput& input) {
    words_.open(model, pool_.threads(), 0, model.head.rows);
    answers_.assign((size_t)input.chunks, -1);
    for (int number = 0; number < input.chunks; number++) {
        const ChunkInput& chunk = input.chunk[number];
        if (chunk.pick == kNothing) continue;
        const int64_t* ids = chunk.among_count < 0 ? nullptr : chunk.among;
        float* logits = chunk.pick == kLogits ? chunk.logits : nullptr;
        answers_[(size_t)number] = words_.ask(ids, (int)chunk.among_count, logits, chunk.pick == kGreedy);
    }
    words_.lay_out();
}

// What the questions about words need.
void Runner::add_words() {
    if (words_.range_chunks()) add(Work::word_range, 0, words_.range_chunks());
    if (words_.choice_chunks()) add(Work::word_choice, 0, words_.choice_chunks());
}

void Runner::run_all() {
    pool_.run(program_.data(), program_.size(), this);
    serial_ += program_.size();
}

void Runner::answer(const StepInput& input) const {
    for (int number = 0; number < input.chunks; number++) {
        const ChunkInput& chunk = input.chunk[number];
        input.token[number] = -1;
        input.logprob[number] = NAN;
        if (chunk.pick != kGreedy) continue;
        const Reduced found = words_.result(answers_[(size_t)number]);
        if (!found.finite) continue;
        input.token[number] = chunk.among_count < 0 ? found.index : (int32_t)chunk.among[found.index];
        input.logprob[number] = -std::log(found.rest);
    }
}

void Runner::logits(const float* hidden, int rows, int first, int end, float* out) {
    words_.open(model, pool_.threads(), first, end);
    for (int row = 0; row < rows; row++) words_.ask(nullptr, 0, out + (size_t)row * (end - first), false);
    words_.lay_out();
    for (int row = 0; row < rows; row++) std::copy_n(hidden + (size_t)row * kHidden, kHidden, words_.hidden(row));
    program_.clear();
    add(Work::pack_words, 0, 1);
    add_words();
    run_all();
}

void Runner::logits(const float* hidden, int rows, const int64_t* ids, int count, float* out) {
    words_.open(model, pool_.threads(), 0, 0);
    for (int row = 0; row < rows; row++) words_.ask(ids, count, out + (size_t)row * count, false);
    words_.lay_out();
    for (int row = 0; row < rows; row++) std::copy_n(hidden + (size_t)row * kHidden, kHidden, words_.hidden(row));
    program_.clear();
    add(Work::pack_words, 0, 1);
    add_words();
    run_all();
}

void Runner::normalizers(const float* hidden, int rows, int first, int end, double* largest, double* rest) {
    words_.open(model, pool_.threads(), first, end);
    for (int row = 0; row < rows; row++) words_.ask(nullptr, 0, nullptr, true);
    words_.lay_out();
    for (int row = 0; row < rows; row++) std::copy_n(hidden + (size_t)row * kHidden, kHidden, words_.hidden(row));
    program_.clear();
    add(Work::pack_words, 0, 1);
    add_words();
    run_all();
    for (int row = 0; row < rows; row++) {
        const Reduced found = words_.result(row);
        largest[row] = found.finite ? (double)found.largest : NAN;
        rest[row] = found.finite ? found.rest : NAN;
    }
}

}  // namespace premotor::model
