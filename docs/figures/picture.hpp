#pragma once

#include <array>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "geometry/polygon.hpp"
#include "geometry/pose.hpp"

// A picture of the plane as SVG: no fonts and no files beside it, the same bytes everywhere.
namespace scree::figures {

using Points = std::vector<Vec2>;

inline constexpr auto kHead = R"(<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">
<style>
text { font: 15px sans-serif; fill: #222; stroke: none } text.i { font-style: italic }
text.n { font-size: 12px; fill: #fff; text-anchor: middle }
path { fill: none; stroke: #222; stroke-width: 1.2; stroke-linejoin: round } .dot { fill: #222 }
.a { stroke: #0072b2; fill: #0072b2; fill-opacity: .08 } text.a { fill: #0072b2; fill-opacity: 1; stroke: none }
.b { stroke: #c44e00; fill: #c44e00; fill-opacity: .08 } text.b { fill: #c44e00; fill-opacity: 1; stroke: none }
.region { fill: #888; fill-opacity: .35; stroke: none } .arc { fill: none; stroke-width: 3.5 }
.wedge { stroke: none; fill: #0072b2; fill-opacity: .13 } .triangle { fill: #009e73; fill-opacity: .16 }
.sum { stroke: #a0188a } text.sum { fill: #a0188a; stroke: none }
.thin { stroke: #777 } .dashed { stroke-dasharray: 5 4 } .bold { stroke-width: 2.4 }
</style>
<rect width="100%%" height="100%%" fill="#fff"/>
)";

/// printf into a string.
template <class... Values>
std::string print(const char* format, Values... values) {
  std::array<char, 2048> text{};
  const int length = std::snprintf(text.data(), text.size(), format, values...);
  if (length < 0 || length >= static_cast<int>(text.size())) throw std::length_error("a line of a figure is too long");
  return text.data();
}

/// A picture that grows by what is drawn: on top of what is there. `looks` are classes of kHead.
class Picture {
 public:
  Picture(int width, int height) : svg_(print(kHead, width, height, width, height)) {}

  /// From here on `centre` [m] is at the pixel (x, y), and a metre has `scale` pixels.
  void look_at(const Vec2& centre, double x, double y, double scale) {
    origin_ = Vec2(x, y) - scale * Vec2(centre.x(), -centre.y());
    scale_ = scale;
  }
  void line(const Points& points, const char* looks) { path(points, looks, ""); }
  void shape(const Points& points, const char* looks) { path(points, looks, "Z"); }
  void arrow(const Vec2& from, const Vec2& to, const char* looks) {
    const Vec2 back = 9.0 / scale_ * (from - to).normalized();
    line({from, to}, looks);
    line({to + back + 0.45 * perp(back), to, to + back - 0.45 * perp(back)}, looks);
  }
  void dot(const Vec2& at, double radius = 3.5, const char* looks = "dot") {
    const Vec2 p = pixel(at);
    svg_ += print("<circle class=\"%s\" cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\"/>\n", looks, p.x(), p.y(), radius);
  }
  /// @param right, down  pixels from the point to where the text begins
  void text(const Vec2& at, double right, double down, const char* words, const char* looks = "") {
    const Vec2 p = pixel(at) + Vec2(right, down);
    svg_ += print("<text class=\"%s\" x=\"%.2f\" y=\"%.2f\">%s</text>\n", looks, p.x(), p.y(), words);
  }
  /// A dot with a name in italics.
  void point(const Vec2& at, double right, double down, const char* name) {
    dot(at);
    text(at, right, down, name, "i");
  }
  /// An arrow with a name in italics, placed from its middle.
  void vector(const Vec2& from, const Vec2& to, double right, double down, const char* name, const char* colour = "") {
    arrow(from, to, print("%s bold", colour).c_str());
    text(0.5 * (from + to), right, down, name, print("%s i", colour).c_str());
  }
  void number(const Vec2& at, int n) {
    dot(at, 8.5);
    text(at, 0.0, 4.3, std::to_string(n).c_str(), "n");
  }
  std::string svg() const { return svg_ + "</svg>\n"; }

 private:
  Vec2 pixel(const Vec2& p) const { return origin_ + scale_ * Vec2(p.x(), -p.y()); }
  void path(const Points& points, const char* looks, const char* end) {
    svg_ += print("<path class=\"%s\" d=\"", looks);
    char command = 'M';
    for (const Vec2& point : points) {
      const Vec2 p = pixel(point);
      svg_ += print("%c%.2f %.2f", command, p.x(), p.y());
      command = 'L';
    }
    svg_ += print("%s\"/>\n", end);
  }

  std::string svg_;
  Vec2 origin_ = Vec2::Zero();
  double scale_ = 1.0;
};

/// The vertices of a polygon at a pose.
inline Points placed(const Polygon& polygon, const Pose& pose = {}) {
  Points points;
  for (const Vec2& v : polygon.vertices()) points.push_back(pose * v);
  return points;
}

/// The same point again after a round.
inline const Vec2& around(const Points& ring, std::size_t i) {
  return ring[i % ring.size()];
}

}  // namespace scree::figures
