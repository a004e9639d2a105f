#include "app/child_process.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "io/files/atomic_file.hpp"

namespace scree::app {

namespace {

constexpr const char* kThisProgram = "/proc/self/exe";
constexpr std::size_t kMostText = 100'000;  // characters

/// In the new process, until it is another program: only what is allowed behind a fork. All signals are blocked.
[[noreturn]] void become(char* const* arguments, int errors, pid_t parent, const sigset_t& unblocked) {
  setpgid(0, 0);
  // A signal that comes from now on is not for the parent's handler.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) {
    if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGINT);
  if (getppid() != parent) _exit(127);
#else
  static_cast<void>(parent);
#endif
  const int nothing = open("/dev/null", O_RDWR);
  if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(nothing, STDOUT_FILENO) < 0) _exit(127);
  if (dup2(errors, STDERR_FILENO) < 0) _exit(127);
  sigprocmask(SIG_SETMASK, &unblocked, nullptr);
  execv(kThisProgram, arguments);
  _exit(127);
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"scree"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw_io_error("cannot start a process of", kThisProgram, errno);
  const pid_t parent = getpid();
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  process_ = fork();
  if (process_ == 0) become(pointers.data(), ends[1], parent, before);
  const int error = errno;
  sigprocmask(SIG_SETMASK, &before, nullptr);
  close(ends[1]);
  errors_ = ends[0];
  if (process_ < 0) {
    close(errors_);
    throw_io_error("cannot start a process of", kThisProgram, error);
  }
  setpgid(process_, process_);  // in both processes: either may be the first
  fcntl(errors_, F_SETFL, O_NONBLOCK);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : process_(std::exchange(other.process_, -1)),
      errors_(std::exchange(other.errors_, -1)),
      text_(std::move(other.text_)) {}

ChildProcess::~ChildProcess() {
  if (process_ < 0) return;
  interrupt();
  wait();
}

bool ChildProcess::read() {
  char buffer[4096];
  for (;;) {
    const ssize_t count = ::read(errors_, buffer, sizeof buffer);
    if (count > 0) {
      if (text_.size() < kMostText) text_.append(buffer, static_cast<std::size_t>(count));
      continue;
    }
    if (count < 0 && errno == EINTR) continue;
    return count < 0 && errno == EAGAIN;
  }
}

void ChildProcess::interrupt() const {
  kill(process_, SIGINT);
}

ChildProcess::End ChildProcess::wait() {
  while (read()) wait_for_any({this}, 1.0);
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  close(std::exchange(errors_, -1));
  End end{.errors = std::move(text_)};
  end.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return end;
}

void wait_for_any(const std::vector<ChildProcess*>& processes, double seconds) {
  std::vector<pollfd> descriptors;
  for (const ChildProcess* process : processes) descriptors.push_back({process->descriptor(), POLLIN, 0});
  poll(descriptors.data(), descriptors.size(), static_cast<int>(1000.0 * seconds));
}

}  // namespace scree::app
