// By what a command is scaled so that what it sweeps is clear. `motion/slowing.py` is the definition.
#include <stdexcept>
#include <vector>

#include "sweep.h"
#include "way.h"

namespace premotor {

struct Asked {  // `Asked` of motion/slowing_native.py: the same numbers in the same order
    Speeds wanted, measured;
    double latency_s, held_s, period_s;
    Braking braking;
    double margin, spacing, contact, slowest, radius, reach;
};

namespace {

// What the definition would raise for, or go on with as nobody thought of, is left to it.
bool usable(const Asked& a) {
    for (const double number : {a.wanted.v, a.wanted.w, a.measured.v, a.measured.w, a.latency_s, a.held_s, a.period_s,
                                a.margin, a.contact, a.slowest, a.radius, a.reach})
        if (!std::isfinite(number)) return false;
    for (const double number : {a.braking.accel, a.braking.turn_accel, a.spacing})
        if (!(number > 0 && std::isfinite(number))) return false;
    return a.braking.lag_s >= 0 && std::isfinite(a.braking.lag_s);
}

class Slowing {
   public:
    Slowing(const Asked& asked, int corners, const Point* corner, int points, const Point* point, const Held* led, int leds)
        : asked_(asked),
          outline_{corners, corner, asked.radius, asked.reach},
          fineness_{asked.spacing, asked.reach},
          points_(point, point + points),
          before_(transition(asked.measured, {led, led + leds}, asked.braking, fineness_, End::moving)) {}

    double scale(int tries, const double* slower) {
        const double fits = fitting(asked_.wanted);
        for (int i = 0; i < tries; i++) {
            const double scale = fits * slower[i];
            if (scale < asked_.slowest) return 0.0;
            const Speeds command =
                scale == 1.0 ? asked_.wanted : Speeds{asked_.wanted.v * scale, asked_.wanted.w * scale};
            if (ends_well(command) && (scale == 1.0 || fitting(command) == 1.0)) return scale;
        }
        return 0.0;
    }

   private:
    // By what the command must be scaled for its stopping arc to be clear: begun now, and begun when it shows.
    double fitting(Speeds command) {
        const double now = arc_scale(command, asked_.latency_s, before_.poses.front());
        return std::min(now, arc_scale(command, asked_.held_s, before_.poses.back()));
    }

    double arc_scale(Speeds command, double held_s, const Pose& start) {
        Way way = stopping_way(command, asked_.braking, held_s, fineness_);
        move_onward(way.poses, start);
        const double share = double(std::max(0, clear(way) - 1)) / double(way.poses.size() - 1);
        return scale_for(share, command, asked_.braking, held_s);
    }

    // Whether the way to the command is clear, braked along its arc, and where one period of it is followed by a stop.
    bool ends_well(Speeds command) {
        return is_clear({command, asked_.held_s}, End::along_the_arc) &&
               is_clear({command, asked_.period_s}, End::each_speed_alone);
    }

    bool is_clear(Held held, End end) {
        const Way way = joined(before_, transition(before_.speeds, {held}, asked_.braking, fineness_, end));
        return clear(way) == int(way.poses.size());
    }

    int clear(const Way& way) {
        const double needed = asked_.margin + way.spacing / 2;
        keep_near(way, outline_.reach + needed);
        return clear_poses(outline_, int(way.poses.size()), way.poses.data(), int(near_.size()), near_.data(), needed,
                           asked_.contact);
    }

    void keep_near(const Way& way, double far) {
        double left = HUGE_VAL, right = -HUGE_VAL, low = HUGE_VAL, high = -HUGE_VAL;
        for (const Pose& pose : way.poses) {
            left = std::min(left, pose.x), right = std::max(right, pose.x);
            low = std::min(low, pose.y), high = std::max(high, pose.y);
        }
        left -= far, right += far, low -= far, high += far;
        near_.clear();
        for (const Point& p : points_)
            if (p.x >= left && p.x <= right && p.y >= low && p.y <= high) near_.push_back(p);
    }

    const Asked& asked_;
    Outline outline_;
    Fineness fineness_;
    std::vector<Point> points_, near_;
    Way before_;
};

}  // namespace
}  // namespace premotor

// The scale, 0 where no slower command is clear; below 0 where the definition has to say.
extern "C" double premotor_slowed(const premotor::Asked* asked, int corners, const premotor::Point* corner, int leds,
                                  const premotor::Held* led, int points, const premotor::Point* point, int tries,
                                  const double* slower) try {
    if (!premotor::usable(*asked)) return -1.0;
    return premotor::Slowing(*asked, corners, corner, points, point, led, leds).scale(tries, slower);
} catch (const std::exception&) {
    return -1.0;
}
