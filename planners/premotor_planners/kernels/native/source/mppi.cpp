// The kernel mppi (see mppi.py, its definition): rollouts side by side in the lanes of a vector, one block of kLanes
// after the other. The number of operations depends on the sizes alone; nothing is allocated.

#include "mppi_math.h"

#define PREMOTOR_API extern "C" __attribute__((visibility("default")))

namespace premotor::mppi {

constexpr int kMostChannels = 3, kMostDiscs = 8;

struct Channel {
    float low, high, change, deviation, pull, change_cost;  // change: most per step; pull: control cost / deviation
};

// As in mppi_native.py.
struct Setting {
    int32_t motion, channels, rollouts, steps, rows, cols;
    float dt, cells_per_metre, wheelbase;
    float radius, safe, hit_ramp, guide, terminal, near, hit, temperature;  // guide, near, hit: times dt
    Channel channel[kMostChannels];
    int32_t discs;
    float disc[kMostDiscs];  // metres ahead of the pose
};

enum Motion { kDifferential = 0, kOmnidirectional = 1, kAckermann = 2 };

constexpr int channels_of(int motion) { return motion == kOmnidirectional ? 3 : 2; }

constexpr float kEdge = 1e-3f;  // of a cell: samples beyond the window are taken this far inside its last row or column

struct Speeds {
    Floats forward, lateral, turn;
};

template <int motion>
inline Speeds speeds(const Setting& given, const Floats* control) {
    if constexpr (motion == kOmnidirectional) return {control[0], control[1], control[2]};
    if constexpr (motion == kDifferential) return {control[0], Floats{}, control[1]};
    Floats sine, cosine;
    sine_cosine(clamp(control[1], given.channel[1].low, given.channel[1].high), sine, cosine);
    return {control[0], Floats{}, control[0] * sine / (cosine * given.wheelbase)};
}

// Both planes at the points, bilinear. `map` holds (clearance, guide) a cell, so that four floats are two cells.
struct Map {
    const float* cells;
    int32_t cols;
    float scale, last_col, last_row;

    void sample(Floats x, Floats y, Floats& clearance, Floats& guide) const {
        const Floats col = clamp(x * scale, 0.0f, last_col), row = clamp(y * scale, 0.0f, last_row);
        const Integers c = __builtin_convertvector(col, Integers), r = __builtin_convertvector(row, Integers);
        const Floats right = col - __builtin_convertvector(c, Floats), up = row - __builtin_convertvector(r, Floats);
        const Integers corner = (r * cols + c) * 2;
        Four mixed[kLanes];
        for (int lane = 0; lane < kLanes; lane++) {
            const float* at = cells + corner[lane];
            const Four low = load<Four>(at), high = load<Four>(at + 2 * cols);
            mixed[lane] = low + (high - low) * up[lane];
        }
        Floats column[4];
        transpose(mixed, column);
        clearance = column[0] + (column[2] - column[0]) * right;
        guide = column[1] + (column[3] - column[1]) * right;
    }
};

struct Rollouts {
    Floats cost, nearest;  // nearest: least clearance
};

inline Floats ramp(Floats clearance, float top, float width) {
    return clamp((top - clearance) * (1.0f / width), 0.0f, 1.0f);
}

// The least clearance of the footprint's discs.
inline Floats body_clearance(const Setting& given, const Map& map, Floats x, Floats y, Floats yaw) {
    Floats sine, cosine, least = splat(3e38f);
    sine_cosine(yaw, sine, cosine);
    for (int d = 0; d < given.discs; d++) {
        Floats clearance, unused;
        map.sample(x + cosine * given.disc[d], y + sine * given.disc[d], clearance, unused);
        least = smaller(least, clearance);
    }
    return least;
}

// kLanes rollouts: `noise` has `stride` floats from one row to the next; speeds reached go to `controls` (steps,
// channels, kLanes).
template <int motion>
Rollouts roll(const Setting& given, const Map& map, const float* state, const float* nominal, const float* noise,
              int64_t stride, float* controls) {
    constexpr int channels = channels_of(motion);
    const float dt = given.dt;
    Floats last[channels], cost{}, effort{}, x = splat(state[0]), y = splat(state[1]), yaw = splat(state[2]);
    Floats nearest = splat(3e38f), guide{};
    const bool round = given.discs == 1 && given.disc[0] == 0.0f;
    for (int c = 0; c < channels; c++) last[c] = splat(state[3 + c]);
    for (int step = 0; step < given.steps; step++) {
        for (int c = 0; c < channels; c++, noise += stride, nominal++, controls += kLanes) {
            const Channel& limit = given.channel[c];
            __builtin_prefetch(noise + 4 * channels * stride);
            const Floats drawn = load<Floats>(noise);
            const Floats wanted = clamp(drawn * limit.deviation + *nominal, limit.low, limit.high);
            const Floats change = clamp(wanted - last[c], -limit.change, limit.change);
            last[c] += change;
            effort += drawn * (*nominal * limit.pull) + change * change * limit.change_cost;
            store(controls, last[c]);
        }
        const Speeds base = speeds<motion>(given, last);
        const Floats turned = base.turn * dt;
        Floats sine, cosine;
        sine_cosine(yaw + turned * 0.5f, sine, cosine);
        yaw += turned;
        Floats along = base.forward * cosine, across = base.forward * sine;
        if constexpr (motion == kOmnidirectional) {
            along -= base.lateral * sine;
            across += base.lateral * cosine;
        }
        x += along * dt;
        y += across * dt;
        Floats clearance;
        map.sample(x, y, clearance, guide);
        if (!round) clearance = body_clearance(given, map, x, y, yaw);
        nearest = smaller(nearest, clearance);
        const Floats near = ramp(clearance, given.safe, given.safe - given.radius);
        const Floats hit = ramp(clearance, given.radius, given.hit_ramp);
        cost += guide * given.guide + near * near * given.near + hit * given.hit;
    }
    return {cost + (guide * given.terminal + effort), nearest};
}

// Floats of scratch memory for each purpose.
struct Room {
    int64_t cells, row, blocks;

    explicit Room(const Setting& given)
        : cells((2 * (int64_t)given.rows * given.cols + 15) / 16 * 16),
          row((int64_t)given.steps * given.channels * kLanes),
          blocks((given.rollouts + kLanes - 1) / kLanes) {}
    int64_t size() const { return cells + row + blocks * row + blocks * kLanes + row; }
};

struct Scratch {
    float *cells, *tail, *controls, *costs, *means;

    Scratch(const Room& room, float* at)
        : cells(at), tail(cells + room.cells), controls(tail + room.row), costs(controls + room.blocks * room.row),
          means(costs + room.blocks * kLanes) {}
};

// A cell's clearance and guide next to each other.
inline void interleave(const Setting& given, const float* fields, float* cells) {
    const int64_t count = (int64_t)given.rows * given.cols;
    for (int64_t i = 0; i < count; i++) {
        cells[2 * i] = fields[i];
        cells[2 * i + 1] = fields[count + i];
    }
}

// The last rollouts with lanes of zeros beside them, as (steps, channels, kLanes).
inline void pad(const Setting& given, const float* noise, int first, float* tail) {
    const int count = given.rollouts - first, rows = given.steps * given.channels;
    for (int row = 0; row < rows; row++)
        for (int lane = 0; lane < kLanes; lane++)
            tail[row * kLanes + lane] = lane < count ? noise[(int64_t)row * given.rollouts + first + lane] : 0.0f;
}

// The mean of the rollouts' controls, each weighing e^(-(its cost - the least) / temperature).
inline void average(const Setting& given, const Room& room, const Scratch& at, float best, float* sequence, float* expected) {
    const int rows = given.steps * given.channels;
    Floats total{}, spent{};
    std::memset(at.means, 0, sizeof(float) * room.row);
    const float* controls = at.controls;
    for (int block = 0; block < room.blocks; block++) {
        const Floats cost = load<Floats>(at.costs + block * kLanes);
        const Floats excess = cost - best;
        const Floats weight = exponential(excess * (-1.0f / given.temperature));
        total += weight;
        spent += weight * excess;
        for (int row = 0; row < rows; row++, controls += kLanes) {
            float* mean = at.means + row * kLanes;
            store(mean, load<Floats>(mean) + weight * load<Floats>(controls));
        }
    }
    const double all = sum(total);
    for (int row = 0; row < rows; row++) sequence[row] = (float)(sum(load<Floats>(at.means + row * kLanes)) / all);
    *expected = (float)(best + sum(spent) / all);
}

template <int motion>
void solve(const Setting& given, const float* state, const float* nominal, const float* noise, const float* fields,
           float* scratch, float* sequence, float* best_cost, float* expected_cost, float* free_share) {
    const Room room(given);
    const Scratch at(room, scratch);
    interleave(given, fields, at.cells);
    const Map map{at.cells, given.cols, given.cells_per_metre, given.cols - 1 - kEdge, given.rows - 1 - kEdge};
    Floats best = splat(3e38f);
    int free = 0;
    for (int first = 0, block = 0; first < given.rollouts; first += kLanes, block++) {
        const int count = given.rollouts - first < kLanes ? given.rollouts - first : kLanes;
        if (count < kLanes) pad(given, noise, first, at.tail);
        const float* own = count < kLanes ? at.tail : noise + first;
        const int64_t stride = count < kLanes ? kLanes : given.rollouts;
        Rollouts found = roll<motion>(given, map, state, nominal, own, stride, at.controls + block * room.row);
        for (int lane = 0; lane < kLanes; lane++) {
            if (lane >= count) found.cost[lane] = 3e38f;
            free += lane < count && found.nearest[lane] >= given.radius;
        }
        best = smaller(best, found.cost);
        store(at.costs + first, found.cost);
    }
    *best_cost = least(best);
    *free_share = (float)free / (float)given.rollouts;
    average(given, room, at, *best_cost, sequence, expected_cost);
}

}  // namespace premotor::mppi

using namespace premotor::mppi;

// Floats of scratch memory that premotor_mppi needs.
PREMOTOR_API int64_t premotor_mppi_scratch(const Setting* given) { return Room(*given).size(); }

// Every pointer is to a C-contiguous array of the shape that mppi.py names. Returns 0, or 1 for an unknown motion.
PREMOTOR_API int premotor_mppi(const Setting* given, const float* state, const float* nominal, const float* noise,
                               const float* fields, float* scratch, float* sequence, float* best_cost,
                               float* expected_cost, float* free_share) {
    switch (given->motion) {
        case kDifferential:
            solve<kDifferential>(*given, state, nominal, noise, fields, scratch, sequence, best_cost, expected_cost, free_share);
            return 0;
        case kOmnidirectional:
            solve<kOmnidirectional>(*given, state, nominal, noise, fields, scratch, sequence, best_cost, expected_cost, free_share);
            return 0;
        case kAckermann:
            solve<kAckermann>(*given, state, nominal, noise, fields, scratch, sequence, best_cost, expected_cost, free_share);
            return 0;
    }
    return 1;
}

// The functions behind the rollouts, for the tests that hold them to their stated errors; `count` is a multiple of 16.
PREMOTOR_API void premotor_mppi_sine_cosine(const float* angle, int count, float* sine, float* cosine) {
    for (int i = 0; i < count; i += kLanes) {
        Floats s, c;
        sine_cosine(load<Floats>(angle + i), s, c);
        store(sine + i, s);
        store(cosine + i, c);
    }
}

PREMOTOR_API void premotor_mppi_exponential(const float* power, int count, float* value) {
    for (int i = 0; i < count; i += kLanes) store(value + i, exponential(load<Floats>(power + i)));
}
