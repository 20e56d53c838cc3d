#include "sweep.h"

#include <vector>

namespace premotor {
namespace {

struct Frame {
    double x, y, cos, sin;

    explicit Frame(const Pose& pose) : x(pose.x), y(pose.y), cos(std::cos(pose.yaw)), sin(std::sin(pose.yaw)) {}
    Point seen(double dx, double dy) const { return {cos * dx + sin * dy, cos * dy - sin * dx}; }
};

// The box around an outline, grown by what must stay free: what lies beyond it needs no closer look.
struct Near {
    double left = -HUGE_VAL, low = -HUGE_VAL, right = HUGE_VAL, high = HUGE_VAL;

    Near(const Outline& outline, double needed) {
        if (outline.corners == 0) return;
        const auto [l, r] = std::minmax_element(outline.at, outline.at + outline.corners,
                                                [](const Point& a, const Point& b) { return a.x < b.x; });
        const auto [b, t] = std::minmax_element(outline.at, outline.at + outline.corners,
                                                [](const Point& a, const Point& b) { return a.y < b.y; });
        left = l->x - needed, right = r->x + needed, low = b->y - needed, high = t->y + needed;
    }
    bool holds(Point p) const { return p.x > left && p.x < right && p.y > low && p.y < high; }
};

}  // namespace

int clear_poses(const Outline& outline, int poses, const Pose* pose, int points, const Point* point, double needed,
                double contact) {
    if (points == 0) return poses;
    const double far = outline.reach + needed;
    const Near near(outline, std::max(needed, contact) + 1e-9);
    const std::vector<Frame> frames(pose, pose + poses);
    int clear = poses;
    for (int j = 0; j < points && clear > 0; j++) {
        const Point first = frames[0].seen(point[j].x - pose[0].x, point[j].y - pose[0].y);
        double enough = needed;
        if (near.holds(first)) {
            const double gap = outline.gap(first);
            if (gap <= contact) return 0;
            enough = std::min(needed, gap);
        }
        enough -= 1e-9;
        for (int i = 1; i < clear; i++) {
            const double dx = point[j].x - frames[size_t(i)].x, dy = point[j].y - frames[size_t(i)].y;
            if (dx * dx + dy * dy >= far * far) continue;
            const Point seen = frames[size_t(i)].seen(dx, dy);
            if (near.holds(seen) && outline.gap(seen) < enough) clear = i;
        }
    }
    return clear;
}

}  // namespace premotor

extern "C" int premotor_clear_poses(int corners, const premotor::Point* corner, double radius, double reach, int poses,
                                    const premotor::Pose* pose, int points, const premotor::Point* point, double needed,
                                    double contact) {
    return premotor::clear_poses({corners, corner, radius, reach}, poses, pose, points, point, needed, contact);
}
