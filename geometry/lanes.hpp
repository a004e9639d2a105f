#pragma once

#include <cstring>
#include <type_traits>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "geometry/vec.hpp"

/// Arithmetic on two numbers in one register. Each lane has the bits that scalar arithmetic would give.
namespace scree {

using Lanes = double __attribute__((vector_size(2 * sizeof(double))));
constexpr unsigned kLanes = 2;

/// A vector's components.
inline Lanes lanes(const Vec2& vector) {
  Lanes both;
  std::memcpy(&both, vector.data(), sizeof both);
  return both;
}

/// A vector in each lane.
struct LanesOfVec2 {
  Lanes x;
  Lanes y;

  Lanes dot(const LanesOfVec2& other) const { return x * other.x + y * other.y; }
  Lanes squaredNorm() const { return dot(*this); }
  friend LanesOfVec2 operator+(const LanesOfVec2& a, const LanesOfVec2& b) { return {a.x + b.x, a.y + b.y}; }
  friend LanesOfVec2 operator-(const LanesOfVec2& a, const LanesOfVec2& b) { return {a.x - b.x, a.y - b.y}; }
  friend LanesOfVec2 operator*(const LanesOfVec2& a, const Lanes& b) { return {a.x * b, a.y * b}; }
  friend LanesOfVec2 operator*(const Lanes& a, const LanesOfVec2& b) { return {a * b.x, a * b.y}; }
};
inline LanesOfVec2 operator*(const Lanes& a, const Vec2& b) {
  return {a * b.x(), a * b.y()};
}
inline LanesOfVec2 pack(const Vec2& a, const Vec2& b) {
  return {Lanes{a.x(), b.x()}, Lanes{a.y(), b.y()}};
}

/// Vec2 for double, its lanes for Lanes.
template <class Number>
using VecOf = std::conditional_t<std::is_same_v<Number, double>, Vec2, LanesOfVec2>;

template <class Number>
Number larger(const Number& a, const Number& b) {
  return a < b ? b : a;
}

/// The lanes in which a condition holds. (Compilers translate comparisons written with < into slower code.)
class Mask {
 public:
#ifdef __SSE2__
  static Mask less(const Lanes& a, const Lanes& b) {
    return Mask(_mm_cmplt_pd(a, b));
  }
  static Mask at_most(const Lanes& a, const Lanes& b) {
    return Mask(_mm_cmple_pd(a, b));
  }
  friend Mask operator&(Mask a, Mask b) {
    return Mask(_mm_and_pd(a.holds_, b.holds_));
  }
  friend Mask operator|(Mask a, Mask b) {
    return Mask(_mm_or_pd(a.holds_, b.holds_));
  }
  /// The lowest bit is that of the first lane.
  unsigned bits() const {
    return static_cast<unsigned>(_mm_movemask_pd(holds_));
  }

 private:
  explicit Mask(__m128d holds) : holds_(holds) {}
  __m128d holds_;
#else
  static Mask less(const Lanes& a, const Lanes& b) {
    return Mask(a < b);
  }
  static Mask at_most(const Lanes& a, const Lanes& b) {
    return Mask(a <= b);
  }
  friend Mask operator&(Mask a, Mask b) {
    return Mask(a.holds_ & b.holds_);
  }
  friend Mask operator|(Mask a, Mask b) {
    return Mask(a.holds_ | b.holds_);
  }
  /// The lowest bit is that of the first lane.
  unsigned bits() const {
    return static_cast<unsigned>(holds_[0] & 1) | static_cast<unsigned>(holds_[1] & 2);
  }

 private:
  using Holds = decltype(Lanes{} < Lanes{});
  explicit Mask(const Holds& holds) : holds_(holds) {}
  Holds holds_;
#endif
};

/// Comparisons that `&` and `|` combine without a branch, of numbers and of lanes.
inline int less(double a, double b) {
  return a < b ? 1 : 0;
}
inline int at_most(double a, double b) {
  return a <= b ? 1 : 0;
}
inline Mask less(const Lanes& a, const Lanes& b) {
  return Mask::less(a, b);
}
inline Mask at_most(const Lanes& a, const Lanes& b) {
  return Mask::at_most(a, b);
}

}  // namespace scree
