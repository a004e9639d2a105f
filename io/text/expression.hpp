#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

/// Simple arithmetic in the numbers of a scene: + - * / ^, parentheses, a few functions, pi, and the scene's
/// parameters.
namespace scree {

/// What a name stands for in expressions.
struct Parameter {
  std::optional<double> value;
  bool is_broken = false;  ///< a mistake that is reported; without that and without a value it comes later in the file
};
using Parameters = std::map<std::string, Parameter, std::less<>>;

/// Longer expressions are refused, and deeper ones.
inline constexpr std::size_t kLongestExpression = 1000;
inline constexpr int kDeepestExpression = 64;

/// The problem of an expression that can be read and has no value.
inline constexpr const char* kNotFinite = "its value is not finite";

struct Evaluated {
  std::optional<double> value;  ///< finite
  std::string problem;          ///< why it has no value; empty where it does not look like an expression
  bool is_broken = false;       ///< it uses a parameter that is
};

/// The value of a text. It is the same on every machine.
/// Cost: O(length), with a recursion of at most kLongestExpression calls.
Evaluated evaluate(std::string_view text, const Parameters& parameters);

/// Why a parameter cannot have this name; empty if it can.
std::string problem_of_parameter_name(std::string_view name);

}  // namespace scree
