#include "way.h"

#include <stdexcept>
#include <utility>

namespace premotor {
namespace {

constexpr double kPi = 3.14159265358979323846, kLags = 5.0, kStands = 1e-9, kLongestStep = 0.02, kMost = 1 << 18;

int rounded_up(double count) {
    if (!(count <= kMost)) throw std::length_error("a way of too many poses");  // nor is NaN a number of them
    return std::max(1, int(std::ceil(count)));
}

// A speed `after` seconds: it closes the gap with a time constant, but changes by `rate` at most.
double towards(double start, double target, double rate, double lag_s, double after) {
    const double gap = target - start;
    if (lag_s <= 0.0) return start + std::min(std::max(gap, -rate * after), rate * after);
    const double steep_s = std::max(std::fabs(gap) / rate - lag_s, 0.0);
    double left = std::fabs(gap) - rate * std::min(after, steep_s);
    left *= std::exp(-std::max(after - steep_s, 0.0) / lag_s);
    return target - std::copysign(1.0, gap) * left;
}

class Walk {
   public:
    Walk(Speeds now, const Braking& braking, double most_s) : braking_(braking), most_s_(most_s), at_(now) {
        poses_.push_back({0, 0, 0});
    }

    void go(Speeds to, double seconds) {
        const Speeds from = at_;
        steps(seconds, [&](double after) {
            return Speeds{towards(from.v, to.v, braking_.accel, braking_.lag_s, after),
                          towards(from.w, to.w, braking_.turn_accel, braking_.lag_s, after)};
        });
    }

    void end(End how) {
        const Speeds from = at_;
        const double brake_s = braking_.seconds(from);
        if (how == End::moving || !(brake_s > kStands)) return;
        if (how == End::each_speed_alone) return go({0, 0}, brake_s + kLags * braking_.lag_s);
        steps(brake_s, [&](double after) {
            return Speeds{from.v * (1.0 - after / brake_s), from.w * (1.0 - after / brake_s)};
        });
    }

    Way way(double spacing) && { return {std::move(poses_), spacing, at_}; }

   private:
    template <typename Then>
    void steps(double seconds, Then then) {
        const int count = rounded_up(seconds / most_s_ - 1e-9);
        if (poses_.size() + size_t(count) > size_t(kMost)) throw std::length_error("a way of too many poses");
        poses_.reserve(poses_.size() + size_t(count));
        const double each = seconds / count;
        for (int i = 1; i <= count; i++) step(then(i * each), each);
    }

    void step(Speeds to, double seconds) {
        const double v = (to.v + at_.v) / 2, w = (to.w + at_.w) / 2;
        const Pose& last = poses_.back();
        const double middle = last.yaw + w * seconds / 2;
        poses_.push_back({last.x + v * seconds * std::cos(middle), last.y + v * seconds * std::sin(middle),
                          last.yaw + w * seconds});
        at_ = to;
    }

    const Braking& braking_;
    double most_s_;
    Speeds at_;
    std::vector<Pose> poses_;
};

}  // namespace

Way stopping_way(Speeds command, const Braking& braking, double latency_s, Fineness fineness) {
    const double held_s = latency_s + braking.seconds(command) / 2;
    const double length = command.v * held_s, angle = command.w * held_s;
    const double travel = std::fabs(length) + fineness.reach * std::fabs(angle);
    const int intervals = rounded_up(travel / fineness.spacing);
    const double part = 1.0 / intervals;
    Way way{{}, travel / intervals, {0, 0}};
    way.poses.reserve(size_t(intervals) + 1);
    for (int i = 0; i <= intervals; i++) {
        const double share = i == intervals ? 1.0 : i * part, s = share * length, yaw = share * angle;
        const double half = yaw / (2 * kPi) * kPi, chord = half == 0.0 ? s : s * (std::sin(half) / half);
        way.poses.push_back({chord * std::cos(yaw / 2), chord * std::sin(yaw / 2), yaw});
    }
    return way;
}

Way transition(Speeds now, const std::vector<Held>& held, const Braking& braking, Fineness fineness, End end) {
    double most_v = std::fabs(now.v), most_w = std::fabs(now.w);
    for (const Held& part : held) {
        most_v = std::max(most_v, std::fabs(part.speeds.v));
        most_w = std::max(most_w, std::fabs(part.speeds.w));
    }
    const double fastest = most_v + fineness.reach * most_w;
    const double most_s = std::min(kLongestStep, fineness.spacing / std::max(fastest, 1e-6));
    Walk walk(now, braking, most_s);
    for (const Held& part : held)
        if (part.seconds > 0) walk.go(part.speeds, part.seconds);
    walk.end(end);
    return std::move(walk).way(most_s * fastest);
}

void move_onward(std::vector<Pose>& poses, const Pose& start) {
    const double cos = std::cos(start.yaw), sin = std::sin(start.yaw);
    for (Pose& pose : poses)
        pose = {start.x + cos * pose.x - sin * pose.y, start.y + sin * pose.x + cos * pose.y, start.yaw + pose.yaw};
}

Way joined(const Way& before, const Way& after) {
    std::vector<Pose> then(after.poses.begin() + 1, after.poses.end());
    move_onward(then, before.poses.back());
    Way way{before.poses, std::max(before.spacing, after.spacing), after.speeds};
    way.poses.insert(way.poses.end(), then.begin(), then.end());
    return way;
}

double scale_for(double share, Speeds command, const Braking& braking, double latency_s) {
    if (share >= 1.0) return 1.0;
    const double half_s = braking.seconds(command) / 2, wanted = std::max(share, 0.0) * (latency_s + half_s);
    if (half_s < 1e-9) return latency_s > 0 ? wanted / latency_s : 0.0;
    return (std::sqrt(latency_s * latency_s + 4 * half_s * wanted) - latency_s) / (2 * half_s);
}

}  // namespace premotor
