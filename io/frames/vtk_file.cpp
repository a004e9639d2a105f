#include "io/frames/vtk_file.hpp"

#include <streambuf>
#include <string_view>

#include <fmt/format.h>
#include <vtkCallbackCommand.h>
#include <vtkCommand.h>
#include <vtkDataObject.h>
#include <vtkNew.h>
#include <vtkXMLWriter.h>

#include "io/text/errors.hpp"
#include "io/text/hash64.hpp"

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

}  // namespace

std::uint64_t write_vtk_file(const fs::path& path, vtkXMLWriter& writer, std::streambuf*& into, vtkDataObject& data,
                             Sync sync) {
  vtkNew<vtkCallbackCommand> listener;  // VTK prints its errors unless there is a listener; its codes are enough
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
  file.write(write, sync);  // throws if the system refuses
  if (!is_written)
    throw IoError(fmt::format("cannot write {}: VTK's error code {}", path.string(), writer.GetErrorCode()));
  file.put_in_place();
  Hash64 hash;
  read_pieces(path, [&](std::string_view piece) { hash.add(piece); });
  return hash.value();
}

}  // namespace scree
