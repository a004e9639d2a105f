#include "io/formats/outline_reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "io/files/input_file.hpp"
#include "io/formats/csv_reader.hpp"
#include "io/text/message_text.hpp"
#include "io/text/number_text.hpp"
#include "io/text/words.hpp"
#include "io/yaml/scene_error.hpp"
#include "io/yaml/yaml_value.hpp"

namespace scree {

namespace {

void close(std::vector<Vec2>& points) {
  if (points.size() > 1 && points.front() == points.back()) points.pop_back();
}

constexpr std::string_view kBlanks = " \t\r\n\f";

bool is_blank(char c) {
  return kBlanks.find(c) != std::string_view::npos;
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// An SVG, read from its beginning to its end. Recursion: none.
class Svg {
 public:
  Svg(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  std::vector<Vec2> outline() {
    while ((at_ = text_.find('<', at_)) != std::string_view::npos) next();
    if (!is_svg_) fail(0, "", "is not an SVG, must have the element <svg>");
    if (!found_) fail(0, "", "has no outline, must have one <polygon>, <polyline> or <path>");
    close(points_);
    for (Vec2& point : points_) point.y() = -point.y();
    return std::move(points_);
  }

 private:
  struct Attribute {
    std::string_view name;
    std::size_t begin = 0;  ///< of the value
    std::size_t end = 0;
  };

  [[noreturn]] void fail(std::size_t at, const std::string& key, const std::string& problem) const {
    const std::string_view before = text_.substr(0, std::min(at, text_.size()));
    const auto line = std::ranges::count(before, '\n') + 1;
    const std::size_t begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    throw SceneError(name_, static_cast<int>(line), static_cast<int>(before.size() - begin) + 1, key, problem);
  }

  /// Behind the next place where a text stands.
  void skip_to(std::string_view end, const char* what) {
    const std::size_t found = text_.find(end, at_);
    if (found == std::string_view::npos) fail(at_, "", fmt::format("{} is not closed", what));
    at_ = found + end.size();
  }

  /// What begins with the '<' at at_.
  void next() {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("<!--")) return skip_to("-->", "a comment");
    if (rest.starts_with("<![CDATA[")) return skip_to("]]>", "a text");
    if (rest.starts_with("<?")) return skip_to("?>", "an instruction");
    if (rest.starts_with("<!")) fail(at_, "", "has a document type, which an outline may not");
    if (rest.starts_with("</")) return end_tag();
    start_tag();
  }

  std::string_view word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_blank(text_[at_]) && text_[at_] != '>' && text_[at_] != '/' && text_[at_] != '=' &&
           text_[at_] != '<') {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(kBlanks, at_), text_.size()); }

  void end_tag() {
    at_ += 2;
    const std::string_view name = word();
    skip_to(">", "a tag");
    if (hidden_ > 0 && name == hidden_by_) --hidden_;
  }

  void start_tag() {
    const std::size_t begin = at_++;
    std::string_view name = word();
    if (name.starts_with("svg:")) name.remove_prefix(4);
    if (name.empty()) fail(begin, "", "a tag has no name");
    std::vector<Attribute> attributes;
    bool is_closed = false;
    for (;;) {
      skip_blanks();
      if (at_ >= text_.size()) fail(begin, "", fmt::format("<{}> is not closed", shortened(name, 30)));
      if (text_[at_] == '>') break;
      if (text_[at_] == '/') {
        is_closed = true;
        ++at_;
        continue;
      }
      attributes.push_back(attribute());
      if (attributes.size() > 1000) fail(begin, "", "a tag has more than 1000 attributes, which none may");
    }
    ++at_;
    element(name, attributes, begin, is_closed);
  }

  Attribute attribute() {
    Attribute one;
    const std::size_t begin = at_;
    one.name = word();
    skip_blanks();
    if (one.name.empty() || at_ >= text_.size() || text_[at_] != '=') {
      fail(begin, "", "an attribute must be a name, = and a value in quotes");
    }
    ++at_;
    skip_blanks();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '"' && quote != '\'') fail(at_, shortened(one.name, 30), "a value must be in quotes");
    one.begin = ++at_;
    one.end = text_.find(quote, at_);
    if (one.end == std::string_view::npos) fail(one.begin, shortened(one.name, 30), "a quote is not closed");
    at_ = one.end + 1;
    return one;
  }

  void element(std::string_view name, const std::vector<Attribute>& attributes, std::size_t begin, bool is_closed) {
    static constexpr std::array kShapes = {"polygon", "polyline", "path"};
    static constexpr std::array kOthers = {"circle", "ellipse", "rect",  "line",     "text",
                                           "image",  "use",     "tspan", "textPath", "foreignObject"};
    static constexpr std::array kHidden = {"defs", "clipPath", "mask", "marker", "pattern", "symbol", "metadata"};
    if (name == "svg") is_svg_ = true;
    if (hidden_ > 0) {
      if (name == hidden_by_ && !is_closed) ++hidden_;
      return;
    }
    if (std::ranges::find(kHidden, name) != kHidden.end()) {
      if (!is_closed) {
        hidden_ = 1;
        hidden_by_ = name;
      }
      return;
    }
    const std::string tag = fmt::format("<{}>", shortened(name, 30));
    if (std::ranges::find(kOthers, name) != kOthers.end()) {
      fail(begin, tag, "is not allowed in an outline, must be one <polygon>, <polyline> or <path>");
    }
    for (const Attribute& one : attributes) {
      if (one.name == "transform") fail(one.begin, tag, "has a transform, which an outline may not (apply it before)");
    }
    if (std::ranges::find(kShapes, name) == kShapes.end()) return;
    if (found_) fail(begin, tag, "is a second shape, an outline must be one");
    found_ = true;
    const std::string_view wanted = name == "path" ? "d" : "points";
    const auto data = std::ranges::find(attributes, wanted, &Attribute::name);
    if (data == attributes.end()) fail(begin, tag, fmt::format("is without '{}', which it must have", wanted));
    const std::size_t after = at_;
    tag_ = tag;
    at_ = data->begin;
    end_ = data->end;
    name == "path" ? read_path() : read_points();
    at_ = after;
  }

  // --- numbers

  void skip_separators() {
    while (at_ < end_ && (is_blank(text_[at_]) || text_[at_] == ',')) ++at_;
  }

  double number() {
    skip_separators();
    const std::size_t begin = at_;
    if (at_ < end_ && text_[at_] == '+') ++at_;
    double value{};
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + end_, value);
    if (error != std::errc{} || !std::isfinite(value) || std::abs(value) > kLargestNumber ||
        (begin != at_ && text_[at_] == '-')) {
      fail(begin, tag_, "has no number here, must have one of magnitude up to 1e100");
    }
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  void add(const Vec2& point) {
    if (points_.size() == kMostOutlinePoints) {
      fail(at_, tag_, fmt::format("has more than {} corners, which no outline may", kMostOutlinePoints));
    }
    if (!std::isfinite(point.x()) || !std::isfinite(point.y()) || point.cwiseAbs().maxCoeff() > kLargestNumber) {
      fail(at_, tag_, "goes beyond 1e100");
    }
    points_.push_back(point);
  }

  void read_points() {
    for (skip_separators(); at_ < end_; skip_separators()) {
      const double x = number();
      const double y = number();
      add({x, y});
    }
  }

  void read_path() {
    Vec2 pen = Vec2::Zero();
    char command = '\0';
    bool is_closed = false;
    for (skip_separators(); at_ < end_; skip_separators()) {
      const std::size_t begin = at_;
      const bool is_given = is_letter(text_[at_]);
      if (is_given) command = text_[at_++];
      if (is_closed) fail(begin, tag_, "goes on after it is closed, an outline must be one");
      const bool is_relative = command >= 'a' && command <= 'z';
      const Vec2 from = is_relative ? pen : Vec2::Zero();
      switch (command) {
        case 'M':
        case 'm':
          if (is_given && !points_.empty()) fail(begin, tag_, "begins a second time, an outline must be one");
          [[fallthrough]];
        case 'L':
        case 'l': {
          const double x = number();
          const double y = number();
          pen = from + Vec2(x, y);
          break;
        }
        case 'H':
        case 'h':
          pen.x() = from.x() + number();
          break;
        case 'V':
        case 'v':
          pen.y() = from.y() + number();
          break;
        case 'Z':
        case 'z':
          if (!is_given) fail(begin, tag_, "goes on after it is closed, an outline must be one");
          is_closed = true;
          continue;
        default:
          fail(begin, tag_, unknown(begin, command, is_given));
      }
      if (points_.empty() && command != 'M' && command != 'm') fail(begin, tag_, "must begin with M");
      add(pen);
    }
  }

  std::string unknown(std::size_t begin, char command, bool is_given) const {
    if (!is_given) return command == '\0' ? "must begin with M" : "has what is no number here";
    constexpr std::string_view kCurves = "CcSsQqTtAa";
    const bool is_curve = kCurves.find(command) != std::string_view::npos;
    return fmt::format("has {}'{}', must have straight lines only: M, L, H, V and Z",
                       is_curve ? "the curve " : "the unknown command ", escaped(text_.substr(begin, 1)));
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;  ///< of the value that is read
  std::string tag_ = {};
  bool is_svg_ = false;
  bool found_ = false;
  int hidden_ = 0;  ///< elements called hidden_by_ that are open
  std::string_view hidden_by_ = {};
  std::vector<Vec2> points_ = {};
};

}  // namespace

std::vector<Vec2> parse_outline_csv(std::string_view text, const std::string& name) try {
  const CsvInput table = read_csv(text, name, kMostOutlinePoints);
  std::size_t x = 0;
  std::size_t y = 1;
  if (!table.names.empty()) {
    const auto column = [&](const std::string& wanted) {
      const auto found = std::ranges::find(table.names, wanted);
      if (found == table.names.end()) {
        throw SceneError(name, 1, 1, "", fmt::format("has no column '{}', must have x and y", wanted));
      }
      return static_cast<std::size_t>(found - table.names.begin());
    };
    x = column("x");
    y = column("y");
  }
  std::vector<Vec2> points;
  Mistakes mistakes;
  for (const CsvInput::Row& row : table.rows) {
    if (row.cells.size() < 2 || (table.names.empty() && row.cells.size() > 2)) {
      throw SceneError(name, row.line, 1, "",
                       fmt::format("has {} values in a line, must have 2, x and y", row.cells.size()));
    }
    Vec2 point;
    mistakes.attempt([&] { point.x() = number_in(row.cells[x], row.line, name, "x"); });
    mistakes.attempt([&] { point.y() = number_in(row.cells[y], row.line, name, "y"); });
    points.push_back(point);
  }
  mistakes.throw_if_any();
  close(points);
  return points;
} catch (const TooManyMistakes& error) {
  throw SceneError(error.mistakes);
}

std::vector<Vec2> parse_outline_svg(std::string_view text, const std::string& name) {
  return Svg(text, name).outline();
}

std::vector<Vec2> read_outline(const std::filesystem::path& path) {
  const std::string text = read_input_file(path, "an outline");
  return path.extension() == ".svg" ? parse_outline_svg(text, path.string()) : parse_outline_csv(text, path.string());
}

}  // namespace scree
