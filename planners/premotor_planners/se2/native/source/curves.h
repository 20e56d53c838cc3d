// The shortest curves of a car between two poses: Dubins (forward only) and Reeds and Shepp (forward and backward).
#pragma once

#include <cmath>

namespace premotor {

struct Pose {
    double x, y, yaw;
};

// A piece of constant steering. Where `radians` is not 0 the robot turns on the spot instead of driving `length`.
struct Piece {
    double curvature, length, radians;  // 1/m to the left; m, below 0 backwards; rad
};

struct Curve {
    int pieces = 0;
    Piece piece[5];
    double length = HUGE_VAL;  // metres driven, turns on the spot not counted
};

Curve dubins(const Pose& from, const Pose& to, double radius);
Curve reeds_shepp(const Pose& from, const Pose& to, double radius);

// An angle in (-pi, pi].
inline double wrapped(double angle) {
    const double turned = std::remainder(angle, 2 * M_PI);
    return turned <= -M_PI ? M_PI : turned;
}

// Where the robot is after a part (0 to 1) of a piece.
inline Pose along(const Pose& from, const Piece& piece, double part) {
    if (piece.radians != 0) return {from.x, from.y, from.yaw + part * piece.radians};
    const double s = part * piece.length, half = s * piece.curvature / 2;
    const double chord = std::fabs(half) < 1e-9 ? s : s * std::sin(half) / half;
    return {from.x + chord * std::cos(from.yaw + half), from.y + chord * std::sin(from.yaw + half), from.yaw + 2 * half};
}

}  // namespace premotor
