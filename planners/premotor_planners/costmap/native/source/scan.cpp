// A scan into the obstacle layer: rays clear the cells they pass through, then ends mark theirs.
#include <cmath>
#include <cstdint>

namespace premotor {
namespace {

constexpr uint8_t kFree = 0, kLethal = 254;

struct Layer {
    int rows, cols;
    uint8_t* state;
    double* seen_s;

    bool holds(int r, int c) const { return r >= 0 && r < rows && c >= 0 && c < cols; }
    uint8_t& at(int r, int c) const { return state[int64_t(r) * cols + c]; }
};

struct Scan {  // lengths in metres, the sensor in cells from the layer's corner
    double x, y, yaw, angle_min, angle_increment, range_min, range_max, cells_a_metre, mark_max, clear_max, stamp_s;

    // REP-117: whether a reading says where something is.
    bool hits(float range) const { return std::isfinite(range) && range >= range_min && range <= range_max; }
    bool clears(float range) const { return hits(range) || (std::isinf(range) && range > 0); }
    double angle(int beam) const { return yaw + angle_min + beam * angle_increment; }
};

// The cells from (x, y) along (dx, dy) for `length`, all in cells, but for the one in which it ends (Amanatides and Woo,
// "A Fast Voxel Traversal Algorithm for Ray Tracing", 1987).
void clear_ray(const Layer& layer, double x, double y, double dx, double dy, double length) {
    int c = int(std::floor(x)), r = int(std::floor(y));
    const int step_c = dx > 0 ? 1 : -1, step_r = dy > 0 ? 1 : -1;
    const double a_col = dx == 0 ? HUGE_VAL : std::fabs(1 / dx), a_row = dy == 0 ? HUGE_VAL : std::fabs(1 / dy);
    double at_col = dx == 0 ? HUGE_VAL : (dx > 0 ? c + 1 - x : x - c) * a_col;
    double at_row = dy == 0 ? HUGE_VAL : (dy > 0 ? r + 1 - y : y - r) * a_row;
    while (layer.holds(r, c)) {
        const bool sideways = at_col < at_row;
        if ((sideways ? at_col : at_row) > length) return;  // it ends in this cell
        layer.at(r, c) = kFree;
        if (sideways) c += step_c, at_col += a_col;
        else r += step_r, at_row += a_row;
    }
}

void clear_all(const Layer& layer, const Scan& scan, int beams, const float* ranges) {
    const double open = std::fmin(scan.clear_max, scan.range_max);
    for (int i = 0; i < beams; i++) {
        if (!scan.clears(ranges[i])) continue;
        const double metres = std::isinf(ranges[i]) ? open : std::fmin(scan.clear_max, ranges[i]);
        const double angle = scan.angle(i);
        clear_ray(layer, scan.x, scan.y, std::cos(angle), std::sin(angle), metres * scan.cells_a_metre);
    }
}

void mark_all(const Layer& layer, const Scan& scan, int beams, const float* ranges) {
    for (int i = 0; i < beams; i++) {
        if (!scan.hits(ranges[i]) || ranges[i] > scan.mark_max) continue;
        const double cells = ranges[i] * scan.cells_a_metre, angle = scan.angle(i);
        const int r = int(std::floor(scan.y + cells * std::sin(angle)));
        const int c = int(std::floor(scan.x + cells * std::cos(angle)));
        if (!layer.holds(r, c)) continue;
        layer.at(r, c) = kLethal;
        layer.seen_s[int64_t(r) * layer.cols + c] = scan.stamp_s;
    }
}

}  // namespace
}  // namespace premotor

// `numbers` are those of Scan, in its order.
extern "C" void premotor_costmap_insert_scan(int rows, int cols, uint8_t* state, double* seen_s, int beams,
                                             const float* ranges, const double* numbers) {
    const premotor::Layer layer{rows, cols, state, seen_s};
    const auto& scan = *reinterpret_cast<const premotor::Scan*>(numbers);
    premotor::clear_all(layer, scan, beams, ranges);
    premotor::mark_all(layer, scan, beams, ranges);
}
