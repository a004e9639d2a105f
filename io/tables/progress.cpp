#include "io/tables/progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "io/text/message_text.hpp"

namespace scree {

namespace {

constexpr std::size_t kBarWidth = 24;
constexpr std::size_t kLeastBarWidth = 4;

int terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/// A terminal that cannot go back to the beginning of the line, like an editor's.
bool is_dumb() {
  const char* kind = std::getenv("TERM");
  return kind != nullptr && std::string_view(kind) == "dumb";
}

/// What cannot be printed is left out: fmt::print would end the run if the standard error is closed.
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

Progress::Progress(const Span& span, Arrivals arrivals, std::string work, bool quiet)
    : span_(span),
      outlook_(std::abs(span.to - span.from), std::move(arrivals)),
      work_(std::move(work)),
      status_(quiet) {}

Progress::~Progress() {
  finish();
}

double Progress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - began_).count();
}

void Progress::leave_out(double paused) {
  began_ += std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(paused));
}

void Progress::show(const Moment& now) {
  if (status_.is_quiet()) return;
  last_ = now;
  outlook_.add(seconds(), passed(), static_cast<double>(now.particles));
  if (status_.is_due()) status_.show(line_with_bar());
}

double Progress::passed() const {
  return std::abs(last_.time - span_.from);
}

double Progress::done() const {
  return std::clamp(passed() / std::abs(span_.to - span_.from), 0.0, 1.0);
}

std::string Progress::line(std::size_t most) const {
  const std::string percent = fmt::format("{:3.0f} %", std::floor(100.0 * done()));
  const std::string stage = last_.stage.empty() ? "" : "  " + shortened(last_.stage, 20);
  const std::string time = fmt::format("{}  t = {:.4g} s", stage, last_.time);
  const std::string particles = fmt::format(", {} particles", last_.particles);
  const std::string rate =
      fmt::format(", {} {}/s", count_text(static_cast<double>(last_.work) / std::max(seconds(), 1e-9)), work_);
  const double remaining = outlook_.remaining();
  const std::string left = fmt::format(", {} left", std::isfinite(remaining) ? duration_text(remaining) : "?");
  for (const std::string& text : {percent + time + particles + rate + left, percent + time + particles + left,
                                  percent + time + left, percent + left}) {
    if (text.size() <= most) return text;
  }
  return percent.substr(0, most);
}

/// The bar takes what room is left.
std::string Progress::line_with_bar() const {
  const std::size_t width = status_.width();
  std::string text = line(width);
  constexpr std::size_t kFrame = 3;  // two brackets and a space
  if (width == std::string::npos || width < text.size() + kLeastBarWidth + kFrame) return text;
  const std::size_t bar = std::min(kBarWidth, width - text.size() - kFrame);
  const auto filled = static_cast<std::size_t>(std::lround(done() * static_cast<double>(bar)));
  return fmt::format("[{:#<{}}{:.<{}}] {}", "", filled, "", bar - filled, text);
}

void Progress::finish() {
  if (!status_.is_drawn()) return;
  status_.show(line_with_bar());
  status_.end();
}

StatusLine::StatusLine(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0 && !is_dumb()) {}

StatusLine::~StatusLine() {
  clear();
}

bool StatusLine::is_due() const {
  const double interval = terminal_ ? 0.1 : 10.0;  // s
  return !quiet_ && std::chrono::duration<double>(Clock::now() - last_shown_).count() >= interval;
}

/// One that ends before the terminal does: one that is wrapped could not be redrawn.
std::size_t StatusLine::width() const {
  return terminal_ ? static_cast<std::size_t>(std::max(terminal_width() - 1, 0)) : std::string::npos;
}

void StatusLine::show(const std::string& text) {
  if (quiet_) return;
  last_shown_ = Clock::now();
  if (!terminal_) {
    say(text + "\n");
    return;
  }
  say("\r\033[K" + text.substr(0, width()));
  std::fflush(stderr);
  drawn_ = true;
}

void StatusLine::end() {
  if (drawn_) std::fputc('\n', stderr);
  drawn_ = false;
}

void StatusLine::clear() {
  if (!drawn_) return;
  say("\r\033[K");
  drawn_ = false;
}

}  // namespace scree
