// Hybrid A* (Dolgov, Thrun, Montemerlo and Diebel, "Path Planning for Autonomous Vehicles in Unknown Semi-structured
// Environments", 2010): poses are continuous, one is kept for each cell and heading, and curves reach the goal exactly.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "outline.h"

namespace premotor {
namespace {

constexpr int kHeadings = 72, kMostSteers = 5;
constexpr int kNoPath = -1, kTimeout = -2, kCancelled = -3, kTooLong = -4;

struct Rules {  // lengths in cells
    double radius, step, spacing, margin, reach, inscribed, reverse_factor, switch_cost, turn_cost, eagerness;
    int motion, in_place;  // motion: 0 Dubins, 1 Reeds and Shepp
};

struct Clock {
    int64_t left_ns;
    const volatile uint8_t* mark;
    std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();

    int ended() const {
        if (mark && *mark) return kCancelled;
        if (left_ns < 0) return 0;
        return (std::chrono::steady_clock::now() - began).count() > left_ns ? kTimeout : 0;
    }
};

struct Node {
    Pose pose;
    double cost;
    int32_t parent;
    int8_t sense;  // +1 forward, -1 backward, 0 neither yet
    bool closed;
    Piece piece;  // from the parent
};

using Entry = std::pair<double, int32_t>;
using Open = std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>>;

// Cells from the goal over eight neighbours, for a point that keeps `inscribed` clear: where it does not reach, no way of
// the robot does; it is up to 8 % longer than the straightest one.
class Distance {
  public:
    Distance(const Room& room, double inscribed) : room_(room), inscribed_(inscribed), to_go_(size(), HUGE_VAL) {}
    // 0, or why it was ended.
    int spread_from(const Pose& goal, const Clock& clock) {
        if (const int why = forbid(clock)) return why;
        return spread(int(std::floor(goal.y)) * room_.cols + int(std::floor(goal.x)), clock);
    }
    double at(const Pose& pose) const {
        const int r = int(std::floor(pose.y)), c = int(std::floor(pose.x));
        if (r < 0 || c < 0 || r >= room_.rows || c >= room_.cols) return HUGE_VAL;
        return to_go_[size_t(r) * size_t(room_.cols) + size_t(c)];
    }
    bool reaches(const Pose& pose) const { return at(pose) < HUGE_VAL; }

  private:
    const Room& room_;
    const double inscribed_;
    std::vector<double> to_go_;
    std::vector<uint8_t> forbidden_;

    size_t size() const { return size_t(room_.rows) * size_t(room_.cols); }
    int forbid(const Clock& clock) {
        forbidden_.assign(size(), 0);
        const double least = inscribed_ - 0.7072;  // the robot's centre may be anywhere in its cell
        const int reach = int(std::ceil(inscribed_)) + 1;
        for (int r = 0; r < room_.rows; r++) {
            if (const int why = clock.ended()) return why;
            for (int c = 0; c < room_.cols; c++)
                if (room_.occupied[size_t(r) * size_t(room_.cols) + size_t(c)]) forbid_around(r, c, reach, least);
        }
        return 0;
    }
    void forbid_around(int r, int c, int reach, double least) {
        forbidden_[size_t(r) * size_t(room_.cols) + size_t(c)] = 1;
        for (int y = std::max(0, r - reach); y <= std::min(room_.rows - 1, r + reach); y++)
            for (int x = std::max(0, c - reach); x <= std::min(room_.cols - 1, c + reach); x++) {
                const double dx = std::max(0.0, std::abs(x - c) - 0.5), dy = std::max(0.0, std::abs(y - r) - 0.5);
                if (dx * dx + dy * dy < least * least && least > 0) forbidden_[size_t(y) * size_t(room_.cols) + size_t(x)] = 1;
            }
    }
    int spread(int goal, const Clock& clock) {
        Open open;
        to_go_[size_t(goal)] = 0;
        open.push({0, goal});
        for (int count = 0; !open.empty(); count++) {
            if (count % 1024 == 0)
                if (const int why = clock.ended()) return why;
            const auto [cost, cell] = open.top();
            open.pop();
            if (cost > to_go_[size_t(cell)]) continue;
            const int r = cell / room_.cols, c = cell % room_.cols;
            for (int dr = -1; dr <= 1; dr++)
                for (int dc = -1; dc <= 1; dc++) visit(open, r + dr, c + dc, cost + (dr && dc ? M_SQRT2 : 1.0));
        }
        return 0;
    }
    void visit(Open& open, int r, int c, double cost) {
        if (r < 0 || c < 0 || r >= room_.rows || c >= room_.cols) return;
        const size_t cell = size_t(r) * size_t(room_.cols) + size_t(c);
        if (forbidden_[cell] || cost >= to_go_[cell]) return;
        to_go_[cell] = cost;
        open.push({cost, int32_t(cell)});
    }
};

class Search {
  public:
    Search(const Room& room, const Rules& rules, const Pose& goal)
        : room_(room), rules_(rules), goal_(goal), distance_(room, rules.inscribed),
          kept_(static_cast<int32_t*>(std::calloc(size_t(room.rows) * size_t(room.cols) * kHeadings, 4)), std::free) {
        if (!kept_) throw std::bad_alloc();
    }

    // The node at the goal, or why there is none.
    int run(const Pose& start, const Clock& clock) {
        if (const int why = distance_.spread_from(goal_, clock)) return why;
        if (!distance_.reaches(start)) return kNoPath;
        nodes_.push_back({start, 0, -1, 0, false, {}});
        kept_[key(start)] = 1;
        push(0);
        for (int count = 0; !open_.empty(); count++) {
            if (count % 4 == 0)
                if (const int why = clock.ended()) return why;
            const int32_t at = open_.top().second;
            open_.pop();
            if (nodes_[size_t(at)].closed) continue;
            nodes_[size_t(at)].closed = true;
            if (curves_.count(at)) return at;
            shoot(at, count);
            expand(at);
        }
        return kNoPath;
    }

    // The way to a node, with curves in place of whatever they are cheaper than, as long as there is time; how many
    // pieces, or why none.
    int pieces_to(int32_t at, const Clock& clock, int most, double* out) const {
        std::vector<int32_t> chain;
        for (; at >= 0; at = nodes_[size_t(at)].parent) chain.push_back(at);
        std::reverse(chain.begin(), chain.end());
        int count = 0;
        for (size_t i = 0; i + 1 < chain.size();) {
            size_t next = i + 1;
            Curve curve = piece_to(chain[next]);
            for (size_t j = chain.size() - 1; j > i + 1 && !clock.ended(); j--)
                if (cheaper(chain[i], chain[j], curve)) {
                    next = j;
                    break;
                }
            for (int k = 0; k < curve.pieces; k++, count++) {
                if (count == most) return kTooLong;
                const Piece& piece = curve.piece[k];
                out[3 * count] = piece.curvature, out[3 * count + 1] = piece.length, out[3 * count + 2] = piece.radians;
            }
            i = next;
        }
        return clock.ended() == kCancelled ? kCancelled : count;
    }
    int64_t looked_at() const { return int64_t(nodes_.size()); }

  private:
    const Room& room_;
    const Rules& rules_;
    const Pose goal_;
    Distance distance_;
    std::unique_ptr<int32_t[], void (*)(void*)> kept_;  // 1 + the node of a cell and heading; 0 none
    std::vector<Node> nodes_;
    std::unordered_map<int32_t, Curve> curves_;  // of the nodes at the goal
    Open open_;

    // What leads from a node's parent to it.
    Curve piece_to(int32_t at) const {
        const auto found = curves_.find(at);
        if (found != curves_.end()) return found->second;
        Curve curve;
        curve.pieces = 1, curve.piece[0] = nodes_[size_t(at)].piece;
        return curve;
    }
    bool cheaper(int32_t from, int32_t to, Curve& curve) const {
        const Node &a = nodes_[size_t(from)], &b = nodes_[size_t(to)];
        const Curve direct = rules_.motion ? reeds_shepp(a.pose, b.pose, rules_.radius) : dubins(a.pose, b.pose, rules_.radius);
        double cost;
        if (direct.length >= b.cost - a.cost || !try_curve(a, direct, cost) || cost >= b.cost - a.cost) return false;
        curve = direct;
        return true;
    }
    size_t key(const Pose& pose) const {
        int h = int(std::floor(pose.yaw / (2 * M_PI) * kHeadings + 0.5)) % kHeadings;
        if (h < 0) h += kHeadings;
        const auto r = size_t(std::floor(pose.y)), c = size_t(std::floor(pose.x));
        return (r * size_t(room_.cols) + c) * kHeadings + size_t(h);
    }
    bool inside(const Pose& pose) const { return pose.x >= 0 && pose.y >= 0 && pose.x < room_.cols && pose.y < room_.rows; }

    double estimate(const Pose& pose) const {
        const double flat = distance_.at(pose);
        if (rules_.in_place || std::hypot(pose.x - goal_.x, pose.y - goal_.y) > 3 * rules_.radius)
            return rules_.eagerness * flat;
        return rules_.eagerness * std::max(flat, curve_to_goal(pose).length);
    }
    Curve curve_to_goal(const Pose& pose) const {
        return rules_.motion ? reeds_shepp(pose, goal_, rules_.radius) : dubins(pose, goal_, rules_.radius);
    }
    void push(int32_t node) { open_.push({nodes_[size_t(node)].cost + estimate(nodes_[size_t(node)].pose), node}); }

    double cost_of(const Piece& piece, int sense) const {
        if (piece.radians != 0) return rules_.turn_cost * std::fabs(piece.radians);
        const double turned = sense * piece.length < 0 ? rules_.switch_cost : 0;
        return std::fabs(piece.length) * (piece.length < 0 ? rules_.reverse_factor : 1) + turned;
    }
    static int sense_after(const Piece& piece, int sense) { return piece.length > 0 ? 1 : piece.length < 0 ? -1 : sense; }

    bool clear(const Pose& from, const Piece& piece) const {
        const double turned = piece.radians != 0 ? std::fabs(piece.radians) : std::fabs(piece.length * piece.curvature);
        const double travel = (piece.radians != 0 ? 0 : std::fabs(piece.length)) + rules_.reach * turned;
        const int steps = std::max(1, int(std::ceil(travel / rules_.spacing)));
        for (int i = 1; i <= steps; i++)
            if (!room_.free_at(along(from, piece, double(i) / steps), rules_.margin)) return false;
        return true;
    }
    // Whether the curve is clear, and what it costs from a node on.
    bool try_curve(const Node& node, const Curve& curve, double& cost) const {
        Pose pose = node.pose;
        int sense = node.sense;
        cost = 0;
        for (int i = 0; i < curve.pieces; i++) {
            if (!clear(pose, curve.piece[i])) return false;
            cost += cost_of(curve.piece[i], sense);
            sense = sense_after(curve.piece[i], sense), pose = along(pose, curve.piece[i], 1);
        }
        return true;
    }
    void offer(int32_t at, const Curve& curve) {
        double cost;
        if (!try_curve(nodes_[size_t(at)], curve, cost)) return;
        const auto node = int32_t(nodes_.size());
        nodes_.push_back({goal_, nodes_[size_t(at)].cost + cost, at, 0, false, {}});
        curves_.emplace(node, curve);
        open_.push({nodes_.back().cost, node});
    }
    // Far from the goal curves seldom are clear, so they are tried less often there.
    void shoot(int32_t at, int count) {
        const Pose& pose = nodes_[size_t(at)].pose;
        const int every = 1 + int(distance_.at(pose) / (4 * rules_.radius + 10));
        if (count % every) return;
        offer(at, curve_to_goal(pose));
        if (rules_.in_place)
            for (int sense = 1; sense >= (rules_.motion ? -1 : 1); sense -= 2) offer(at, turn_drive_turn(pose, sense));
    }
    Curve turn_drive_turn(const Pose& from, int sense) const {
        const double far = std::hypot(goal_.x - from.x, goal_.y - from.y);
        const double way = far < 1e-9 ? goal_.yaw : std::atan2(sense * (goal_.y - from.y), sense * (goal_.x - from.x));
        Curve curve;
        const Piece pieces[] = {{0, 0, wrapped(way - from.yaw)}, {0, sense * far, 0}, {0, 0, wrapped(goal_.yaw - way)}};
        for (const Piece& piece : pieces)
            if (piece.length != 0 || piece.radians != 0) curve.piece[curve.pieces++] = piece;
        curve.length = far;
        return curve;
    }
    void expand(int32_t at) {
        for (int steer = -2; steer <= 2; steer++) {
            const double curvature = steer / (2 * rules_.radius);
            step(at, {curvature, rules_.step, 0});
            if (rules_.motion) step(at, {curvature, -rules_.step, 0});
        }
        if (!rules_.in_place) return;
        step(at, {0, 0, 2 * M_PI / kHeadings}), step(at, {0, 0, -2 * M_PI / kHeadings});
    }
    void step(int32_t at, const Piece& piece) {
        const Node from = nodes_[size_t(at)];
        const Pose pose = along(from.pose, piece, 1);
        if (!inside(pose) || !distance_.reaches(pose)) return;
        const double cost = from.cost + cost_of(piece, from.sense);
        int32_t& kept = kept_[key(pose)];
        if (kept > 0 && (nodes_[size_t(kept - 1)].closed || nodes_[size_t(kept - 1)].cost <= cost)) return;
        if (!clear(from.pose, piece)) return;
        nodes_.push_back({pose, cost, at, int8_t(sense_after(piece, from.sense)), false, piece});
        kept = int32_t(nodes_.size());
        push(kept - 1);
    }
};

}  // namespace
}  // namespace premotor

// Lengths in cells. rule: the numbers of Rules; pieces: `most` of curvature, signed length, turn on the spot. Returns how
// many lead to the goal, or why none do: -1 no way, -2 out of time, -3 cancelled, -4 more than `most`.
extern "C" int premotor_se2_search(int rows, int cols, const uint8_t* occupied, int headings, const uint8_t* fits,
                                   int corners, const double* corner, const double* rule, int motion, int in_place,
                                   const double* start, const double* goal, int64_t left_ns, const uint8_t* mark, int most,
                                   double* pieces, int64_t* looked_at) {
    using namespace premotor;
    const Room room{rows, cols, occupied, headings, fits, corners, corner};
    const Rules rules{rule[0], rule[1], rule[2], rule[3], rule[4], rule[5], rule[6], rule[7], rule[8], rule[9], motion, in_place};
    const Clock clock{left_ns, mark};
    Search search(room, rules, {goal[0], goal[1], goal[2]});
    const int found = search.run({start[0], start[1], start[2]}, clock);
    *looked_at = search.looked_at();
    return found < 0 ? found : search.pieces_to(found, clock, most, pieces);
}
