#include "io/frames/vtk_library.hpp"

#include <algorithm>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include <vtkAbstractArray.h>
#include <vtkCallbackCommand.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkCommand.h>
#include <vtkDataArray.h>
#include <vtkDataObject.h>
#include <vtkDoubleArray.h>
#include <vtkFieldData.h>
#include <vtkFloatArray.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkSmartPointer.h>
#include <vtkStringArray.h>
#include <vtkTypeInt32Array.h>
#include <vtkTypeInt64Array.h>
#include <vtkTypeUInt8Array.h>
#include <vtkXMLImageDataWriter.h>
#include <vtkXMLPolyDataWriter.h>

#include "io/frames/vtk_xml.hpp"

namespace scree {
namespace {

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

/// Puts the blanks of AppendedDataTag before and in that tag, and hands all else on.
class ReadableByAll final : public std::streambuf {
 public:
  explicit ReadableByAll(std::streambuf& to) : to_(to) {}

 protected:
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    const std::string_view given(text, static_cast<std::size_t>(size));
    const std::size_t tag = is_behind_ ? std::string_view::npos : given.find(Tag::kTag);
    if (tag == std::string_view::npos) return to_.sputn(text, size);
    is_behind_ = true;
    put(given.substr(0, tag));
    put(Tag::blanks_before(static_cast<std::size_t>(to_.pubseekoff(0, std::ios::cur, std::ios::out))));
    put(Tag::kTag);
    put(Tag::kBlanksIn);
    put(given.substr(tag + Tag::kTag.size()));
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
  using Tag = AppendedDataTag;

  void put(std::string_view text) {
    const auto size = static_cast<std::streamsize>(text.size());
    is_written_ = to_.sputn(text.data(), size) == size && is_written_;
  }

  std::streambuf& to_;
  bool is_behind_ = false;  // the tag
  bool is_written_ = true;
};

template <class T>
struct ArrayOf;
template <>
struct ArrayOf<float> : std::type_identity<vtkFloatArray> {};
template <>
struct ArrayOf<double> : std::type_identity<vtkDoubleArray> {};
template <>
struct ArrayOf<std::uint8_t> : std::type_identity<vtkTypeUInt8Array> {};
template <>
struct ArrayOf<std::int32_t> : std::type_identity<vtkTypeInt32Array> {};
template <>
struct ArrayOf<std::int64_t> : std::type_identity<vtkTypeInt64Array> {};

/// The same array, whose numbers stay where they are.
vtkSmartPointer<vtkAbstractArray> array_of(const VtkArray& array) {
  return std::visit(
      [&]<class T>(const std::vector<T>& values) -> vtkSmartPointer<vtkAbstractArray> {
        if constexpr (std::is_same_v<T, std::string>) {
          auto made = vtkSmartPointer<vtkStringArray>::New();
          made->SetName(array.name.c_str());
          for (const std::string& text : values) made->InsertNextValue(text);
          return made;
        } else {
          constexpr int kStaysOurs = 1;
          auto made = vtkSmartPointer<typename ArrayOf<T>::type>::New();
          made->SetName(array.name.c_str());
          made->SetNumberOfComponents(static_cast<int>(array.components));
          using Stored = typename ArrayOf<T>::type::ValueType;
          static_assert(sizeof(Stored) == sizeof(T));
          auto* const numbers = reinterpret_cast<Stored*>(const_cast<T*>(values.data()));  // they are only read
          made->SetArray(numbers, static_cast<vtkIdType>(values.size()), kStaysOurs);
          return made;
        }
      },
      array.values);
}

void add_arrays(vtkFieldData& to, const std::vector<VtkArray>& arrays) {
  for (const VtkArray& array : arrays) to.AddArray(array_of(array));
}

vtkSmartPointer<vtkCellArray> cells_of(const VtkCells& cells) {
  const auto& ends = std::get<std::vector<std::int32_t>>(cells.offsets.values);
  vtkNew<vtkTypeInt32Array> offsets;
  offsets->SetNumberOfValues(static_cast<vtkIdType>(ends.size()) + 1);
  offsets->SetValue(0, 0);
  std::copy(ends.begin(), ends.end(), offsets->GetPointer(1));
  auto made = vtkSmartPointer<vtkCellArray>::New();
  made->SetData(offsets, vtkTypeInt32Array::SafeDownCast(array_of(cells.connectivity)));
  return made;
}

vtkSmartPointer<vtkPolyData> data_of(const VtkPolyData& from) {
  auto data = vtkSmartPointer<vtkPolyData>::New();
  const vtkSmartPointer<vtkAbstractArray> points = array_of(from.points);
  vtkNew<vtkPoints> made;
  made->SetDataType(points->GetDataType());
  made->SetData(vtkDataArray::SafeDownCast(points));
  data->SetPoints(made);
  if (from.lines.offsets.tuples() > 0) data->SetLines(cells_of(from.lines));
  if (from.polygons.offsets.tuples() > 0) data->SetPolys(cells_of(from.polygons));
  return data;
}

vtkSmartPointer<vtkImageData> data_of(const VtkImage& from) {
  auto data = vtkSmartPointer<vtkImageData>::New();
  data->SetDimensions(static_cast<int>(from.columns) + 1, static_cast<int>(from.rows) + 1, 1);
  data->SetOrigin(from.origin.x(), from.origin.y(), 0.0);
  data->SetSpacing(from.spacing.x(), from.spacing.y(), 1.0);
  return data;
}

/// @return VTK's error code, 0: none
template <class Writer>
unsigned long write(vtkDataObject& data, int compression_level, std::streambuf& to) {
  vtkNew<WriterInto<Writer>> writer;
  vtkNew<vtkCallbackCommand> listener;  // VTK prints its errors unless there is a listener; its codes are enough
  listener->SetCallback([](vtkObject*, unsigned long, void*, void*) {});
  writer->AddObserver(vtkCommand::ErrorEvent, listener);
  writer->SetInputData(&data);
  writer->SetDataModeToAppended();
  writer->EncodeAppendedDataOff();
  writer->SetCompressorTypeToZLib();
  writer->SetCompressionLevel(compression_level);
  writer->WriteToOutputStringOn();
  writer->into = &to;
  const bool is_written = writer->Write() == 1;
  return is_written ? writer->GetErrorCode() : std::max(writer->GetErrorCode(), 1UL);
}

}  // namespace

unsigned long write_by_vtk(const VtkDataSet& data, int compression_level, std::ostream& to) {
  ReadableByAll readable(*to.rdbuf());
  return std::visit(
      [&]<class Data>(const Data& from) {
        const auto made = data_of(from);
        add_arrays(*made->GetFieldData(), from.field);
        add_arrays(*made->GetCellData(), from.cells);
        using Writer =
            std::conditional_t<std::is_same_v<Data, VtkPolyData>, vtkXMLPolyDataWriter, vtkXMLImageDataWriter>;
        return write<Writer>(*made, compression_level, readable);
      },
      data);
}

}  // namespace scree
