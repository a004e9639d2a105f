#pragma once

#include <filesystem>

/// The directory that a run writes to, and care for what is there already.
namespace scree::app {

inline constexpr const char* kStateFile = "state.scree";
inline constexpr const char* kInfoFile = "run.json";
inline constexpr const char* kComparisonFile = "compare.csv";

/// What a directory is for.
enum class Kind { run, comparison };

enum class Overwrite { never, an_earlier_one };

/// Whether a directory holds the saved state of a run.
bool holds_state(const std::filesystem::path& directory);

/// Throws UsageError unless new output may be written here: nothing is here yet, or an empty directory, one in which a
/// run was killed before it saved anything, or, if allowed, one that holds output of the same kind. Changes nothing.
void require_room_for(Kind kind, const std::filesystem::path& directory, Overwrite overwrite);

/// Throws IoError, with advice that agrees with require_room_for, unless there is the saved state of a run here.
void require_saved_state(const std::filesystem::path& directory);

/// Deletes the files of an earlier run or comparison, those that it writes and by their exact names; never anything
/// else: no directory, pipe or device of such a name. The file by which its directory is known goes last: whoever is
/// killed meanwhile can begin again.
void remove(Kind kind, const std::filesystem::path& directory);

/// Deletes what a run that was killed did not put in place. It goes on now, and no other process writes here.
void remove_unfinished(const std::filesystem::path& directory);

/// Deletes the files of a finished run but for its tables and run.json.
void remove_all_but_tables(const std::filesystem::path& directory);

/// Whether a program is writing to a directory; true where the file system has no locks.
bool is_being_written(const std::filesystem::path& directory);

/// Whether a program goes on with the run in a directory. A run writes run.json every second or so; only if it does
/// not, is_being_written is asked: for that moment no run could begin.
bool is_alive(const std::filesystem::path& directory);

/// Keeps two programs from writing to one directory, as long as it lives. Leaves no trace in it; ends with the program,
/// however that ends. Where the file system has no such locks, there is none.
class DirectoryLock {
 public:
  explicit DirectoryLock(const std::filesystem::path& directory);  ///< Throws UsageError if another program has it.
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace scree::app
