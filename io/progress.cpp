#include "io/progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unistd.h>

namespace scree {

namespace {

constexpr int kBarWidth = 24;

template <class... T>
std::string formatted(const char* format, T... values) {
  char text[160];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

}  // namespace

std::string duration_text(double seconds) {
  if (!(seconds < 1e9)) return "very long";
  if (seconds < 60.0) return formatted("%.1f s", seconds);
  const auto whole = static_cast<long long>(std::llround(seconds));
  if (whole < 3600) return formatted("%lld min %02lld s", whole / 60, whole % 60);
  return formatted("%lld h %02lld min", whole / 3600, whole % 3600 / 60);
}

std::string count_text(double count) {
  const char* unit = "";
  for (const char* next : {"k", "M", "G", "T"}) {
    if (count < 999.5) break;
    count *= 1e-3;
    unit = next;
  }
  const int digits = *unit == '\0' || count >= 99.95 ? 0 : count >= 9.995 ? 1 : 2;
  return formatted("%.*f%s%s", digits, count, *unit == '\0' ? "" : " ", unit);
}

Progress::Progress(double start, double end, bool quiet)
    : start_(start), end_(end), quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  finish();
}

double Progress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - began_).count();
}

void Progress::show(const Moment& now) {
  if (quiet_) return;
  const auto clock = Clock::now();
  const double interval = terminal_ ? 0.1 : 10.0;  // s
  if (std::chrono::duration<double>(clock - last_shown_).count() < interval) return;
  last_shown_ = clock;
  const double elapsed = seconds();
  const double done = std::clamp((now.time - start_) / (end_ - start_), 0.0, 1.0);
  const std::string rest = done > 0.0 ? duration_text(elapsed * (1.0 - done) / done) : std::string("?");
  const std::string speed = count_text(static_cast<double>(now.particle_steps) / elapsed);
  const std::string numbers = formatted("t = %.4g of %.4g s, %llu particles, ", now.time, end_,
                                        static_cast<unsigned long long>(now.particles)) +
                              speed + " particle-steps/s, " + rest + " left";
  if (!terminal_) {
    std::fprintf(stderr, "%3.0f %%: %s\n", 100.0 * done, numbers.c_str());
    return;
  }
  const int filled = static_cast<int>(std::lround(done * kBarWidth));
  const std::string bar = std::string(static_cast<std::size_t>(filled), '#') +
                          std::string(static_cast<std::size_t>(kBarWidth - filled), '.');
  std::fprintf(stderr, "\r\033[K[%s] %3.0f %%  %s", bar.c_str(), 100.0 * done, numbers.c_str());
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::finish() {
  if (drawn_) std::fputc('\n', stderr);
  drawn_ = false;
}

}  // namespace scree
