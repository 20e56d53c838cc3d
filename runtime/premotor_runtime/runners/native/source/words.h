// Logits: of all words in a range for several rows at once, or of chosen words for a row.
#pragma once

#include <vector>

#include "model.h"
#include "pool.h"

namespace premotor::model {

// Part of a row's logits: the largest, its index, the sum of e^(logit - largest), and whether all are finite.
struct Reduced {
    float largest;
    int index;
    double rest;
    bool finite;
};

// The reduction of logits x[0..size) that have indices from `index`; size > 0.
Reduced reduce(const float* x, int size, int index);

// Joins a later part; the first of equals stays the largest.
void join(Reduced& into, const Reduced& later);

class Words {
   public:
    // Starts a new set of questions; the range of words is for all of them that ask for all.
    void open(const Model& model, int threads, int first, int end);

    // Adds a question and returns its number. `ids` null asks for the whole range. `logits` may be null; `reduced` says
    // whether `result` will be asked for.
    int ask(const int64_t* ids, int count, float* logits, bool reduced);

    void lay_out();                  // after the last question
    float* hidden(int number);       // then: where the question's hidden state is to be put, (kHidden), finally normed
    void pack();                     // then: makes them ready
    int range_chunks() const { return range_chunks_; }
    int choice_chunks() const { return (int)choices_.size(); }
    void run_range(int chunk, int thread);   // then: each chunk of both kinds, in any order, by any thread
    void run_choice(int chunk, int thread);
    Reduced result(int number) const;        // then: index is a word for a range, a place in `ids` for a choice

   private:
    struct Question {
        const int64_t* ids;
        int count;
        float* logits;
        bool reduced;
        int slot, first_part;
    };
    struct Choice {
        int question, from, to;
    };
    const Model* model_ = nullptr;
    int first_ = 0, end_ = 0, width_ = 0, range_chunks_ = 0;
    std::vector<Question> questions_;
    std::vector<int> rows_;  // the questions about the range
    std::vector<Choice> choices_;
    std::vector<Reduced> range_parts_, choice_parts_;
    Buffer<float> hidden_;
    Buffer<uint8_t> packed_;
    std::vector<Buffer<float>> tiles_;  // one a thread
};

}  // namespace premotor::model
