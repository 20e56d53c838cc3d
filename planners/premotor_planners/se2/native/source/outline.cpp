#include "outline.h"

namespace premotor {
namespace {

constexpr int kMostCorners = 64;

struct Shape {
    int corners;
    double x[kMostCorners], y[kMostCorners];

    // Whether a side passes through the square of half width `half` around (cx, cy), by clipping it.
    bool side_meets(int i, double cx, double cy, double half) const {
        const int j = i + 1 == corners ? 0 : i + 1;
        const double from[2] = {x[i] - cx, y[i] - cy}, step[2] = {x[j] - x[i], y[j] - y[i]};
        double low = 0, high = 1;
        for (int axis = 0; axis < 2; axis++) {
            if (step[axis] == 0) {
                if (std::fabs(from[axis]) >= half) return false;
                continue;
            }
            const double a = (-half - from[axis]) / step[axis], b = (half - from[axis]) / step[axis];
            low = std::max(low, std::min(a, b)), high = std::min(high, std::max(a, b));
        }
        return low < high;
    }
    bool holds(double px, double py) const {
        bool inside = false;
        for (int i = 0, j = corners - 1; i < corners; j = i++)
            if ((y[i] > py) != (y[j] > py) && px < (x[j] - x[i]) * (py - y[i]) / (y[j] - y[i]) + x[i]) inside = !inside;
        return inside;
    }
    bool meets_square(double cx, double cy, double half) const {
        for (int i = 0; i < corners; i++)
            if (side_meets(i, cx, cy, half)) return true;
        return holds(cx, cy);
    }
};

}  // namespace

bool Room::free_at(const Pose& pose, double margin) const {
    if (certainly_free(pose)) return true;
    Shape shape;
    shape.corners = corners;
    const double c = std::cos(pose.yaw), s = std::sin(pose.yaw);
    double low_x = HUGE_VAL, low_y = HUGE_VAL, high_x = -HUGE_VAL, high_y = -HUGE_VAL;
    for (int i = 0; i < corners; i++) {
        const double bx = corner[2 * i], by = corner[2 * i + 1];
        const double x = shape.x[i] = pose.x + c * bx - s * by, y = shape.y[i] = pose.y + s * bx + c * by;
        low_x = std::min(low_x, x), high_x = std::max(high_x, x), low_y = std::min(low_y, y), high_y = std::max(high_y, y);
    }
    const int r0 = int(std::floor(low_y - margin)), r1 = int(std::floor(high_y + margin));
    const int c0 = int(std::floor(low_x - margin)), c1 = int(std::floor(high_x + margin));
    for (int r = r0; r <= r1; r++)
        for (int col = c0; col <= c1; col++)
            if (is_occupied(r, col) && shape.meets_square(col + 0.5, r + 0.5, 0.5 + margin)) return false;
    return true;
}

}  // namespace premotor

// Poses x, y, yaw in cells: the number of the first at which the outline is not free, `count` where it always is.
extern "C" int premotor_se2_first_hit(int rows, int cols, const uint8_t* occupied, int corners, const double* corner,
                                      double margin, int count, const double* poses) {
    const premotor::Room room{rows, cols, occupied, 0, nullptr, corners, corner};
    for (int i = 0; i < count; i++)
        if (!room.free_at({poses[3 * i], poses[3 * i + 1], poses[3 * i + 2]}, margin)) return i;
    return count;
}
