#include "io/vtk_file.hpp"

#include <cmath>
#include <optional>
#include <streambuf>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <vtkCallbackCommand.h>
#include <vtkCommand.h>
#include <vtkDataObject.h>
#include <vtkNew.h>
#include <vtkXMLWriter.h>

#include "io/errors.hpp"
#include "io/hash64.hpp"
#include "io/number_text.hpp"

namespace scree {
namespace {

namespace fs = std::filesystem;

/// zlib's: against the usual 5, a frame of 11 500 grains takes half the time and is 2 % larger.
constexpr int kCompressionLevel = 1;

/// Puts spaces before and in the tag `<AppendedData encoding="raw">`, and hands all else on.
///
/// VTK's reader gives its XML parser what is before the raw data and ends the document by itself. Since expat 2.6 (and
/// Debian's 2.5.0-1+deb12u2) the parser may put off a tag that came in pieces, until twice as much is there; then VTK
/// hands it the raw data, too, and the file "is not well-formed". ParaView 5.11 and 5.12 have this (VTK's issue 19258).
/// The tag comes in pieces of which the parser tries those of 14, 28, 56 ... bytes if the reader's buffer ends behind
/// `<AppendedData`: with some 45 bytes in all, the end of the document is what makes it twice 28.
class ReadableByAll final : public std::streambuf {
 public:
  explicit ReadableByAll(std::streambuf& to) : to_(to) {}

 protected:
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    static constexpr std::string_view kTag = "<AppendedData";
    static constexpr std::size_t kBuffer = 4096;  // of VTK's reader
    static constexpr std::string_view kIn = "                 ";
    const std::string_view given(text, static_cast<std::size_t>(size));
    const std::size_t tag = is_behind_ ? std::string_view::npos : given.find(kTag);
    if (tag == std::string_view::npos) return to_.sputn(text, size);
    is_behind_ = true;
    put(given.substr(0, tag));
    const auto ends = static_cast<std::size_t>(to_.pubseekoff(0, std::ios::cur, std::ios::out)) + kTag.size();
    put(std::string((kBuffer - ends % kBuffer) % kBuffer, ' '));
    put(kTag);
    put(kIn);
    put(given.substr(tag + kTag.size()));
    return is_written_ ? size : 0;
  }
  int_type overflow(int_type c) override {
    return traits_type::eq_int_type(c, traits_type::eof()) ? traits_type::not_eof(c)
                                                           : to_.sputc(traits_type::to_char_type(c));
  }
  pos_type seekoff(off_type offset, std::ios::seekdir from, std::ios::openmode which) override {
    return to_.pubseekoff(offset, from, which);
  }
  pos_type seekpos(pos_type position, std::ios::openmode which) override { return to_.pubseekpos(position, which); }
  int sync() override { return to_.pubsync(); }

 private:
  void put(std::string_view text) {
    const auto size = static_cast<std::streamsize>(text.size());
    is_written_ = to_.sputn(text.data(), size) == size && is_written_;
  }

  std::streambuf& to_;
  bool is_behind_ = false;  // the tag
  bool is_written_ = true;
};

/// The number in SERIES_NNNNNN and ending, or nothing if the name is none of this series.
std::optional<std::size_t> number_in(std::string_view name, std::string_view series, std::string_view ending) {
  if (!name.starts_with(series) || !name.ends_with(ending) || name.size() < series.size() + ending.size()) return {};
  name.remove_prefix(series.size());
  name.remove_suffix(ending.size());
  if (name.size() < 7 || name.front() != '_') return {};
  return parse_number<std::size_t>(name.substr(1));
}

}  // namespace

std::uint64_t write_vtk_file(const fs::path& path, vtkXMLWriter& writer, std::streambuf*& into, vtkDataObject& data,
                             Sync sync) {
  vtkNew<vtkCallbackCommand> listener;  // VTK prints its errors unless somebody listens; its codes are enough
  listener->SetCallback([](vtkObject*, unsigned long, void*, void*) {});
  writer.AddObserver(vtkCommand::ErrorEvent, listener);
  writer.SetInputData(&data);
  writer.SetDataModeToAppended();
  writer.EncodeAppendedDataOff();
  writer.SetCompressorTypeToZLib();
  writer.SetCompressionLevel(kCompressionLevel);
  writer.WriteToOutputStringOn();
  bool is_written = false;
  const auto write = [&](std::ostream& out) {
    ReadableByAll readable(*out.rdbuf());
    into = &readable;
    is_written = writer.Write() == 1 && writer.GetErrorCode() == 0;
  };
  NewFile file(path);
  file.write(write, sync);  // if the system refuses, this says so
  if (!is_written)
    throw IoError(fmt::format("cannot write {}: VTK's error code {}", path.string(), writer.GetErrorCode()));
  file.put_in_place();
  Hash64 hash;
  read_pieces(path, [&](std::string_view piece) { hash.add(piece); });
  return hash.value();
}

std::string pvd_text(const std::vector<std::pair<double, std::string>>& files) {
  std::string text =
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"Collection\" version=\"0.1\">\n"
      "  <Collection>\n";
  for (const auto& [time, file] : files) {
    text += fmt::format("    <DataSet timestep=\"{}\" part=\"0\" file=\"{}\"/>\n", number_text(time), file);
  }
  return text += "  </Collection>\n</VTKFile>\n";
}

std::vector<std::pair<double, std::size_t>> read_pvd(const fs::path& list, std::string_view series,
                                                     std::string_view ending) {
  const std::string text = read_file(list);
  std::vector<std::pair<double, std::size_t>> files;
  const auto attribute = [](std::string_view element, std::string_view name) {
    const std::size_t at = element.find(name);
    const std::string_view rest = at != std::string_view::npos ? element.substr(at + name.size()) : std::string_view();
    return rest.substr(0, rest.find('"'));
  };
  constexpr std::string_view kElement = "<DataSet ";
  for (std::size_t at = text.find(kElement); at != std::string::npos; at = text.find(kElement, at + 1)) {
    const std::string_view element = std::string_view(text).substr(at, text.find_first_of("<>", at + 1) - at);
    const auto number = number_in(attribute(element, " file=\""), series, ending);
    if (!number) continue;
    const auto time = parse_number<double>(attribute(element, " timestep=\""));
    if (!time || !std::isfinite(*time) || (!files.empty() && !(*time > files.back().first))) {
      throw IoError(fmt::format("cannot read {}: its times are not numbers that rise", list.string()));
    }
    files.emplace_back(*time, *number);
  }
  return files;
}

void remove_numbered_files(const fs::path& directory, std::string_view series, std::string_view ending,
                           std::size_t kept) {
  std::vector<fs::path> others;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    const auto number = number_in(entry->path().filename().string(), series, ending);
    if (number && *number >= kept) others.push_back(entry->path());
  }
  if (error) throw_io_error("cannot list", directory, error.value());
  for (const fs::path& path : others) remove_file(path);
}

}  // namespace scree
