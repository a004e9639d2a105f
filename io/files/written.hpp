#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

/// What a run has written of its tables and frames. It is saved with the state, so that a resumed run finds out whether
/// all of it is still there, and continues exactly behind it.
namespace scree {

/// The rows of a table: how many, and hashes of them.
class TableRecord {
 public:
  TableRecord() = default;
  /// @param header the first line, with its newline
  explicit TableRecord(std::string_view header);

  void add(std::string_view row);  ///< with its newline

  std::uint64_t rows() const { return rows_; }    ///< without the header
  std::uint64_t bytes() const { return bytes_; }  ///< with the header
  /// Whether it is one that has grown by add; for one that was read.
  bool is_sound() const { return rows_between_marks_ > 0 && marks_.size() == rows_ / rows_between_marks_; }

  /// Throws IoError with the first row of a file that is missing or not the one that was added; a row that is one of
  /// many is known up to a few. Further rows do not matter, nor does a file that is not there if it had no rows.
  void require_rows_in(const std::filesystem::path& file) const;

  bool operator==(const TableRecord&) const = default;
  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.rows_, self.bytes_, self.header_, self.hash_, self.rows_between_marks_, self.marks_);
  }

 private:
  std::uint64_t rows_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t header_ = 0;  // its hash
  std::uint64_t hash_ = 0;    // of the header and all rows
  // The hash up to every so many rows, so that damage is found by its row. A table that grows has fewer marks a row.
  std::uint64_t rows_between_marks_ = 1;
  std::vector<std::uint64_t> marks_;
};

/// The names of the files of a frame, as they are listed in FrameRecord.
inline constexpr std::array<const char*, 3> kSeries = {"contacts", "walls", "particles"};

struct FrameRecord {
  double time;                                      ///< [s]
  std::array<std::uint64_t, kSeries.size()> files;  ///< their hashes, in the order of kSeries

  bool operator==(const FrameRecord&) const = default;
  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.time, self.files);
  }
};

/// An image of fields.
struct ImageRecord {
  double time = 0.0;       ///< [s]
  std::uint64_t file = 0;  ///< its hash

  bool operator==(const ImageRecord&) const = default;
  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.time, self.file);
  }
};

inline constexpr const char* kFrameEnding = ".vtp";
/// Sides of a disk in a frame: the polygon lies at most 0.4 % of the radius inside the circle.
inline constexpr std::size_t kDiskSides = 36;

/// "particles_000012.vtp".
std::string frame_file(const std::string& series, std::size_t number);
/// "fields_000012.vti".
std::string image_file(std::size_t number);

struct Written {
  std::vector<FrameRecord> frames;
  std::map<std::string, TableRecord> tables;  ///< by the name of the file
  std::vector<ImageRecord> images = {};

  /// The table of a file; that of a new one if there is none.
  TableRecord table(const std::filesystem::path& file) const;
};

std::string to_bytes(const Written& written);
/// @throws InvalidState if these are no such bytes
Written written_from(const std::string& bytes);

/// Throws IoError with the first file that is missing or not as it was written, and its row.
void require_all_written(const std::filesystem::path& directory, const Written& written);

}  // namespace scree
