#include "dem/soft/contact/energy.hpp"

#include <algorithm>
#include <limits>

namespace scree::soft {

double half_squared_thickness(const std::vector<Vec2>& region, const Vec2& normal) {
  const std::size_t n = region.size();
  if (n < 3) return 0.0;
  const Vec2 tangent = perp(normal);
  std::vector<double> stations;  // where a vertex is, along the tangent: between two of them the thickness is linear
  for (const Vec2& p : region) stations.push_back(tangent.dot(p - region[0]));
  std::sort(stations.begin(), stations.end());
  const auto thickness = [&](double s) {
    double least = std::numeric_limits<double>::infinity();
    double greatest = -least;
    for (std::size_t i = 0; i < n; ++i) {
      const Vec2 p = region[i] - region[0];
      const Vec2 q = region[(i + 1) % n] - region[0];
      const double sp = tangent.dot(p);
      const double sq = tangent.dot(q);
      if (std::min(sp, sq) > s || std::max(sp, sq) < s) continue;
      const double share = sp == sq ? 0.0 : (s - sp) / (sq - sp);
      for (const double height :
           {normal.dot(p + share * (q - p)), sp == sq ? normal.dot(q) : normal.dot(p + share * (q - p))}) {
        least = std::min(least, height);
        greatest = std::max(greatest, height);
      }
    }
    return greatest > least ? greatest - least : 0.0;
  };
  double integral = 0.0;
  for (std::size_t k = 0; k + 1 < n; ++k) {
    const double width = stations[k + 1] - stations[k];
    if (width <= 0.0) continue;
    const double left = thickness(stations[k]);
    const double right = thickness(stations[k + 1]);
    integral += width * (left * left + left * right + right * right) / 3.0;
  }
  return 0.5 * integral;
}

}  // namespace scree::soft
