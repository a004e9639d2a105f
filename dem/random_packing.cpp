#include "dem/random_packing.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "dem/random.hpp"
#include "dem/room.hpp"
#include "dem/shapes.hpp"

namespace scree {

namespace {

constexpr double kFullTurn = 2.0 * std::numbers::pi;
constexpr double kClearance = 1.0 + 1e-4;  // grains are packed so much larger

/// Things in square cells, each in that of its centre. None reaches farther from it than half a cell.
class Cells {
 public:
  Cells(const PackingSpace& space, double width, std::size_t most) : lo_(space.lo), periodic_(space.periodic) {
    const Vec2 extent = space.hi - space.lo;
    for (const int axis : {0, 1}) {
      const double fit = std::floor(extent[axis] / width);
      const double bound = std::max(1.0, std::sqrt(static_cast<double>(most)) * 4.0);
      count_[static_cast<std::size_t>(axis)] = static_cast<int>(std::clamp(fit, 1.0, bound));
      width_[axis] = extent[axis] / count_[static_cast<std::size_t>(axis)];
    }
    cells_.resize(static_cast<std::size_t>(count_[0]) * static_cast<std::size_t>(count_[1]));
  }

  void add(std::uint32_t thing, const Vec2& at) { cells_[cell(at)].push_back(thing); }
  void move(std::uint32_t thing, const Vec2& from, const Vec2& to) {
    const std::size_t old = cell(from);
    const std::size_t now = cell(to);
    if (old == now) return;
    std::erase(cells_[old], thing);
    cells_[now].push_back(thing);
  }

  /// Whether a condition holds for all things in the cell of a point and the eight around it.
  template <class Condition>
  bool all_near(const Vec2& at, const Condition& condition) const {
    const std::array<int, 2> middle = {along(at, 0), along(at, 1)};
    std::array<std::array<int, 3>, 2> indices{};
    std::array<int, 2> number{};
    for (const std::size_t axis : {0, 1}) {
      for (int step = -1; step <= 1; ++step) {
        int k = middle[axis] + step;
        if (periodic_[axis]) k = (k + count_[axis]) % count_[axis];
        if (k < 0 || k >= count_[axis]) continue;
        auto* end = indices[axis].data() + number[axis];
        if (std::find(indices[axis].data(), end, k) == end) indices[axis][static_cast<std::size_t>(number[axis]++)] = k;
      }
    }
    for (int y = 0; y < number[1]; ++y) {
      for (int x = 0; x < number[0]; ++x) {
        const auto row = static_cast<std::size_t>(indices[1][static_cast<std::size_t>(y)]);
        const auto column = static_cast<std::size_t>(indices[0][static_cast<std::size_t>(x)]);
        for (const std::uint32_t thing : cells_[row * static_cast<std::size_t>(count_[0]) + column]) {
          if (!condition(thing)) return false;
        }
      }
    }
    return true;
  }

 private:
  int along(const Vec2& at, int axis) const {
    const int last = count_[static_cast<std::size_t>(axis)] - 1;
    return static_cast<int>(std::clamp((at[axis] - lo_[axis]) / width_[axis], 0.0, static_cast<double>(last)));
  }
  std::size_t cell(const Vec2& at) const {
    return static_cast<std::size_t>(along(at, 1)) * static_cast<std::size_t>(count_[0]) +
           static_cast<std::size_t>(along(at, 0));
  }

  Vec2 lo_;
  std::array<bool, 2> periodic_;
  std::array<int, 2> count_{};
  Vec2 width_ = Vec2::Zero();
  std::vector<std::vector<std::uint32_t>> cells_;
};

double distance_to_line(const Vec2& point, const Vec2& a, const Vec2& b) {
  const Vec2 way = b - a;
  const double part = std::clamp(way.dot(point - a) / way.squaredNorm(), 0.0, 1.0);
  return (point - (a + part * way)).norm();
}

double greatest_radius(std::span<const GrainShape> grains) {
  double radius = 0.0;
  for (const GrainShape& grain : grains) radius = std::max(radius, grain.bounding_radius);
  return radius * kClearance;
}

class Packer {
 public:
  Packer(std::span<const GrainShape> grains, const PackingSpace& space, Random random)
      : grains_(grains),
        space_(space),
        random_(random),
        cells_(space, 2.0 * greatest_radius(grains), grains.size() + 1) {
    packed_.places.resize(grains.size());
  }

  RandomPacking pack() {
    double area = 0.0;
    for (const GrainShape& grain : grains_) area += grain.area;
    const double fraction = area / (space_.hi - space_.lo).prod();
    for (const double at_first : {0.35, 0.2, 0.1, 0.03}) {
      if (put_all(std::min(1.0, std::sqrt(at_first / fraction)))) break;
    }
    if (is_put_) grow_all();
    for (std::size_t i = 0; i < grains_.size(); ++i) {
      packed_.placed += is_put_ && scale_[i] >= 1.0 ? 1 : 0;
      if (is_put_) packed_.packing_fraction += scale_[i] * scale_[i] * grains_[i].area;
    }
    packed_.packing_fraction /= (space_.hi - space_.lo).prod();
    return std::move(packed_);
  }

 private:
  using Place = RandomPacking::Place;

  /// Whether a condition holds for all convex parts of a grain at a scale: condition(shape, pose).
  /// @param outline for their corners
  template <class Condition>
  bool all_parts(std::size_t i, double scale, const Pose& pose, std::vector<Vec2>& outline,
                 const Condition& condition) const {
    const double factor = scale * kClearance;
    const auto holds = [&](const ShapeView& shape, const Vec2& arm) {
      outline.clear();
      for (const Vec2& corner : shape.outline) outline.emplace_back(factor * corner);
      return condition(ShapeView{outline, factor * shape.radius}, Pose{pose * (factor * arm), pose.rotation});
    };
    if (!grains_[i].is_clump()) return holds(grains_[i].view(), Vec2::Zero());
    return std::ranges::all_of(grains_[i].parts, [&](const GrainPart& part) { return holds(part.view(), part.arm); });
  }
  double reach_of(std::size_t i, double scale) const { return scale * kClearance * grains_[i].bounding_radius; }

  Vec2 shortest(Vec2 way) const {
    for (const int axis : {0, 1}) {
      if (space_.periodic[static_cast<std::size_t>(axis)]) {
        way[axis] = std::remainder(way[axis], space_.hi[axis] - space_.lo[axis]);
      }
    }
    return way;
  }

  bool is_inside(const ShapeView& shape, const Pose& pose) const {
    Extremes extremes{};
    const Aabb2 box = bounds(shape, pose, extremes);
    for (const int axis : {0, 1}) {
      if (space_.periodic[static_cast<std::size_t>(axis)]) continue;
      if (box.lo[axis] < space_.lo[axis] || box.hi[axis] > space_.hi[axis]) return false;
    }
    return true;
  }

  bool is_free(std::size_t i, const Place& at, double scale) {
    const Pose pose{at.position, Rotation::by(at.angle)};
    const bool fits = all_parts(i, scale, pose, outline_,
                                [&](const ShapeView& shape, const Pose& there) { return is_inside(shape, there); });
    if (!fits) return false;
    const bool free_of_grains = cells_.all_near(at.position, [&](std::uint32_t j) {
      if (j == i) return true;
      const Place& other = packed_.places[j];
      const Vec2 way = shortest(other.position - at.position);
      const double reach = reach_of(i, scale) + reach_of(j, scale_[j]);
      if (way.squaredNorm() >= reach * reach) return true;
      if (grains_[i].outline.empty() && grains_[j].outline.empty()) return false;
      const Pose other_pose{way, Rotation::by(other.angle)};
      return all_parts(i, scale, {Vec2::Zero(), pose.rotation}, outline_, [&](const ShapeView& a, const Pose& at_a) {
        return all_parts(j, scale_[j], other_pose, other_outline_,
                         [&](const ShapeView& b, const Pose& at_b) { return !overlap_anywhere(a, at_a, b, at_b); });
      });
    });
    if (!free_of_grains) return false;
    return all_parts(i, scale, pose, outline_, [&](const ShapeView& shape, const Pose& there) {
      return std::ranges::none_of(space_.obstacles,
                                  [&](const PackingSpace::Obstacle& one) { return meets(shape, there, one); });
    });
  }

  Vec2 wrapped(Vec2 position) const {
    for (const int axis : {0, 1}) {
      if (!space_.periodic[static_cast<std::size_t>(axis)]) continue;
      const double period = space_.hi[axis] - space_.lo[axis];
      position[axis] -= period * std::floor((position[axis] - space_.lo[axis]) / period);
      position[axis] = std::clamp(position[axis], space_.lo[axis], space_.hi[axis]);
    }
    return position;
  }

  /// One after another, the largest first, all at one scale. @return whether all are there
  bool put_all(double scale) {
    constexpr int kAttempts = 1000;
    cells_ = Cells(space_, 2.0 * greatest_radius(grains_), grains_.size() + 1);
    scale_.assign(grains_.size(), scale);
    std::vector<std::size_t> order(grains_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return grains_[i].area; });
    for (const std::size_t i : order) {
      bool is_there = false;
      for (int attempt = 0; attempt < kAttempts && !is_there; ++attempt) {
        Place at;
        at.position.x() = random_.uniform(space_.lo.x(), space_.hi.x());
        at.position.y() = random_.uniform(space_.lo.y(), space_.hi.y());
        at.angle = random_.uniform(0.0, kFullTurn);
        if (!is_free(i, at, scale)) continue;
        packed_.places[i] = at;
        cells_.add(static_cast<std::uint32_t>(i), at.position);
        is_there = true;
      }
      if (!is_there) return false;
    }
    return is_put_ = true;
  }

  void grow_all() {
    constexpr int kMostSweeps = 4000;
    constexpr std::size_t kMostMoves = 20'000'000;
    constexpr double kGoal = 0.4;  // share of moves that find room
    growth_.assign(grains_.size(), 0.05);
    double step = 0.5;  // in radii
    std::size_t moves = 0;
    for (int sweep = 0; sweep < kMostSweeps && moves < kMostMoves; ++sweep) {
      if (std::ranges::all_of(scale_, [](double scale) { return scale >= 1.0; })) return;
      std::size_t found = 0;
      for (std::size_t i = 0; i < grains_.size(); ++i) {
        found += move(i, step) ? 1 : 0;
        if (scale_[i] < 1.0) grow(i);
      }
      moves += grains_.size();
      const bool often = static_cast<double>(found) > kGoal * static_cast<double>(grains_.size());
      step = std::clamp(step * (often ? 1.1 : 1.0 / 1.1), 1e-4, 2.0);
    }
  }

  bool move(std::size_t i, double step) {
    const double radius = scale_[i] * grains_[i].bounding_radius;
    Place to = packed_.places[i];
    const double x = random_.uniform(-step, step) * radius;
    const double y = random_.uniform(-step, step) * radius;
    to.position = wrapped(to.position + Vec2(x, y));
    to.angle += random_.uniform(-step, step);
    to.angle -= kFullTurn * std::floor(to.angle / kFullTurn);
    if (!is_free(i, to, scale_[i])) return false;
    cells_.move(static_cast<std::uint32_t>(i), packed_.places[i].position, to.position);
    packed_.places[i] = to;
    return true;
  }

  void grow(std::size_t i) {
    const double scale = std::min(1.0, scale_[i] * (1.0 + growth_[i]));
    const bool has_room = is_free(i, packed_.places[i], scale);
    if (has_room) scale_[i] = scale;
    growth_[i] = std::clamp(growth_[i] * (has_room ? 1.5 : 0.5), 1e-5, 0.2);
  }

  std::span<const GrainShape> grains_;
  const PackingSpace& space_;
  Random random_;
  Cells cells_;
  std::vector<double> scale_ = {};
  std::vector<double> growth_ = {};
  std::vector<Vec2> outline_ = {};
  std::vector<Vec2> other_outline_ = {};
  bool is_put_ = false;
  RandomPacking packed_ = {};
};

}  // namespace

bool meets(const ShapeView& shape, const Pose& pose, const PackingSpace::Obstacle& obstacle) {
  const Vec2 way = obstacle.centre - pose.position;
  const double reach = shape.radius + obstacle.radius;
  if (way.squaredNorm() >= reach * reach) return false;
  if (obstacle.outline.size() == 2) {  // in hard mode, of disks
    return distance_to_line(pose.position, obstacle.outline[0], obstacle.outline[1]) < shape.radius;
  }
  std::vector<Vec2> outline;
  for (const Vec2& corner : obstacle.outline) outline.emplace_back(corner - obstacle.centre);
  return overlap_anywhere(shape, pose, {outline, obstacle.radius}, {obstacle.centre, {}});
}

RandomPacking pack_at_random(std::span<const GrainShape> grains, const PackingSpace& space, std::uint64_t seed,
                             std::uint32_t stream) {
  if (grains.empty()) return {};
  return Packer(grains, space, Random(seed, stream, 0)).pack();
}

}  // namespace scree
