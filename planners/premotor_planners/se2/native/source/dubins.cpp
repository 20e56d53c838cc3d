// L. E. Dubins, "On Curves of Minimal Length with a Constraint on Average Curvature" (1957): the shortest of six words.
// Each is found from the tangents between the turning circles at both ends.
#include "curves.h"

namespace premotor {
namespace {

constexpr double kTwoPi = 2 * M_PI, kRound = 1e-9;  // circles that touch may seem to be apart, or to overlap

// An angle in [0, 2 pi); rounding just below 0 is no whole turn.
double positive(double angle) {
    double turned = std::fmod(angle, kTwoPi);
    if (turned < 0) turned += kTwoPi;
    return turned > kTwoPi - 1e-9 ? 0 : turned;
}

struct Shortest {
    double radius;
    Curve best;

    // Sides are +1 left, -1 right, 0 straight; turns in radians, the middle in radians or radii.
    void offer(int first, double t, int middle, double p, int last, double q) {
        const double length = (t + p + q) * radius;
        if (!(length < best.length - 1e-12)) return;
        best.length = length, best.pieces = 3;
        best.piece[0] = {first / radius, t * radius, 0};
        best.piece[1] = {middle / radius, p * radius, 0};
        best.piece[2] = {last / radius, q * radius, 0};
    }
};

// Circle to straight to circle. The goal's circle lies at (x, y) from the start's, in radii; yaw is from start to goal.
void add_straight(Shortest& shortest, double x, double y, double yaw, int first, int last) {
    const double distance = std::hypot(x, y), direction = std::atan2(y, x);
    if (first == last) {
        const double t = positive(first * direction), q = positive(first * yaw - t);
        shortest.offer(first, t, 0, distance, last, q);
    } else if (distance >= 2 - kRound) {
        const double p = std::sqrt(std::fmax(distance * distance - 4, 0)), lean = std::atan2(2, p);
        const double heading = direction + first * lean;
        shortest.offer(first, positive(first * heading), 0, p, last, positive(first * (heading - yaw)));
    }
}

// Circle to circle to circle: the middle one touches both.
void add_circles(Shortest& shortest, double x, double y, double yaw, int side) {
    const double distance = std::hypot(x, y);
    if (distance > 4 + kRound) return;
    const double p = kTwoPi - 2 * std::asin(std::fmin(distance / 4, 1));  // the longer arc: the shorter one is never optimal
    const double t = positive(side * std::atan2(y, x) + p / 2), q = positive(side * yaw - t + p);
    shortest.offer(side, t, -side, p, side, q);
}

}  // namespace

Curve dubins(const Pose& from, const Pose& to, double radius) {
    const double c = std::cos(from.yaw), s = std::sin(from.yaw), yaw = to.yaw - from.yaw;
    const double x = (c * (to.x - from.x) + s * (to.y - from.y)) / radius;
    const double y = (c * (to.y - from.y) - s * (to.x - from.x)) / radius;
    Shortest shortest{radius, {}};
    for (int first = 1; first >= -1; first -= 2) {
        for (int last = 1; last >= -1; last -= 2)
            add_straight(shortest, x - last * std::sin(yaw), y + last * std::cos(yaw) - first, yaw, first, last);
        add_circles(shortest, x - first * std::sin(yaw), y + first * std::cos(yaw) - first, yaw, first);
    }
    return shortest.best;
}

}  // namespace premotor
