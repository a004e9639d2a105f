#pragma once

#include "dem/soft/lanes/disks.hpp"
#include "dem/soft/lanes/fetch.hpp"
#include "dem/soft/lanes/power.hpp"

/// Kernels for blocks of plain contacts of disks, for any width. Included by the files of one width only. They
/// do the arithmetic of measure_only_disks(), compute_forces() and add_power(), and leave out what no plain contact has
/// and what follows from the rest.
namespace scree::soft::lanes {

/// Bodies of W contacts of a block, as they move.
template <int W>
struct Movers {
  Vector<W> linear;
  Number<W> angular;

  SCREE_WIDE Movers(const BodiesIn& bodies, const std::uint32_t* at) : linear(two(bodies.velocity, at)), angular(0.0) {
    const double* from[W];
    for (int lane = 0; lane < W; ++lane) from[lane] = motion_at(bodies.velocity, at[lane]) + 2;
    angular = load_one<W>(from);
  }
  /// @param at see DiskBlock::a
  static SCREE_WIDE Vector<W> two(const double* motions, const std::uint32_t* at) {
    const double* from[W];
    for (int lane = 0; lane < W; ++lane) from[lane] = motion_at(motions, at[lane]);
    return load_two<W>(from);
  }
  static SCREE_WIDE const double* motion_at(const double* motions, std::uint32_t at) {
    return reinterpret_cast<const double*>(reinterpret_cast<const char*>(motions) + at);
  }
};

/// @param at see DiskBlock::sum_a
SCREE_WIDE double* sum_of(double* sums, std::uint32_t at) {
  return reinterpret_cast<double*>(reinterpret_cast<char*>(sums) + at);
}

/// A number of the law of contacts: of that of all, or of each one's own. @param own by place in the block
template <int W, bool kOneLaw>
SCREE_WIDE Number<W> number_of_law(const Number<W>& of_all, const double* own, int at) {
  if constexpr (kOneLaw) return of_all;
  return Number<W>::load(own + at);
}

/// The law of W contacts.
template <int W>
struct PlainLaws {
  Number<W> stiffness;
  Number<W> tangential_stiffness;
  Number<W> friction;
  Number<W> dynamic_friction;
};

/// Forces of W contacts and their new histories, from their geometry. From where it is: see DiskBlock.
template <int W>
struct PlainPush {
  Number<W> pushed;
  Number<W> rubbed;
  Number<W> before;
  Number<W> displacement;
  Number<W> warmed;
  bool some_slide;  ///< without one none is warmed
  Number<W> ratio_before;
  Number<W> ratio_now;
  Number<W> ratio;
  Vector<W> on_b;
  Number<W> torque_a;
  Number<W> torque_b;

  /// @param from_b point of attack, from the centre of b  @param fresh a bit for each contact whose first step this is
  SCREE_WIDE PlainPush(const DiskBlock& block, int at, const PlainLaws<W>& law, const Number<W>& dt, unsigned fresh,
                       const Movers<W>& of_a, const Movers<W>& of_b, const Vector<W>& normal, const Number<W>& depth,
                       const Vector<W>& point, const Vector<W>& from_b) {
    using N = Number<W>;
    using V = Vector<W>;
    const N zero = 0.0;
    const N half = 0.5;
    const auto of = [&](const double* numbers) __attribute__((always_inline)) {
      return N::load(numbers + at);
    };
    const V tangent = perp(normal);
    const V relative = velocity_at(of_b.linear, of_b.angular, from_b) - velocity_at(of_a.linear, of_a.angular, point);
    const N speed = -dot(relative, normal);
    const N tangential_velocity = dot(relative, tangent);
    pushed = greater(zero, law.stiffness * depth + of(block.dashpot) * speed);
    before = of(block.displacement);
    ratio_before = of(block.depth_ratio);
    N increment = dt * (half * (of(block.tangential_velocity) + tangential_velocity));
    if (fresh != 0) [[unlikely]] {
      double flag[W];
      for (int lane = 0; lane < W; ++lane) flag[lane] = (fresh >> lane & 1U) != 0 ? 1.0 : 0.0;
      const N way = speed * dt;
      const N touched = select(less(depth, way), depth / speed, dt);
      increment = select(less(half, N::load(flag)), touched * tangential_velocity, increment);
    }
    const N dashpot = of(block.tangential_dashpot) * tangential_velocity;
    const N stretched = before + increment;
    const N spring = -law.tangential_stiffness * stretched;
    const N trial = spring - dashpot;
    const N coefficient = select(bit_is_set(ratio_before, 63), law.dynamic_friction, law.friction);
    ratio = depth / of(block.twice_smaller);
    ratio_now = greater(ratio, magnitude(ratio_before));
    some_slide = !all_stick(law, coefficient, pushed, spring, trial);
    displacement = stretched;
    rubbed = trial;
    N slid = zero;
    if (some_slide) [[unlikely]] {
      const Mask<W> sliding = at_most(coefficient * pushed, magnitude(trial));
      const N limit = select(sliding, law.dynamic_friction, law.friction) * pushed;
      const N longest = limit / law.tangential_stiffness;
      displacement = clamped(stretched, -longest, longest);
      rubbed = clamped(-law.tangential_stiffness * displacement - dashpot, -limit, limit);
      slid = stretched - displacement;
      ratio_now = select(sliding, -ratio_now, ratio_now);
    }
    warmed = half * law.tangential_stiffness * (before + displacement) * slid;
    on_b = pushed * normal + rubbed * tangent;
    torque_a = -cross(point, on_b);
    torque_b = cross(from_b, on_b);
  }

  SCREE_WIDE void store(DiskBlock& block, int at) const {
    displacement.store(block.displacement + at);
    ratio_now.store(block.depth_ratio + at);
    pushed.store(block.normal + at);
    rubbed.store(block.tangential + at);
    warmed.store(block.heat + at);
  }
};

/// Geometry of the contacts of a block, touching or not.
template <int W>
SCREE_WIDE void measure_block(const BodiesIn& bodies, const DiskBlocks& blocks, std::uint32_t g) {
  using N = Number<W>;
  DiskBlock& block = blocks.block[g];
  for (int at = 0; at < DiskBlock::kContacts; at += W) {
    Vector<W> branch = Movers<W>::two(bodies.position, block.b + at) - Movers<W>::two(bodies.position, block.a + at);
    if (blocks.shift != nullptr) {
      const double* const shift = blocks.shift + 2 * DiskBlock::kContacts * std::size_t{g} + at;
      branch = branch + Vector<W>{N::load(shift), N::load(shift + DiskBlock::kContacts)};
    }
    const N distance = length(branch);
    branch.x.store(block.branch_x + at);
    branch.y.store(block.branch_y + at);
    (branch.x / distance).store(block.normal_x + at);
    (branch.y / distance).store(block.normal_y + at);
    (N::load(block.sum_of_radii + at) - distance).store(block.depth + at);
  }
}

template <int W, bool kAddUp, bool kOneLaw>
void plain_forces(const BodiesIn& bodies, const PlainLaw& law, const DiskBlocks& blocks, std::uint32_t begin,
                  std::uint32_t end, double per_joule, WholeSum& heat, Found& odd) {
  using N = Number<W>;
  using V = Vector<W>;
  const N zero = 0.0;
  const N half = 0.5;
  const N dt = law.dt;
  const N stiffness_of_all = law.stiffness;
  const N tangential_stiffness_of_all = law.tangential_stiffness;
  const N per_quantum = per_joule;
  LaneSum<W> heats;
  std::uint64_t warm_groups = 0;
  // A block ahead: square root and divisions of one do not wait for the forces of another.
  if (begin < end) measure_block<W>(bodies, blocks, begin);
  for (std::uint32_t g = begin; g < end; ++g) {
    if (g + 1 < end) [[likely]]
      measure_block<W>(bodies, blocks, g + 1);
    fetch_block(blocks, g);
    fetch_bodies(bodies, blocks, g);
    DiskBlock& block = blocks.block[g];
    const BlockLaw* const own = kOneLaw ? nullptr : blocks.law + g;
    for (int at = 0; at < DiskBlock::kContacts; at += W) {
      const std::uint32_t* const a = block.a + at;
      const std::uint32_t* const b = block.b + at;
      const auto of = [&](const double* numbers) __attribute__((always_inline)) {
        return N::load(numbers + at);
      };
      const V branch = {of(block.branch_x), of(block.branch_y)};
      const V normal = {of(block.normal_x), of(block.normal_y)};
      const N depth = of(block.depth);
      const Movers<W> of_a(bodies, a);
      const Movers<W> of_b(bodies, b);
      const V point = (of(block.radius_a) - half * depth) * normal;
      const PlainLaws<W> laws = {
          number_of_law<W, kOneLaw>(stiffness_of_all, kOneLaw ? nullptr : own->stiffness, at),
          number_of_law<W, kOneLaw>(tangential_stiffness_of_all, kOneLaw ? nullptr : own->tangential_stiffness, at),
          number_of_law<W, kOneLaw>(N(law.friction), kOneLaw ? nullptr : own->friction, at),
          number_of_law<W, kOneLaw>(N(law.dynamic_friction), kOneLaw ? nullptr : own->dynamic_friction, at)};
      PlainPush<W> push(block, at, laws, dt, static_cast<unsigned>(blocks.fresh[g]) >> at & kAllLanes<W>, of_a, of_b,
                        normal, depth, point, point - branch);

      const Mask<W> touches = less(zero, depth);
      const unsigned certain = (touches & at_most(push.ratio, N(law.max_depth_ratio))).bits();
      if (const unsigned others = ~certain & kAllLanes<W>; others != 0) [[unlikely]] {
        const auto if_touching = [&](const N& x) __attribute__((always_inline)) {
          return select(touches, x, zero);
        };
        if_touching(normal.x).store(block.normal_x + at);
        if_touching(normal.y).store(block.normal_y + at);
        if_touching(depth).store(block.depth + at);
        push.pushed = if_touching(push.pushed);
        push.rubbed = if_touching(push.rubbed);
        push.warmed = if_touching(push.warmed);
        push.on_b = {if_touching(push.on_b.x), if_touching(push.on_b.y)};
        push.torque_a = if_touching(push.torque_a);
        push.torque_b = if_touching(push.torque_b);
        push.displacement = select(touches, push.displacement, push.before);
        push.ratio_now = select(touches, push.ratio_now, push.ratio_before);
        for (int lane = 0; lane < W; ++lane) {
          if ((others >> lane & 1U) != 0) {
            odd.at[odd.count++] = DiskBlock::kContacts * g + static_cast<std::uint32_t>(at + lane);
          }
        }
      }
      if (push.some_slide) [[unlikely]] {
        heats.add(push.warmed, per_quantum);
        ++warm_groups;
      }
      push.store(block, at);
      if constexpr (kAddUp) {
        double* to_a[W];
        double* to_b[W];
        for (int lane = 0; lane < W; ++lane) {
          to_a[lane] = sum_of(blocks.sum, block.sum_a[at + lane]);
          to_b[lane] = sum_of(blocks.sum, block.sum_b[at + lane]);
        }
        add_three<W>(push.on_b, push.torque_b, to_b);
        add_three<W>(-push.on_b, push.torque_a, to_a);
      } else {
        double* const force = blocks.force + 4 * DiskBlock::kContacts * std::size_t{g} + at;
        push.on_b.x.store(force);
        push.on_b.y.store(force + DiskBlock::kContacts);
        push.torque_a.store(force + 2 * DiskBlock::kContacts);
        push.torque_b.store(force + 3 * DiskBlock::kContacts);
      }
    }
  }
  heats.add_to(heat, warm_groups);
}

/// Sums of the powers of contacts in blocks.
template <int W>
struct PlainPowers {
  LaneSum<W> damping;
  LaneSum<W> friction;
  LaneSum<W> of_law;
  std::uint64_t cut_groups = 0;

  /// Of W contacts; their velocities go into their histories. @param point of attack, from the centre of a
  SCREE_WIDE void add(DiskBlock& block, int at, const Number<W>& stiffness, const Number<W>& tangential_stiffness,
                      const Movers<W>& of_a, const Movers<W>& of_b, const Vector<W>& normal, const Number<W>& depth,
                      const Vector<W>& point, const Number<W>& per_quantum) {
    using N = Number<W>;
    const N zero = 0.0;
    const Vector<W> branch = {N::load(block.branch_x + at), N::load(block.branch_y + at)};
    const Vector<W> relative =
        velocity_at(of_b.linear, of_b.angular, point - branch) - velocity_at(of_a.linear, of_a.angular, point);
    const N tangential_velocity = dot(relative, perp(normal));
    const N speed = dot(relative, normal);
    const N whole_spring = stiffness * depth;
    const N pushed = N::load(block.normal + at);
    const Mask<W> is_cut = equal(pushed, zero);
    const N spring = select(is_cut, zero, whole_spring);
    tangential_velocity.store(block.tangential_velocity + at);
    damping.add(spring * speed - pushed * speed, per_quantum);
    const N dashpot = N::load(block.tangential + at) + tangential_stiffness * N::load(block.displacement + at);
    // The spring of a contact that is over may be stretched still.
    friction.add(select(is_cut, zero, -(dashpot * tangential_velocity)), per_quantum);
    if (is_cut.bits() != 0) [[unlikely]] {
      of_law.add((whole_spring - spring) * speed, per_quantum);
      ++cut_groups;
    }
  }
  SCREE_WIDE void add_to(PowerSums& sums, std::uint64_t blocks) const {
    const std::uint64_t groups = blocks * (DiskBlock::kContacts / W);
    damping.add_to(sums.damping, groups);
    friction.add_to(sums.friction, groups);
    of_law.add_to(sums.law, cut_groups);
  }
};

template <int W, bool kOneLaw>
void plain_power(const BodiesIn& bodies, const PlainLaw& law, const DiskBlocks& blocks, std::uint32_t begin,
                 std::uint32_t end, double per_watt, PowerSums& result) {
  using N = Number<W>;
  using V = Vector<W>;
  const N half = 0.5;
  const N stiffness_of_all = law.stiffness;
  const N tangential_stiffness_of_all = law.tangential_stiffness;
  const N per_quantum = per_watt;
  PlainPowers<W> powers;
  for (std::uint32_t g = begin; g < end; ++g) {
    fetch_block(blocks, g);
    DiskBlock& block = blocks.block[g];
    const BlockLaw* const own = kOneLaw ? nullptr : blocks.law + g;
    for (int at = 0; at < DiskBlock::kContacts; at += W) {
      const auto of = [&](const double* numbers) __attribute__((always_inline)) {
        return N::load(numbers + at);
      };
      const V normal = {of(block.normal_x), of(block.normal_y)};
      const N depth = of(block.depth);
      powers.add(
          block, at, number_of_law<W, kOneLaw>(stiffness_of_all, kOneLaw ? nullptr : own->stiffness, at),
          number_of_law<W, kOneLaw>(tangential_stiffness_of_all, kOneLaw ? nullptr : own->tangential_stiffness, at),
          Movers<W>(bodies, block.a + at), Movers<W>(bodies, block.b + at), normal, depth,
          (of(block.radius_a) - half * depth) * normal, per_quantum);
    }
  }
  powers.add_to(result, end - begin);
}

// ------------------------------------------------------------------------------------------------- walls

template <int W>
bool measure_at_walls(const BodiesIn& bodies, const WallBlocks& blocks, std::uint32_t count, double max_depth_ratio) {
  using N = Number<W>;
  using V = Vector<W>;
  unsigned certain = kAllLanes<W>;
  for (std::uint32_t g = 0; g < count; ++g) {
    WallBlock& wall = blocks.block[g];
    DiskBlock& block = wall.contact;
    for (int at = 0; at < DiskBlock::kContacts; at += W) {
      PairsInLanes<W> pairs;
      std::uint32_t edge[W];
      for (int lane = 0; lane < W; ++lane) {
        pairs.a[lane] = block.sum_a[at + lane] / (4 * sizeof(double));
        pairs.b[lane] = block.sum_b[at + lane] / (4 * sizeof(double));
        edge[lane] = wall.edge[at + lane];
      }
      V branch = Movers<W>::two(bodies.position, block.b + at) - Movers<W>::two(bodies.position, block.a + at);
      if (blocks.shift != nullptr) {
        const double* const shift = blocks.shift + 2 * DiskBlock::kContacts * std::size_t{g} + at;
        branch = branch + V{N::load(shift), N::load(shift + DiskBlock::kContacts)};
      }
      const DiskAtEdge<W> here(bodies, pairs, edge, branch);
      certain &= here.touching & at_most(here.found.depth_ratio, N(max_depth_ratio)).bits();
      branch.x.store(block.branch_x + at);
      branch.y.store(block.branch_y + at);
      here.found.normal.x.store(block.normal_x + at);
      here.found.normal.y.store(block.normal_y + at);
      here.found.depth.store(block.depth + at);
      const V point = here.found.centroid + N(0.0) * perp(here.found.normal);  // an offset along the tangent
      point.x.store(wall.point_x + at);
      point.y.store(wall.point_y + at);
    }
  }
  return certain == kAllLanes<W>;
}

template <int W>
void forces_at_walls(const BodiesIn& bodies, const WallBlocks& blocks, std::uint32_t count, double dt, double per_joule,
                     WholeSum& heat) {
  using N = Number<W>;
  using V = Vector<W>;
  const N per_quantum = per_joule;
  LaneSum<W> heats;
  for (std::uint32_t g = 0; g < count; ++g) {
    WallBlock& wall = blocks.block[g];
    DiskBlock& block = wall.contact;
    const BlockLaw& own = blocks.law[g];
    for (int at = 0; at < DiskBlock::kContacts; at += W) {
      const auto of = [&](const double* numbers) __attribute__((always_inline)) {
        return N::load(numbers + at);
      };
      const V point = {of(wall.point_x), of(wall.point_y)};
      const V branch = {of(block.branch_x), of(block.branch_y)};
      const PlainPush<W> push(
          block, at, {of(own.stiffness), of(own.tangential_stiffness), of(own.friction), of(own.dynamic_friction)},
          N(dt), static_cast<unsigned>(blocks.fresh[g]) >> at & kAllLanes<W>, Movers<W>(bodies, block.a + at),
          Movers<W>(bodies, block.b + at), {of(block.normal_x), of(block.normal_y)}, of(block.depth), point,
          point - branch);
      heats.add(push.warmed, per_quantum);
      push.store(block, at);
      double* to_a[W];
      for (int lane = 0; lane < W; ++lane) to_a[lane] = sum_of(blocks.sum, block.sum_a[at + lane]);
      add_three<W>(-push.on_b, push.torque_a, to_a);
    }
  }
  heats.add_to(heat, std::uint64_t{count} * (DiskBlock::kContacts / W));
}

template <int W>
void power_at_walls(const BodiesIn& bodies, const WallBlocks& blocks, std::uint32_t count, double per_watt,
                    PowerSums& result) {
  using N = Number<W>;
  using V = Vector<W>;
  const N per_quantum = per_watt;
  const N zero = 0.0;
  PlainPowers<W> powers;
  LaneSum<W> work;
  std::uint64_t moving_groups = 0;
  for (std::uint32_t g = 0; g < count; ++g) {
    WallBlock& wall = blocks.block[g];
    DiskBlock& block = wall.contact;
    const BlockLaw& own = blocks.law[g];
    for (int at = 0; at < DiskBlock::kContacts; at += W) {
      const auto of = [&](const double* numbers) __attribute__((always_inline)) {
        return N::load(numbers + at);
      };
      const Movers<W> of_b(bodies, block.b + at);
      const V normal = {of(block.normal_x), of(block.normal_y)};
      const V point = {of(wall.point_x), of(wall.point_y)};
      powers.add(block, at, of(own.stiffness), of(own.tangential_stiffness), Movers<W>(bodies, block.a + at), of_b,
                 normal, of(block.depth), point, per_quantum);
      const Mask<W> stands = equal(of_b.linear.x, zero) & equal(of_b.linear.y, zero) & equal(of_b.angular, zero);
      if (stands.bits() == kAllLanes<W>) continue;
      const V on_b = of(block.normal) * normal + of(block.tangential) * perp(normal);
      const N torque = cross(point - V{of(block.branch_x), of(block.branch_y)}, on_b);
      work.add(zero - (on_b.x * of_b.linear.x + on_b.y * of_b.linear.y + torque * of_b.angular), per_quantum);
      ++moving_groups;
    }
  }
  powers.add_to(result, count);
  work.add_to(result.wall_work, moving_groups);
}

template <int W>
void plain_geometry(const BodiesIn& bodies, const DiskBlock* blocks, const std::uint32_t* contact, std::uint32_t begin,
                    std::uint32_t end, const GeometryOut& geometry, Found& uncertain) {
  for (std::uint32_t g = begin; g < end; ++g) {
    for (int at = 0; at < DiskBlock::kContacts; at += W) {
      PairsInLanes<W> pairs;
      unsigned used = 0;
      const std::uint32_t first = DiskBlock::kContacts * g + static_cast<std::uint32_t>(at);
      for (int lane = 0; lane < W; ++lane) {
        pairs.a[lane] = blocks[g].sum_a[at + lane] / (4 * sizeof(double));
        pairs.b[lane] = blocks[g].sum_b[at + lane] / (4 * sizeof(double));
        used |= static_cast<unsigned>(contact[first + static_cast<std::uint32_t>(lane)] != kNoContact) << lane;
      }
      const Vector<W> branch = {Number<W>::load(blocks[g].branch_x + at), Number<W>::load(blocks[g].branch_y + at)};
      DiskContacts<W> found(TwoDisks<W>(bodies, pairs, branch));
      found.certain &= used;
      GeometryRecords<W> records{};
      for (int lane = 0; lane < W; ++lane) {
        if ((used >> lane & 1U) == 0) continue;
        const std::uint32_t place = first + static_cast<std::uint32_t>(lane);
        records.set(lane, geometry, contact[place]);
        if ((found.certain >> lane & 1U) == 0) uncertain.at[uncertain.count++] = place;
      }
      found.put_certain(records);
    }
  }
}

template <int W>
void accelerate(double* sum, const double* inverse_mass, const double* inverse_inertia, const double* gravity,
                std::uint32_t begin, std::uint32_t end, double* acceleration) {
#ifdef __AVX2__
  if constexpr (W >= 4) {
    const __m256d of_gravity = _mm256_setr_pd(gravity[0], gravity[1], gravity[2], 0.0);
    for (std::uint32_t body = begin; body < end; ++body, acceleration += 3) {
      double* const force = sum + 4 * std::size_t{body};
      const __m256d per = _mm256_blend_pd(_mm256_set1_pd(inverse_mass[body]), _mm256_set1_pd(inverse_inertia[body]), 4);
      const __m256d all = _mm256_add_pd(of_gravity, _mm256_mul_pd(_mm256_loadu_pd(force), per));
      _mm_storeu_pd(acceleration, _mm256_castpd256_pd128(all));
      _mm_store_sd(acceleration + 2, _mm256_extractf128_pd(all, 1));
      _mm256_storeu_pd(force, _mm256_setzero_pd());
    }
    return;
  }
#endif
  for (std::uint32_t body = begin; body < end; ++body) {
    double* const force = sum + 4 * std::size_t{body};
    const double per_mass = inverse_mass[body];
    acceleration[0] = gravity[0] + force[0] * per_mass;
    acceleration[1] = gravity[1] + force[1] * per_mass;
    acceleration[2] = gravity[2] + force[2] * inverse_inertia[body];
    acceleration += 3;
    for (int k = 0; k < 4; ++k) force[k] = 0.0;
  }
}

}  // namespace scree::soft::lanes
