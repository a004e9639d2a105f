#pragma once
// What libc++ 13, which Debian's emscripten comes with, lacks of C++20 and scree uses. It is included before everything
// else (-include, web/CMakeLists.txt) and goes when a newer libc++ comes. As this opens namespace std it is for no
// other compiler; what it has is what scree calls, no more.
#ifdef __cplusplus
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <compare>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

// --- algorithms on ranges

namespace std::ranges {

template <class R>
concept ScreeRange = requires(R& r) {
  std::begin(r);
  std::end(r);
};
template <class I>
concept ScreeIterator = !ScreeRange<I> && requires(I i) {
  *i;
  ++i;
};

// Each algorithm for two iterators and for a range, with a projection: by that of namespace std.
#define SCREE_TESTING(NAME)                                                    \
  template <ScreeIterator I, class Test, class P = std::identity>              \
  constexpr auto NAME(I begin, I end, Test test, P by = {}) {                  \
    return std::NAME(begin, end, [&](auto&& x) -> bool {                       \
      return std::invoke(test, std::invoke(by, std::forward<decltype(x)>(x))); \
    });                                                                        \
  }                                                                            \
  template <ScreeRange R, class Test, class P = std::identity>                 \
  constexpr auto NAME(R&& r, Test test, P by = {}) {                           \
    return NAME(std::begin(r), std::end(r), std::move(test), std::move(by));   \
  }
SCREE_TESTING(all_of)
SCREE_TESTING(any_of)
SCREE_TESTING(none_of)
SCREE_TESTING(find_if)
SCREE_TESTING(find_if_not)
SCREE_TESTING(count_if)
#undef SCREE_TESTING

#define SCREE_SEEKING(NAME, BY)                                                                               \
  template <ScreeIterator I, class T, class P = std::identity>                                                \
  constexpr auto NAME(I begin, I end, const T& value, P by = {}) {                                            \
    return std::BY(begin, end,                                                                                \
                   [&](auto&& x) -> bool { return std::invoke(by, std::forward<decltype(x)>(x)) == value; }); \
  }                                                                                                           \
  template <ScreeRange R, class T, class P = std::identity>                                                   \
  constexpr auto NAME(R&& r, const T& value, P by = {}) {                                                     \
    return NAME(std::begin(r), std::end(r), value, std::move(by));                                            \
  }
SCREE_SEEKING(find, find_if)
SCREE_SEEKING(count, count_if)
#undef SCREE_SEEKING

#define SCREE_COMPARING(NAME, DEFAULT)                                           \
  template <ScreeIterator I, class Compare = DEFAULT, class P = std::identity>   \
  constexpr auto NAME(I begin, I end, Compare compare = {}, P by = {}) {         \
    return std::NAME(begin, end, [&](auto&& x, auto&& y) -> bool {               \
      return std::invoke(compare, std::invoke(by, std::forward<decltype(x)>(x)), \
                         std::invoke(by, std::forward<decltype(y)>(y)));         \
    });                                                                          \
  }                                                                              \
  template <ScreeRange R, class Compare = DEFAULT, class P = std::identity>      \
  constexpr auto NAME(R&& r, Compare compare = {}, P by = {}) {                  \
    return NAME(std::begin(r), std::end(r), std::move(compare), std::move(by));  \
  }
SCREE_COMPARING(sort, std::less<>)
SCREE_COMPARING(stable_sort, std::less<>)
SCREE_COMPARING(is_sorted, std::less<>)
SCREE_COMPARING(max_element, std::less<>)
SCREE_COMPARING(min_element, std::less<>)
SCREE_COMPARING(make_heap, std::less<>)
SCREE_COMPARING(push_heap, std::less<>)
SCREE_COMPARING(pop_heap, std::less<>)
SCREE_COMPARING(adjacent_find, std::equal_to<>)
#undef SCREE_COMPARING

template <ScreeRange R, class I, class Compare = std::less<>, class P = std::identity>
constexpr void nth_element(R&& r, I nth, Compare compare = {}, P by = {}) {
  std::nth_element(std::begin(r), nth, std::end(r), [&](const auto& x, const auto& y) -> bool {
    return std::invoke(compare, std::invoke(by, x), std::invoke(by, y));
  });
}

#define SCREE_BISECTING(NAME, IS_BEFORE)                                                    \
  template <ScreeIterator I, class T, class Compare = std::less<>, class P = std::identity> \
  constexpr auto NAME(I begin, I end, const T& value, Compare compare = {}, P by = {}) {    \
    return std::partition_point(begin, end, [&](auto&& element) -> bool {                   \
      auto&& x = std::invoke(by, element);                                                  \
      return IS_BEFORE;                                                                     \
    });                                                                                     \
  }                                                                                         \
  template <ScreeRange R, class T, class Compare = std::less<>, class P = std::identity>    \
  constexpr auto NAME(R&& r, const T& value, Compare compare = {}, P by = {}) {             \
    return NAME(std::begin(r), std::end(r), value, std::move(compare), std::move(by));      \
  }
SCREE_BISECTING(lower_bound, std::invoke(compare, x, value))
SCREE_BISECTING(upper_bound, !std::invoke(compare, value, x))
#undef SCREE_BISECTING

template <ScreeRange R, class Out, class Do, class P = std::identity>
constexpr void transform(R&& r, Out out, Do act, P by = {}) {
  for (auto&& x : r) *out++ = std::invoke(act, std::invoke(by, std::forward<decltype(x)>(x)));
}
template <ScreeRange R, class Out, class Test, class P = std::identity>
constexpr void copy_if(R&& r, Out out, Test test, P by = {}) {
  for (auto&& x : r) {
    if (std::invoke(test, std::invoke(by, x))) *out++ = x;
  }
}
template <ScreeRange R, class Out>
constexpr auto copy(R&& r, Out out) {
  return std::copy(std::begin(r), std::end(r), out);
}
template <ScreeRange R, class Out>
constexpr auto move(R&& r, Out out) {
  return std::move(std::begin(r), std::end(r), out);
}
template <ScreeRange R, class T>
constexpr void fill(R&& r, const T& value) {
  std::fill(std::begin(r), std::end(r), value);
}
template <ScreeRange R, class T, class U>
constexpr void replace(R&& r, const T& old, const U& by) {
  std::replace(std::begin(r), std::end(r), old, by);
}
template <ScreeRange R>
constexpr void reverse(R&& r) {
  std::reverse(std::begin(r), std::end(r));
}

template <class T>
struct ScreeMinMax {
  T min;
  T max;
};
template <ScreeRange R, class Compare = std::less<>, class P = std::identity>
constexpr auto max(R&& r, Compare compare = {}, P by = {}) {
  return *ranges::max_element(r, compare, by);
}
template <ScreeRange R, class Compare = std::less<>, class P = std::identity>
constexpr auto min(R&& r, Compare compare = {}, P by = {}) {
  return *ranges::min_element(r, compare, by);
}
template <ScreeRange R, class Compare = std::less<>, class P = std::identity>
constexpr auto minmax(R&& r, Compare compare = {}, P by = {}) {
  using T = std::decay_t<decltype(*std::begin(r))>;
  return ScreeMinMax<T>{*ranges::min_element(r, compare, by), *ranges::max_element(r, compare, by)};
}
template <class T, class Compare = std::less<>, class P = std::identity>
constexpr T max(std::initializer_list<T> r, Compare compare = {}, P by = {}) {
  return *ranges::max_element(r.begin(), r.end(), compare, by);
}
template <class T, class Compare = std::less<>, class P = std::identity>
constexpr T min(std::initializer_list<T> r, Compare compare = {}, P by = {}) {
  return *ranges::min_element(r.begin(), r.end(), compare, by);
}
template <class T, class Compare = std::less<>, class P = std::identity>
constexpr ScreeMinMax<T> minmax(std::initializer_list<T> r, Compare compare = {}, P by = {}) {
  return {*ranges::min_element(r.begin(), r.end(), compare, by), *ranges::max_element(r.begin(), r.end(), compare, by)};
}

}  // namespace std::ranges

namespace std {

// --- comparisons of arrays

template <class T, size_t N>
constexpr auto operator<=>(const array<T, N>& a, const array<T, N>& b) {
  using Order = decltype(a[0] <=> b[0]);
  for (size_t k = 0; k < N; ++k) {
    if (const auto order = a[k] <=> b[k]; order != 0) return order;
  }
  return Order(strong_ordering::equal);
}

template <class T, class A>
constexpr auto operator<=>(const vector<T, A>& a, const vector<T, A>& b) {
  using Order = decltype(a[0] <=> b[0]);
  for (size_t k = 0; k < a.size() && k < b.size(); ++k) {
    if (const auto order = a[k] <=> b[k]; order != 0) return order;
  }
  return Order(a.size() <=> b.size());
}

template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

// --- numbers and texts (tests/web/numbers.cpp compares them with those of libstdc++)

/// The library's strtod rounds correctly, but knows more than from_chars: blanks, a plus, hexadecimal digits.
inline from_chars_result from_chars(const char* first, const char* last, double& value,
                                    chars_format = chars_format::general) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto lower = [](char c) { return static_cast<char>(c | 32); };
  const char* at = first;
  if (at != last && *at == '-') ++at;
  const char* const digits = at;
  const auto word = [&](const char* name) {
    const size_t length = strlen(name);
    if (static_cast<size_t>(last - digits) < length) return false;
    return equal(digits, digits + length, name, [&](char a, char b) { return lower(a) == b; });
  };
  for (const char* name : {"infinity", "inf", "nan"}) {
    if (!word(name)) continue;
    value = *name == 'i' ? HUGE_VAL : __builtin_nan("");
    if (digits != first) value = -value;
    return {digits + strlen(name), errc{}};
  }
  int count = 0;
  while (at != last && is_digit(*at)) ++at, ++count;
  if (at != last && *at == '.') {
    ++at;
    while (at != last && is_digit(*at)) ++at, ++count;
  }
  if (count == 0) return {first, errc::invalid_argument};
  if (at != last && lower(*at) == 'e') {
    const char* exponent = at + 1;
    if (exponent != last && (*exponent == '-' || *exponent == '+')) ++exponent;
    if (exponent != last && is_digit(*exponent)) {
      while (exponent != last && is_digit(*exponent)) ++exponent;
      at = exponent;
    }
  }
  const string text(first, at);
  const double x = strtod(text.c_str(), nullptr);
  const char* const mantissa_end = find_if(digits, at, [&](char c) { return lower(c) == 'e'; });
  const bool is_zero = none_of(digits, mantissa_end, [](char c) { return c >= '1' && c <= '9'; });
  if (x == HUGE_VAL || x == -HUGE_VAL || (x == 0.0 && !is_zero)) return {at, errc::result_out_of_range};
  value = x;
  return {at, errc{}};
}

inline to_chars_result scree_put(char* first, char* last, const string& text) {
  if (static_cast<size_t>(last - first) < text.size()) return {last, errc::value_too_large};
  memcpy(first, text.data(), text.size());
  return {first + text.size(), errc{}};
}

/// The fewest digits that give the number back, with an exponent where that is shorter.
inline to_chars_result to_chars(char* first, char* last, double value) {
  if (!isfinite(value)) return scree_put(first, last, fmt::format("{}", value));
  string scientific;
  int decimals = 0;
  for (; decimals < 17; ++decimals) {
    scientific = fmt::format("{:.{}e}", value, decimals);
    if (strtod(scientific.c_str(), nullptr) == value) break;
  }
  const int exponent = atoi(scientific.c_str() + scientific.find('e') + 1);
  const string fixed = fmt::format("{:.{}f}", value, max(0, decimals - exponent));
  return scree_put(first, last, fixed.size() <= scientific.size() ? fixed : scientific);
}
inline to_chars_result to_chars(char* first, char* last, double value, chars_format format, int digits) {
  if (format != chars_format::general) abort();  // nothing else is called
  return scree_put(first, last, fmt::format("{:.{}g}", value, digits));
}

}  // namespace std
#endif
