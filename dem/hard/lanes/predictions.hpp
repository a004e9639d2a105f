#pragma once

#include <cstdint>
#include <cstring>

#include "dem/hard/lanes/kernels.hpp"
#include "dem/hard/tolerances.hpp"
#include "geometry/tolerances.hpp"
#include "geometry/wide.hpp"

namespace scree::hard::lanes {

using wide::at_most;
using wide::less;
using wide::Mask;
using wide::Number;
using wide::Vector;

/// Disks in flight, one a lane: FlightOf in prediction.hpp.
template <int W>
struct Flights {
  Vector<W> position;
  Vector<W> velocity;
  Number<W> time;
  Number<W> radius;

  template <bool Falls>
  SCREE_WIDE Vector<W> position_at(const Number<W>& t, const Vector<W>& gravity) const {
    const Number<W> wait = t - time;
    if constexpr (Falls) return position + wait * (velocity + (0.5 * wait) * gravity);
    return position + wait * velocity;
  }
};

/// Where the numbers of a FlyingDisk are.
constexpr std::uint32_t kNumbers = 8;
constexpr std::uint32_t kVelocity = 2;
constexpr std::uint32_t kTime = 4;
constexpr std::uint32_t kEventTime = 6;
constexpr std::uint32_t kOffset = 7;

/// Two successive numbers of each disk, from that number on.
template <int W>
SCREE_WIDE Vector<W> numbers(const double* const (&disks)[W], std::uint32_t from) {
  const double* at[W];
  for (int k = 0; k < W; ++k) at[k] = disks[k] + from;
  return wide::load_two<W>(at);
}

SCREE_WIDE std::uint64_t offset_of(const double* disk) {
  std::uint64_t bits;
  std::memcpy(&bits, disk + kOffset, sizeof bits);
  return bits;
}

/// image_shift() of disks.hpp, lane by lane.
/// @param images  how many periods further than without an image, as NearImage has them, less kNoImage
template <int W>
[[gnu::noinline]] Vector<W> image_shifts(const DisksIn& in, const double* a, const double* const (&b)[W],
                                         const std::uint32_t (&images)[W]) {
  double shift[2][W];
  std::int32_t of_a[2];
  std::memcpy(of_a, a + kOffset, sizeof of_a);
  for (int k = 0; k < W; ++k) {
    std::int32_t of_b[2];
    std::memcpy(of_b, b[k] + kOffset, sizeof of_b);
    const std::uint32_t code = images[k] ^ 5U;
    const std::int32_t image[2] = {static_cast<std::int32_t>(code & 3U) - 1, static_cast<std::int32_t>(code >> 2) - 1};
    for (int axis = 0; axis < 2; ++axis) shift[axis][k] = (of_b[axis] - of_a[axis] + image[axis]) * in.period[axis];
  }
  return {Number<W>::load(shift[0]), Number<W>::load(shift[1])};
}

template <int W, bool Falls>
std::uint32_t predict(const DisksIn& in, std::uint32_t disk, const std::uint32_t* partners, std::uint32_t count,
                      double latest, Candidate* found) {
  const double* const own = in.disks + std::size_t{disk} * kNumbers;
  const Flights<W> a{{own[0], own[1]}, {own[kVelocity], own[kVelocity + 1]}, own[kTime], own[kTime + 1]};
  Vector<W> gravity{0.0, 0.0};
  if constexpr (Falls) gravity = {in.acceleration[0], in.acceleration[1]};
  const std::uint64_t own_offset = offset_of(own);
  std::uint32_t candidates = 0;
  for (std::uint32_t first = 0; first < count; first += W) {
    const std::uint32_t here = count - first < W ? count - first : W;
    const double* partner[W];
    std::uint32_t image[W];
    std::uint64_t elsewhere = 0;  // whether images or offsets differ
    for (std::uint32_t k = 0; k < W; ++k) {
      const std::uint32_t code = partners[first + (k < here ? k : 0)];
      partner[k] = in.disks + std::size_t{code >> 4} * kNumbers;
      image[k] = code & 15U;
      elsewhere |= image[k] | (offset_of(partner[k]) ^ own_offset);
    }
    const Vector<W> begin_and_radius = numbers<W>(partner, kTime);
    const Flights<W> b{numbers<W>(partner, 0), numbers<W>(partner, kVelocity), begin_and_radius.x, begin_and_radius.y};
    Vector<W> shift{0.0, 0.0};
    if (elsewhere != 0) [[unlikely]]
      shift = image_shifts<W>(in, own, partner, image);

    // ApproachOf and PairQuadraticOf in prediction.hpp
    const Number<W> begin = greater(b.time, a.time);
    const Vector<W> distance =
        (b.template position_at<Falls>(begin, gravity) - a.template position_at<Falls>(begin, gravity)) + shift;
    Vector<W> velocity = b.velocity - a.velocity;
    if constexpr (Falls) velocity = velocity + (a.time - b.time) * gravity;
    const Number<W> contact = a.radius + b.radius;
    const Number<W> qa = dot(velocity, velocity);
    const Number<W> qb = dot(distance, velocity);
    const Number<W> qc = dot(distance, distance) - contact * contact;
    const Number<W> square = qb * qb;
    const Number<W> discriminant = square - qa * qc;
    const Number<W> least = kLeastDiscriminant * square;
    const Mask<W> approach = less(qb, Number<W>(0.0));
    const Mask<W> touch = at_most(qc, Number<W>(0.0));
    const Number<W> time = select(touch, begin, begin + qc / (root(discriminant) - qb));
    const Number<W> rounded_up = (1.0 + kDozensOfRoundings) * qb;
    const Mask<W> is_lost = at_most(qa * qc, rounded_up * rounded_up) & less(discriminant, least);
    const unsigned lost = (approach & is_lost).bits() & ~touch.bits();
    const Number<W> available = numbers<W>(partner, kEventTime).x;
    const Mask<W> in_time = at_most(time, available) & at_most(time, Number<W>(latest));
    const unsigned certain = (approach & in_time & (touch | at_most(least, discriminant))).bits();
    unsigned bits = (lost | certain) & ((1U << here) - 1);
    if (bits == 0) continue;
    double times[W];
    double until[W];
    time.store(times);
    available.store(until);
    for (; bits != 0; bits &= bits - 1) {
      const auto k = static_cast<std::uint32_t>(__builtin_ctz(bits));
      const bool is_certain = (lost >> k & 1U) == 0;
      if (is_certain && times[k] > latest) continue;
      found[candidates++] = {times[k], first + k, is_certain};
      if (is_certain && times[k] < until[k]) latest = times[k];
    }
  }
  return candidates;
}

}  // namespace scree::hard::lanes
