#pragma once

#include <csignal>
#include <sys/resource.h>

/// As long as it lives no file can grow beyond so many bytes: as on a disk that is full ("File too large").
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t most) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small = {most, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallFiles() { setrlimit(RLIMIT_FSIZE, &before_); }
  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;

 private:
  rlimit before_{};
};
