#include "app/run_directory.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <regex>
#include <string>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "app/errors.hpp"
#include "io/files/atomic_file.hpp"
#include "io/formats/checkpoint.hpp"
#include "io/text/errors.hpp"

namespace scree::app {

namespace {

namespace fs = std::filesystem;

bool holds_run_info(const fs::path& directory) {
  const fs::path info = directory / kInfoFile;
  return fs::is_regular_file(info) && read_file(info).find("\"state_hash\"") != std::string::npos;
}

bool holds(Kind kind, const fs::path& directory) {
  if (kind == Kind::comparison) return fs::is_regular_file(directory / kComparisonFile);
  return holds_state(directory) || holds_run_info(directory);
}

/// Whether a directory is empty but for what a run leaves that was killed while it wrote its very first file.
bool is_as_good_as_empty(const fs::path& directory) {
  return std::ranges::all_of(fs::directory_iterator(directory), [](const fs::directory_entry& entry) {
    return entry.is_regular_file() && entry.path().filename() == std::string(kStateFile) + ".tmp";
  });
}

/// What is in a directory under the names of files that are written there, or were while the program was killed.
std::vector<fs::path> written_to(Kind kind, const fs::path& directory) {
  static const std::regex kOfRun(
      R"((state(\.previous)?\.scree|run\.json|view\.py|replay\.html|report\.(md|html)|(frame|chart)_[a-z]+\.svg|series\.csv|flow\.csv|drives\.csv|motions\.csv|cell\.csv|hashes\.csv)"
      R"(|(measure|wall_forces|mean_square_displacement|height_profile|texture|pair_orientation|force_distribution)\.csv)"
      R"(|fields_(mean|over_[xy])\.csv|fields(\.pvd|_mean\.vti|_[0-9]{6,}\.vti))"
      R"(|(radial|velocity)_distribution\.csv|free_(paths|times)\.csv)"
      R"(|(particles|contacts|walls)(\.pvd|_[0-9]{6,}\.vtp))((\.[0-9]+)?\.tmp)?)");
  static const std::regex kOfComparison(
      R"(((compare|stiffness)\.csv|replay\.html|report\.(md|html)|(disks|errors)_[0-9]+\.svg)"
      R"(|(height_profile|(radial|velocity)_distribution)\.(csv|svg))"
      R"(|(kinetic_energy|contacts|collision_rate|(wall_)?pressure|left|flow_rate)"
      R"(|mean_square_displacement|mean_height|trajectories)\.svg)((\.[0-9]+)?\.tmp)?)");
  const std::regex& ours = kind == Kind::run ? kOfRun : kOfComparison;
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    if (std::regex_match(entry.path().filename().string(), ours)) found.push_back(entry.path());
  }
  return found;
}

}  // namespace

bool holds_state(const fs::path& directory) {
  const fs::path state = directory / kStateFile;
  return fs::is_regular_file(state) || fs::is_regular_file(previous_checkpoint(state));
}

void require_room_for(Kind kind, const fs::path& directory, Overwrite overwrite) {
  if (!fs::exists(directory)) return;
  const std::string name = directory.string();
  const std::string what = kind == Kind::run ? "a run" : "a comparison";
  if (!fs::is_directory(directory)) {
    throw UsageError(fmt::format("the output directory {} is a file; allowed: another directory, by --output", name));
  }
  if (is_as_good_as_empty(directory)) return;
  if (!holds(kind, directory)) {
    throw UsageError(
        fmt::format("the output directory {} contains other files than {} of scree, which are not touched{}; "
                    "allowed: an empty or new directory, by --output",
                    name, what, overwrite == Overwrite::never ? "" : " even with --force"));
  }
  if (overwrite == Overwrite::never) {
    const bool resumable = kind == Kind::run && holds_state(directory);
    throw UsageError(fmt::format(
        "the output directory {} already contains {}{}, which is not overwritten; allowed: --force to replace "
        "it, {}another directory by --output",
        name, what, kind == Kind::run && !resumable ? " without a saved state" : "",
        resumable ? "scree resume to continue it, " : ""));
  }
}

void require_saved_state(const fs::path& directory) {
  const auto refuse = [&](const std::string& why) {
    return IoError(fmt::format("cannot resume {}: {}", directory.string(), why));
  };
  const std::string allowed = "allowed: the output directory of a run, as printed at the end of scree run";
  if (!fs::exists(directory)) throw refuse("there is no such directory; " + allowed);
  if (!fs::is_directory(directory)) throw refuse("it is a file; " + allowed);
  if (holds_state(directory)) return;
  const std::string none = fmt::format("it contains no saved state, {}; ", kStateFile);
  if (holds_run_info(directory)) throw refuse(none + "allowed: scree run --force to begin the run in it again");
  if (!fs::is_empty(directory) && is_as_good_as_empty(directory)) {
    throw refuse(none + "the run in it was killed before it saved one; allowed: scree run to begin it again");
  }
  throw refuse(none + allowed);
}

void remove(Kind kind, const fs::path& directory) {
  // Whatever stops this in between, no state is left whose frames and tables are gone, and what is left is still known
  // as a run.
  const fs::path state = directory / kStateFile;
  const fs::path info = directory / kInfoFile;
  if (kind == Kind::run) {
    remove_file(state);
    remove_file(previous_checkpoint(state));
    sync_directory(directory);
  }
  for (const fs::path& path : written_to(kind, directory)) {
    if (path != info) remove_file(path);
  }
  sync_directory(directory);
  if (kind == Kind::run) remove_file(info);
}

void remove_all_but_tables(const fs::path& directory) {
  for (const fs::path& path : written_to(Kind::run, directory)) {
    if (path.extension() != ".csv" && path.filename() != kInfoFile) remove_file(path);
  }
}

void remove_unfinished(const fs::path& directory) {
  for (const fs::path& path : written_to(Kind::run, directory)) {
    if (path.extension() == ".tmp") remove_file(path);
  }
}

bool is_being_written(const fs::path& directory) {
  const int descriptor = open(directory.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool is_free = flock(descriptor, LOCK_SH | LOCK_NB) == 0;
  close(descriptor);
  return !is_free;
}

bool is_alive(const fs::path& directory) {
  using namespace std::chrono_literals;
  std::error_code error;
  const auto written = fs::last_write_time(directory / kInfoFile, error);
  return (!error && fs::file_time_type::clock::now() - written < 3s) || is_being_written(directory);
}

DirectoryLock::DirectoryLock(const fs::path& directory) : descriptor_(open(directory.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0 || flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  close(descriptor_);
  throw UsageError(
      fmt::format("another scree is writing to {}; allowed: wait for its end, or another directory by --output",
                  directory.string()));
}

DirectoryLock::~DirectoryLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace scree::app
