// Where a base passes while it reacts and brakes. `motion/stopping.py` is the definition; here its operations are done in
// its order, so that numbers of poses, which are rounded up, come out equal.
#pragma once

#include <vector>

#include "sweep.h"

namespace premotor {

struct Speeds {  // m/s, rad/s
    double v, w;
};

struct Held {
    Speeds speeds;
    double seconds;
};

struct Braking {
    double accel, turn_accel, lag_s;

    double seconds(Speeds at) const { return std::max(std::fabs(at.v) / accel, std::fabs(at.w) / turn_accel); }
};

struct Fineness {
    double spacing, reach;
};

enum class End { moving, along_the_arc, each_speed_alone };

struct Way {
    std::vector<Pose> poses;
    double spacing;
    Speeds speeds;  // at the end
};

// All throw std::length_error for more poses than a way may have.
Way stopping_way(Speeds command, const Braking& braking, double latency_s, Fineness fineness);
Way transition(Speeds now, const std::vector<Held>& held, const Braking& braking, Fineness fineness, End end);

// `after` from the last pose of `before` on.
Way joined(const Way& before, const Way& after);

// Poses in the frame at `start`, in the frame that `start` is given in.
void move_onward(std::vector<Pose>& poses, const Pose& start);

// By what a command must be multiplied for its stopping arc to be `share` of what it is.
double scale_for(double share, Speeds command, const Braking& braking, double latency_s);

}  // namespace premotor
