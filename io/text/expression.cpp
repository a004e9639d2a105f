#include "io/text/expression.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "geometry/deterministic_math.hpp"
#include "io/text/message_text.hpp"
#include "io/text/words.hpp"

namespace scree {

namespace {

constexpr std::string_view kBlanks = " \t";

bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

struct Function {
  std::string_view name;
  double (*of)(double);
};

constexpr std::array kFunctions = {
    Function{"sqrt", [](double x) { return std::sqrt(x); }},
    Function{"abs", [](double x) { return std::abs(x); }},
    Function{"exp", [](double x) { return deterministic::exp(x); }},
    Function{"log", [](double x) { return deterministic::log(x); }},
    Function{"sin", [](double x) { return deterministic::sincos(x).sin; }},
    Function{"cos", [](double x) { return deterministic::sincos(x).cos; }},
    Function{"tan",
             [](double x) {
               const auto [sin, cos] = deterministic::sincos(x);
               return sin / cos;
             }},
};

/// Whole powers by multiplication, so that 2^3 is 8.
double power(double base, double exponent) {
  if (exponent == 0.5) return std::sqrt(base);
  if (std::abs(exponent) > 1000.0 || exponent != std::floor(exponent)) {
    return base == 0.0 ? (exponent > 0.0 ? 0.0 : 1.0 / base) : deterministic::exp(exponent * deterministic::log(base));
  }
  double result = 1.0;
  double square = base;
  for (auto left = static_cast<unsigned>(std::abs(exponent)); left != 0; left /= 2) {
    if (left % 2 != 0) result *= square;
    square *= square;
  }
  return exponent < 0.0 ? 1.0 / result : result;
}

/// Thrown within this file: it is no expression.
struct Refused {
  std::string problem;
  bool is_broken = false;
};

class Parser {
 public:
  Parser(std::string_view text, const Parameters& parameters) : text_(text), parameters_(parameters) {}

  double all() {
    const double value = sum(0);
    skip_blanks();
    if (at_ < text_.size()) throw Refused{};
    return value;
  }

 private:
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(kBlanks, at_), text_.size()); }
  char next() {
    skip_blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    const bool is_there = next() == c;
    if (is_there) ++at_;
    return is_there;
  }

  double sum(int depth) {
    const bool is_negative = next() == '-';
    if (is_negative || next() == '+') ++at_;
    double value = product(depth);
    if (is_negative) value = -value;
    for (;;) {
      if (take('+')) {
        value += product(depth);
      } else if (take('-')) {
        value -= product(depth);
      } else {
        return value;
      }
    }
  }

  double product(int depth) {
    double value = factor(depth);
    for (;;) {
      if (take('*')) {
        value *= factor(depth);
      } else if (take('/')) {
        value /= factor(depth);
      } else {
        return value;
      }
    }
  }

  double factor(int depth) {
    const double base = term(depth);
    if (!take('^')) return base;
    const bool is_negative = take('-');
    const double exponent = factor(depth);
    return power(base, is_negative ? -exponent : exponent);
  }

  double term(int depth) {
    const char c = next();
    if (take('(')) return inside(depth);
    if (begins_name(c)) return name(depth);
    if (!is_digit(c) && c != '.') throw Refused{};
    double value{};
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc{}) throw Refused{};
    at_ = static_cast<std::size_t>(end - text_.data());
    if (at_ < text_.size() && begins_name(text_[at_])) throw Refused{};  // 1.0m
    return value;
  }

  double inside(int depth) {
    if (depth == kDeepestExpression) {
      throw Refused{fmt::format("it has more than {} parentheses in each other", kDeepestExpression)};
    }
    const double value = sum(depth + 1);
    if (!take(')')) throw Refused{next() == '\0' ? "a ')' is missing" : ""};
    return value;
  }

  double name(int depth) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (begins_name(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (const auto function = std::ranges::find(kFunctions, name, &Function::name); function != kFunctions.end()) {
      if (!take('(')) throw Refused{fmt::format("{} must be followed by (", name)};
      return function->of(inside(depth));
    }
    if (name == "pi") return std::numbers::pi;
    const auto found = parameters_.find(name);
    if (found == parameters_.end()) throw Refused{unknown(name, next() == '(')};
    if (found->second.is_broken) throw Refused{"", true};
    if (!found->second.value) {
      throw Refused{fmt::format("the parameter '{}' comes after it, must be before it", shortened(name))};
    }
    return *found->second.value;
  }

  /// A word alone, in a scene without parameters, is not meant as an expression.
  std::string unknown(std::string_view name, bool is_called) const {
    if (name == text_ && parameters_.empty()) return {};
    std::vector<std::string> known;
    if (is_called) {
      for (const Function& function : kFunctions) known.emplace_back(function.name);
      return fmt::format("'{}' is not a function{}, must be {}", shortened(name), did_you_mean(name, known),
                         one_of_text(known));
    }
    for (const auto& parameter : parameters_) known.push_back(parameter.first);
    return fmt::format("'{}' is not a parameter{}", shortened(name), did_you_mean(name, known));
  }

  std::string_view text_;
  const Parameters& parameters_;
  std::size_t at_ = 0;
};

}  // namespace

Evaluated evaluate(std::string_view text, const Parameters& parameters) {
  if (text.size() > kLongestExpression) {
    return {{}, fmt::format("an expression has at most {} characters", kLongestExpression)};
  }
  try {
    const double value = Parser(text, parameters).all();
    if (std::isfinite(value)) return {value, {}};
    return {{}, kNotFinite};
  } catch (const Refused& refused) {
    return {{}, refused.problem, refused.is_broken};
  }
}

std::string problem_of_parameter_name(std::string_view name) {
  const bool is_name = !name.empty() && begins_name(name.front()) &&
                       std::ranges::all_of(name, [](char c) { return begins_name(c) || is_digit(c); });
  if (!is_name) return "is not a name of letters, digits and _ that begins with a letter";
  if (name == "pi" || std::ranges::find(kFunctions, name, &Function::name) != kFunctions.end()) {
    return "is known to expressions already, must be called otherwise";
  }
  return {};
}

}  // namespace scree
