// The rolling window of local control: evidence of obstacles from scans, distance to them, and the guide's last step.
// Nothing is allocated; beams and cells decide how long a call takes, what is in them does so only for ray lengths.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#define PREMOTOR_API extern "C" __attribute__((visibility("default")))

namespace {

// As in evidence.py. The map is a torus: cell (r, c) of the endless grid lies at (r mod rows, c mod cols).
struct Window {
    int32_t rows, cols;
    int64_t row0, col0;  // lowest cell of the window
    float* cells;
};

struct Beams {
    double x, y, angle_min, increment;  // metres in the window's frame, headings included
    float range_min, range_max;
    int32_t count;
    const float* ranges;
};

struct Weights {
    float hit, miss, low, high;
};

inline int64_t wrapped(int64_t value, int64_t size) { return ((value % size) + size) % size; }

// Where cell (r, c) of the window lies in memory, or -1 beyond it.
struct Place {
    const Window& window;
    int64_t row_shift, col_shift;

    explicit Place(const Window& window)
        : window(window), row_shift(wrapped(window.row0, window.rows)), col_shift(wrapped(window.col0, window.cols)) {}
    int64_t operator()(int r, int c) const {
        if ((uint32_t)r >= (uint32_t)window.rows || (uint32_t)c >= (uint32_t)window.cols) return -1;
        int64_t row = r + row_shift, col = c + col_shift;
        if (row >= window.rows) row -= window.rows;
        if (col >= window.cols) col -= window.cols;
        return row * window.cols + col;
    }
};

constexpr float kStep = 0.8f;  // cells between two looks along a beam

}  // namespace

// Lengths in `beams` are in cells of the window, from its lowest corner. Finite ranges within the limits mark their end;
// they and +inf clear what is before it. NaN, -inf and ranges out of the limits do neither.
PREMOTOR_API void premotor_evidence_update(const Window* window, const Beams* beams, const Weights* weights) {
    const Place place(*window);
    float* cells = window->cells;
    for (int i = 0; i < beams->count; i++) {
        const float range = beams->ranges[i];
        const bool open = std::isinf(range) && range > 0;
        const bool seen = range >= beams->range_min && range <= beams->range_max;
        if (!open && !seen) continue;
        const double angle = beams->angle_min + i * beams->increment;
        const float dx = (float)std::cos(angle), dy = (float)std::sin(angle);
        const float x0 = (float)beams->x, y0 = (float)beams->y, length = open ? beams->range_max : range;
        int64_t end = -1, last = -1;
        if (seen) end = place((int)std::floor(y0 + dy * length), (int)std::floor(x0 + dx * length));
        for (float at = 0; at < length; at += kStep) {
            const int64_t cell = place((int)std::floor(y0 + dy * at), (int)std::floor(x0 + dx * at));
            if (cell < 0) break;
            if (cell == last || cell == end) continue;
            last = cell;
            cells[cell] = std::max(cells[cell] - weights->miss, weights->low);
        }
        if (end >= 0) cells[end] = std::min(cells[end] + weights->hit, weights->high);
    }
}

// Cells that the window takes in when its lowest cell moves from (row0, col0) to (row1, col1): evidence 0.
PREMOTOR_API void premotor_evidence_scroll(const Window* window, int64_t row1, int64_t col1) {
    const int64_t rows = window->rows, cols = window->cols;
    for (int64_t r = row1; r < row1 + rows; r++) {
        float* row = window->cells + wrapped(r, rows) * cols;
        if (r < window->row0 || r >= window->row0 + rows) {
            std::fill_n(row, cols, 0.0f);
            continue;
        }
        const int64_t first = col1 > window->col0 ? std::max(window->col0 + cols, col1) : col1;
        const int64_t end = col1 > window->col0 ? col1 + cols : std::min(window->col0, col1 + cols);
        for (int64_t c = first; c < end; c++) row[wrapped(c, cols)] = 0.0f;
    }
}

// Metres from each cell's centre to the centre of the nearest cell with evidence above `threshold`, less `inner`, at
// most `limit` and at least 0; shape (rows, cols) in the window's order. `scratch` holds rows * cols floats.
PREMOTOR_API void premotor_evidence_clearance(const Window* window, float threshold, float resolution, float inner,
                                              float limit, float* scratch, float* out) {
    const Place place(*window);
    const int rows = window->rows, cols = window->cols, reach = (int)std::ceil((limit + inner) / resolution) + 1;
    const float far = (float)(reach + 1) * (reach + 1);
    for (int r = 0; r < rows; r++) {
        float* row = scratch + (int64_t)r * cols;
        const float* evidence = window->cells + place(r, 0) / cols * cols;
        int64_t col = place.col_shift;
        float gap = (float)reach + 1;
        for (int c = 0; c < cols; c++) {
            gap = evidence[col] > threshold ? 0.0f : std::min(gap + 1, (float)reach + 1);
            row[c] = gap;
            if (++col == cols) col = 0;
        }
        gap = (float)reach + 1;
        for (int c = cols - 1; c >= 0; c--) {
            gap = std::min(gap + 1, row[c]);
            row[c] = gap * gap;
        }
    }
    for (int r = 0; r < rows; r++) {
        float* best = out + (int64_t)r * cols;
        std::fill_n(best, cols, far);
        for (int other = std::max(0, r - reach); other <= std::min(rows - 1, r + reach); other++) {
            const float* row = scratch + (int64_t)other * cols;
            const float square = (float)(other - r) * (other - r);
            for (int c = 0; c < cols; c++) best[c] = std::min(best[c], row[c] + square);
        }
        for (int c = 0; c < cols; c++) best[c] = std::min(std::max(std::sqrt(best[c]) * resolution - inner, 0.0f), limit);
    }
}

// The least of several cost-to-go maps in metres, continued into what none of them reaches. `reach` are `levels` maps
// of rows x cols (0: not reached); level k counts (limit - reach) * scale + penalty[k]. A cell that is not reached
// costs `fill` more than its neighbour, a diagonal one 1.41 times that; `most` where nothing is near.
PREMOTOR_API void premotor_guide(int rows, int cols, int levels, const float* reach, float limit, float scale,
                                 const float* penalty, float fill, float most, float* out) {
    const int64_t size = (int64_t)rows * cols;
    for (int64_t i = 0; i < size; i++) {
        float best = most;
        for (int k = 0; k < levels; k++)
            if (reach[k * size + i] > 0) best = std::min(best, (limit - reach[k * size + i]) * scale + penalty[k]);
        out[i] = best;
    }
    const float across = 1.4142135f * fill;
    const auto at = [&](int r, int c) { return r < 0 || r >= rows || c < 0 || c >= cols ? most : out[(int64_t)r * cols + c]; };
    for (int pass = 0; pass < 2; pass++) {
        const int way = pass ? -1 : 1;
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < cols; j++) {
                const int r = pass ? rows - 1 - i : i, c = pass ? cols - 1 - j : j;
                float& here = out[(int64_t)r * cols + c];
                const float straight = std::min(at(r - way, c), at(r, c - way)) + fill;
                const float diagonal = std::min(at(r - way, c - way), at(r - way, c + way)) + across;
                here = std::min(here, std::min(straight, diagonal));
            }
    }
}
