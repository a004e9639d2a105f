#include "io/svg_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "io/number_text.hpp"

namespace scree {

namespace {

constexpr std::array<const char*, 4> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7"};  // Okabe and Ito's

// A plot's size, and the frame of its axes, in pixels.
constexpr double kWidth = 620.0;
constexpr double kHeight = 340.0;
constexpr double kLeft = 78.0;
constexpr double kRight = kWidth - 16.0;
constexpr double kTop = 52.0;
constexpr double kBottom = kHeight - 46.0;

std::string px(double value) {
  return number_text(std::round(value * 100.0) / 100.0);
}

/// An element of the picture, on a line of its own.
template <class... T>
std::string element(fmt::format_string<T...> text, T&&... values) {
  return fmt::format(text, std::forward<T>(values)...) + '\n';
}

std::string line(const Vec2& from, const Vec2& to, const char* stroke) {
  return element(R"(<line x1="{}" y1="{}" x2="{}" y2="{}" stroke="{}"/>)", px(from.x()), px(from.y()), px(to.x()),
                 px(to.y()), stroke);
}

std::string text_at(const Vec2& at, const std::string& text, const std::string& style) {
  return element(R"(<text x="{}" y="{}" {}>{}</text>)", px(at.x()), px(at.y()), style, escaped(text));
}

std::string circle(const Vec2& centre, double radius, const std::string& fill) {
  return element(R"(<circle cx="{}" cy="{}" r="{}" fill="{}"/>)", px(centre.x()), px(centre.y()), px(radius), fill);
}

std::string opened(double width, double height) {
  return element(
             R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" font-family="sans-serif" font-size="12">)",
             px(width), px(height)) +
         element(R"(<rect width="100%" height="100%" fill="white"/>)");
}

/// 10 to a power, for people.
std::string power_of_ten(int exponent) {
  constexpr std::array<const char*, 10> kRaised = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = "10";
  for (const char digit : fmt::to_string(exponent)) {
    text += digit == '-' ? "⁻" : kRaised[static_cast<std::size_t>(digit - '0')];
  }
  return text;
}

struct Tick {
  double at;  // on the axis, after the logarithm if there is one
  std::string label;
};

/// What an axis shows: after the logarithm, if it is logarithmic.
struct Scale {
  double lo = 0.0;
  double hi = 1.0;
  std::vector<Tick> ticks;

  double share(double value) const { return (value - lo) / (hi - lo); }
};

Scale linear_scale(double lo, double hi) {
  if (!(hi > lo)) {
    const double room = lo != 0.0 ? 0.5 * std::abs(lo) : 1.0;
    return linear_scale(lo - room, lo + room);
  }
  const double rough = (hi - lo) / 5.0;
  const double decade = std::pow(10.0, std::floor(std::log10(rough)));
  const double mantissa = rough / decade;
  const double step = decade * (mantissa <= 1.0 ? 1.0 : mantissa <= 2.0 ? 2.0 : mantissa <= 5.0 ? 5.0 : 10.0);
  Scale scale{lo, hi, {}};
  for (double k = std::ceil(lo / step); k * step <= hi; ++k)
    scale.ticks.push_back({k * step, fmt::format("{:.4g}", k * step + 0.0)});
  return scale;
}

Scale logarithmic_scale(double lo, double hi) {
  const int first = static_cast<int>(std::floor(lo));
  const int last = std::max(static_cast<int>(std::ceil(hi)), first + 1);
  Scale scale{static_cast<double>(first), static_cast<double>(last), {}};
  const int step = 1 + (last - first - 1) / 8;
  for (int k = first; k <= last; k += step) scale.ticks.push_back({static_cast<double>(k), power_of_ten(k)});
  return scale;
}

/// On the axis; not finite if it cannot be shown.
double shown(double value, Axis axis) {
  if (axis == Axis::linear) return value;
  return value > 0.0 ? std::log10(value) : std::numeric_limits<double>::quiet_NaN();
}

/// The points that can be shown, on the axes.
std::vector<Vec2> shown(const Curve& curve, const Plot& plot) {
  std::vector<Vec2> points;
  for (const Vec2& point : curve.points) {
    const Vec2 on_axes(shown(point.x(), plot.x_axis), shown(point.y(), plot.y_axis));
    if (on_axes.allFinite()) points.push_back(on_axes);
  }
  return points;
}

Scale scale_of(const std::vector<std::vector<Vec2>>& curves, int coordinate, Axis axis) {
  double lo = std::numeric_limits<double>::infinity();
  double hi = -lo;
  for (const auto& points : curves) {
    for (const Vec2& point : points) {
      lo = std::min(lo, point[coordinate]);
      hi = std::max(hi, point[coordinate]);
    }
  }
  if (!(lo <= hi)) lo = hi = 0.0;
  return axis == Axis::linear ? linear_scale(lo, hi) : logarithmic_scale(lo, hi);
}

std::string axes(const Plot& plot, const Scale& x, const Scale& y) {
  std::string out = text_at({0.5 * (kLeft + kRight), 20.0}, plot.title, "text-anchor=\"middle\" font-size=\"14\"");
  for (const Tick& tick : x.ticks) {
    const double at = kLeft + x.share(tick.at) * (kRight - kLeft);
    out += line({at, kTop}, {at, kBottom}, "#e4e4e4");
    out += text_at({at, kBottom + 16.0}, tick.label, "text-anchor=\"middle\"");
  }
  for (const Tick& tick : y.ticks) {
    const double at = kBottom - y.share(tick.at) * (kBottom - kTop);
    out += line({kLeft, at}, {kRight, at}, "#e4e4e4");
    out += text_at({kLeft - 6.0, at + 4.0}, tick.label, "text-anchor=\"end\"");
  }
  out += line({kLeft, kTop}, {kLeft, kBottom}, "#444");
  out += line({kLeft, kBottom}, {kRight, kBottom}, "#444");
  out += text_at({0.5 * (kLeft + kRight), kHeight - 10.0}, plot.x_label, "text-anchor=\"middle\"");
  const Vec2 beside(16.0, 0.5 * (kTop + kBottom));
  out += text_at(
      beside, plot.y_label,
      fmt::format(R"svg(text-anchor="middle" transform="rotate(-90 {} {})")svg", px(beside.x()), px(beside.y())));
  return out;
}

/// From dark blue, slow, to yellow, fast.
std::string colour_of(double share) {
  const double s = std::clamp(share, 0.0, 1.0);
  const auto mixed = [&](double from, double to) { return std::lround(from + s * (to - from)); };
  return fmt::format("rgb({},{},{})", mixed(40.0, 250.0), mixed(60.0, 200.0), mixed(130.0, 50.0));
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string svg(const Plot& plot) {
  std::vector<std::vector<Vec2>> curves;
  for (const Curve& curve : plot.curves) curves.push_back(shown(curve, plot));
  const Scale x = scale_of(curves, 0, plot.x_axis);
  const Scale y = scale_of(curves, 1, plot.y_axis);
  std::string out = opened(kWidth, kHeight) + axes(plot, x, y);
  constexpr double kLetter = 6.0;  // width of one in the legend, about
  Vec2 legend(kLeft, kTop - 10.0);
  for (std::size_t k = 0; k < curves.size(); ++k) {
    const bool faint = plot.curves[k].faint;
    const std::string colour = faint ? "#909090" : kColours[k % kColours.size()];
    std::string points;
    std::string dots;
    for (const Vec2& point : curves[k]) {
      const Vec2 at(kLeft + x.share(point.x()) * (kRight - kLeft), kBottom - y.share(point.y()) * (kBottom - kTop));
      points += fmt::format("{},{} ", px(at.x()), px(at.y()));
      if (plot.markers) dots += circle(at, 3.5, colour);
    }
    out += element(R"(<polyline points="{}" fill="none" stroke-width="{}" stroke="{}"{}/>)", points,
                   faint ? "1" : "1.8", colour, k % 2 == 1 ? R"( stroke-dasharray="7 4")" : "");
    out += dots;
    out += line({legend.x(), legend.y() - 4.0}, {legend.x() + 18.0, legend.y() - 4.0}, colour.c_str());
    out += text_at({legend.x() + 22.0, legend.y()}, plot.curves[k].name,
                   fmt::format(R"(font-size="11" fill="{}")", colour));
    legend.x() += 32.0 + kLetter * static_cast<double>(plot.curves[k].name.size());
  }
  return out + "</svg>\n";
}

std::string svg(const DiskPicture& picture) {
  constexpr double kPanel = 300.0;  // greatest width and height of one
  constexpr double kGap = 12.0;
  constexpr double kTitle = 22.0;
  const Vec2 extent = picture.hi - picture.lo;
  const double scale = kPanel / extent.maxCoeff();
  const Vec2 size = scale * extent;
  const double panels = static_cast<double>(picture.panels.size());
  std::string out = opened(panels * (size.x() + kGap) + kGap, size.y() + kTitle + kGap);
  double left = kGap;
  for (const DiskPanel& panel : picture.panels) {
    out += text_at({left + 0.5 * size.x(), 15.0}, panel.title, "text-anchor=\"middle\"");
    for (const std::vector<Vec2>& wall : panel.walls) {
      std::string points;
      for (const Vec2& corner : wall) {
        const Vec2 at = scale * (corner - picture.lo);
        points += fmt::format("{},{} ", px(left + at.x()), px(kTitle + size.y() - at.y()));
      }
      out += element(R"(<polygon points="{}" fill="#b8b8b8" stroke="#b8b8b8"/>)", points);
    }
    for (std::size_t i = 0; i < panel.position.size(); ++i) {
      const Vec2 at = scale * (panel.position[i] - picture.lo);
      out += circle({left + at.x(), kTitle + size.y() - at.y()}, scale * panel.radius[i], colour_of(panel.colour[i]));
    }
    out += element(R"(<rect x="{}" y="{}" width="{}" height="{}" fill="none" stroke="#444"/>)", px(left), px(kTitle),
                   px(size.x()), px(size.y()));
    left += size.x() + kGap;
  }
  return out + "</svg>\n";
}

}  // namespace scree
