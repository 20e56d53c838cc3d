#include "lines.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace premotor {
namespace {

constexpr double kEdge = 1e-9;  // a border is touched from this near

struct Span {
    double low, high;
};

// Where along x the segment is while y lies in [low, high].
Span across(Point a, Point b, double low, double high) {
    const double dy = b.y - a.y;
    if (std::abs(dy) < kEdge) return {std::min(a.x, b.x), std::max(a.x, b.x)};
    const double t0 = std::clamp((low - a.y) / dy, 0.0, 1.0), t1 = std::clamp((high - a.y) / dy, 0.0, 1.0);
    const double x0 = a.x + t0 * (b.x - a.x), x1 = a.x + t1 * (b.x - a.x);
    return {std::min(x0, x1), std::max(x0, x1)};
}

// False for points that are not finite, too.
bool inside(const Grid& grid, Point p) { return p.x >= 0 && p.x <= grid.cols && p.y >= 0 && p.y <= grid.rows; }

}  // namespace

bool Lines::clear(Point a, Point b) const {
    if (!inside(grid_, a) || !inside(grid_, b)) return false;
    const int first = int(std::floor(std::min(a.y, b.y) - kEdge)), last = int(std::floor(std::max(a.y, b.y) + kEdge));
    for (int row = first; row <= last; row++) {
        const Span span = across(a, b, row - kEdge, row + 1 + kEdge);
        const int from = int(std::floor(span.low - kEdge)), to = int(std::floor(span.high + kEdge));
        if (!grid_.inside(row, from) || !grid_.inside(row, to)) return false;
        const uint8_t* cell = &grid_.free[size_t(grid_.at(row, from))];
        for (int col = from; col <= to; col++)
            if (!*cell++) return false;
    }
    return true;
}

double Lines::cost(Point a, Point b) const {
    if (!inside(grid_, a) || !inside(grid_, b)) return std::numeric_limits<double>::infinity();
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    if (factor_.empty() || length == 0) return length;
    const int first = int(std::floor(std::min(a.y, b.y))), last = int(std::floor(std::max(a.y, b.y)));
    double sum = 0;
    for (int row = first; row <= last; row++) {
        const double low = std::max(double(row), std::min(a.y, b.y)), high = std::min(row + 1.0, std::max(a.y, b.y));
        const Span span = across(a, b, low, high);
        const double share = first == last ? 1.0 : (high - low) / std::abs(b.y - a.y), width = span.high - span.low;
        const int from = int(std::floor(span.low)), to = int(std::floor(span.high));
        for (int col = from; col <= to; col++) {
            if (!grid_.inside(row, col)) continue;
            const double part = std::min(col + 1.0, span.high) - std::max(double(col), span.low);
            sum += factor_[size_t(grid_.at(row, col))] * share * (from == to || width <= 0 ? 1.0 : part / width);
        }
    }
    return sum * length / 1024.0;
}

// One pass over the points, from the front or from the back.
struct Lines::Way {
    const Lines& lines;
    const Point* points;
    int64_t count;
    bool backwards;
    const Stopping& stopping;
    std::vector<double> before{};  // cost of the pieces up to a point

    Point at(int64_t i) const { return points[backwards ? count - 1 - i : i]; }

    void measure() {
        before.assign(size_t(count), 0.0);
        for (int64_t i = 1; i < count; i++) before[size_t(i)] = before[size_t(i - 1)] + lines.cost(at(i - 1), at(i));
    }

    bool straight(int64_t i, int64_t j) const {
        return lines.clear(at(i), at(j)) &&
               (lines.factor_.empty() ||
                lines.cost(at(i), at(j)) <= (before[size_t(j)] - before[size_t(i)]) * (1 + 1e-9));
    }

    // Far ahead in growing strides, then back in shrinking ones.
    int64_t farthest(int64_t i) const {
        int64_t reached = i + 1;
        for (int64_t stride = 1; stride && reached < count - 1;) {
            const int64_t j = std::min(reached + stride, count - 1);
            if (straight(i, j))
                reached = j, stride *= 2;
            else
                stride = std::min(stride, j - reached) / 2;
            if (stopping.reason()) break;
        }
        return reached;
    }

    int pass(std::vector<int32_t>& kept, double& length) const {
        kept.assign(1, 0), length = 0;
        for (int64_t i = 0; i < count - 1;) {
            if (const int reason = stopping.reason()) return reason;
            const int64_t j = farthest(i);
            length += lines.cost(at(i), at(j));
            kept.push_back(int32_t(j));
            i = j;
        }
        if (backwards) {
            std::reverse(kept.begin(), kept.end());
            for (int32_t& k : kept) k = int32_t(count - 1) - k;
        }
        return 0;
    }
};

int64_t Lines::shorten(const Point* points, int64_t count, const Stopping& stopping, int32_t* kept) const {
    std::vector<int32_t> best, other;
    double length = 0, other_length = 0;
    for (const bool backwards : {false, true}) {
        Way way{*this, points, count, backwards, stopping};
        if (!factor_.empty()) way.measure();
        if (const int reason = way.pass(backwards ? other : best, backwards ? other_length : length)) return reason;
    }
    if (other_length < length) best.swap(other);
    std::copy(best.begin(), best.end(), kept);
    return int64_t(best.size());
}

}  // namespace premotor
