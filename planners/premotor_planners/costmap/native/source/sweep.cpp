// How far an outline gets along a sequence of poses before a point is nearer than it may be.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace premotor {
namespace {

struct Outline {
    int corners;  // 0 for a disc
    const double* at;
    double radius;

    // Metres to the point, below zero inside (the even-odd rule).
    double gap(double x, double y) const {
        if (corners == 0) return std::hypot(x, y) - radius;
        double nearest = HUGE_VAL;
        bool inside = false;
        for (int i = 0, j = corners - 1; i < corners; j = i++) {
            const double ax = at[2 * j], ay = at[2 * j + 1], ex = at[2 * i] - ax, ey = at[2 * i + 1] - ay;
            const double rx = x - ax, ry = y - ay;
            const double along = std::clamp((rx * ex + ry * ey) / (ex * ex + ey * ey), 0.0, 1.0);
            const double gx = rx - along * ex, gy = ry - along * ey;
            nearest = std::min(nearest, gx * gx + gy * gy);
            if ((ay > y) != (at[2 * i + 1] > y)) inside ^= (ex * ry - ey * rx > 0) == (ey > 0);
        }
        return inside ? -std::sqrt(nearest) : std::sqrt(nearest);
    }
};

double gap_at(const Outline& outline, const double* pose, const double* point) {
    const double cos = std::cos(pose[2]), sin = std::sin(pose[2]), dx = point[0] - pose[0], dy = point[1] - pose[1];
    return outline.gap(cos * dx + sin * dy, cos * dy - sin * dx);
}

}  // namespace
}  // namespace premotor

// poses: x, y, yaw; points: x, y. The number of poses before the first at which a point is nearer than `needed`, or, if
// it is nearer than that at the first pose, nearer than there; 0 where one is within `contact` of the first.
extern "C" int premotor_clear_poses(int corners, const double* corner, double radius, double reach, int poses,
                                    const double* pose, int points, const double* point, double needed, double contact) {
    const premotor::Outline outline{corners, corner, radius};
    const double far = reach + needed;
    std::vector<double> enough(static_cast<size_t>(points));
    for (int j = 0; j < points; j++) {
        const double first = premotor::gap_at(outline, pose, point + 2 * j);
        if (first <= contact) return 0;
        enough[size_t(j)] = std::min(needed, first) - 1e-9;
    }
    for (int i = 0; i < poses; i++) {
        const double *at = pose + 3 * i, cos = std::cos(at[2]), sin = std::sin(at[2]);
        for (int j = 0; j < points; j++) {
            const double dx = point[2 * j] - at[0], dy = point[2 * j + 1] - at[1];
            if (dx * dx + dy * dy >= far * far) continue;
            if (outline.gap(cos * dx + sin * dy, cos * dy - sin * dx) < enough[size_t(j)]) return i;
        }
    }
    return poses;
}
