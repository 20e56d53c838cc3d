// The phases. The residual stream is kept in two arrays, so that a phase that adds to it never writes what another
// thread still reads: the phases before attention read the second (in the first layer nothing is added yet) and write
// the first, those before the MLP the other way round.

#include "work.h"

#include <algorithm>

namespace premotor::model {
namespace {

Runner& runner_of(void* state) { return *static_cast<Runner*>(state); }

constexpr Targets kIntoQkv{kQuery, 3}, kIntoOutput{kAttended, 1}, kIntoGateUp{kGate, 2}, kIntoDown{kDown, 1};

// The rows of chunk number `chunk`: whole steps, but for the end of the last.
struct Rows {
    int first, end;
};

Rows rows_of(const Linear& linear, const Phase& phase, int chunk) {
    const int step = linear_row_step(linear.precision);
    const long long tiles = (linear.rows + step - 1) / step;
    return {(int)(tiles * chunk / phase.chunks) * step, std::min((int)(tiles * (chunk + 1) / phase.chunks) * step, linear.rows)};
}

// x + what came back, normed where the model does so, to `to`.
void add_branch(const float* x, const float* branch, const float* norm, float epsilon, float* to) {
    float normed[kHidden];
    if (kPostNorms) {
        normalize(branch, norm, kHidden, epsilon, normed);
        branch = normed;
    }
    for (int i = 0; i < kHidden; i++) to[i] = x[i] + branch[i];
}

}  // namespace

void Work::embed(void* state, const Phase&, int chunk, int) {
    Runner& r = runner_of(state);
    const int end = std::min((chunk + 1) * kPackTokens, r.tokens_);
    for (int token = chunk * kPackTokens; token < end; token++) {
        float* row = r.stream_[0].data() + (size_t)token * kHidden;
        linear_unpack_rows(r.model.embedding, r.input_->tokens[token], 1, row);
        if (r.model.embedding_scale != 1.0f)
            for (int i = 0; i < kHidden; i++) row[i] *= r.model.embedding_scale;
    }
}

// Normed rows [first, end) of the stream after adding what the last branch returned; the stream itself is kept when asked.
void Work::residual(Runner& r, int number, bool mlp, int first, int end, float* rows, bool keep) {
    const Layer& layer = r.model.layers[(size_t)number];
    const bool adds = mlp || number > 0;
    const float* post = mlp ? layer.post_attention_norm : number > 0 ? r.model.layers[(size_t)number - 1].post_mlp_norm : nullptr;
    const float* norm = mlp ? layer.mlp_norm : layer.attention_norm;
    const float* from = r.stream_[adds && !mlp ? 1 : 0].data();
    float* to = r.stream_[mlp ? 1 : 0].data();
    float sum[kHidden];
    for (int token = first; token < end; token++) {
        const size_t at = (size_t)token * kHidden;
        const float* x = from + at;
        if (adds) {
            add_branch(x, r.branch_.data() + at, post, r.model.epsilon, sum);
            if (keep) std::copy_n(sum, kHidden, to + at);
            x = sum;
        }
        normalize(x, norm, kHidden, r.model.epsilon, rows + (size_t)(token - first) * kHidden);
    }
}

void Work::before_attention(Runner& r, int layer, int first, int end, float* rows, bool keep) {
    residual(r, layer, false, first, end, rows, keep);
}

void Work::before_mlp(Runner& r, int layer, int first, int end, float* rows, bool keep) {
    residual(r, layer, true, first, end, rows, keep);
}

// What attention returned: as it is, or joined from its parts.
void Work::joined(Runner& r, int layer, int first, int end, float* rows, bool) {
    const int kind = r.model.layers[(size_t)layer].window ? 1 : 0;
    for (int token = first; token < end; token++) {
        const int number = r.span_of_[(size_t)token];
        const Unit* units = r.units_[kind].data() + r.partials_[kind].first_unit[(size_t)number];
        float* row = rows + (size_t)(token - first) * kQueries;
        if (units->parts > 1)
            combine(units, token - r.spans_[(size_t)number].row, r.partial_.data(), row);
        else
            std::copy_n(r.attended_.data() + (size_t)token * kQueries, kQueries, row);
    }
}

// A large step's phase: tokens of one chunk into the shared input of the product that follows.
void Work::prepare(Runner& r, const Phase& phase, int chunk, int thread, int width, Targets targets, Fill fill) {
    const int first = chunk * kPackTokens, end = std::min(first + kPackTokens, r.tokens_);
    float* rows = r.scratch_[(size_t)thread].rows.data();
    fill(r, phase.layer, first, end, rows, true);
    lower(r, phase.layer, targets, first, end, rows, width, r.low_.data());
    activation_pack(r.model.precision, r.tokens_, width, rows - (size_t)first * width, width, r.packed_.data(), first, end);
}

// The packed input of a product. In a small step each thread makes its own before its first chunk of the phase.
const uint8_t* Work::input(Runner& r, const Phase& phase, int chunk, int thread, int width, Targets targets, Fill fill,
                           const float* ready) {
    if (!r.small_) return r.packed_.data();
    Scratch& scratch = r.scratch_[(size_t)thread];
    const uint64_t number = r.serial_ + (uint64_t)(&phase - r.program_.data()) + 1;
    if (scratch.prepared == number) return scratch.packed.data();
    scratch.prepared = number;
    if (fill) {
        fill(r, phase.layer, 0, r.tokens_, scratch.rows.data(), chunk == 0);
        ready = scratch.rows.data();
    }
    lower(r, phase.layer, targets, 0, r.tokens_, ready, width, scratch.low.data());
    activation_pack(r.model.precision, r.tokens_, width, ready, width, scratch.packed.data());
    return scratch.packed.data();
}

// A x of the adapted tokens in [first, end), whose inputs are `rows`; to their places in `low`.
void Work::lower(const Runner& r, int layer, Targets targets, int first, int end, const float* rows, int width, float* low) {
    for (const AdaptedRows& adapted : r.adapted_) {
        const int last = std::min(end, adapted.row + adapted.count);
        for (int token = std::max(first, adapted.row); token < last; token++)
            project_down(*adapted.adapter, layer, targets, rows + (size_t)(token - first) * width, width, r.low(low, token),
                         r.low_stride_);
    }
}

// Adds B (A x) to columns [first, end) of y, of which those of `target`, `columns` in all, start at y. `number` is the
// target's place among those that share its input.
void Work::raise(const Runner& r, int layer, int thread, int target, int number, int columns, int first, int end, float* y,
                 int ldy) {
    float* from = r.small_ ? r.scratch_[(size_t)thread].low.data() : r.low_.data();
    first = std::max(first, 0), end = std::min(end, columns);
    for (const AdaptedRows& adapted : r.adapted_) {
        const Factors& factors = adapted.adapter->factors[(size_t)(layer * kTargets + target)];
        for (int token = adapted.row; token < adapted.row + adapted.count; token++)
            project_up(factors, r.low(from, token) + (size_t)number * r.low_stride_, columns, first, end,
                       y + (size_t)token * ldy);
    }
}

void Work::prepare_attention(void* state, const Phase& phase, int chunk, int thread) {
    prepare(runner_of(state), phase, chunk, thread, kHidden, kIntoQkv, before_attention);
}

void Work::prepare_output(void* state, const Phase& phase, int chunk, int thread) {
    prepare(runner_of(state), phase, chunk, thread, kQueries, kIntoOutput, joined);
}

void Work::prepare_mlp(void* state, const Phase& phase, int chunk, int thread) {
    prepare(runner_of(state), phase, chunk, thread, kHidden, kIntoGateUp, before_mlp);
}

void Work::prepare_down(void* state, const Phase& phase, int chunk, int) {
    Runner& r = runner_of(state);
    const int first = chunk * kPackTokens, end = std::min(first + kPackTokens, r.tokens_);
    lower(r, phase.layer, kIntoDown, first, end, r.gate_.data() + (size_t)first * kInner, kInner, r.low_.data());
    activation_pack(r.model.precision, r.tokens_, kInner, r.gate_.data(), kInner, r.packed_.data(), first, end);
}

void Work::qkv(void* state, const Phase& phase, int chunk, int thread) {
    Runner& r = runner_of(state);
    const Linear& linear = r.model.layers[(size_t)phase.layer].qkv;
    const uint8_t* x = input(r, phase, chunk, thread, kHidden, kIntoQkv, before_attention, nullptr);
    const Rows rows = rows_of(linear, phase, chunk);
    linear_rows(linear, x, r.tokens_, r.qkv_.data(), kQkv, rows.first, rows.end);
    const int starts[] = {0, kQueries, kQueries + kKvSize, kQkv};
    for (int number = 0; number < 3 && !r.adapted_.empty(); number++) {
        const int from = starts[number], columns = starts[number + 1] - from;
        raise(r, phase.layer, thread, kQuery + number, number, columns, rows.first - from, rows.end - from,
              r.qkv_.data() + from, kQkv);
    }
}

void Work::output(void* state, const Phase& phase, int chunk, int thread) {
    Runner& r = runner_of(state);
    const Linear& linear = r.model.layers[(size_t)phase.layer].output;
    const uint8_t* x = input(r, phase, chunk, thread, kQueries, kIntoOutput, joined, nullptr);
    const Rows rows = rows_of(linear, phase, chunk);
    linear_rows(linear, x, r.tokens_, r.branch_.data(), kHidden, rows.first, rows.end);
    raise(r, phase.layer, thread, kAttended, 0, kHidden, rows.first, rows.end, r.branch_.data(), kHidden);
}

void Work::gate_up(void* state, const Phase& phase, int chunk, int thread) {
    Runner& r = runner_of(state);
    const Layer& layer = r.model.layers[(size_t)phase.layer];
    const uint8_t* x = input(r, phase, chunk, thread, kHidden, kIntoGateUp, before_mlp, nullptr);
    const Rows rows = rows_of(layer.gate, phase, chunk);
    linear_rows(layer.gate, x, r.tokens_, r.gate_.data(), kInner, rows.first, rows.end);
    linear_rows(layer.up, x, r.tokens_, r.up_.data(), kInner, rows.first, rows.end);
    raise(r, phase.layer, thread, kGate, 0, kInner, rows.first, rows.end, r.gate_.data(), kInner);
    raise(r, phase.layer, thread, kUp, 1, kInner, rows.first, rows.end, r.up_.data(), kInner);
    for (int token = 0; token < r.tokens_; token++) {
        const size_t at = (size_t)token * kInner + (size_t)rows.first;
        activate(r.gate_.data() + at, r.up_.data() + at, rows.end - rows.first);
    }
}

void Work::down(void* state, const Phase& phase, int chunk, int thread) {
    Runner& r = runner_of(state);
    const Linear& linear = r.model.layers[(size_t)phase.layer].down;
    const uint8_t* x = input(r, phase, chunk, thread, kInner, kIntoDown, nullptr, r.gate_.data());
    const Rows rows = rows_of(linear, phase, chunk);
    linear_rows(linear, x, r.tokens_, r.branch_.data(), kHidden, rows.first, rows.end);
    raise(r, phase.layer, thread, kDown, 0, kHidden, rows.first, rows.end, r.branch_.data(), kHidden);
}

template <>
const Cache<float>& Work::cache(const Runner& runner) {
    return *runner.floats_;
}

template <>
const Cache<Half>& Work::cache(const Runner& runner) {
    return *runner.halves_;
}

template <class T>
void Work::write(void* state, const Phase& phase, int chunk, int) {
    Runner& r = runner_of(state);
    const bool local = r.model.layers[(size_t)phase.layer].local;
    const AttentionInput in{&r.model, phase.layer, r.qkv_.data(), local ? &r.local_ : &r.global_, false};
    const int end = std::min((chunk + 1) * kPackTokens, r.tokens_);
    for (int token = chunk * kPackTokens; token < end; token++) {
        const Span& span = r.spans_[(size_t)r.span_of_[(size_t)token]];
        write_token(in, cache<T>(r), span, token - span.row);
    }
}

template <class T>
void Work::attention(void* state, const Phase& phase, int chunk, int thread) {
    Runner& r = runner_of(state);
    const Layer& layer = r.model.layers[(size_t)phase.layer];
    const AttentionInput in{&r.model, phase.layer, r.qkv_.data(), layer.local ? &r.local_ : &r.global_, r.single_};
    const std::vector<Unit>& units = r.units_[layer.window ? 1 : 0];
    const size_t count = units.size(), chunks = (size_t)phase.chunks;
    for (size_t number = count * (size_t)chunk / chunks; number < count * ((size_t)chunk + 1) / chunks; number++) {
        const Unit& unit = units[number];
        attend(in, cache<T>(r), r.spans_[(size_t)unit.span], unit, r.scratch_[(size_t)thread].attention, r.attended_.data(),
               r.partial_.data());
    }
}

template void Work::write<float>(void*, const Phase&, int, int);
template void Work::write<Half>(void*, const Phase&, int, int);
template void Work::attention<float>(void*, const Phase&, int, int);
template void Work::attention<Half>(void*, const Phase&, int, int);

// Final hidden states, where they are asked for.
void Work::finish(void* state, const Phase&, int, int) {
    Runner& r = runner_of(state);
    const float* post = r.model.layers.back().post_mlp_norm;
    const auto final_state = [&](int token, float* to) {
        const size_t at = (size_t)token * kHidden;
        add_branch(r.stream_[1].data() + at, r.branch_.data() + at, post, r.model.epsilon, to);
        normalize(to, r.model.final_norm, kHidden, r.model.epsilon, to);
    };
    const int32_t* wanted = r.input_->wanted;
    float* to = r.input_->hidden;
    for (int number = 0; number < r.input_->chunks; number++) {
        const Span& span = r.spans_[(size_t)number];
        for (int64_t i = 0; i < r.input_->chunk[number].wanted; i++, to += kHidden) final_state(span.row + *wanted++, to);
        if (r.answers_[(size_t)number] >= 0) final_state(span.row + span.count - 1, r.words_.hidden(r.answers_[(size_t)number]));
    }
    r.words_.pack();
}

void Work::pack_words(void* state, const Phase&, int, int) { runner_of(state).words_.pack(); }
void Work::word_range(void* state, const Phase&, int chunk, int thread) { runner_of(state).words_.run_range(chunk, thread); }
void Work::word_choice(void* state, const Phase&, int chunk, int thread) { runner_of(state).words_.run_choice(chunk, thread); }

}  // namespace premotor::model
