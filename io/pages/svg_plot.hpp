#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "geometry/vec.hpp"
#include "io/pages/picture.hpp"

/// Plain pictures as SVG, to stand in an HTML page.
namespace scree {

struct Curve {
  std::string name;                ///< in the legend
  std::vector<Vec2> points;        ///< those that are not finite, or not > 0 on a logarithmic axis, are left out
  std::vector<double> error = {};  ///< of each y, both ways; empty: no error bars
};

/// What lies between two curves: shaded, behind the curves.
struct Band {
  std::string name;  ///< in the legend
  std::vector<double> x;
  std::vector<double> lo;
  std::vector<double> hi;
};

/// A dotted line at one y.
struct Level {
  std::string name;  ///< above it
  double y;
  std::size_t curve;  ///< whose colour it has; kNoCurve: grey
};
inline constexpr std::size_t kNoCurve = ~std::size_t{0};

enum class Axis { linear, logarithmic };

/// Curves in one pair of axes; four at most can be distinguished.
struct Plot {
  std::string title;
  std::string note = {};  ///< in small letters below the title
  std::string x_label;
  std::string y_label;
  Axis x_axis = Axis::linear;
  Axis y_axis = Axis::linear;
  bool markers = false;  ///< a dot at every point
  std::vector<Curve> curves;
  std::vector<Band> bands = {};
  std::vector<Level> levels = {};
};

/// Disks in a rectangle.
struct DiskPanel {
  std::string title;
  std::vector<Vec2> position;                 ///< [m]
  std::vector<double> radius;                 ///< [m]
  std::vector<double> colour;                 ///< from 0 to 1
  std::vector<std::vector<Vec2>> walls = {};  ///< corners [m]
};

/// Rectangles with disks: beside one another, or one below the other if they are wide.
struct DiskPicture {
  Vec2 lo;  ///< of every rectangle [m]
  Vec2 hi;
  std::vector<DiskPanel> panels;
};

std::string svg(const Plot& plot);
std::string svg(const DiskPicture& picture);
std::string svg(const Picture& picture);

/// Text with &, <, > and " written so that it is text in HTML and SVG.
std::string escaped(const std::string& text);

}  // namespace scree
