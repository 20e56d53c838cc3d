// The weights of a model, as the runner sees them: views into memory that the caller keeps.
#pragma once

#include <cstdint>
#include <vector>

#include "linear.h"
#include "memory.h"
#include "shape.h"

namespace premotor::model {

struct Layer {
    Linear qkv, output, gate, up, down;
    const float *attention_norm, *mlp_norm;
    const float *qkv_bias, *query_norm, *key_norm, *post_attention_norm, *post_mlp_norm;  // null where absent
    int window;                                                                            // 0: all positions
    bool local;                                                                            // rotates with local frequencies
};

struct Model {
    Precision precision;     // of the layers
    Linear embedding, head;  // of one precision, maybe another
    const float* final_norm;
    std::vector<Layer> layers;
    float epsilon, embedding_scale, attention_scale;
};

// Cosines and sines of every position so far asked for: rows of kHalf cosines, then kHalf sines.
class Rotation {
   public:
    explicit Rotation(const float* frequencies) : frequencies_(frequencies, frequencies + kHalf) {}
    void cover(int positions);
    const float* row(int position) const { return table_.data() + (size_t)position * kHeadDim; }

   private:
    std::vector<float> frequencies_, table_;
    int covered_ = 0;
};

// y = x / sqrt(mean(x^2) + epsilon) * weight. y may be x.
void normalize(const float* x, const float* weight, int size, float epsilon, float* y);

// y = rotated x: plane i pairs coordinate i with coordinate i + kHalf. y may be x.
void rotate(const float* x, const float* cosines_and_sines, float* y);

// gate = act(gate) * up
void activate(float* gate, const float* up, int size);

}  // namespace premotor::model
