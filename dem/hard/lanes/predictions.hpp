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

/// W partners, one a lane. @return whether one of them is a periodic image
template <int W>
SCREE_WIDE bool find_disks(const double* disks, const std::uint32_t* codes, const double* (&partner)[W]) {
#ifdef __AVX2__
  if constexpr (W == 4) {
    const __m128i code = _mm_loadu_si128(reinterpret_cast<const __m128i*>(codes));
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
    partner[k] = disks + std::size_t{codes[k] >> 4} * kNumbers;
    images |= codes[k] & 15U;
  }
  return images != 0;
}

/// image_shift() of disks.hpp, lane by lane.
/// @param codes of partners
template <int W>
SCREE_WIDE Vector<W> image_shifts(const DisksIn& in, const double* a, const double* const (&b)[W],
                                  const std::uint32_t* codes) {
#ifdef __AVX2__
  if constexpr (W == 4) {
    const auto offset = [](const double* disk) __attribute__((always_inline)) {
      long long both;
      std::memcpy(&both, disk + kOffset, sizeof both);
      return both;
    };
    const __m256i of_b = _mm256_set_epi64x(offset(b[3]), offset(b[2]), offset(b[1]), offset(b[0]));
    const __m256i difference = _mm256_sub_epi32(of_b, _mm256_set1_epi64x(offset(a)));
    const __m256i by_axis = _mm256_permutevar8x32_epi32(difference, _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7));
    const __m128i one = _mm_set1_epi32(1);
    const __m128i three = _mm_set1_epi32(3);
    const __m128i code = _mm_loadu_si128(reinterpret_cast<const __m128i*>(codes));
    const __m128i image = _mm_xor_si128(code, _mm_set1_epi32(5));  // of NearImage
    const auto along = [&](__m128i periods, __m128i of_image, double period) __attribute__((always_inline)) {
      const __m128i all = _mm_add_epi32(periods, _mm_sub_epi32(_mm_and_si128(of_image, three), one));
      return Number<4>(_mm256_mul_pd(_mm256_cvtepi32_pd(all), _mm256_set1_pd(period)));
    };
    return {along(_mm256_castsi256_si128(by_axis), image, in.period[0]),
            along(_mm256_extracti128_si256(by_axis, 1), _mm_srli_epi32(image, 2), in.period[1])};
  }
#endif
  double shift[2][W];
  std::int32_t of_a[2];
  std::memcpy(of_a, a + kOffset, sizeof of_a);
  for (int k = 0; k < W; ++k) {
    std::int32_t of_b[2];
    std::memcpy(of_b, b[k] + kOffset, sizeof of_b);
    const std::uint32_t code = (codes[k] & 15U) ^ 5U;  // of NearImage
    const std::int32_t image[2] = {static_cast<std::int32_t>(code & 3U) - 1, static_cast<std::int32_t>(code >> 2) - 1};
    for (int axis = 0; axis < 2; ++axis) shift[axis][k] = (of_b[axis] - of_a[axis] + image[axis]) * in.period[axis];
  }
  return {Number<W>::load(shift[0]), Number<W>::load(shift[1])};
}

/// A list of partners in groups of W, one after the other. The last group begins earlier where it would not be full,
/// and a list shorter than a group is filled up.
template <int W>
class Groups {
 public:
  /// @pre count > 0
  SCREE_WIDE Groups(const std::uint32_t* partners, std::uint32_t count) : codes_(partners) {
    if (count >= W) {
      last_ = count - W;
      return;
    }
    for (std::uint32_t k = 0; k < W; ++k) filled_[k] = partners[k < count ? k : 0];
    codes_ = filled_;
    lanes_ = (1U << count) - 1;
  }
  SCREE_WIDE const std::uint32_t* codes() const { return codes_ + first_; }
  SCREE_WIDE std::uint32_t first() const { return first_; }  ///< place of the group in the list
  SCREE_WIDE unsigned lanes() const { return lanes_; }       ///< that are partners, and in no group before
  /// @return false if there is none
  SCREE_WIDE bool next() {
    if (first_ == last_) return false;
    first_ += W;
    if (first_ > last_) {
      lanes_ &= ~((1U << (first_ - last_)) - 1);
      first_ = last_;
    }
    return true;
  }

 private:
  const std::uint32_t* codes_;
  std::uint32_t first_ = 0;
  std::uint32_t last_ = 0;
  unsigned lanes_ = (1U << W) - 1;
  std::uint32_t filled_[W];
};

/// When a disk meets others, one a lane. Lanes as bits.
template <int W>
struct Meetings {
  Number<W> time;       ///< [s]
  Number<W> available;  ///< of the event that the other one has [s]
  unsigned in_time;     ///< lanes that meet before both
  unsigned lost;        ///< lanes whose digits are lost
};

/// A disk as predictions of its meetings read it.
template <int W, bool Falls>
struct Own {
  const double* disk;
  Flights<W> flight;
  Vector<W> gravity{0.0, 0.0};

  SCREE_WIDE Own(const DisksIn& in, std::uint32_t i)
      : disk(in.disks + std::size_t{i} * kNumbers),
        flight{{disk[0], disk[1]}, {disk[kVelocity], disk[kVelocity + 1]}, disk[kTime], disk[kTime + 1]} {
    if constexpr (Falls) gravity = {in.acceleration[0], in.acceleration[1]};
  }
};

/// ApproachOf and PairQuadraticOf in prediction.hpp. @param partners W of them @param lanes that count
template <int W, bool Falls>
SCREE_WIDE Meetings<W> meetings(const DisksIn& in, const Own<W, Falls>& own, const std::uint32_t* partners,
                                unsigned lanes, double latest) {
  constexpr unsigned kAll = (1U << W) - 1;
  const Flights<W>& a = own.flight;
  const double* partner[W];
  const bool has_images = find_disks<W>(in.disks, partners, partner);
  const Vector<W> begin_and_radius = numbers<W>(partner, kTime);
  const Vector<W> event_and_offset = numbers<W>(partner, kEventTime);
  const Flights<W> b{numbers<W>(partner, 0), numbers<W>(partner, kVelocity), begin_and_radius.x, begin_and_radius.y};

  const Number<W> begin = greater(b.time, a.time);
  Vector<W> distance =
      b.template position_at<Falls>(begin, own.gravity) - a.template position_at<Falls>(begin, own.gravity);
  if (has_images || lanes_with_bits<W>(event_and_offset.y, own.disk[kOffset]) != kAll) [[unlikely]]
    distance = distance + image_shifts<W>(in, own.disk, partner, partners);
  Vector<W> velocity = b.velocity - a.velocity;
  if constexpr (Falls) velocity = velocity + (a.time - b.time) * own.gravity;
  const Number<W> contact = a.radius + b.radius;
  const Number<W> qa = dot(velocity, velocity);
  const Number<W> qb = dot(distance, velocity);
  const Number<W> qc = dot(distance, distance) - contact * contact;
  const Number<W> product = qa * qc;

  // Many are dismissed here: they do not approach, or pass by each other.
  const Number<W> rounded_up = (1.0 + kDozensOfRoundings) * qb;
  const Mask<W> may = less(qb, Number<W>(0.0)) & at_most(product, rounded_up * rounded_up);
  if ((may.bits() & lanes) == 0) return {begin, begin, 0, 0};

  const Number<W> square = qb * qb;
  const Number<W> discriminant = square - product;
  const Number<W> time = select(at_most(qc, Number<W>(0.0)), begin, begin + qc / (root(discriminant) - qb));
  const Number<W> available = event_and_offset.x;
  return {time, available, (may & at_most(time, lesser(available, Number<W>(latest)))).bits() & lanes,
          (may & less(magnitude(discriminant), kLeastDiscriminant * square)).bits() & lanes};
}

template <int W, bool Falls>
std::uint32_t predict(const DisksIn& in, std::uint32_t disk, const std::uint32_t* partners, std::uint32_t count,
                      double latest, Candidate* found) {
  if (count == 0) return 0;
  const Own<W, Falls> own(in, disk);
  Groups<W> groups(partners, count);
  std::uint32_t candidates = 0;
  do {
    const Meetings<W> met = meetings<W, Falls>(in, own, groups.codes(), groups.lanes(), latest);
    unsigned bits = met.in_time | met.lost;
    if (bits == 0) continue;
    double times[W];
    double until[W];
    met.time.store(times);
    met.available.store(until);
    for (; bits != 0; bits &= bits - 1) {
      const auto k = static_cast<std::uint32_t>(__builtin_ctz(bits));
      const bool is_certain = (met.lost >> k & 1U) == 0;
      if (is_certain && times[k] > latest) continue;
      found[candidates++] = {times[k], groups.first() + k, is_certain};
      if (is_certain && times[k] < until[k]) latest = times[k];
    }
  } while (groups.next());
  return candidates;
}

/// Mostly one comes before the others, and has something later: then no ranks are compared.
template <int W, bool Falls>
Soonest first(const DisksIn& in, std::uint32_t disk, const std::uint32_t* partners, std::uint32_t count,
              double latest) {
  Soonest soonest{latest, kNoPartner};
  if (count == 0) return soonest;
  const Own<W, Falls> own(in, disk);
  Groups<W> groups(partners, count);
  do {
    const Meetings<W> met = meetings<W, Falls>(in, own, groups.codes(), groups.lanes(), soonest.time);
    if ((met.in_time | met.lost) == 0) continue;
    if (met.lost != 0) [[unlikely]]
      return {latest, kUnclear};
    double times[W];
    double until[W];
    met.time.store(times);
    met.available.store(until);
    for (unsigned bits = met.in_time; bits != 0; bits &= bits - 1) {
      const auto k = static_cast<std::uint32_t>(__builtin_ctz(bits));
      if (times[k] > soonest.time) continue;
      if (times[k] == soonest.time || times[k] == until[k]) return {latest, kUnclear};
      soonest = {times[k], groups.first() + k};
    }
  } while (groups.next());
  return soonest;
}

}  // namespace scree::hard::lanes
