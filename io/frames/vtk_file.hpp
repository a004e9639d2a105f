#pragma once

#include <cstdint>
#include <filesystem>
#include <sstream>

#include <vtkNew.h>

#include "io/files/atomic_file.hpp"

class vtkDataObject;
class vtkXMLWriter;

/// What VTK writes, each file as a whole.
namespace scree {

/// One of VTK's writers whose text goes elsewhere than into memory. VTK fills a string; its stream is given another
/// buffer as soon as it is there.
template <class Writer>
class WriterInto final : public Writer {
 public:
  static WriterInto* New() {
    auto* const writer = new WriterInto;
    writer->InitializeObjectBase();
    return writer;
  }
  std::streambuf* into = nullptr;

 protected:
  int StartFile() override {
    static_cast<std::ios&>(*this->OutStringStream).rdbuf(into);
    return Writer::StartFile();
  }
};

/// @param into where the writer writes to
std::uint64_t write_vtk_file(const std::filesystem::path& path, vtkXMLWriter& writer, std::streambuf*& into,
                             vtkDataObject& data, Sync sync);

/// Writes VTK XML, appended raw data, zlib. One function deals with the disk and gives the system's reason when it
/// refuses; nothing of the file is in memory. @tparam Writer VTK's for this kind of data
/// @return the hash of the file. Throws IoError
template <class Writer>
std::uint64_t write_vtk_file(const std::filesystem::path& path, vtkDataObject& data, Sync sync) {
  vtkNew<WriterInto<Writer>> writer;
  return write_vtk_file(path, *writer, writer->into, data, sync);
}

}  // namespace scree
