#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// VTK XML files as scree writes them (io/frames/vtk_file.hpp): one piece, raw appended data, zlib. They are read
/// without VTK, which takes memory for whatever sizes a file claims and prints what it finds wrong: here the bytes of
/// the file bound what is taken, and each number is checked.
namespace scree {

class VtkReader {
 public:
  /// @param contents  of the whole file  @param path and @param needed  for messages, e.g. "a frame that scree wrote"
  /// @param kind  of data: "PolyData" or "ImageData"
  /// Throws IoError if it is no such file, as all functions do.
  VtkReader(std::string contents, std::filesystem::path path, std::string_view kind, std::string needed);
  VtkReader(const VtkReader&) = delete;
  VtkReader& operator=(const VtkReader&) = delete;

  /// A count that the only piece states.
  std::size_t piece(std::string_view attribute) const { return count_in(piece_, attribute); }
  /// Numbers that the data set, the element around the piece, states: so many finite ones.
  std::vector<double> numbers(std::string_view attribute, std::size_t count) const;

  bool has(std::string_view section, std::string_view name) const { return find(section, name) != nullptr; }

  /// An array of numbers of one type, tuple after tuple. Whole numbers must be of a whole type and fit into T; an array
  /// of another size is refused. @param section  FieldData, CellData, Points, Lines and so on
  template <class T>
  std::vector<T> values(std::string_view section, std::string_view name, std::size_t components,
                        std::size_t tuples) const;
  /// An array of any length.
  template <class T>
  std::vector<T> list(std::string_view section, std::string_view name) const;

  [[noreturn]] void refuse(const std::string& why) const;

 private:
  using Attributes = std::vector<std::pair<std::string_view, std::string_view>>;
  struct Array {
    std::string_view section;
    Attributes attributes;
  };

  void read_header(std::string_view kind);
  std::string_view text_in(const Attributes& attributes, std::string_view name) const;
  std::size_t count_in(const Attributes& attributes, std::string_view name) const;
  const Array* find(std::string_view section, std::string_view name) const;
  const Array& array(std::string_view section, std::string_view name) const;
  std::uint64_t header_word(std::size_t& at) const;
  std::string bytes(const Array& array) const;
  template <class Raw, class T>
  std::vector<T> converted(const std::string& raw, std::string_view name) const;

  std::string contents_;
  std::filesystem::path path_;
  std::string needed_;
  Attributes data_set_;
  Attributes piece_;
  std::vector<Array> arrays_;
  std::size_t word_size_ = 0;  // of sizes in the data
  std::size_t data_ = 0;       // where they begin
};

}  // namespace scree
