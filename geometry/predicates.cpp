#include "geometry/predicates.hpp"

#include <array>

namespace scree::exact {
namespace {

/// An exact number as a sum of doubles that do not overlap, smallest first.
class Expansion {
 public:
  void add(double x) {
    int kept = 0;
    for (int i = 0; i < size_; ++i) {
      const double sum = x + terms_[i];
      const double part = sum - x;
      const double rounding = (x - (sum - part)) + (terms_[i] - part);
      if (rounding != 0.0) terms_[kept++] = rounding;
      x = sum;
    }
    if (x != 0.0) terms_[kept++] = x;
    size_ = kept;
  }
  void add_product(double x, double y) {
    const double product = x * y;
    add(std::fma(x, y, -product));
    add(product);
  }
  int sign() const { return size_ == 0 ? 0 : terms_[size_ - 1] > 0.0 ? 1 : -1; }

 private:
  double terms_[16];  // two products of two differences, each of two terms
  int size_ = 0;
};

/// x - y as two doubles.
std::array<double, 2> difference(double x, double y) {
  const double d = x - y;
  const double part = x - d;
  return {(x - (d + part)) + (part - y), d};
}

/// Adds (a - b) (c - d).
void add_product_of_differences(Expansion& sum, double a, double b, double c, double d) {
  for (const double x : difference(a, b)) {
    for (const double y : difference(c, d)) sum.add_product(x, y);
  }
}

}  // namespace

int sign_of_cross(const Vec2& p, const Vec2& q, const Vec2& r, const Vec2& s) {
  Expansion sum;
  add_product_of_differences(sum, q.x(), p.x(), s.y(), r.y());
  add_product_of_differences(sum, p.y(), q.y(), s.x(), r.x());
  return sum.sign();
}

int sign_of_dot(const Vec2& p, const Vec2& q, const Vec2& r, const Vec2& s) {
  Expansion sum;
  add_product_of_differences(sum, q.x(), p.x(), s.x(), r.x());
  add_product_of_differences(sum, q.y(), p.y(), s.y(), r.y());
  return sum.sign();
}

}  // namespace scree::exact
