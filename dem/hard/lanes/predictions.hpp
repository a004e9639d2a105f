#pragma once

#include <cstdint>
#include <cstring>

#include "dem/hard/flight/tolerances.hpp"
#include "dem/hard/lanes/kernels.hpp"
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

/// Lanes whose number has the same bits as `own`.
template <int W>
SCREE_WIDE unsigned lanes_with_bits(const Number<W>& number, const double& own) {
  if constexpr (W == 1) {
    return std::memcmp(&number.value, &own, sizeof own) == 0 ? 1U : 0U;
#ifdef __SSE2__
  } else if constexpr (W == 2) {
    const __m128i same = _mm_cmpeq_epi32(_mm_castpd_si128(number.value), _mm_castpd_si128(_mm_set1_pd(own)));
    const auto halves = static_cast<unsigned>(_mm_movemask_ps(_mm_castsi128_ps(same)));
    return ((halves & 3U) == 3U ? 1U : 0U) | ((halves >> 2) == 3U ? 2U : 0U);
#endif
#ifdef __AVX2__
  } else {
    const __m256i same =
        _mm256_cmpeq_epi64(_mm256_castpd_si256(number.value), _mm256_castpd_si256(_mm256_set1_pd(own)));
    return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(same)));
#endif
  }
}

#ifdef __AVX2__
alignas(16) constexpr std::int32_t kFirstLanes[8] = {-1, -1, -1, -1, 0, 0, 0, 0};
#endif

/// The first `here` partners of a list, one a lane; disk 0 in the lanes that are left.
/// @return whether one of them is a periodic image
template <int W>
SCREE_WIDE bool find_disks(const double* disks, const std::uint32_t* codes, std::uint32_t here,
                           const double* (&partner)[W]) {
#ifdef __AVX2__
  if constexpr (W == 4) {
    const __m128i first = _mm_loadu_si128(reinterpret_cast<const __m128i*>(kFirstLanes + 4 - here));
    const __m128i code = _mm_maskload_epi32(reinterpret_cast<const int*>(codes), first);
    const __m128i of_image = _mm_set1_epi32(15);
    const __m256i at = _mm256_slli_epi64(_mm256_cvtepu32_epi64(_mm_andnot_si128(of_image, code)), 2);  // in bytes
    const auto disk = [&](long long bytes) __attribute__((always_inline)) {
      return reinterpret_cast<const double*>(reinterpret_cast<const char*>(disks) + bytes);
    };
    partner[0] = disk(_mm256_extract_epi64(at, 0));
    partner[1] = disk(_mm256_extract_epi64(at, 1));
    partner[2] = disk(_mm256_extract_epi64(at, 2));
    partner[3] = disk(_mm256_extract_epi64(at, 3));
    return _mm_testz_si128(code, of_image) == 0;
  }
#endif
  std::uint32_t images = 0;
  for (std::uint32_t k = 0; k < W; ++k) {
    const std::uint32_t code = k < here ? codes[k] : 0;
    partner[k] = disks + std::size_t{code >> 4} * kNumbers;
    images |= code & 15U;
  }
  return images != 0;
}

/// image_shift() of disks.hpp, lane by lane.
/// @param codes of partners
template <int W>
[[gnu::noinline]] Vector<W> image_shifts(const DisksIn& in, const double* a, const double* const (&b)[W],
                                         const std::uint32_t* codes, std::uint32_t here) {
  double shift[2][W];
  std::int32_t of_a[2];
  std::memcpy(of_a, a + kOffset, sizeof of_a);
  for (int k = 0; k < W; ++k) {
    std::int32_t of_b[2];
    std::memcpy(of_b, b[k] + kOffset, sizeof of_b);
    const std::uint32_t code = ((static_cast<std::uint32_t>(k) < here ? codes[k] : 0U) & 15U) ^ 5U;  // of NearImage
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
  std::uint32_t candidates = 0;
  for (std::uint32_t first = 0; first < count; first += W) {
    const std::uint32_t here = count - first < W ? count - first : W;
    const unsigned all = (1U << here) - 1;
    const double* partner[W];
    const bool has_images = find_disks<W>(in.disks, partners + first, here, partner);
    const Vector<W> begin_and_radius = numbers<W>(partner, kTime);
    const Vector<W> event_and_offset = numbers<W>(partner, kEventTime);
    const Flights<W> b{numbers<W>(partner, 0), numbers<W>(partner, kVelocity), begin_and_radius.x, begin_and_radius.y};

    // ApproachOf and PairQuadraticOf in prediction.hpp
    const Number<W> begin = greater(b.time, a.time);
    Vector<W> distance = b.template position_at<Falls>(begin, gravity) - a.template position_at<Falls>(begin, gravity);
    if (has_images || (lanes_with_bits<W>(event_and_offset.y, own[kOffset]) & all) != all) [[unlikely]]
      distance = distance + image_shifts<W>(in, own, partner, partners + first, here);
    Vector<W> velocity = b.velocity - a.velocity;
    if constexpr (Falls) velocity = velocity + (a.time - b.time) * gravity;
    const Number<W> contact = a.radius + b.radius;
    const Number<W> qa = dot(velocity, velocity);
    const Number<W> qb = dot(distance, velocity);
    const Number<W> qc = dot(distance, distance) - contact * contact;
    const Number<W> product = qa * qc;

    // Many are dismissed here: they do not approach, or pass by each other.
    const Number<W> rounded_up = (1.0 + kDozensOfRoundings) * qb;
    const Mask<W> may = less(qb, Number<W>(0.0)) & at_most(product, rounded_up * rounded_up);
    if ((may.bits() & all) == 0) continue;

    const Number<W> square = qb * qb;
    const Number<W> discriminant = square - product;
    const Number<W> time = select(at_most(qc, Number<W>(0.0)), begin, begin + qc / (root(discriminant) - qb));
    const Number<W> available = event_and_offset.x;
    const unsigned in_time = (may & at_most(time, lesser(available, Number<W>(latest)))).bits();
    const unsigned lost = (may & less(magnitude(discriminant), kLeastDiscriminant * square)).bits();
    unsigned bits = (in_time | lost) & all;
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
