#pragma once

#include <cstdio>
#include <string>

namespace scree {

/// A number as printf writes it. @param format of one double, for less than 32 characters
inline std::string formatted(const char* format, double value) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

}  // namespace scree
