#include "io/pages/svg_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "dem/scene/colour.hpp"
#include "io/text/number_text.hpp"

namespace scree {

namespace {

constexpr std::array<const char*, 4> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7"};  // Okabe and Ito's

// A plot's size, and the frame of its axes, in pixels.
constexpr double kWidth = 620.0;
constexpr double kHeight = 354.0;
constexpr double kLeft = 78.0;
constexpr double kRight = kWidth - 16.0;
constexpr double kTop = 66.0;
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
  return element(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" )"
                 R"(font-family="sans-serif" font-size="12">)",
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
  // As many digits as distinguish neighbours, where the axis is far from 0.
  const double greatest = std::max(std::abs(lo), std::abs(hi));
  const int digits = std::clamp(static_cast<int>(std::ceil(std::log10(greatest / step) + 1e-9)) + 1, 4, 15);
  Scale scale{lo, hi, {}};
  for (double k = std::ceil(lo / step); k * step <= hi; ++k)
    scale.ticks.push_back({k * step, fmt::format("{:.{}g}", k * step + 0.0, digits)});
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

/// A point, and how far its error reaches, on the axes.
struct ShownPoint {
  Vec2 at;
  std::optional<std::array<double, 2>> reach;  // in y
};

/// The points that can be shown.
std::vector<ShownPoint> shown(const Curve& curve, const Plot& plot) {
  std::vector<ShownPoint> points;
  for (std::size_t k = 0; k < curve.points.size(); ++k) {
    const Vec2& point = curve.points[k];
    ShownPoint found{{shown(point.x(), plot.x_axis), shown(point.y(), plot.y_axis)}, {}};
    if (!found.at.allFinite()) continue;
    if (k < curve.error.size() && curve.error[k] > 0.0) {
      const double lo = shown(point.y() - curve.error[k], plot.y_axis);
      const double hi = shown(point.y() + curve.error[k], plot.y_axis);
      found.reach = {std::isfinite(lo) ? lo : found.at.y(), hi};  // an error as large as the value: only upward
    }
    points.push_back(found);
  }
  return points;
}

/// The least and the greatest of what is shown.
struct Range {
  double lo = std::numeric_limits<double>::infinity();
  double hi = -std::numeric_limits<double>::infinity();

  void add(double value) {
    if (!std::isfinite(value)) return;
    lo = std::min(lo, value);
    hi = std::max(hi, value);
  }
  Scale scale(Axis axis) const {
    const Range range = lo <= hi ? *this : Range{0.0, 0.0};
    return axis == Axis::linear ? linear_scale(range.lo, range.hi) : logarithmic_scale(range.lo, range.hi);
  }
};

std::string axes(const Plot& plot, const Scale& x, const Scale& y) {
  const double middle = 0.5 * (kLeft + kRight);
  std::string out = text_at({middle, 20.0}, plot.title, "text-anchor=\"middle\" font-size=\"14\"");
  out += text_at({middle, 36.0}, plot.note, "text-anchor=\"middle\" font-size=\"9.5\" fill=\"#555\"");
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
  Range along;
  Range up;
  std::vector<std::vector<ShownPoint>> curves;
  for (const Curve& curve : plot.curves) {
    curves.push_back(shown(curve, plot));
    for (const ShownPoint& point : curves.back()) {
      along.add(point.at.x());
      up.add(point.at.y());
      if (!point.reach) continue;
      up.add((*point.reach)[0]);
      up.add((*point.reach)[1]);
    }
  }
  for (const Band& band : plot.bands) {
    for (const auto* edge : {&band.lo, &band.hi}) {
      for (const double y : *edge) up.add(shown(y, plot.y_axis));
    }
  }
  for (const Level& level : plot.levels) up.add(shown(level.y, plot.y_axis));
  const Scale x = along.scale(plot.x_axis);
  const Scale y = up.scale(plot.y_axis);
  const auto place = [&](const Vec2& at) {
    return Vec2(kLeft + x.share(at.x()) * (kRight - kLeft), kBottom - y.share(at.y()) * (kBottom - kTop));
  };
  constexpr double kLetter = 6.0;  // width of one in the legend, about
  Vec2 legend(kLeft, kTop - 10.0);
  const auto add_to_legend = [&](const std::string& name, const std::string& colour, const std::string& mark) {
    const std::string text =
        text_at({legend.x() + 22.0, legend.y()}, name, fmt::format(R"(font-size="11" fill="{}")", colour));
    legend.x() += 32.0 + kLetter * static_cast<double>(name.size());
    return mark + text;
  };
  std::string out = opened(kWidth, kHeight);
  for (const Band& band : plot.bands) {
    std::string corners;
    const auto add = [&](double at, double value) {
      const Vec2 on_axes(shown(at, plot.x_axis), shown(value, plot.y_axis));
      if (!on_axes.allFinite()) return;
      const Vec2 corner = place(on_axes);
      corners += fmt::format("{},{} ", px(corner.x()), px(corner.y()));
    };
    for (std::size_t k = 0; k < band.x.size(); ++k) add(band.x[k], band.hi[k]);
    for (std::size_t k = band.x.size(); k-- > 0;) add(band.x[k], band.lo[k]);
    out += element(R"(<polygon points="{}" fill="#dcdcdc" stroke="none"/>)", corners);
  }
  out += axes(plot, x, y);
  for (std::size_t k = 0; k < curves.size(); ++k) {
    const std::string colour = kColours[k % kColours.size()];
    std::string points;
    std::string marks;
    for (const ShownPoint& point : curves[k]) {
      const Vec2 at = place(point.at);
      points += fmt::format("{},{} ", px(at.x()), px(at.y()));
      if (plot.markers) marks += circle(at, 3.5, colour);
      if (!point.reach) continue;
      marks += line(place({point.at.x(), (*point.reach)[0]}), place({point.at.x(), (*point.reach)[1]}), colour.c_str());
    }
    out += element(R"(<polyline points="{}" fill="none" stroke-width="1.8" stroke="{}"{}/>)", points, colour,
                   k % 2 == 1 ? R"( stroke-dasharray="7 4")" : "");
    out += marks;
    const Vec2 mark = legend - Vec2(0.0, 4.0);
    out += add_to_legend(plot.curves[k].name, colour, line(mark, mark + Vec2(18.0, 0.0), colour.c_str()));
  }
  for (const Band& band : plot.bands) {
    const std::string mark =
        element(R"(<rect x="{}" y="{}" width="18" height="9" fill="#dcdcdc"/>)", px(legend.x()), px(legend.y() - 8.0));
    out += add_to_legend(band.name, "#666", mark);
  }
  for (const Level& level : plot.levels) {
    const double at = shown(level.y, plot.y_axis);
    if (!std::isfinite(at)) continue;
    const std::string colour = level.curve < curves.size() ? kColours[level.curve % kColours.size()] : "#666";
    const double height = kBottom - y.share(at) * (kBottom - kTop);
    out += element(R"(<line x1="{}" y1="{}" x2="{}" y2="{}" stroke="{}" stroke-dasharray="2 3"/>)", px(kLeft),
                   px(height), px(kRight), px(height), colour);
    out += text_at({kRight - 4.0, height - 3.0}, level.name,
                   fmt::format(R"(text-anchor="end" font-size="10" fill="{}")", colour));
  }
  return out + "</svg>\n";
}

std::string svg(const DiskPicture& picture) {
  constexpr double kGap = 12.0;
  constexpr double kTitle = 22.0;
  constexpr double kLeastWidth = 150.0;  // room for a title
  const Vec2 extent = picture.hi - picture.lo;
  const bool wide = extent.x() > 2.0 * extent.y();
  const Vec2 room = wide ? Vec2(612.0, 300.0) : Vec2(300.0, 640.0);  // greatest size of a rectangle
  const double scale = (room.array() / extent.array()).minCoeff();
  const Vec2 size = scale * extent;
  const Vec2 panel_size(std::max(size.x(), kLeastWidth) + kGap, size.y() + kTitle + kGap);
  const double panels = static_cast<double>(picture.panels.size());
  std::string out = opened(kGap + (wide ? 1.0 : panels) * panel_size.x(), (wide ? panels : 1.0) * panel_size.y());
  Vec2 corner(kGap, 0.0);
  for (const DiskPanel& panel : picture.panels) {
    const double middle = corner.x() + 0.5 * (panel_size.x() - kGap);
    const Vec2 origin(middle - 0.5 * size.x(), corner.y() + kTitle + size.y());  // of the rectangle's lower left corner
    const auto place = [&](const Vec2& position) {
      const Vec2 at = scale * (position - picture.lo);
      return Vec2(origin.x() + at.x(), origin.y() - at.y());
    };
    out += text_at({middle, corner.y() + 15.0}, panel.title, "text-anchor=\"middle\"");
    const std::string frame = fmt::format(R"(x="{}" y="{}" width="{}" height="{}")", px(origin.x()),
                                          px(origin.y() - size.y()), px(size.x()), px(size.y()));
    const std::string clip = fmt::format("frame-{}-{}-{}", px(origin.x()), px(size.x()), px(origin.y()));
    out += element(R"svg(<clipPath id="{0}"><rect {1}/></clipPath><g clip-path="url(#{0})">)svg", clip, frame);
    for (const std::vector<Vec2>& wall : panel.walls) {
      std::string points;
      for (const Vec2& vertex : wall) points += fmt::format("{},{} ", px(place(vertex).x()), px(place(vertex).y()));
      out += element(R"(<polygon points="{}" fill="#b8b8b8" stroke="#b8b8b8"/>)", points);
    }
    for (std::size_t i = 0; i < panel.position.size(); ++i) {
      out += circle(place(panel.position[i]), std::max(scale * panel.radius[i], 0.4), colour_of(panel.colour[i]));
    }
    out += "</g>\n" + element(R"(<rect {} fill="none" stroke="#444"/>)", frame);
    corner += wide ? Vec2(0.0, panel_size.y()) : Vec2(panel_size.x(), 0.0);
  }
  return out + "</svg>\n";
}

std::string svg(const Picture& picture) {
  const auto hex = [](const Colour& c) { return fmt::format("#{:02x}{:02x}{:02x}", c[0], c[1], c[2]); };
  const auto list = [](const std::vector<Vec2>& points) {
    std::string text;
    for (const Vec2& point : points) text += fmt::format("{},{} ", px(point.x()), px(point.y()));
    return text;
  };
  std::string out = opened(picture.width, picture.height);
  for (const Mark& mark : picture.marks) {
    const std::string edge =
        mark.edge ? fmt::format(R"( stroke="{}" stroke-width="{}")", hex(*mark.edge), px(mark.edge_width)) : "";
    switch (mark.kind) {
      case Mark::Kind::polygon:
        out += element(R"(<polygon points="{}" fill="{}"{}/>)", list(mark.points), hex(mark.colour), edge);
        break;
      case Mark::Kind::disk:
        out += element(R"(<circle cx="{}" cy="{}" r="{}" fill="{}"{}/>)", px(mark.points[0].x()),
                       px(mark.points[0].y()), px(mark.size), hex(mark.colour), edge);
        break;
      case Mark::Kind::line:
        out += element(
            R"(<polyline points="{}" fill="none" stroke="{}" stroke-width="{}" stroke-linecap="round" stroke-linejoin="round"{}/>)",
            list(mark.points), hex(mark.colour), px(mark.size), mark.dashed ? R"( stroke-dasharray="6 5")" : "");
        break;
      case Mark::Kind::text:
        constexpr std::array<const char*, 3> kAnchors = {"start", "middle", "end"};
        out += text_at(mark.points[0], mark.text,
                       fmt::format(R"(font-size="{}" fill="{}" text-anchor="{}")", px(mark.size), hex(mark.colour),
                                   kAnchors[static_cast<std::size_t>(mark.anchor)]));
        break;
    }
  }
  return out + "</svg>\n";
}

}  // namespace scree
