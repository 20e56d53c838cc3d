// How far an outline gets along a sequence of poses before a point is nearer than it may be.
#pragma once

#include <algorithm>
#include <cmath>

namespace premotor {

struct Pose {  // metres, radians
    double x, y, yaw;
};

struct Point {  // metres
    double x, y;
};

struct Outline {
    int corners;  // 0 for a disc
    const Point* at;
    double radius;
    double reach;  // the farthest point from the base's centre

    // Metres to the point, below zero inside (the even-odd rule).
    double gap(Point p) const {
        if (corners == 0) return std::hypot(p.x, p.y) - radius;
        double nearest = HUGE_VAL;
        bool inside = false;
        for (int i = 0, j = corners - 1; i < corners; j = i++) {
            const double ex = at[i].x - at[j].x, ey = at[i].y - at[j].y, rx = p.x - at[j].x, ry = p.y - at[j].y;
            const double along = std::clamp((rx * ex + ry * ey) / (ex * ex + ey * ey), 0.0, 1.0);
            const double gx = rx - along * ex, gy = ry - along * ey;
            nearest = std::min(nearest, gx * gx + gy * gy);
            if ((at[j].y > p.y) != (at[i].y > p.y)) inside ^= (ex * ry - ey * rx > 0) == (ey > 0);
        }
        return inside ? -std::sqrt(nearest) : std::sqrt(nearest);
    }
};

// The number of poses before the first at which a point is nearer than `needed`, or, if it is nearer than that at the
// first pose, nearer than there; 0 where one is within `contact` of the first.
int clear_poses(const Outline& outline, int poses, const Pose* pose, int points, const Point* point, double needed,
                double contact);

}  // namespace premotor
