#include "docs/figures/reversible.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "dem/hard/reversible/ellipse.hpp"
#include "dem/hard/reversible/procedures.hpp"
#include "dem/hard/reversible/regions.hpp"
#include "docs/figures/picture.hpp"

namespace scree::figures {
namespace {

using namespace hard::reversible;
using std::numbers::pi;

Vec2 at(double angle, double radius = 1.0) {
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

Points arc(double begin, double end, double radius = 1.0) {
  Points points;
  for (int k = 0; k <= 60; ++k) points.push_back(at(begin + (end - begin) * k / 60.0, radius));
  return points;
}

Points sector(double begin, double end) {
  Points points = arc(begin, end);
  points.emplace_back(0.0, 0.0);
  return points;
}

void disk(Picture& picture, const Vec2& centre, const char* name) {
  Points outline = arc(0.0, 2.0 * pi, 0.5);
  for (Vec2& p : outline) p += centre;
  picture.shape(outline, "a");
  picture.point(centre, 6.0, -6.0, name);
}

/// An angle's arc with an arrow head.
void turn(Picture& picture, double begin, double end, double radius, const char* name) {
  const Points points = arc(begin, end, radius);
  picture.line(points, "");
  picture.arrow(points[57], points[60], "");
  picture.text(points[30], 5.0, -4.0, name, "i");
}

std::string pair() {
  const double towards = 0.4;  // direction of r21
  const double before = towards + pi - 0.8;
  const double psi = 1.9;
  const Vec2 r21 = at(towards);
  const double after = procedure_1(before, psi, r21);

  Picture picture(720, 340);
  picture.look_at({0.0, 0.0}, 170.0, 170.0, 130.0);
  picture.shape(sector(towards - pi / 2.0, towards + pi / 2.0), "a");
  picture.shape(sector(towards + pi / 2.0, towards + 1.5 * pi), "b");
  picture.arrow({0.0, 0.0}, 1.15 * r21, "thin");
  picture.text(1.15 * r21, 4.0, 0.0, "r21", "i");
  picture.vector({0.0, 0.0}, at(before), -10.0, -8.0, "before", "b");
  picture.line({{0.0, 0.0}, at(before + psi)}, "dashed");
  picture.vector({0.0, 0.0}, at(after), 4.0, -8.0, "after", "a");
  turn(picture, before, before + psi, 0.45, "ψ");
  turn(picture, before + psi, before + psi + pi, 0.25, "π");
  picture.text({1.6, 0.75}, 0.0, 0.0, "The relative velocity has a fixed length.", "");
  picture.text({1.6, 0.5}, 0.0, 0.0, "Before a collision it points into the orange half,", "b");
  picture.text({1.6, 0.3}, 0.0, 0.0, "after it into the blue half.", "a");
  picture.text({1.6, 0.05}, 0.0, 0.0, "It is turned by ψ = 2πG. Where that does not", "");
  picture.text({1.6, -0.15}, 0.0, 0.0, "lead into the blue half, it is turned by π more.", "");
  picture.text({1.6, -0.4}, 0.0, 0.0, "Backwards: by −ψ, and by π more where that", "");
  picture.text({1.6, -0.6}, 0.0, 0.0, "does not lead into the orange half.", "");
  return picture.svg();
}

std::string line() {
  const double before = pi / 6.0 + 0.3;
  const double psi = 1.75;
  const double after = procedure_3(before, psi) + 2.0 * pi;

  Picture picture(720, 360);
  picture.look_at({0.0, 0.0}, 190.0, 180.0, 130.0);
  constexpr std::array<const char*, 6> kNames = {"R1", "S3", "R2", "S1", "R3", "S2"};
  for (std::size_t k = 0; k < 6; ++k) {
    const double begin = pi / 6.0 + static_cast<double>(k) * pi / 3.0;
    picture.shape(sector(begin, begin + pi / 3.0), k == 0 ? "b" : k == 3 ? "a" : "thin");
    picture.text(at(begin + pi / 6.0, 1.17), -9.0, 5.0, kNames[k], k == 0 ? "b" : k == 3 ? "a" : "");
  }
  picture.vector({0.0, 0.0}, at(before), 6.0, 0.0, "φ'", "b");
  picture.line({{0.0, 0.0}, at(before + psi)}, "dashed");
  picture.vector({0.0, 0.0}, at(after), -18.0, 8.0, "φ", "a");
  turn(picture, before, before + psi, 0.5, "ψ");
  turn(picture, before + psi, after, 0.3, "");
  picture.text({1.75, 0.7}, 0.0, 0.0, "R1: left and centre approach (a &gt; b),", "b");
  picture.text({1.75, 0.5}, 0.0, 0.0, "centre and right approach (b &gt; c).", "b");
  picture.text({1.75, 0.25}, 0.0, 0.0, "S1: both pairs separate (a &lt; b &lt; c).", "a");
  picture.text({1.75, 0.0}, 0.0, 0.0, "The other four sectors are the velocities", "");
  picture.text({1.75, -0.2}, 0.0, 0.0, "with particles permuted. φ' + ψ is brought", "");
  picture.text({1.75, -0.4}, 0.0, 0.0, "back to S1 by a multiple of π/3.", "");
  return picture.svg();
}

std::string ellipse() {
  constexpr int kArcs = 24;
  const Ellipse shape(std::numbers::sqrt3, 1.0);
  Picture picture(720, 300);
  const auto draw = [&](double x, const char* words, const auto& parameter) {
    picture.look_at({0.0, 0.0}, x, 165.0, 85.0);
    Points outline;
    for (int k = 0; k <= 120; ++k) {
      const Vec2 p = at(2.0 * pi * k / 120.0);
      outline.emplace_back(std::numbers::sqrt3 * p.x(), p.y());
    }
    picture.line(outline, "thin");
    for (int k = 0; k < kArcs; ++k) {
      const Vec2 p = at(parameter(k));
      picture.line({{0.0, 0.0}, {std::numbers::sqrt3 * p.x(), p.y()}}, "thin");
      picture.dot({std::numbers::sqrt3 * p.x(), p.y()});
    }
    picture.text({-1.7, 1.3}, 0.0, 0.0, words);
  };
  draw(180.0, "equal arcs: ψ = L⁻¹(G L(2π))",
       [&](int k) { return shape.parameter_at(shape.circumference() * k / kArcs); });
  draw(540.0, "equal steps of the parameter: ψ = 2πG", [](int k) { return 2.0 * pi * k / kArcs; });
  return picture.svg();
}

std::string configurations() {
  Picture picture(720, 230);
  const auto draw = [&](double x, const char* name, const Vec2& p3) {
    picture.look_at({0.0, 0.0}, x, 125.0, 52.0);
    disk(picture, {-0.5, 0.0}, "P1");
    disk(picture, {0.5, 0.0}, "P2");
    disk(picture, p3, "P3");
    picture.text({-0.2, -1.75}, 0.0, 0.0, name);
  };
  draw(75.0, "C1", {0.0, 0.5 * std::sqrt(3.0)});
  draw(235.0, "C2", {0.0, -0.5 * std::sqrt(3.0)});
  draw(410.0, "C3", Vec2(0.5, 0.0) + at(0.9));
  draw(625.0, "C4", Vec2(-0.5, 0.0) + at(2.4));
  return picture.svg();
}

/// What is possible for phi3 at each phi1, phi2 of C1, and the bounds of phi2.
std::string ranges() {
  Picture picture(720, 400);
  const double height = 340.0 / pi;  // pixels per radian
  picture.look_at({0.0, 0.0}, 60.0, 360.0, height);
  constexpr int kColumns = 120;
  constexpr int kRows = 360;
  const auto kind = [](double phi1, double phi2) {
    const auto found = phi3_ranges(Configuration::c1, -pi / 3.0, phi1, phi2);
    if (found.size() != 1) return found.size();
    return found[0].end - found[0].begin > 2.0 * pi - 1e-9 ? std::size_t{3} : std::size_t{1};
  };
  for (int i = 0; i < kColumns; ++i) {
    const double left = 0.5 * pi * i / kColumns;
    const double right = 0.5 * pi * (i + 1) / kColumns;
    const auto of_row = [&](int j) { return kind(0.5 * (left + right), pi * (j + 0.5) / kRows); };
    for (int j = 0, end = 0; j < kRows; j = end) {  // cells of one kind in one piece
      const std::size_t here = of_row(j);
      while (end < kRows && of_row(end) == here) ++end;
      const Points cell{
          {left, pi * j / kRows}, {right, pi * j / kRows}, {right, pi * end / kRows}, {left, pi * end / kRows}};
      if (here == 2) picture.shape(cell, "region");
      if (here == 1 || here == 3) picture.shape(cell, "wedge");
      if (here == 3) picture.shape(cell, "wedge");
    }
  }
  Points low;
  Points high;
  for (int i = 1; i <= 200; ++i) {
    const double phi1 = 0.5 * pi * i / 200.0 - 1e-9;
    const Range range = phi2_range(Configuration::c1, -pi / 3.0, phi1);
    low.emplace_back(phi1, range.begin);
    high.emplace_back(phi1, range.end);
  }
  picture.line(low, "bold");
  picture.line(high, "bold");
  picture.shape({{0.0, 0.0}, {0.5 * pi, 0.0}, {0.5 * pi, pi}, {0.0, pi}}, "thin");
  picture.text({0.0, 0.0}, -6.0, 20.0, "0");
  picture.text({pi / 6.0, 0.0}, -10.0, 20.0, "π/6");
  picture.text({pi / 2.0, 0.0}, -10.0, 20.0, "π/2");
  picture.text({pi / 3.0, 0.0}, 0.0, 20.0, "φ1", "i");
  picture.text({0.0, pi}, -20.0, 5.0, "π");
  picture.text({0.0, pi / 2.0}, -34.0, 5.0, "φ2", "i");
  picture.text({1.75, 2.7}, 0.0, 0.0, "Configuration C1, after a collision:");
  picture.text({1.75, 2.3}, 0.0, 0.0, "dark blue: φ3 may have any value,");
  picture.text({1.75, 2.05}, 0.0, 0.0, "grey: φ3 lies in two ranges,");
  picture.text({1.75, 1.8}, 0.0, 0.0, "light blue: φ3 lies in one range,");
  picture.text({1.75, 1.55}, 0.0, 0.0, "white: impossible.");
  picture.text({1.75, 1.15}, 0.0, 0.0, "Bold: the bounds of φ2 (equation 13).");
  return picture.svg();
}

/// Cells of equal area: half the sphere, seen along the normal, and the triangle of three contacts.
std::string cells() {
  constexpr int kCells = 10;
  Picture picture(720, 380);
  const auto grid = [&](const char* looks, const auto& point) {
    for (int k = 0; k <= kCells; ++k) {
      Points across;
      Points along;
      for (int i = 0; i <= 80; ++i) {
        across.push_back(point(static_cast<double>(k) / kCells, i / 80.0));
        along.push_back(point(i / 80.0, static_cast<double>(k) / kCells));
      }
      picture.line(across, looks);
      picture.line(along, looks);
    }
  };
  picture.look_at({0.0, 0.0}, 180.0, 205.0, 150.0);
  picture.text({-1.0, 1.2}, 0.0, 0.0, "2 particles in space: half a sphere");
  grid("thin", [](double x, double y) {
    const Point<3> p = Hemisphere().decode({x, y});
    return Vec2(p.y(), p.z());
  });
  // Normals of three equal disks in contact: at a quarter of a right angle's cosine from each other.
  const double low = std::sqrt((1.0 + 2.0 * 0.25) / 3.0);
  const double out = std::sqrt(1.0 - low * low);
  std::array<Eigen::Vector3d, 3> normals;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec2 flat = at(pi / 2.0 + 2.0 * pi / 3.0 * static_cast<double>(k), out);
    normals[k] = Eigen::Vector3d(flat.x(), flat.y(), low);
  }
  const SphericalTriangle triangle(normals);
  picture.look_at({0.0, 0.0}, 540.0, 205.0, 150.0);
  picture.text({-1.0, 1.2}, 0.0, 0.0, "3 equal particles in contact: a spherical triangle");
  picture.line(arc(0.0, 2.0 * pi), "thin dashed");
  grid("thin", [&](double x, double y) {
    const Eigen::Vector3d p = triangle.decode({x, y});
    return Vec2(p.x(), p.y());
  });
  return picture.svg();
}

}  // namespace

std::map<std::string, std::string> reversible_figures() {
  return {{"reversible_pair", pair()},       {"reversible_line", line()},
          {"reversible_ellipse", ellipse()}, {"reversible_configurations", configurations()},
          {"reversible_ranges", ranges()},   {"reversible_cells", cells()}};
}

}  // namespace scree::figures
