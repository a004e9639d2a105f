#include "io/progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace scree {

namespace {

constexpr int kBarWidth = 24;
constexpr int kLeastBarWidth = 4;

int terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/// A terminal that cannot go back to the beginning of the line, like an editor's.
bool is_dumb() {
  const char* kind = std::getenv("TERM");
  return kind != nullptr && std::string_view(kind) == "dumb";
}

/// What cannot be said is left unsaid: fmt::print would end the run if the standard error is closed.
void say(const std::string& text) {
  std::fputs(text.c_str(), stderr);
}

}  // namespace

std::string duration_text(double seconds) {
  if (!(seconds < 1e9)) return "very long";
  if (seconds < 60.0) return fmt::format("{:.1f} s", seconds);
  const auto whole = std::llround(seconds);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string count_text(double count) {
  const char* unit = "";
  for (const char* next : {"k", "M", "G", "T"}) {
    if (count < 999.5) break;
    count *= 1e-3;
    unit = next;
  }
  const int digits = *unit == '\0' || count >= 99.95 ? 0 : count >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}{}{}", count, digits, *unit == '\0' ? "" : " ", unit);
}

Progress::Progress(double start, double end, std::string work, bool quiet)
    : start_(start),
      end_(end),
      work_(std::move(work)),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) != 0 && !is_dumb()) {}

Progress::~Progress() {
  finish();
}

double Progress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - began_).count();
}

void Progress::show(const Moment& now) {
  if (quiet_) return;
  last_ = now;
  const auto clock = Clock::now();
  const double interval = terminal_ ? 0.1 : 10.0;  // s
  if (std::chrono::duration<double>(clock - last_shown_).count() < interval) return;
  last_shown_ = clock;
  if (terminal_) {
    draw();
  } else {
    const Numbers n = numbers();
    say(fmt::format("{}: t = {:.4g} of {:.4g} s{}\n", n.percent, now.time, end_, n.rest));
  }
}

Progress::Numbers Progress::numbers() const {
  const double elapsed = seconds();
  const double done = std::clamp((last_.time - start_) / (end_ - start_), 0.0, 1.0);
  const double work = static_cast<double>(last_.work);
  return {.done = done,
          .percent = fmt::format("{:3.0f} %", std::floor(100.0 * done)),
          .rest = fmt::format(", {} particles, {} {}/s, {} left", last_.particles,
                              count_text(work / std::max(elapsed, 1e-9)), work_,
                              done > 0.0 ? duration_text(elapsed * (1.0 - done) / done) : "?")};
}

/// One line, cut where the terminal ends: one that is wrapped could not be redrawn. The bar takes what room is left.
void Progress::draw() {
  const Numbers n = numbers();
  std::string line = fmt::format("{}  t = {:.4g} s{}", n.percent, last_.time, n.rest);
  const int width = terminal_width() - 1;
  const int bar = std::min(kBarWidth, width - static_cast<int>(line.size()) - 3);
  if (bar >= kLeastBarWidth) {
    const auto filled = static_cast<std::size_t>(std::lround(n.done * bar));
    line = fmt::format("[{:#<{}}{:.<{}}] {}", "", filled, "", static_cast<std::size_t>(bar) - filled, line);
  }
  line.resize(std::min(line.size(), static_cast<std::size_t>(std::max(width, 0))));
  say("\r\033[K" + line);
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::finish() {
  if (!drawn_) return;
  draw();
  std::fputc('\n', stderr);
  drawn_ = false;
}

}  // namespace scree
