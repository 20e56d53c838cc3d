// J. A. Reeds and L. A. Shepp, "Optimal paths for a car that goes both forwards and backwards" (1990): the shortest of 48
// words. The formulas of section 8 give nine; the rest follow by driving in time reversed, mirrored, and from the end.
#include "curves.h"

#include <algorithm>

namespace premotor {
namespace {

constexpr double kRound = 1e-10;  // circles that touch may seem to be apart, or to overlap

struct Goal {  // in radii, as seen from the start
    double x, y, yaw;
};

struct Word {
    int pieces;
    int side[5];  // +1 left, -1 right, 0 straight
    double length[5];
};

struct Polar {
    double r, angle;
    Polar(double x, double y) : r(std::hypot(x, y)), angle(std::atan2(y, x)) {}
};

double root(double square) { return std::sqrt(std::fmax(square, 0)); }
bool at_least_0(double value) { return value >= -kRound; }
bool at_most_0(double value) { return value <= kRound; }

bool lp_sp_lp(const Goal& g, Word& word) {  // 8.1
    const Polar p(g.x - std::sin(g.yaw), g.y - 1 + std::cos(g.yaw));
    const double v = wrapped(g.yaw - p.angle);
    word = {3, {1, 0, 1}, {p.angle, p.r, v}};
    return at_least_0(p.angle) && at_least_0(v);
}

bool lp_sp_rp(const Goal& g, Word& word) {  // 8.2
    const Polar p(g.x + std::sin(g.yaw), g.y - 1 - std::cos(g.yaw));
    if (p.r < 2 - kRound) return false;
    const double u = root(p.r * p.r - 4), t = wrapped(p.angle + std::atan2(2, u)), v = wrapped(t - g.yaw);
    word = {3, {1, 0, -1}, {t, u, v}};
    return at_least_0(t) && at_least_0(v);
}

bool lp_rm_l(const Goal& g, Word& word) {  // 8.3, 8.4
    const Polar p(g.x - std::sin(g.yaw), g.y - 1 + std::cos(g.yaw));
    if (p.r > 4 + kRound) return false;
    const double u = -2 * std::asin(std::fmin(p.r / 4, 1)), t = wrapped(p.angle + u / 2 + M_PI), v = wrapped(g.yaw - t + u);
    word = {3, {1, -1, 1}, {t, u, v}};
    return at_least_0(t) && at_most_0(u);
}

void outer_turns(double u, double v, double xi, double eta, double yaw, double& t, double& last) {
    const double delta = wrapped(u - v), a = std::sin(u) - std::sin(delta), b = std::cos(u) - std::cos(delta) - 1;
    const double angle = std::atan2(eta * a - xi * b, xi * a + eta * b);
    t = wrapped(2 * (std::cos(delta) - std::cos(v) - std::cos(u)) + 3 < 0 ? angle + M_PI : angle);
    last = wrapped(t - u + v - yaw);
}

bool lp_rup_lum_rm(const Goal& g, Word& word) {  // 8.7
    const double xi = g.x + std::sin(g.yaw), eta = g.y - 1 - std::cos(g.yaw), rho = (2 + std::hypot(xi, eta)) / 4;
    if (rho > 1 + kRound) return false;
    const double u = std::acos(std::fmin(rho, 1));
    double t, v;
    outer_turns(u, -u, xi, eta, g.yaw, t, v);
    word = {4, {1, -1, 1, -1}, {t, u, -u, v}};
    return at_least_0(t) && at_most_0(v);
}

bool lp_rum_lum_rp(const Goal& g, Word& word) {  // 8.8
    const double xi = g.x + std::sin(g.yaw), eta = g.y - 1 - std::cos(g.yaw), rho = (20 - xi * xi - eta * eta) / 16;
    if (rho < -kRound || rho > 1 + kRound) return false;
    const double u = -std::acos(std::clamp(rho, 0.0, 1.0));
    double t, v;
    outer_turns(u, u, xi, eta, g.yaw, t, v);
    word = {4, {1, -1, 1, -1}, {t, u, u, v}};
    return at_least_0(t) && at_least_0(v);
}

bool lp_rm_sm_lm(const Goal& g, Word& word) {  // 8.9
    const Polar p(g.x - std::sin(g.yaw), g.y - 1 + std::cos(g.yaw));
    if (p.r < 2 - kRound) return false;
    const double r = root(p.r * p.r - 4), t = wrapped(p.angle + std::atan2(r, -2)), u = 2 - r;
    const double v = wrapped(g.yaw - M_PI / 2 - t);
    word = {4, {1, -1, 0, 1}, {t, -M_PI / 2, u, v}};
    return at_least_0(t) && at_most_0(u) && at_most_0(v);
}

bool lp_rm_sm_rm(const Goal& g, Word& word) {  // 8.10
    const double xi = g.x + std::sin(g.yaw), eta = g.y - 1 - std::cos(g.yaw);
    const Polar p(-eta, xi);
    if (p.r < 2 - kRound) return false;
    const double u = 2 - p.r, v = wrapped(p.angle + M_PI / 2 - g.yaw);
    word = {4, {1, -1, 0, -1}, {p.angle, -M_PI / 2, u, v}};
    return at_least_0(p.angle) && at_most_0(u) && at_most_0(v);
}

bool lp_rm_s_lm_rp(const Goal& g, Word& word) {  // 8.11
    const double xi = g.x + std::sin(g.yaw), eta = g.y - 1 - std::cos(g.yaw), rho = std::hypot(xi, eta);
    if (rho < 2 - kRound) return false;
    const double u = 4 - root(rho * rho - 4);
    if (u > kRound) return false;
    const double t = wrapped(std::atan2((4 - u) * xi - 2 * eta, -2 * xi + (u - 4) * eta)), v = wrapped(t - g.yaw);
    word = {5, {1, -1, 0, 1, -1}, {t, -M_PI / 2, u, -M_PI / 2, v}};
    return at_least_0(t) && at_least_0(v);
}

struct Shortest {
    Word best{};
    double length = HUGE_VAL;

    using Rule = bool (*)(const Goal&, Word&);

    void try_one(Rule rule, const Goal& goal, bool back, bool mirrored, bool from_end) {
        Word word;
        if (!rule({back ? -goal.x : goal.x, mirrored ? -goal.y : goal.y, back != mirrored ? -goal.yaw : goal.yaw}, word))
            return;
        double total = 0;
        for (int i = 0; i < word.pieces; i++) total += std::fabs(word.length[i]);
        if (!(total < length - 1e-12)) return;
        for (int i = 0; i < word.pieces; i++) {
            if (back) word.length[i] = -word.length[i];
            if (mirrored) word.side[i] = -word.side[i];
        }
        if (from_end) std::reverse(word.side, word.side + word.pieces), std::reverse(word.length, word.length + word.pieces);
        best = word, length = total;
    }

    void try_all(Rule rule, const Goal& goal, bool also_from_end) {
        const double c = std::cos(goal.yaw), s = std::sin(goal.yaw);
        const Goal end{goal.x * c + goal.y * s, goal.x * s - goal.y * c, goal.yaw};
        for (int flips = 0; flips < 4; flips++) {
            try_one(rule, goal, flips & 1, flips & 2, false);
            if (also_from_end) try_one(rule, end, flips & 1, flips & 2, true);
        }
    }
};

}  // namespace

Curve reeds_shepp(const Pose& from, const Pose& to, double radius) {
    const double c = std::cos(from.yaw), s = std::sin(from.yaw), dx = to.x - from.x, dy = to.y - from.y;
    const Goal goal{(c * dx + s * dy) / radius, (c * dy - s * dx) / radius, wrapped(to.yaw - from.yaw)};
    Shortest shortest;
    shortest.try_all(lp_sp_lp, goal, false);
    shortest.try_all(lp_sp_rp, goal, false);
    shortest.try_all(lp_rm_l, goal, true);
    shortest.try_all(lp_rup_lum_rm, goal, false);
    shortest.try_all(lp_rum_lum_rp, goal, false);
    shortest.try_all(lp_rm_sm_lm, goal, true);
    shortest.try_all(lp_rm_sm_rm, goal, true);
    shortest.try_all(lp_rm_s_lm_rp, goal, false);
    Curve curve;
    curve.pieces = shortest.best.pieces, curve.length = shortest.length * radius;
    for (int i = 0; i < curve.pieces; i++)
        curve.piece[i] = {shortest.best.side[i] / radius, shortest.best.length[i] * radius, 0};
    return curve;
}

}  // namespace premotor

// motion: 0 Dubins, 1 Reeds and Shepp. pieces: 5 of curvature, signed length. Returns how many, and the length.
extern "C" int premotor_se2_curve(int motion, const double* from, const double* to, double radius, double* pieces,
                                  double* length) {
    const premotor::Pose start{from[0], from[1], from[2]}, goal{to[0], to[1], to[2]};
    const auto curve = motion == 0 ? premotor::dubins(start, goal, radius) : premotor::reeds_shepp(start, goal, radius);
    for (int i = 0; i < curve.pieces; i++)
        pieces[2 * i] = curve.piece[i].curvature, pieces[2 * i + 1] = curve.piece[i].length;
    *length = curve.length;
    return curve.pieces;
}
