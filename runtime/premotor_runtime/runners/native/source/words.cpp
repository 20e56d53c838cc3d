#include "words.h"

#include <algorithm>
#include <cmath>

#include "vector.h"

namespace premotor::model {
namespace {

constexpr int kChoice = 256;     // chosen words in a chunk
constexpr int kLongestRun = 16;  // row tiles of the head computed together for chosen words

size_t padded(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

Reduced reduce(const float* x, int size, int index) {
    Vector best = splat(x[0]), zeros = {};
    int i = 0;
    for (; i + kLanes <= size; i += kLanes) {
        const Vector value = load(x + i);
        best = larger(value, best);
        zeros += value * 0.0f;
    }
    float top = largest(best), zero = sum(zeros);
    for (; i < size; i++) top = std::max(top, x[i]), zero += x[i] * 0.0f;
    int at = 0;
    while (at < size - 1 && x[at] != top) at++;
    Vector total = {};
    for (i = 0; i + kLanes <= size; i += kLanes) total += exponential(load(x + i) - top);
    double rest = sum(total);
    for (; i < size; i++) rest += std::exp(x[i] - top);
    return {top, index + at, rest, zero == 0.0f};
}

void join(Reduced& into, const Reduced& later) {
    into.finite = into.finite && later.finite;
    if (later.largest > into.largest) {
        into.rest = into.rest * std::exp((double)into.largest - later.largest) + later.rest;
        into.largest = later.largest;
        into.index = later.index;
    } else {
        into.rest += later.rest * std::exp((double)later.largest - into.largest);
    }
}

void Words::open(const Model& model, int threads, int first, int end) {
    model_ = &model;
    first_ = first, end_ = end;
    tiles_.resize((size_t)threads);
    questions_.clear(), rows_.clear(), choices_.clear();
}

int Words::ask(const int64_t* ids, int count, float* logits, bool reduced) {
    const int number = (int)questions_.size();
    if (ids) {
        questions_.push_back({ids, count, logits, reduced, 0, (int)choices_.size()});
        for (int from = 0; from < count; from += kChoice) choices_.push_back({number, from, std::min(from + kChoice, count)});
    } else {
        questions_.push_back({nullptr, end_ - first_, logits, reduced, (int)rows_.size(), 0});
        rows_.push_back(number);
    }
    return number;
}

void Words::lay_out() {
    int slot = (int)rows_.size();
    for (Question& question : questions_)
        if (question.ids) question.slot = slot++;
    const int step = linear_row_step(model_->head.precision);
    const int aligned = first_ / step * step, span = rows_.empty() ? 0 : end_ - aligned;
    width_ = std::max(rows_.size() > 16 ? 128 : 512, span / kMaxChunks) / step * step + step;
    range_chunks_ = (span + width_ - 1) / width_;
    range_parts_.resize((size_t)range_chunks_ * rows_.size());
    choice_parts_.resize(choices_.size());
    hidden_.reserve((size_t)slot * kHidden);
    packed_.reserve((size_t)(slot + 1) * padded(activation_bytes(model_->head.precision, 1, kHidden)) +
                    activation_bytes(model_->head.precision, (int)rows_.size() + 1, kHidden) + kAlignment);
}

float* Words::hidden(int number) { return hidden_.data() + (size_t)questions_[(size_t)number].slot * kHidden; }

void Words::pack() {
    const int rows = (int)rows_.size();
    const size_t one = padded(activation_bytes(model_->head.precision, 1, kHidden));
    uint8_t* to = packed_.data();
    if (rows) activation_pack(model_->head.precision, rows, kHidden, hidden_.data(), kHidden, to);
    to += padded(activation_bytes(model_->head.precision, rows + 1, kHidden));
    for (const Question& question : questions_)
        if (question.ids)
            activation_pack(model_->head.precision, 1, kHidden, hidden_.data() + (size_t)question.slot * kHidden, kHidden,
                            to + (size_t)(question.slot - rows) * one);
}

void Words::run_range(int chunk, int thread) {
    const int rows = (int)rows_.size(), step = linear_row_step(model_->head.precision);
    const int from = first_ / step * step + chunk * width_;
    const int to = std::min({from + width_, (end_ + step - 1) / step * step, model_->head.rows});
    const int low = std::max(from, first_), high = std::min(to, end_);
    float* tile = tiles_[(size_t)thread].reserve((size_t)rows * width_);
    linear_rows(model_->head, packed_.data(), rows, tile - from, width_, from, to);
    for (int row = 0; row < rows; row++) {
        const Question& question = questions_[(size_t)rows_[(size_t)row]];
        const float* x = tile + (size_t)row * width_ + (low - from);
        if (question.logits) std::copy_n(x, high - low, question.logits + (low - first_));
        if (question.reduced) range_parts_[(size_t)chunk * rows + row] = reduce(x, high - low, low);
    }
}

void Words::run_choice(int chunk, int thread) {
    const Choice& choice = choices_[(size_t)chunk];
    const Question& question = questions_[(size_t)choice.question];
    const int rows = (int)rows_.size(), step = linear_row_step(model_->head.precision);
    const size_t one = padded(activation_bytes(model_->head.precision, 1, kHidden));
    const uint8_t* packed = packed_.data() + padded(activation_bytes(model_->head.precision, rows + 1, kHidden)) +
                            (size_t)(question.slot - rows) * one;
    float* tile = tiles_[(size_t)thread].reserve((size_t)kLongestRun * step + kChoice);
    float* found = tile + (size_t)kLongestRun * step;
    for (int from = choice.from; from < choice.to;) {
        const int first = (int)(question.ids[from] / step);
        int last = first, to = from + 1;
        for (; to < choice.to; to++) {
            const int next = (int)(question.ids[to] / step);
            if (next != last && (next != last + 1 || next - first >= kLongestRun)) break;
            last = next;
        }
        const int base = first * step;
        linear_rows(model_->head, packed, 1, tile - base, 0, base, std::min((last + 1) * step, model_->head.rows));
        for (; from < to; from++) found[from - choice.from] = tile[question.ids[from] - base];
    }
    const int size = choice.to - choice.from;
    if (question.logits) std::copy_n(found, size, question.logits + choice.from);
    if (question.reduced) choice_parts_[(size_t)chunk] = reduce(found, size, choice.from);
}

Reduced Words::result(int number) const {
    const Question& question = questions_[(size_t)number];
    Reduced joined{-INFINITY, -1, 0.0, question.count > 0};
    if (question.count == 0) return joined;
    const size_t parts = question.ids ? (size_t)(question.count + kChoice - 1) / kChoice : (size_t)range_chunks_;
    for (size_t part = 0; part < parts; part++) {
        const Reduced& next = question.ids ? choice_parts_[(size_t)question.first_part + part]
                                           : range_parts_[part * rows_.size() + (size_t)question.slot];
        if (part == 0)
            joined = next;
        else
            join(joined, next);
    }
    return joined;
}

}  // namespace premotor::model
