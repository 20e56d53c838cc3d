// The kernel mppi (see mppi.py, its definition): rollouts side by side in the lanes of a vector, one block of kLanes
// after the other. The number of operations depends on the sizes alone; nothing is allocated.

#include "mppi_window.h"

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

// A heading's sine and cosine; before `turn`, `sine` holds the heading itself.
struct Direction {
    Floats sine, cosine;
};

// A step of kLanes rollouts: the heading that moves it, and the pose after it, x and y in cells.
struct Pose {
    Direction middle, end;
    Floats x, y;
};

struct Rollouts {
    Floats cost, nearest;  // nearest: least clearance
};

inline bool is_round(const Setting& given) { return given.discs == 1 && given.disc[0] == 0.0f; }

template <int motion>
inline Floats turn_rate(const Setting& given, const Floats* control) {
    if constexpr (motion == kOmnidirectional) return control[2];
    if constexpr (motion == kDifferential) return control[1];
    Floats sine, cosine;
    sine_cosine(clamp(control[1], given.channel[1].low, given.channel[1].high), sine, cosine);
    return control[0] * sine / (cosine * given.wheelbase);
}

// Headings, and the speeds reached to `controls` (steps, channels, kLanes); returns what the controls cost. `noise` has
// `stride` floats from one row to the next.
template <int motion>
Floats drive(const Setting& shared, const float* state, const float* nominal, const float* noise, int64_t stride,
             float* controls, Pose* pose) {
    constexpr int channels = channels_of(motion);
    const Setting given = shared;  // a copy, which no store can change
    Floats last[channels], cost{}, yaw = splat(state[2]);
    for (int c = 0; c < channels; c++) last[c] = splat(state[3 + c]);
    for (int step = 0; step < given.steps; step++, pose++) {
        for (int c = 0; c < channels; c++, noise += stride, nominal++, controls += kLanes) {
            const Channel& limit = given.channel[c];
            __builtin_prefetch(noise + 4 * channels * stride);
            const Floats drawn = load<Floats>(noise);
            const Floats wanted = clamp(drawn * limit.deviation + *nominal, limit.low, limit.high);
            const Floats change = clamp(wanted - last[c], -limit.change, limit.change);
            last[c] += change;
            cost += drawn * (*nominal * limit.pull) + change * change * limit.change_cost;
            store(controls, last[c]);
        }
        const Floats turned = turn_rate<motion>(given, last) * given.dt;
        pose->middle.sine = yaw + turned * 0.5f;
        yaw += turned;
        pose->end.sine = yaw;
    }
    return cost;
}

inline void turn(Direction& at) { sine_cosine(at.sine, at.sine, at.cosine); }

// Headings to directions; those at the steps' ends are wanted for discs alone.
inline void turn(const Setting& given, Pose* poses) {
    const int steps = given.steps;
    for (int step = 0; step < steps; step++) turn(poses[step].middle);
    if (is_round(given)) return;
    for (int step = 0; step < steps; step++) turn(poses[step].end);
}

template <int motion>
void move(const Setting& given, const float* state, const float* controls, Pose* poses) {
    const int steps = given.steps;
    const float cells = given.cells_per_metre, pace = given.dt * cells;
    Floats x = splat(state[0] * cells), y = splat(state[1] * cells);
    for (int step = 0; step < steps; step++, controls += channels_of(motion) * kLanes) {
        const Direction middle = poses[step].middle;
        const Floats forward = load<Floats>(controls);
        Floats along = forward * middle.cosine, across = forward * middle.sine;
        if constexpr (motion == kOmnidirectional) {
            const Floats lateral = load<Floats>(controls + kLanes);
            along -= lateral * middle.sine;
            across += lateral * middle.cosine;
        }
        poses[step].x = x += along * pace;
        poses[step].y = y += across * pace;
    }
}

// The centres of the footprint's discs, as many cells ahead of a pose as `ahead` says.
struct Discs {
    int count;
    float ahead[kMostDiscs];

    explicit Discs(const Setting& given) : count(given.discs) {
        for (int d = 0; d < count; d++) ahead[d] = given.disc[d] * given.cells_per_metre;
    }

    // All are found before the first is sampled: a load of what was just stored waits.
    Floats clearance(const Window& window, const Pose& pose) const {
        Places centre[kMostDiscs];
        for (int d = 0; d < count; d++)
            window.find(pose.x + pose.end.cosine * ahead[d], pose.y + pose.end.sine * ahead[d], centre[d]);
        Floats least = splat(3e38f);
        for (int d = 0; d < count; d++) least = smaller(least, window.sample(window.clearance, centre[d]));
        return least;
    }
};

// What the poses cost, and the least clearance on the way. Places are found a step ahead, for the same reason as there.
template <bool round>
Rollouts judge(const Setting& shared, const Window& window, const Pose* poses) {
    const Setting given = shared;
    const Discs discs(given);
    const float per_near = 1.0f / (given.safe - given.radius), per_hit = 1.0f / given.hit_ramp;
    Floats cost{}, nearest = splat(3e38f), guide{}, clearance;
    Places places[2];
    window.find(poses->x, poses->y, places[0]);
    for (int step = 0; step < given.steps; step++) {
        const Pose &pose = poses[step], &next = poses[step + 1 < given.steps ? step + 1 : step];
        const Places& at = places[step % 2];
        window.find(next.x, next.y, places[(step + 1) % 2]);
        if constexpr (round)
            clearance = window.sample(window.clearance, at);
        else
            clearance = discs.clearance(window, pose);
        guide = window.sample(window.guide, at);
        nearest = smaller(nearest, clearance);
        const Floats near = clamp((given.safe - clearance) * per_near, 0.0f, 1.0f);
        const Floats hit = clamp((given.radius - clearance) * per_hit, 0.0f, 1.0f);
        cost += guide * given.guide + near * near * given.near + hit * given.hit;
    }
    return {cost + guide * given.terminal, nearest};
}

// kLanes rollouts, in passes over the steps in which a step has little to wait for in the one before; see `drive`.
template <int motion>
Rollouts roll(const Setting& given, const Window& window, const float* state, const float* nominal, const float* noise,
              int64_t stride, float* controls, Pose* poses) {
    const Floats effort = drive<motion>(given, state, nominal, noise, stride, controls, poses);
    turn(given, poses);
    move<motion>(given, state, controls, poses);
    Rollouts found = is_round(given) ? judge<true>(given, window, poses) : judge<false>(given, window, poses);
    found.cost += effort;
    return found;
}

// Floats of scratch memory for each purpose.
struct Room {
    static constexpr int kAlignment = sizeof(Floats);
    int64_t poses, row, blocks;

    explicit Room(const Setting& given)
        : poses(given.steps * (int64_t)(sizeof(Pose) / sizeof(float))),
          row((int64_t)given.steps * given.channels * kLanes),
          blocks((given.rollouts + kLanes - 1) / kLanes) {}
    int64_t size() const { return kAlignment + poses + row + blocks * row + blocks * kLanes + row; }
};

struct Scratch {
    Pose* poses;
    float *tail, *controls, *costs, *means;

    Scratch(const Room& room, float* from)
        : poses((Pose*)(((uintptr_t)from + Room::kAlignment - 1) / Room::kAlignment * Room::kAlignment)),
          tail((float*)poses + room.poses), controls(tail + room.row), costs(controls + room.blocks * room.row),
          means(costs + room.blocks * kLanes) {}
};

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
    const Window window(fields, given.rows, given.cols);
    Floats best = splat(3e38f);
    int free = 0;
    for (int first = 0, block = 0; first < given.rollouts; first += kLanes, block++) {
        const int count = given.rollouts - first < kLanes ? given.rollouts - first : kLanes;
        if (count < kLanes) pad(given, noise, first, at.tail);
        const float* own = count < kLanes ? at.tail : noise + first;
        const int64_t stride = count < kLanes ? kLanes : given.rollouts;
        float* controls = at.controls + block * room.row;
        Rollouts found = roll<motion>(given, window, state, nominal, own, stride, controls, at.poses);
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
