#pragma once

#include "dem/soft/lanes/groups.hpp"
#include "geometry/wide_math.hpp"

/// Kernels of the integrator and of the placement, for any width. Included by the files of one width only.
namespace scree::soft::lanes {

/// W numbers of each derivative; see Gear::predict.
template <int W, int Values>
SCREE_WIDE void predict_numbers(double* const (&of)[Values], const Number<W> (&factor)[Values], std::size_t at) {
  Number<W> d[Values];
  for (int k = 0; k < Values; ++k) d[k] = Number<W>::load(of[k] + at);
  // Taylor by Horner, from the lowest derivative up, each using the unpredicted higher ones.
  for (int k = 0; k + 1 < Values; ++k) {
    Number<W> sum = d[Values - 1];
    for (int j = Values - 1; j > k; --j) sum = d[j - 1] + sum * factor[j - k];
    d[k] = sum;
  }
  for (int k = 0; k + 1 < Values; ++k) d[k].store(of[k] + at);
}

/// Calls act(pointers to the derivatives, factors, at) for numbers [begin, end), W at once, the last ones one by one.
/// Both are in registers: what is stored might be these otherwise.
template <int W, int Values, class Act>
SCREE_WIDE void for_all_numbers(const Derivatives& derivatives, const double* factor, std::size_t begin,
                                std::size_t end, const Act& act) {
  double* of[Values];
  Number<W> factors[Values];
  Number<1> factors_of_one[Values];
  for (int k = 0; k < Values; ++k) {
    of[k] = derivatives.of[k];
    factors[k] = factor[k];
    factors_of_one[k] = factor[k];
  }
  std::size_t at = begin;
  for (; at + W <= end; at += W) act(of, factors, at);
  for (; at < end; ++at) act(of, factors_of_one, at);
}

template <int W, int Values>
void predict(const Derivatives& derivatives, const double* factor, std::size_t begin, std::size_t end) {
  for_all_numbers<W, Values>(
      derivatives, factor, begin, end,
      [](const auto& of, const auto& factors, std::size_t at)
          __attribute__((always_inline)) { predict_numbers(of, factors, at); });
}

/// W numbers of each derivative; see Gear::correct.
template <int W, int Values>
SCREE_WIDE void correct_numbers(double* const (&of)[Values], const Number<W> (&correction)[Values],
                                const double* acceleration, std::size_t at) {
  using N = Number<W>;
  const N now = N::load(acceleration);
  const N difference = now - N::load(of[2] + at);
  for (int k = 0; k < 2; ++k) (N::load(of[k] + at) + correction[k] * difference).store(of[k] + at);
  now.store(of[2] + at);
  for (int k = 3; k < Values; ++k) {
    // In free flight the higher derivatives die out, and would stay at subnormal numbers, which are slow.
    constexpr double kNothing = 1e-250;
    const N corrected = N::load(of[k] + at) + correction[k] * difference;
    select(less(N(kNothing), magnitude(corrected)), corrected, N(0.0)).store(of[k] + at);
  }
}

template <int W, int Values>
void correct(const Derivatives& derivatives, const double* correction, const double* acceleration, std::size_t begin,
             std::size_t end) {
  for_all_numbers<W, Values>(
      derivatives, correction, begin,
      end, [&](const auto& of, const auto& factors, std::size_t at) __attribute__((always_inline)) {
        correct_numbers(of, factors, acceleration + (at - begin), at);
      });
}

/// The greatest low corner of boxes, and the least high one, in each lane.
template <int W>
struct Reach {
  Vector<W> low = {Number<W>(-__builtin_huge_val()), Number<W>(-__builtin_huge_val())};
  Vector<W> high = {Number<W>(__builtin_huge_val()), Number<W>(__builtin_huge_val())};

  SCREE_WIDE void include(const Vector<W>& low_corner, const Vector<W>& high_corner) {
    low = greater(low_corner, low);
    high = lesser(high_corner, high);
  }
  SCREE_WIDE void add_to(double* reach) const {
    const Number<W>* const of_lanes[] = {&low.x, &low.y, &high.x, &high.y};
    for (int k = 0; k < 4; ++k) {
      double number[W];
      of_lanes[k]->store(number);
      for (int lane = 0; lane < W; ++lane) {
        const bool is_further = k < 2 ? number[lane] > reach[k] : number[lane] < reach[k];
        if (is_further) reach[k] = number[lane];
      }
    }
  }
};

/// Rotations of bodies and boxes around them. A polygon with fewer vertices than the others goes on with its first
/// ones, which follow its last one, or stays there if the others have many more.
template <int W>
void place(const BodiesIn& bodies, const Range& range, double* rotation, double* box, double* reach) {
  using V = Vector<W>;
  Reach<W> all;
  for_each_group<W>(
      range, [&](const auto& group) __attribute__((always_inline)) {
        const auto motion = group.template records<3>(bodies.position);
        const double* vertices[W];
        std::uint32_t last[W];
        std::uint32_t most = 0;
        std::uint32_t least = 0xffffffff;
        for (int lane = 0; lane < W; ++lane) {
          vertices[lane] = outline(bodies, group[lane]);
          last[lane] = bodies.size[group[lane]] - 1;
          most = last[lane] > most ? last[lane] : most;
          least = last[lane] < least ? last[lane] : least;
        }
        Rotations<W> turn;
        sincos(one_at<W>(motion, 2), turn.sin, turn.cos);
        V low = turn * load_two<W>(vertices);
        V high = low;
        const auto include = [&](const double* const(&from)[W]) __attribute__((always_inline)) {
          const V corner = turn * load_two<W>(from);
          low = lesser(corner, low);
          high = greater(corner, high);
        };
        const double* from[W];
        if (most - least <= 3) [[likely]] {
          for (std::uint32_t i = 1; i <= most; ++i) {
            for (int lane = 0; lane < W; ++lane) from[lane] = vertices[lane] + 2 * std::size_t{i};
            include(from);
          }
        } else {
          for (std::uint32_t i = 1; i <= most; ++i) {
            for (int lane = 0; lane < W; ++lane) {
              from[lane] = vertices[lane] + 2 * std::size_t{i < last[lane] ? i : last[lane]};
            }
            include(from);
          }
        }
        const V position = two_at<W>(motion, 0);
        const auto corners = group.template records<4>(box);
        put_at<W>(group.template records<2>(rotation), 0, V{turn.cos, turn.sin});
        low = low + position;
        high = high + position;
        put_at<W>(corners, 0, low);
        put_at<W>(corners, 2, high);
        all.include(low, high);
      });
  all.add_to(reach);
}

/// A vertex that was outermost still is if both its neighbours are less far out: outlines are convex.
template <int W>
void place_by_extremes(const BodiesIn& bodies, const Range& range, const std::uint32_t* extremes, double* rotation,
                       double* box, double* reach, Found& lost) {
  using N = Number<W>;
  using V = Vector<W>;
  Reach<W> all;
  for_each_group<W>(
      range, [&](const auto& group) __attribute__((always_inline)) {
        const auto motion = group.template records<3>(bodies.position);
        Rotations<W> turn;
        sincos(one_at<W>(motion, 2), turn.sin, turn.cos);
        put_at<W>(group.template records<2>(rotation), 0, V{turn.cos, turn.sin});
        V low;
        V high;
        Mask<W> hold = less(N(0.0), N(1.0));
        const auto go_out = [&](int side, N& outermost) __attribute__((always_inline)) {
          const double* from[3][W];
          for (int lane = 0; lane < W; ++lane) {
            const std::uint32_t body = group[lane];
            const std::uint32_t vertex = extremes[4 * std::size_t{body} + static_cast<std::size_t>(side)];
            const std::uint32_t before = (vertex == 0 ? bodies.size[body] : vertex) - 1;
            for (int i = 0; i < 3; ++i) from[i][lane] = outline(bodies, body) + 2 * (std::size_t{before} + i);
          }
          N out[3];
          for (int i = 0; i < 3; ++i) {
            const V corner = turn * load_two<W>(from[i]);
            out[i] = side % 2 == 0 ? corner.x : corner.y;
          }
          outermost = out[1];
          hold = hold &
                 (side < 2 ? less(out[0], out[1]) & less(out[2], out[1]) : less(out[1], out[0]) & less(out[1], out[2]));
        };
        go_out(0, high.x);
        go_out(1, high.y);
        go_out(2, low.x);
        go_out(3, low.y);
        const V position = two_at<W>(motion, 0);
        low = low + position;
        high = high + position;
        const N far = __builtin_huge_val();
        all.include({select(hold, low.x, -far), select(hold, low.y, -far)},
                    {select(hold, high.x, far), select(hold, high.y, far)});
        double unused[4];
        double* corners[W];
        for (int lane = 0; lane < W; ++lane) {
          const bool holds = (hold.bits() >> lane & 1U) != 0;
          corners[lane] = holds ? box + 4 * std::size_t{group[lane]} : unused;
          if (!holds && lane < group.used) lost.at[lost.count++] = group[lane];
        }
        put_at<W>(corners, 0, low);
        put_at<W>(corners, 2, high);
      });
  all.add_to(reach);
}

/// Boxes of disks, see bounds().
template <int W>
void place_disks(const BodiesIn& bodies, const Range& range, double* /*rotation*/, double* box, double* reach) {
  const double* position = bodies.position + 3 * std::size_t{range.begin};
  const double* radius = bodies.bounding_radius + range.begin;
  const double* const last = bodies.bounding_radius + range.end;
  box += 4 * std::size_t{range.begin};
#ifdef __AVX2__
  if constexpr (W >= 4) {
    constexpr std::uint32_t kAtOnce = 4;
    // Two of each, or one body waited for the one before.
    __m256d most[] = {_mm256_set1_pd(-__builtin_huge_val()), _mm256_set1_pd(-__builtin_huge_val())};
    __m256d least[] = {_mm256_set1_pd(__builtin_huge_val()), _mm256_set1_pd(__builtin_huge_val())};
    const auto place_one = [&](std::uint32_t k) __attribute__((always_inline)) {
      const __m256d both = _mm256_broadcast_pd(reinterpret_cast<const __m128d*>(position + 3 * k));
      const __m256d out = _mm256_xor_pd(_mm256_set1_pd(radius[k]), _mm256_setr_pd(-0.0, -0.0, 0.0, 0.0));
      const __m256d corners = _mm256_add_pd(both, out);
      most[k % 2] = _mm256_max_pd(corners, most[k % 2]);
      least[k % 2] = _mm256_min_pd(corners, least[k % 2]);
      _mm256_storeu_pd(box + 4 * k, corners);
    };
    for (; radius + kAtOnce <= last; radius += kAtOnce, position += 3 * kAtOnce, box += 4 * kAtOnce) {
      for (std::uint32_t k = 0; k < kAtOnce; ++k) place_one(k);
    }
    for (std::uint32_t k = 0; radius + k < last; ++k) place_one(k);
    const __m256d so_far = _mm256_loadu_pd(reach);
    const __m256d low = _mm256_max_pd(_mm256_max_pd(most[0], most[1]), so_far);
    const __m256d high = _mm256_min_pd(_mm256_min_pd(least[0], least[1]), so_far);
    _mm256_storeu_pd(reach, _mm256_blend_pd(low, high, 0b1100));
    return;
  }
#endif
  Reach<1> all;
  for (; radius < last; ++radius, position += 3, box += 4) {
    for (int axis = 0; axis < 2; ++axis) {
      box[axis] = position[axis] - *radius;
      box[2 + axis] = position[axis] + *radius;
    }
    all.include({box[0], box[1]}, {box[2], box[3]});
  }
  all.add_to(reach);
}

/// On a the opposite of the force on b, and each its torque. @param sum_b unused if b is a wall
template <int W, bool kIsAtWall>
SCREE_WIDE void add_force(const double* on_b, double* sum_a, double* sum_b) {
#ifdef __AVX2__
  if constexpr (W >= 4) {
    const __m256d force = _mm256_loadu_pd(on_b);  // x, y, torque on a, torque on b
    const __m256d opposite = _mm256_xor_pd(force, _mm256_setr_pd(-0.0, -0.0, 0.0, 0.0));
    _mm256_storeu_pd(sum_a, _mm256_add_pd(_mm256_loadu_pd(sum_a), opposite));
    if constexpr (!kIsAtWall)
      _mm256_storeu_pd(sum_b, _mm256_add_pd(_mm256_loadu_pd(sum_b), _mm256_permute_pd(force, 0b0110)));
    return;
  }
#endif
  for (int k = 0; k < 2; ++k) sum_a[k] -= on_b[k];
  sum_a[2] += on_b[2];
  if constexpr (kIsAtWall) return;
  for (int k = 0; k < 2; ++k) sum_b[k] += on_b[k];
  sum_b[2] += on_b[3];
}

/// Contacts are in the order of (a, b): so to each body come first the forces on it as b, then those on it as a.
template <int W>
void add_up(const CandidatesIn& candidates, const std::uint32_t* candidate, std::uint32_t count, const double* force,
            const Range& at_walls, double* sum) {
  constexpr std::size_t kNumbers = 4;
  const auto sum_of = [&](std::uint32_t body) __attribute__((always_inline)) {
    return sum + 4 * std::size_t{body};
  };
  const std::uint32_t* const bodies = candidates.bodies;
  const auto bodies_of = [&](std::uint32_t k) __attribute__((always_inline)) {
    return bodies + 2 * std::size_t{candidate[k]};
  };
  for (std::uint32_t wall = at_walls.begin; wall < at_walls.end; ++wall) {
    const std::uint32_t k = at_walls.list[wall];
    add_force<W, true>(force + kNumbers * k, sum_of(bodies_of(k)[0]), nullptr);
  }
  std::uint32_t k = 0;
  for (std::uint32_t wall = at_walls.begin; wall <= at_walls.end; ++wall, ++k) {
    for (const std::uint32_t next = wall < at_walls.end ? at_walls.list[wall] : count; k < next; ++k) {
      add_force<W, false>(force + kNumbers * k, sum_of(bodies_of(k)[0]), sum_of(bodies_of(k)[1]));
    }
  }
}

/// Whether all of some successive bodies are certainly sound: every component of their velocities is so small that it
/// would do for the smallest of them. False means nothing.
template <int W>
SCREE_WIDE bool are_slow(const BodiesIn& bodies, std::uint32_t begin, std::uint32_t end, double dt, double way) {
  using N = Number<W>;
  N least = bodies.radius[begin];
  N most = least;
  std::uint32_t body = begin;
  for (; body + W <= end; body += W) {
    const N radius = N::load(bodies.radius + body);
    least = lesser(radius, least);
    most = greater(radius, most);
  }
  double least_of[W];
  double most_of[W];
  least.store(least_of);
  most.store(most_of);
  double smallest = least_of[0];
  double largest = most_of[0];
  for (int lane = 1; lane < W; ++lane) {
    smallest = least_of[lane] < smallest ? least_of[lane] : smallest;
    largest = most_of[lane] > largest ? most_of[lane] : largest;
  }
  for (; body < end; ++body) {
    smallest = bodies.radius[body] < smallest ? bodies.radius[body] : smallest;
    largest = bodies.radius[body] > largest ? bodies.radius[body] : largest;
  }
  // 0.3 for each of x, y and the rim are 0.73 of the way that there is: rounding errors do not matter.
  const double linear = 0.3 * (smallest - way) / dt;
  const double angular = linear / largest;
  // W bodies have three times W numbers: x, y, angle, x ...
  double limit[3 * W];
  for (int k = 0; k < 3 * W; ++k) limit[k] = k % 3 == 2 ? angular : linear;
  const N limits[3] = {N::load(limit), N::load(limit + W), N::load(limit + 2 * W)};
  const std::size_t last = 3 * std::size_t{end};
  std::size_t at = 3 * std::size_t{begin};
  // A position that is no number makes one of the sum that is none, too.
  Mask<W> slow = less(N(0.0), N(1.0));
  const double* velocity = bodies.velocity + at;
  const double* position = bodies.position + at;
  for (; at + 3 * W <= last; at += 3 * W, velocity += 3 * W, position += 3 * W) {
    for (int part = 0; part < 3; ++part) {
      const N sum = N::load(velocity + part * W) + N(0.0) * N::load(position + part * W);
      slow = slow & at_most(magnitude(sum), limits[part]);
    }
  }
  bool all = slow.bits() == kAllLanes<W>;
  for (int k = 0; at < last; ++at, k = k == 2 ? 0 : k + 1) {
    const double sum = bodies.velocity[at] + 0.0 * bodies.position[at];
    all = all && __builtin_fabs(sum) <= (k == 2 ? angular : linear);
  }
  return all;
}

template <int W>
bool are_sound(const BodiesIn& bodies, const Range& range, double dt, double way) {
  using N = Number<W>;
  if (range.list == nullptr && range.begin < range.end && are_slow<W>(bodies, range.begin, range.end, dt, way))
    return true;
  unsigned sound = kAllLanes<W>;
  for_each_group<W>(
      range, [&](const auto& group) __attribute__((always_inline)) {
        const auto position = group.template records<3>(bodies.position);
        const auto velocity = group.template records<3>(bodies.velocity);
        const N radius = one_at<W>(group.template records<1>(bodies.radius), 0);
        const Vector<W> at = two_at<W>(position, 0);
        const N any = at.x + at.y + one_at<W>(position, 2);
        const N travel = N(dt) * (length(two_at<W>(velocity, 0)) + radius * magnitude(one_at<W>(velocity, 2)));
        sound &= (at_most(travel + N(way), radius) & less(magnitude(any), N(__builtin_huge_val()))).bits();
      });
  return sound == kAllLanes<W>;
}

}  // namespace scree::soft::lanes
