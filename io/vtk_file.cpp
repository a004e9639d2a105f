#include "io/vtk_file.hpp"

#include <cmath>
#include <optional>
#include <regex>
#include <streambuf>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <vtkCallbackCommand.h>
#include <vtkCommand.h>
#include <vtkDataObject.h>
#include <vtkExecutive.h>
#include <vtkNew.h>
#include <vtkXMLReader.h>
#include <vtkXMLWriter.h>

#include "io/errors.hpp"
#include "io/hash64.hpp"
#include "io/number_text.hpp"

namespace scree {
namespace {

namespace fs = std::filesystem;

/// zlib's: against the usual 5, a frame of 11 500 grains takes half the time and is 2 % larger.
constexpr int kCompressionLevel = 1;

/// VTK prints its errors unless somebody listens: a flag that falls with the first.
class Listener {
 public:
  Listener() {
    note_->SetClientData(&is_sound_);
    note_->SetCallback([](vtkObject*, unsigned long, void* sound, void*) { *static_cast<bool*>(sound) = false; });
  }
  void listen_to(vtkObject& object) { object.AddObserver(vtkCommand::ErrorEvent, note_); }
  vtkCallbackCommand* note() { return note_; }
  bool is_sound() const { return is_sound_; }

 private:
  vtkNew<vtkCallbackCommand> note_;
  bool is_sound_ = true;
};

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
  Listener listener;
  listener.listen_to(writer);
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
  write_temporary(path, write, sync);  // if the system refuses, this says so
  if (!is_written) {
    discard_temporary(path);
    throw IoError(fmt::format("cannot write {}: VTK's error code {}", path.string(), writer.GetErrorCode()));
  }
  put_in_place(path);
  Hash64 hash;
  read_pieces(path, [&](std::string_view piece) { hash.add(piece); });
  return hash.value();
}

bool read_vtk_file(const fs::path& path, vtkXMLReader& reader) {
  const std::string contents = read_file(path);  // knows the system's reason when it fails
  Listener listener;
  listener.listen_to(reader);
  listener.listen_to(*reader.GetExecutive());
  reader.SetReaderErrorObserver(listener.note());
  reader.SetParserErrorObserver(listener.note());
  reader.ReadFromInputStringOn();
  reader.SetInputString(contents);
  reader.Update();
  return listener.is_sound() && reader.GetErrorCode() == 0;
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
  static const std::regex kEntry(R"re(<DataSet timestep="([^"]+)"[^>]* file="([^"]+)"/>)re");
  std::vector<std::pair<double, std::size_t>> files;
  for (std::sregex_iterator entry(text.begin(), text.end(), kEntry), end; entry != end; ++entry) {
    const auto number = number_in((*entry)[2].str(), series, ending);
    if (!number) continue;
    const auto time = parse_number<double>((*entry)[1].str());
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

void remove_file(const fs::path& path) {
  std::error_code error;
  fs::remove(path, error);
  if (error) throw_io_error("cannot remove", path, error.value());
}

}  // namespace scree
