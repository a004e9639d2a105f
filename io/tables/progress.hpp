#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "io/tables/outlook.hpp"

namespace scree {

/// One line of what goes on, on standard error: on a terminal it is redrawn, elsewhere it is a plain line now and then.
class StatusLine {
 public:
  explicit StatusLine(bool quiet);  ///< @param quiet prints nothing
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  bool is_quiet() const { return quiet_; }
  bool is_due() const;                      ///< ten times a second on a terminal, else every 10 s
  std::size_t width() const;                ///< characters that a terminal has room for; else npos
  void show(const std::string& text);       ///< at once; on a terminal what fits
  bool is_drawn() const { return drawn_; }  ///< whether it stands on a terminal
  void end();                               ///< leaves it there, as a line of its own
  void clear();                             ///< takes it away, for a line of another kind

 private:
  using Clock = std::chrono::steady_clock;
  bool quiet_;
  bool terminal_;
  bool drawn_ = false;
  Clock::time_point last_shown_ = Clock::now();
};

/// What a user sees while a run goes on, on standard error: on a terminal a bar that is redrawn, elsewhere a plain line
/// now and then.
class Progress {
 public:
  struct Moment {
    double time;              ///< simulated [s]
    std::uint64_t particles;  ///< present now
    std::uint64_t work;       ///< done so far in this run
    std::string stage = {};   ///< its name; empty without stages
  };

  /// Simulated time [s]; `to` is the earlier one of a run that goes back.
  struct Span {
    double from;
    double to;
  };

  /// @param work what is counted, e.g. "events"  @param quiet prints nothing
  Progress(const Span& span, Arrivals arrivals, std::string work, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const Moment& now);  ///< cheap to call often: draws ten times a second on a terminal, else every 10 s
  void finish();                 ///< draws the bar a last time and ends its line

  double seconds() const;         ///< wall time since the beginning, without pauses [s]
  void leave_out(double paused);  ///< a pause that is over [s]

 private:
  using Clock = std::chrono::steady_clock;
  double passed() const;  ///< simulated time [s]
  double done() const;    ///< share of the simulated time
  /// @param most characters; the less important parts are left out if it would be longer
  std::string line(std::size_t most) const;
  std::string line_with_bar() const;  ///< as wide as the terminal has room for

  Span span_;
  Outlook outlook_;
  std::string work_;
  StatusLine status_;
  Moment last_ = {};
  Clock::time_point began_ = Clock::now();
};

/// "1 h 02 min", "3 min 20 s", "12.3 s".
std::string duration_text(double seconds);

/// "3.21 M", "12.0 k", "7.00 G": a count in three digits.
std::string count_text(double count);

}  // namespace scree
