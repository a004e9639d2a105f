#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#ifdef __AVX2__  // AVX-512 has it
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

/// Arithmetic on W numbers at once, W pairs of bodies side by side. Each lane has the bits that W = 1 gives: the same
/// operations in the same order, no fused multiply-add, no sum across lanes.
///
/// Code over these types is a template in W that is compiled once for each width, each in a file of its own with the
/// options that the width needs. Nothing but plain pointers and structs passes between these files and others, and
/// every function that such a file instantiates names its width, so that the linker cannot put code for wide registers
/// where the processor has none (tests/soft/lane_symbols.py).
namespace scree::wide {

#define SCREE_WIDE __attribute__((always_inline)) inline

/// These operations on one number, for templates that serve both.
SCREE_WIDE bool less(double a, double b) {
  return a < b;
}
SCREE_WIDE bool at_most(double a, double b) {
  return a <= b;
}
SCREE_WIDE double greater(double a, double b) {
  return a > b ? a : b;
}
SCREE_WIDE double lesser(double a, double b) {
  return a < b ? a : b;
}
SCREE_WIDE double magnitude(double a) {
  return __builtin_fabs(a);
}
SCREE_WIDE double root(double a) {
  return __builtin_sqrt(a);
}
SCREE_WIDE double select(bool where, double yes, double no) {
  return where ? yes : no;
}

/// W numbers. Two are there for every processor: code outside the files of one width uses them.
template <int W>
struct Number;
/// W truth values.
template <int W>
struct Mask;

/// What a comparison gives.
template <class AnyNumber>
struct TruthOf;
template <>
struct TruthOf<double> {
  using Type = bool;
};
template <int W>
struct TruthOf<Number<W>> {
  using Type = Mask<W>;
};

template <>
struct Mask<1> {
  bool holds;

  friend SCREE_WIDE Mask operator&(Mask a, Mask b) { return {a.holds && b.holds}; }
  friend SCREE_WIDE Mask operator|(Mask a, Mask b) { return {a.holds || b.holds}; }
  /// The lowest bit is that of the first lane.
  SCREE_WIDE unsigned bits() const { return holds ? 1U : 0U; }
};

template <>
struct Number<1> {
  double value;

  Number() = default;
  SCREE_WIDE Number(double x) : value(x) {}
  static SCREE_WIDE Number load(const double* from) { return *from; }
  SCREE_WIDE void store(double* to) const { *to = value; }

  friend SCREE_WIDE Number operator+(Number a, Number b) { return a.value + b.value; }
  friend SCREE_WIDE Number operator-(Number a, Number b) { return a.value - b.value; }
  friend SCREE_WIDE Number operator*(Number a, Number b) { return a.value * b.value; }
  friend SCREE_WIDE Number operator/(Number a, Number b) { return a.value / b.value; }
  friend SCREE_WIDE Number operator-(Number a) { return -a.value; }
  friend SCREE_WIDE Mask<1> less(Number a, Number b) { return {a.value < b.value}; }
  friend SCREE_WIDE Mask<1> equal(Number a, Number b) { return {a.value == b.value}; }
  friend SCREE_WIDE Mask<1> at_most(Number a, Number b) { return {a.value <= b.value}; }
  /// b if they are equal or either is not a number; so does lesser.
  friend SCREE_WIDE Number greater(Number a, Number b) { return a.value > b.value ? a.value : b.value; }
  friend SCREE_WIDE Number lesser(Number a, Number b) { return a.value < b.value ? a.value : b.value; }
  friend SCREE_WIDE Number magnitude(Number a) { return __builtin_fabs(a.value); }
  friend SCREE_WIDE Number root(Number a) { return __builtin_sqrt(a.value); }
  friend SCREE_WIDE Number select(Mask<1> where, Number yes, Number no) { return where.holds ? yes : no; }
};

#ifdef __SSE2__
template <>
struct Mask<2> {
  __m128d holds;

  friend SCREE_WIDE Mask operator&(Mask a, Mask b) { return {_mm_and_pd(a.holds, b.holds)}; }
  friend SCREE_WIDE Mask operator|(Mask a, Mask b) { return {_mm_or_pd(a.holds, b.holds)}; }
  SCREE_WIDE unsigned bits() const { return static_cast<unsigned>(_mm_movemask_pd(holds)); }
};

template <>
struct Number<2> {
  __m128d value;

  Number() = default;
  SCREE_WIDE Number(double x) : value(_mm_set1_pd(x)) {}
  SCREE_WIDE Number(double first, double second) : value(_mm_set_pd(second, first)) {}
  explicit SCREE_WIDE Number(__m128d x) : value(x) {}
  static SCREE_WIDE Number load(const double* from) { return Number(_mm_loadu_pd(from)); }
  SCREE_WIDE void store(double* to) const { _mm_storeu_pd(to, value); }
  SCREE_WIDE double operator[](unsigned lane) const { return value[lane]; }

  friend SCREE_WIDE Number operator+(Number a, Number b) { return Number(_mm_add_pd(a.value, b.value)); }
  friend SCREE_WIDE Number operator-(Number a, Number b) { return Number(_mm_sub_pd(a.value, b.value)); }
  friend SCREE_WIDE Number operator*(Number a, Number b) { return Number(_mm_mul_pd(a.value, b.value)); }
  friend SCREE_WIDE Number operator/(Number a, Number b) { return Number(_mm_div_pd(a.value, b.value)); }
  friend SCREE_WIDE Number operator-(Number a) { return Number(_mm_xor_pd(a.value, _mm_set1_pd(-0.0))); }
  friend SCREE_WIDE Mask<2> less(Number a, Number b) { return {_mm_cmplt_pd(a.value, b.value)}; }
  friend SCREE_WIDE Mask<2> equal(Number a, Number b) { return {_mm_cmpeq_pd(a.value, b.value)}; }
  friend SCREE_WIDE Mask<2> at_most(Number a, Number b) { return {_mm_cmple_pd(a.value, b.value)}; }
  friend SCREE_WIDE Number greater(Number a, Number b) { return Number(_mm_max_pd(a.value, b.value)); }
  friend SCREE_WIDE Number lesser(Number a, Number b) { return Number(_mm_min_pd(a.value, b.value)); }
  friend SCREE_WIDE Number magnitude(Number a) { return Number(_mm_andnot_pd(_mm_set1_pd(-0.0), a.value)); }
  friend SCREE_WIDE Number root(Number a) { return Number(_mm_sqrt_pd(a.value)); }
  friend SCREE_WIDE Number select(Mask<2> where, Number yes, Number no) {
    return Number(_mm_or_pd(_mm_and_pd(where.holds, yes.value), _mm_andnot_pd(where.holds, no.value)));
  }
};
#else
template <>
struct Mask<2> {
  bool holds[2];

  friend SCREE_WIDE Mask operator&(Mask a, Mask b) { return {{a.holds[0] && b.holds[0], a.holds[1] && b.holds[1]}}; }
  friend SCREE_WIDE Mask operator|(Mask a, Mask b) { return {{a.holds[0] || b.holds[0], a.holds[1] || b.holds[1]}}; }
  SCREE_WIDE unsigned bits() const { return (holds[0] ? 1U : 0U) | (holds[1] ? 2U : 0U); }
};

template <>
struct Number<2> {
  double value[2];

  Number() = default;
  SCREE_WIDE Number(double x) : value{x, x} {}
  SCREE_WIDE Number(double first, double second) : value{first, second} {}
  static SCREE_WIDE Number load(const double* from) { return {from[0], from[1]}; }
  SCREE_WIDE double operator[](unsigned lane) const { return value[lane]; }

  friend SCREE_WIDE Number operator+(Number a, Number b) { return {a[0] + b[0], a[1] + b[1]}; }
  friend SCREE_WIDE Number operator-(Number a, Number b) { return {a[0] - b[0], a[1] - b[1]}; }
  friend SCREE_WIDE Number operator*(Number a, Number b) { return {a[0] * b[0], a[1] * b[1]}; }
  friend SCREE_WIDE Number operator-(Number a) { return {-a[0], -a[1]}; }
  friend SCREE_WIDE Mask<2> less(Number a, Number b) { return {{a[0] < b[0], a[1] < b[1]}}; }
  friend SCREE_WIDE Mask<2> at_most(Number a, Number b) { return {{a[0] <= b[0], a[1] <= b[1]}}; }
  friend SCREE_WIDE Number greater(Number a, Number b) {
    return {wide::greater(a[0], b[0]), wide::greater(a[1], b[1])};
  }
  friend SCREE_WIDE Number magnitude(Number a) { return {wide::magnitude(a[0]), wide::magnitude(a[1])}; }
};
#endif

#ifdef __AVX2__
template <>
struct Mask<4> {
  __m256d holds;

  friend SCREE_WIDE Mask operator&(Mask a, Mask b) { return {_mm256_and_pd(a.holds, b.holds)}; }
  friend SCREE_WIDE Mask operator|(Mask a, Mask b) { return {_mm256_or_pd(a.holds, b.holds)}; }
  SCREE_WIDE unsigned bits() const { return static_cast<unsigned>(_mm256_movemask_pd(holds)); }
};

template <>
struct Number<4> {
  __m256d value;

  Number() = default;
  SCREE_WIDE Number(double x) : value(_mm256_set1_pd(x)) {}
  explicit SCREE_WIDE Number(__m256d x) : value(x) {}
  static SCREE_WIDE Number load(const double* from) { return Number(_mm256_loadu_pd(from)); }
  SCREE_WIDE void store(double* to) const { _mm256_storeu_pd(to, value); }

  friend SCREE_WIDE Number operator+(Number a, Number b) { return Number(_mm256_add_pd(a.value, b.value)); }
  friend SCREE_WIDE Number operator-(Number a, Number b) { return Number(_mm256_sub_pd(a.value, b.value)); }
  friend SCREE_WIDE Number operator*(Number a, Number b) { return Number(_mm256_mul_pd(a.value, b.value)); }
  friend SCREE_WIDE Number operator/(Number a, Number b) { return Number(_mm256_div_pd(a.value, b.value)); }
  friend SCREE_WIDE Number operator-(Number a) { return Number(_mm256_xor_pd(a.value, _mm256_set1_pd(-0.0))); }
  friend SCREE_WIDE Mask<4> less(Number a, Number b) { return {_mm256_cmp_pd(a.value, b.value, _CMP_LT_OQ)}; }
  friend SCREE_WIDE Mask<4> equal(Number a, Number b) { return {_mm256_cmp_pd(a.value, b.value, _CMP_EQ_OQ)}; }
  friend SCREE_WIDE Mask<4> at_most(Number a, Number b) { return {_mm256_cmp_pd(a.value, b.value, _CMP_LE_OQ)}; }
  friend SCREE_WIDE Number greater(Number a, Number b) { return Number(_mm256_max_pd(a.value, b.value)); }
  friend SCREE_WIDE Number lesser(Number a, Number b) { return Number(_mm256_min_pd(a.value, b.value)); }
  friend SCREE_WIDE Number magnitude(Number a) { return Number(_mm256_andnot_pd(_mm256_set1_pd(-0.0), a.value)); }
  friend SCREE_WIDE Number root(Number a) { return Number(_mm256_sqrt_pd(a.value)); }
  friend SCREE_WIDE Number select(Mask<4> where, Number yes, Number no) {
    return Number(_mm256_blendv_pd(no.value, yes.value, where.holds));
  }
};
#endif

#ifdef __AVX512DQ__
template <>
struct Mask<8> {
  __mmask8 holds;

  friend SCREE_WIDE Mask operator&(Mask a, Mask b) { return {_kand_mask8(a.holds, b.holds)}; }
  friend SCREE_WIDE Mask operator|(Mask a, Mask b) { return {_kor_mask8(a.holds, b.holds)}; }
  SCREE_WIDE unsigned bits() const { return holds; }
};

template <>
struct Number<8> {
  __m512d value;

  Number() = default;
  SCREE_WIDE Number(double x) : value(_mm512_set1_pd(x)) {}
  explicit SCREE_WIDE Number(__m512d x) : value(x) {}
  static SCREE_WIDE Number load(const double* from) { return Number(_mm512_loadu_pd(from)); }
  SCREE_WIDE void store(double* to) const { _mm512_storeu_pd(to, value); }

  friend SCREE_WIDE Number operator+(Number a, Number b) { return Number(_mm512_add_pd(a.value, b.value)); }
  friend SCREE_WIDE Number operator-(Number a, Number b) { return Number(_mm512_sub_pd(a.value, b.value)); }
  friend SCREE_WIDE Number operator*(Number a, Number b) { return Number(_mm512_mul_pd(a.value, b.value)); }
  friend SCREE_WIDE Number operator/(Number a, Number b) { return Number(_mm512_div_pd(a.value, b.value)); }
  friend SCREE_WIDE Number operator-(Number a) { return Number(_mm512_xor_pd(a.value, _mm512_set1_pd(-0.0))); }
  friend SCREE_WIDE Mask<8> less(Number a, Number b) { return {_mm512_cmp_pd_mask(a.value, b.value, _CMP_LT_OQ)}; }
  friend SCREE_WIDE Mask<8> equal(Number a, Number b) { return {_mm512_cmp_pd_mask(a.value, b.value, _CMP_EQ_OQ)}; }
  friend SCREE_WIDE Mask<8> at_most(Number a, Number b) { return {_mm512_cmp_pd_mask(a.value, b.value, _CMP_LE_OQ)}; }
  friend SCREE_WIDE Number greater(Number a, Number b) { return Number(_mm512_max_pd(a.value, b.value)); }
  friend SCREE_WIDE Number lesser(Number a, Number b) { return Number(_mm512_min_pd(a.value, b.value)); }
  friend SCREE_WIDE Number magnitude(Number a) { return Number(_mm512_andnot_pd(_mm512_set1_pd(-0.0), a.value)); }
  friend SCREE_WIDE Number root(Number a) { return Number(_mm512_sqrt_pd(a.value)); }
  friend SCREE_WIDE Number select(Mask<8> where, Number yes, Number no) {
    return Number(_mm512_mask_blend_pd(where.holds, no.value, yes.value));
  }
};
#endif

/// A whole number of 64 bits in each lane. Sums wrap around; zeros are shifted in.
template <int W>
struct Whole;

template <>
struct Whole<1> {
  std::uint64_t value;

  static SCREE_WIDE Whole of(std::uint64_t x) { return {x}; }
  static SCREE_WIDE Whole zero() { return {0}; }
  SCREE_WIDE std::uint64_t sum() const { return value; }
  friend SCREE_WIDE Whole operator+(Whole a, Whole b) { return {a.value + b.value}; }
  friend SCREE_WIDE Whole operator-(Whole a, Whole b) { return {a.value - b.value}; }
  friend SCREE_WIDE Whole operator&(Whole a, Whole b) { return {a.value & b.value}; }
  friend SCREE_WIDE Whole operator|(Whole a, Whole b) { return {a.value | b.value}; }
  friend SCREE_WIDE Whole operator^(Whole a, Whole b) { return {a.value ^ b.value}; }
  friend SCREE_WIDE Whole operator<<(Whole a, int places) { return {a.value << places}; }
  friend SCREE_WIDE Whole operator>>(Whole a, int places) { return {a.value >> places}; }
};
SCREE_WIDE Whole<1> bits_of(const Number<1>& x) {
  Whole<1> bits;
  std::memcpy(&bits.value, &x.value, sizeof bits.value);
  return bits;
}
SCREE_WIDE Number<1> number_of(const Whole<1>& bits) {
  Number<1> x;
  std::memcpy(&x.value, &bits.value, sizeof x.value);
  return x;
}

#ifdef __SSE2__
template <>
struct Whole<2> {
  __m128i value;

  static SCREE_WIDE Whole of(std::uint64_t x) { return {_mm_set1_epi64x(static_cast<long long>(x))}; }
  static SCREE_WIDE Whole zero() { return {_mm_setzero_si128()}; }
  SCREE_WIDE std::uint64_t sum() const {
    std::uint64_t lanes[2];
    std::memcpy(lanes, &value, sizeof lanes);
    return lanes[0] + lanes[1];
  }
  friend SCREE_WIDE Whole operator+(Whole a, Whole b) { return {_mm_add_epi64(a.value, b.value)}; }
  friend SCREE_WIDE Whole operator-(Whole a, Whole b) { return {_mm_sub_epi64(a.value, b.value)}; }
  friend SCREE_WIDE Whole operator&(Whole a, Whole b) { return {_mm_and_si128(a.value, b.value)}; }
  friend SCREE_WIDE Whole operator|(Whole a, Whole b) { return {_mm_or_si128(a.value, b.value)}; }
  friend SCREE_WIDE Whole operator^(Whole a, Whole b) { return {_mm_xor_si128(a.value, b.value)}; }
  friend SCREE_WIDE Whole operator<<(Whole a, int places) { return {_mm_slli_epi64(a.value, places)}; }
  friend SCREE_WIDE Whole operator>>(Whole a, int places) { return {_mm_srli_epi64(a.value, places)}; }
};
SCREE_WIDE Whole<2> bits_of(const Number<2>& x) {
  return {_mm_castpd_si128(x.value)};
}
SCREE_WIDE Number<2> number_of(const Whole<2>& bits) {
  return Number<2>(_mm_castsi128_pd(bits.value));
}
#endif

#ifdef __AVX2__
template <>
struct Whole<4> {
  __m256i value;

  static SCREE_WIDE Whole of(std::uint64_t x) { return {_mm256_set1_epi64x(static_cast<long long>(x))}; }
  static SCREE_WIDE Whole zero() { return {_mm256_setzero_si256()}; }
  SCREE_WIDE std::uint64_t sum() const {
    std::uint64_t lanes[4];
    std::memcpy(lanes, &value, sizeof lanes);
    return lanes[0] + lanes[1] + lanes[2] + lanes[3];
  }
  friend SCREE_WIDE Whole operator+(Whole a, Whole b) { return {_mm256_add_epi64(a.value, b.value)}; }
  friend SCREE_WIDE Whole operator-(Whole a, Whole b) { return {_mm256_sub_epi64(a.value, b.value)}; }
  friend SCREE_WIDE Whole operator&(Whole a, Whole b) { return {_mm256_and_si256(a.value, b.value)}; }
  friend SCREE_WIDE Whole operator|(Whole a, Whole b) { return {_mm256_or_si256(a.value, b.value)}; }
  friend SCREE_WIDE Whole operator^(Whole a, Whole b) { return {_mm256_xor_si256(a.value, b.value)}; }
  friend SCREE_WIDE Whole operator<<(Whole a, int places) { return {_mm256_slli_epi64(a.value, places)}; }
  friend SCREE_WIDE Whole operator>>(Whole a, int places) { return {_mm256_srli_epi64(a.value, places)}; }
};
SCREE_WIDE Whole<4> bits_of(const Number<4>& x) {
  return {_mm256_castpd_si256(x.value)};
}
SCREE_WIDE Number<4> number_of(const Whole<4>& bits) {
  return Number<4>(_mm256_castsi256_pd(bits.value));
}
#endif

#ifdef __AVX512DQ__
template <>
struct Whole<8> {
  __m512i value;

  static SCREE_WIDE Whole of(std::uint64_t x) { return {_mm512_set1_epi64(static_cast<long long>(x))}; }
  static SCREE_WIDE Whole zero() { return {_mm512_setzero_si512()}; }
  SCREE_WIDE std::uint64_t sum() const { return static_cast<std::uint64_t>(_mm512_reduce_add_epi64(value)); }
  friend SCREE_WIDE Whole operator+(Whole a, Whole b) { return {_mm512_add_epi64(a.value, b.value)}; }
  friend SCREE_WIDE Whole operator-(Whole a, Whole b) { return {_mm512_sub_epi64(a.value, b.value)}; }
  friend SCREE_WIDE Whole operator&(Whole a, Whole b) { return {_mm512_and_si512(a.value, b.value)}; }
  friend SCREE_WIDE Whole operator|(Whole a, Whole b) { return {_mm512_or_si512(a.value, b.value)}; }
  friend SCREE_WIDE Whole operator^(Whole a, Whole b) { return {_mm512_xor_si512(a.value, b.value)}; }
  friend SCREE_WIDE Whole operator<<(Whole a, int places) {
    return {_mm512_slli_epi64(a.value, static_cast<unsigned>(places))};
  }
  friend SCREE_WIDE Whole operator>>(Whole a, int places) {
    return {_mm512_srli_epi64(a.value, static_cast<unsigned>(places))};
  }
};
SCREE_WIDE Whole<8> bits_of(const Number<8>& x) {
  return {_mm512_castpd_si512(x.value)};
}
SCREE_WIDE Number<8> number_of(const Whole<8>& bits) {
  return Number<8>(_mm512_castsi512_pd(bits.value));
}
#endif

/// A vector in each lane.
template <int W>
struct Vector {
  Number<W> x;
  Number<W> y;

  friend SCREE_WIDE Vector operator+(const Vector& a, const Vector& b) { return {a.x + b.x, a.y + b.y}; }
  friend SCREE_WIDE Vector operator-(const Vector& a, const Vector& b) { return {a.x - b.x, a.y - b.y}; }
  friend SCREE_WIDE Vector operator-(const Vector& a) { return {-a.x, -a.y}; }
  friend SCREE_WIDE Vector operator*(const Number<W>& s, const Vector& a) { return {s * a.x, s * a.y}; }
  friend SCREE_WIDE Number<W> cross(const Vector& a, const Vector& b) { return a.x * b.y - a.y * b.x; }
  friend SCREE_WIDE Number<W> dot(const Vector& a, const Vector& b) { return a.x * b.x + a.y * b.y; }
  friend SCREE_WIDE Vector lesser(const Vector& a, const Vector& b) { return {lesser(a.x, b.x), lesser(a.y, b.y)}; }
  friend SCREE_WIDE Vector greater(const Vector& a, const Vector& b) { return {greater(a.x, b.x), greater(a.y, b.y)}; }
  friend SCREE_WIDE Vector perp(const Vector& a) { return {-a.y, a.x}; }
  friend SCREE_WIDE Number<W> length(const Vector& a) { return root(dot(a, a)); }
  friend SCREE_WIDE Number<W> largest_coordinate(const Vector& a) { return greater(magnitude(a.x), magnitude(a.y)); }
};

#ifdef __AVX2__
/// Two successive numbers at each of two addresses, one pair after the other.
SCREE_WIDE __m256d load_pairs(const double* first, const double* second) {
  return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(first)), _mm_loadu_pd(second), 1);
}
/// Its inverse.
SCREE_WIDE void store_pairs(const __m256d& pairs, double* first, double* second) {
  _mm_storeu_pd(first, _mm256_castpd256_pd128(pairs));
  _mm_storeu_pd(second, _mm256_extractf128_pd(pairs, 1));
}
#endif
#ifdef __AVX512DQ__
/// Eight numbers from two times four, and these from eight.
SCREE_WIDE __m512d joined(const __m256d& first, const __m256d& second) {
  return _mm512_insertf64x4(_mm512_castpd256_pd512(first), second, 1);
}
SCREE_WIDE Number<4> first_half(const __m512d& all) {
  return Number<4>(_mm512_castpd512_pd256(all));
}
SCREE_WIDE Number<4> second_half(const __m512d& all) {
  return Number<4>(_mm512_extractf64x4_pd(all, 1));
}
#endif

/// Two successive numbers at each of W addresses.
template <int W>
SCREE_WIDE Vector<W> load_two(const double* const (&from)[W]) {
  if constexpr (W == 1) {
    return {from[0][0], from[0][1]};
#ifdef __SSE2__
  } else if constexpr (W == 2) {
    const __m128d first = _mm_loadu_pd(from[0]);
    const __m128d second = _mm_loadu_pd(from[1]);
    return {Number<2>(_mm_unpacklo_pd(first, second)), Number<2>(_mm_unpackhi_pd(first, second))};
#endif
#ifdef __AVX2__
  } else if constexpr (W == 4) {
    const __m256d even = load_pairs(from[0], from[2]);
    const __m256d odd = load_pairs(from[1], from[3]);
    return {Number<4>(_mm256_unpacklo_pd(even, odd)), Number<4>(_mm256_unpackhi_pd(even, odd))};
#endif
#ifdef __AVX512DQ__
  } else if constexpr (W == 8) {
    const __m512d even = joined(load_pairs(from[0], from[2]), load_pairs(from[4], from[6]));
    const __m512d odd = joined(load_pairs(from[1], from[3]), load_pairs(from[5], from[7]));
    return {Number<8>(_mm512_unpacklo_pd(even, odd)), Number<8>(_mm512_unpackhi_pd(even, odd))};
#endif
  }
}

/// A number at each of W addresses.
template <int W>
SCREE_WIDE Number<W> load_one(const double* const (&from)[W]) {
  if constexpr (W == 1) {
    return *from[0];
#ifdef __SSE2__
  } else if constexpr (W == 2) {
    return Number<2>(_mm_loadh_pd(_mm_load_sd(from[0]), from[1]));
#endif
#ifdef __AVX2__
  } else if constexpr (W == 4) {
    const __m128d low = _mm_loadh_pd(_mm_load_sd(from[0]), from[1]);
    const __m128d high = _mm_loadh_pd(_mm_load_sd(from[2]), from[3]);
    return Number<4>(_mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1));
#endif
#ifdef __AVX512DQ__
  } else if constexpr (W == 8) {
    const double* const first[] = {from[0], from[1], from[2], from[3]};
    const double* const second[] = {from[4], from[5], from[6], from[7]};
    return Number<8>(joined(load_one<4>(first).value, load_one<4>(second).value));
#endif
  }
}

/// Whether bit `place` of each lane, as it is in memory, is set.
template <int W>
SCREE_WIDE Mask<W> bit_is_set(const Number<W>& word, int place) {
  if constexpr (W == 1) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &word.value, sizeof bits);
    return {(bits >> place & 1U) != 0};
#ifdef __SSE2__
  } else if constexpr (W == 2) {
    const __m128i at_sign = _mm_slli_epi64(_mm_castpd_si128(word.value), 63 - place);
    const __m128i sign = _mm_srai_epi32(at_sign, 31);  // of the upper halves; these to both halves
    return {_mm_castsi128_pd(_mm_shuffle_epi32(sign, 0b11110101))};
#endif
#ifdef __AVX2__
  } else if constexpr (W == 4) {
    const __m256i at_sign = _mm256_slli_epi64(_mm256_castpd_si256(word.value), 63 - place);
    return {_mm256_castsi256_pd(_mm256_srai_epi32(_mm256_shuffle_epi32(at_sign, 0b11110101), 31))};
#endif
#ifdef __AVX512DQ__
  } else if constexpr (W == 8) {
    return {_mm512_test_epi64_mask(_mm512_castpd_si512(word.value), _mm512_set1_epi64(1LL << place))};
#endif
  }
}

/// Stores two successive numbers at each of W addresses.
template <int W>
SCREE_WIDE void store_two(const Vector<W>& v, double* const (&to)[W]) {
  if constexpr (W == 1) {
    to[0][0] = v.x.value;
    to[0][1] = v.y.value;
#ifdef __SSE2__
  } else if constexpr (W == 2) {
    _mm_storeu_pd(to[0], _mm_unpacklo_pd(v.x.value, v.y.value));
    _mm_storeu_pd(to[1], _mm_unpackhi_pd(v.x.value, v.y.value));
#endif
#ifdef __AVX2__
  } else if constexpr (W == 4) {
    const __m256d even = _mm256_unpacklo_pd(v.x.value, v.y.value);
    const __m256d odd = _mm256_unpackhi_pd(v.x.value, v.y.value);
    store_pairs(even, to[0], to[2]);
    store_pairs(odd, to[1], to[3]);
#endif
#ifdef __AVX512DQ__
  } else if constexpr (W == 8) {
    const __m512d even = _mm512_unpacklo_pd(v.x.value, v.y.value);
    const __m512d odd = _mm512_unpackhi_pd(v.x.value, v.y.value);
    store_pairs(first_half(even).value, to[0], to[2]);
    store_pairs(first_half(odd).value, to[1], to[3]);
    store_pairs(second_half(even).value, to[4], to[6]);
    store_pairs(second_half(odd).value, to[5], to[7]);
#endif
  }
}

/// Adds x, y, z to the first three of four numbers at each of W addresses, lane by lane: two may be the same.
template <int W>
SCREE_WIDE void add_three(const Vector<W>& v, const Number<W>& z, double* const (&to)[W]) {
  if constexpr (W == 1) {
    to[0][0] += v.x.value;
    to[0][1] += v.y.value;
    to[0][2] += z.value;
#ifdef __SSE2__
  } else if constexpr (W == 2) {
    const __m128d both[] = {_mm_unpacklo_pd(v.x.value, v.y.value), _mm_unpackhi_pd(v.x.value, v.y.value)};
    const __m128d third[] = {z.value, _mm_unpackhi_pd(z.value, z.value)};
    for (int lane = 0; lane < 2; ++lane) {
      _mm_storeu_pd(to[lane], _mm_add_pd(_mm_loadu_pd(to[lane]), both[lane]));
      _mm_store_sd(to[lane] + 2, _mm_add_sd(_mm_load_sd(to[lane] + 2), third[lane]));
    }
#endif
#ifdef __AVX2__
  } else if constexpr (W == 4) {
    const __m256d zero = _mm256_setzero_pd();
    const __m256d even = _mm256_unpacklo_pd(v.x.value, v.y.value);
    const __m256d odd = _mm256_unpackhi_pd(v.x.value, v.y.value);
    const __m256d even_z = _mm256_unpacklo_pd(z.value, zero);
    const __m256d odd_z = _mm256_unpackhi_pd(z.value, zero);
    const auto add = [](double* sum, __m256d what) __attribute__((always_inline)) {
      _mm256_storeu_pd(sum, _mm256_add_pd(_mm256_loadu_pd(sum), what));
    };
    add(to[0], _mm256_insertf128_pd(even, _mm256_castpd256_pd128(even_z), 1));
    add(to[1], _mm256_insertf128_pd(odd, _mm256_castpd256_pd128(odd_z), 1));
    add(to[2], _mm256_permute2f128_pd(even, even_z, 0x31));
    add(to[3], _mm256_permute2f128_pd(odd, odd_z, 0x31));
#endif
#ifdef __AVX512DQ__
  } else if constexpr (W == 8) {
    double* const first[] = {to[0], to[1], to[2], to[3]};
    double* const second[] = {to[4], to[5], to[6], to[7]};
    add_three<4>({first_half(v.x.value), first_half(v.y.value)}, first_half(z.value), first);
    add_three<4>({second_half(v.x.value), second_half(v.y.value)}, second_half(z.value), second);
#endif
  }
}

/// Stores a number at each of W addresses.
template <int W>
SCREE_WIDE void store_one(const Number<W>& x, double* const (&to)[W]) {
  if constexpr (W == 1) {
    *to[0] = x.value;
#ifdef __SSE2__
  } else if constexpr (W == 2) {
    _mm_storel_pd(to[0], x.value);
    _mm_storeh_pd(to[1], x.value);
#endif
#ifdef __AVX2__
  } else if constexpr (W == 4) {
    const __m128d low = _mm256_castpd256_pd128(x.value);
    const __m128d high = _mm256_extractf128_pd(x.value, 1);
    _mm_storel_pd(to[0], low);
    _mm_storeh_pd(to[1], low);
    _mm_storel_pd(to[2], high);
    _mm_storeh_pd(to[3], high);
#endif
#ifdef __AVX512DQ__
  } else if constexpr (W == 8) {
    double* const first[] = {to[0], to[1], to[2], to[3]};
    double* const second[] = {to[4], to[5], to[6], to[7]};
    store_one<4>(first_half(x.value), first);
    store_one<4>(second_half(x.value), second);
#endif
  }
}

/// Two successive numbers of single precision at each of W addresses.
template <int W>
SCREE_WIDE Vector<W> load_two_floats(const float* const (&from)[W]) {
  if constexpr (W == 1) {
    return {static_cast<double>(from[0][0]), static_cast<double>(from[0][1])};
#ifdef __SSE2__
  } else {
    const auto both = [](const float* low, const float* high) __attribute__((always_inline)) {
      const __m128d first = _mm_load_sd(reinterpret_cast<const double*>(low));
      return _mm_castpd_ps(_mm_loadh_pd(first, reinterpret_cast<const double*>(high)));
    };
    const __m128 first = both(from[0], from[1]);
    if constexpr (W == 2) {
      return {Number<2>(_mm_cvtps_pd(_mm_shuffle_ps(first, first, 0b1000))),
              Number<2>(_mm_cvtps_pd(_mm_shuffle_ps(first, first, 0b1101)))};
#ifdef __AVX2__
    } else if constexpr (W == 4) {
      const __m128 second = both(from[2], from[3]);
      return {Number<4>(_mm256_cvtps_pd(_mm_shuffle_ps(first, second, 0b10001000))),
              Number<4>(_mm256_cvtps_pd(_mm_shuffle_ps(first, second, 0b11011101)))};
#endif
#ifdef __AVX512DQ__
    } else if constexpr (W == 8) {
      const auto four = [](const __m128& low, const __m128& high) __attribute__((always_inline)) {
        return _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
      };
      const __m256 even = four(first, both(from[4], from[5]));  // the first half of each half
      const __m256 odd = four(both(from[2], from[3]), both(from[6], from[7]));
      return {Number<8>(_mm512_cvtps_pd(_mm256_shuffle_ps(even, odd, 0b10001000))),
              Number<8>(_mm512_cvtps_pd(_mm256_shuffle_ps(even, odd, 0b11011101)))};
#endif
    }
#endif
  }
}

/// Stores two successive numbers of single precision at each of W addresses.
template <int W>
SCREE_WIDE void store_two_floats(const Vector<W>& v, float* const (&to)[W]) {
  if constexpr (W == 1) {
    to[0][0] = static_cast<float>(v.x.value);
    to[0][1] = static_cast<float>(v.y.value);
#ifdef __SSE2__
  } else {
    const auto put = [](const __m128& both, float* low, float* high) __attribute__((always_inline)) {
      _mm_storel_pd(reinterpret_cast<double*>(low), _mm_castps_pd(both));
      _mm_storeh_pd(reinterpret_cast<double*>(high), _mm_castps_pd(both));
    };
    if constexpr (W == 2) {
      put(_mm_unpacklo_ps(_mm_cvtpd_ps(v.x.value), _mm_cvtpd_ps(v.y.value)), to[0], to[1]);
#ifdef __AVX2__
    } else if constexpr (W == 4) {
      const __m128 x = _mm256_cvtpd_ps(v.x.value);
      const __m128 y = _mm256_cvtpd_ps(v.y.value);
      put(_mm_unpacklo_ps(x, y), to[0], to[1]);
      put(_mm_unpackhi_ps(x, y), to[2], to[3]);
#endif
#ifdef __AVX512DQ__
    } else if constexpr (W == 8) {
      const __m256 x = _mm512_cvtpd_ps(v.x.value);
      const __m256 y = _mm512_cvtpd_ps(v.y.value);
      const __m256 even = _mm256_unpacklo_ps(x, y);
      const __m256 odd = _mm256_unpackhi_ps(x, y);
      put(_mm256_castps256_ps128(even), to[0], to[1]);
      put(_mm256_castps256_ps128(odd), to[2], to[3]);
      put(_mm256_extractf128_ps(even, 1), to[4], to[5]);
      put(_mm256_extractf128_ps(odd, 1), to[6], to[7]);
#endif
    }
#endif
  }
}

/// All bits of a mask.
template <int W>
inline constexpr unsigned kAllLanes = (1U << W) - 1;

/// Whether something holds in all lanes.
SCREE_WIDE bool in_all_lanes(bool holds) {
  return holds;
}
template <int W>
SCREE_WIDE bool in_all_lanes(const Mask<W>& holds) {
  return holds.bits() == kAllLanes<W>;
}

}  // namespace scree::wide
