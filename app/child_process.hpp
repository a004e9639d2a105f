#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace scree::app {

/// Another process of this very program. It is in a process group of its own, so that Ctrl-C reaches it through its
/// parent alone, and it is asked for an end in order if its parent dies.
class ChildProcess {
 public:
  /// Begins it; its standard output is dropped. Throws IoError. @param arguments behind the program's name
  explicit ChildProcess(const std::vector<std::string>& arguments);
  /// A process that still runs is asked for an end in order, and waited for.
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;

  /// Takes what it wrote to the standard error so far. @return whether it still writes
  bool read();
  /// What becomes readable when it writes or ends.
  int descriptor() const { return errors_; }
  /// As Ctrl-C would: it saves its state and ends.
  void interrupt() const;

  struct End {
    int exit_code = 0;   ///< -1 if a signal ended it
    int signal = 0;      ///< which ended it
    std::string errors;  ///< what it wrote to the standard error
  };
  /// Waits for its end.
  End wait();

 private:
  pid_t process_ = -1;
  int errors_ = -1;
  std::string text_;
};

/// Waits until one of the processes writes or ends, a signal comes, or a time is over [s].
void wait_for_any(const std::vector<ChildProcess*>& processes, double seconds);

}  // namespace scree::app
