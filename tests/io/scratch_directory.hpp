#pragma once

#include <filesystem>
#include <string>
#include <system_error>
#include <unistd.h>

/// An empty directory of a test's own, removed with all that is in it.
class ScratchDirectory {
 public:
  ScratchDirectory() {
    static int count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("scree-test-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};
