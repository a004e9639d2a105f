#include "dem/compare/least_squares.hpp"

#include <algorithm>
#include <cmath>

namespace scree::compare {

std::optional<Slope> fit_line(std::span<const LinePoint> points) {
  if (points.size() < 3) return std::nullopt;
  const bool weighted = std::ranges::all_of(points, [](const LinePoint& p) { return p.error.has_value(); });
  const auto weight = [&](const LinePoint& p) { return weighted ? 1.0 / (*p.error * *p.error) : 1.0; };
  double all = 0.0;
  double x = 0.0;
  double y = 0.0;
  for (const LinePoint& p : points) {
    all += weight(p);
    x += weight(p) * p.x;
    y += weight(p) * p.y;
  }
  x /= all;
  y /= all;
  double xx = 0.0;
  double xy = 0.0;
  for (const LinePoint& p : points) {
    xx += weight(p) * (p.x - x) * (p.x - x);
    xy += weight(p) * (p.x - x) * (p.y - y);
  }
  if (!(xx > 0.0)) return std::nullopt;
  const double slope = xy / xx;
  double distances = 0.0;
  for (const LinePoint& p : points) distances += weight(p) * std::pow(p.y - y - slope * (p.x - x), 2);
  const double from_distances = distances / static_cast<double>(points.size() - 2);
  return Slope{slope, std::sqrt((weighted ? std::max(1.0, from_distances) : from_distances) / xx), points.size()};
}

}  // namespace scree::compare
