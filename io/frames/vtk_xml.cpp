#include "io/frames/vtk_xml.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>
#include <zlib.h>

#include <fmt/format.h>

#include "io/text/number_text.hpp"

namespace scree {
namespace {

/// Bytes that are deflated at a time.
constexpr std::size_t kBlock = 32768;

/// An attribute that has the same length whatever its value.
std::string padded(std::string_view name, std::string_view value, std::size_t width = 20) {
  return fmt::format(" {}=\"{}\"{:{}}", name, value, "", width - value.size());
}

/// The shortest text that reads back as the same double, as VTK writes it: without an exponent from 1e-6 to below 1e21.
std::string shortest_text(double value) {
  if (value == 0.0) return "0";
  std::array<char, 32> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), std::abs(value), std::chars_format::scientific);
  const std::string_view all(text.data(), end.ptr);
  const std::size_t e = all.find('e');
  std::string digits(all.substr(0, e));
  std::erase(digits, '.');
  const int exponent = *parse_number<int>(all.substr(all[e + 1] == '+' ? e + 2 : e + 1));
  const std::string sign = value < 0.0 ? "-" : "";
  const auto count = static_cast<int>(digits.size());
  const auto from = [&](int first) { return digits.substr(static_cast<std::size_t>(first)); };
  if (exponent < -6 || exponent >= 21) {
    return fmt::format("{}{}{}{}e{:+}", sign, digits[0], count > 1 ? "." : "", from(1), exponent);
  }
  if (exponent < 0) return fmt::format("{}0.{:0<{}}{}", sign, "", -exponent - 1, digits);
  if (count <= exponent + 1) return fmt::format("{}{:0<{}}", sign, digits, exponent + 1);
  return fmt::format("{}{}.{}", sign, digits.substr(0, static_cast<std::size_t>(exponent) + 1), from(exponent + 1));
}

template <class T>
constexpr std::string_view kTypeName = "";
template <>
constexpr std::string_view kTypeName<float> = "Float32";
template <>
constexpr std::string_view kTypeName<double> = "Float64";
template <>
constexpr std::string_view kTypeName<std::uint8_t> = "UInt8";
template <>
constexpr std::string_view kTypeName<std::int32_t> = "Int32";
template <>
constexpr std::string_view kTypeName<std::int64_t> = "Int64";
template <>
constexpr std::string_view kTypeName<std::string> = "String";

std::string_view type_name(const VtkArray& array) {
  return std::visit([]<class T>(const std::vector<T>&) { return kTypeName<T>; }, array.values);
}

bool is_text(const VtkArray& array) {
  return std::holds_alternative<std::vector<std::string>>(array.values);
}

/// Of the numbers of an array, or of the lengths of its tuples.
struct Range {
  double min = 1e299;  // VTK's, of nothing
  double max = -1e299;
};

template <class T>
Range range_of(const std::vector<T>& values, std::size_t components) {
  Range range;
  for (std::size_t k = 0; k < values.size(); k += components) {
    double value = 0.0;
    for (std::size_t c = 0; c < components; ++c) {
      const auto component = static_cast<double>(values[k + c]);
      value = components > 1 ? value + component * component : component;
    }
    range = {std::min(range.min, value), std::max(range.max, value)};
  }
  return components > 1 && !values.empty() ? Range{std::sqrt(range.min), std::sqrt(range.max)} : range;
}

std::optional<Range> range_of(const VtkArray& array) {
  return std::visit(
      [&]<class T>(const std::vector<T>& values) -> std::optional<Range> {
        if constexpr (std::is_same_v<T, std::string>) {
          return std::nullopt;
        } else {
          return range_of(values, array.components);
        }
      },
      array.values);
}

/// What VTK calls a section: an element with arrays in it.
struct Section {
  std::string_view name;
  std::vector<const VtkArray*> arrays;
  bool has_ranges = true;
};

Section section(std::string_view name, const std::vector<VtkArray>& arrays) {
  Section made{name, {}};
  for (const VtkArray& array : arrays) made.arrays.push_back(&array);
  return made;
}

Section section(std::string_view name, const VtkCells& cells) {
  return {name, {&cells.connectivity, &cells.offsets}, /*has_ranges=*/false};
}

/// What is known of an array only behind the header.
struct Appended {
  std::size_t offset = 0;        // in the data
  std::optional<Range> range{};  // unless it is of texts or cells
};

/// A data set as elements.
struct Layout {
  std::string_view type;
  std::string attributes;         // of the data set
  std::string piece_attributes;   // of its only piece
  std::vector<Section> sections;  // the first is of the data set, the others of the piece
};

const VtkCells kNoCells;

Layout layout_of(const VtkPolyData& data) {
  const auto count = [](std::string_view name, std::size_t number) { return padded(name, fmt::format("{}", number)); };
  const std::size_t lines = data.lines.offsets.tuples();
  const std::size_t polygons = data.polygons.offsets.tuples();
  return {"PolyData",
          "",
          count("NumberOfPoints", data.points.tuples()) + count("NumberOfVerts", 0) + count("NumberOfLines", lines) +
              count("NumberOfStrips", 0) + count("NumberOfPolys", polygons),
          {section("FieldData", data.field),
           {"PointData", {}},
           section("CellData", data.cells),
           {"Points", {&data.points}},
           section("Verts", kNoCells),
           section("Lines", data.lines),
           section("Strips", kNoCells),
           section("Polys", data.polygons)}};
}

Layout layout_of(const VtkImage& image) {
  const std::string extent = fmt::format("0 {} 0 {} 0 0", image.columns, image.rows);
  return {"ImageData",
          fmt::format(" WholeExtent=\"{}\" Origin=\"{} {} 0\" Spacing=\"{} {} 1\" Direction=\"1 0 0 0 1 0 0 0 1\"",
                      extent, shortest_text(image.origin.x()), shortest_text(image.origin.y()),
                      shortest_text(image.spacing.x()), shortest_text(image.spacing.y())),
          padded("Extent", extent, 66),
          {section("FieldData", image.field), {"PointData", {}}, section("CellData", image.cells)}};
}

/// @param whole  of the data set, whose arrays have their number of tuples
std::string array_text(const VtkArray& array, const Appended& appended, bool whole) {
  const auto number = [](double value) { return fmt::format("{:.11g}", value); };
  std::string text =
      fmt::format("<{} type=\"{}\" Name=\"{}\"", is_text(array) ? "Array" : "DataArray", type_name(array), array.name);
  if (array.components > 1) text += fmt::format(" NumberOfComponents=\"{}\"", array.components);
  if (whole) text += fmt::format(" NumberOfTuples=\"{}\"", array.tuples());
  text += " format=\"appended\"";
  if (!is_text(array)) {
    text += padded("RangeMin", appended.range ? number(appended.range->min) : "");
    text += padded("RangeMax", appended.range ? number(appended.range->max) : "");
  }
  return text + padded("offset", fmt::format("{}", appended.offset)) + "/>\n";
}

/// All up to the data; its length does not depend on `appended`, of all arrays.
std::string header(const Layout& layout, std::span<const Appended> appended) {
  constexpr const char* kOrder = std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian";
  std::string text = fmt::format(
      "<VTKFile type=\"{0}\" version=\"0.1\" byte_order=\"{1}\" header_type=\"UInt32\""
      " compressor=\"vtkZLibDataCompressor\">\n"
      "  <{0}{2}>\n",
      layout.type, kOrder, layout.attributes);
  for (const Section& one : layout.sections) {
    const bool whole = &one == &layout.sections.front();
    const std::string indent(whole ? 4 : 6, ' ');
    if (!whole || !one.arrays.empty()) {
      text += fmt::format("{}<{}>\n", indent, one.name);
      for (const VtkArray* array : one.arrays) {
        text += indent + "  " + array_text(*array, appended.front(), whole);
        appended = appended.subspan(1);
      }
      text += fmt::format("{}</{}>\n", indent, one.name);
    }
    if (whole) text += fmt::format("    <Piece{}>\n", layout.piece_attributes);
  }
  text += fmt::format("    </Piece>\n  </{}>\n  ", layout.type);
  text += AppendedDataTag::blanks_before(text.size());
  return text.append(AppendedDataTag::kTag).append(AppendedDataTag::kBlanksIn) + " encoding=\"raw\">\n   _";
}

/// Blocks of one size, the last of which may be smaller, each deflated, behind their sizes. @return the size of all
std::size_t write_deflated(std::string_view bytes, int level, std::ostream& to) {
  const std::size_t blocks = (bytes.size() + kBlock - 1) / kBlock;
  std::vector<std::uint32_t> sizes(3 + blocks);
  sizes[0] = static_cast<std::uint32_t>(blocks);
  sizes[1] = kBlock;
  sizes[2] = bytes.size() % kBlock;
  const auto write_sizes = [&] {
    to.write(reinterpret_cast<const char*>(sizes.data()), static_cast<std::streamsize>(4 * sizes.size()));
  };
  const auto begin = to.tellp();
  write_sizes();
  std::vector<char> deflated(compressBound(kBlock));
  std::size_t written = 4 * sizes.size();
  for (std::size_t k = 0; k < blocks; ++k) {
    const std::string_view block = bytes.substr(k * kBlock, kBlock);
    uLongf size = deflated.size();
    compress2(reinterpret_cast<Bytef*>(deflated.data()), &size, reinterpret_cast<const Bytef*>(block.data()),
              block.size(), level);  // there is room, so that it cannot fail
    to.write(deflated.data(), static_cast<std::streamsize>(size));
    sizes[3 + k] = static_cast<std::uint32_t>(size);
    written += size;
  }
  const auto end = to.tellp();
  to.seekp(begin);
  write_sizes();
  to.seekp(end);
  return written;
}

std::size_t write_deflated(const VtkArray& array, int level, std::ostream& to) {
  return std::visit(
      [&]<class T>(const std::vector<T>& values) {
        if constexpr (std::is_same_v<T, std::string>) {
          std::string bytes;  // each text with its end
          for (const std::string& text : values) bytes.append(text.c_str(), text.size() + 1);
          return write_deflated(bytes, level, to);
        } else {
          const auto* const bytes = reinterpret_cast<const char*>(values.data());
          return write_deflated(std::string_view(bytes, values.size() * sizeof(T)), level, to);
        }
      },
      array.values);
}

}  // namespace

void write_vtk_xml(const VtkDataSet& data, int compression_level, std::ostream& to) {
  const Layout layout = std::visit([](const auto& one) { return layout_of(one); }, data);
  std::vector<Appended> appended;
  for (const Section& one : layout.sections) appended.resize(appended.size() + one.arrays.size());
  to << header(layout, appended);
  std::size_t offset = 0;
  auto place = appended.begin();
  for (const Section& one : layout.sections) {
    for (const VtkArray* array : one.arrays) {
      *place++ = {offset, one.has_ranges ? range_of(*array) : std::nullopt};
      offset += write_deflated(*array, compression_level, to);
    }
  }
  to << "\n  </AppendedData>\n</VTKFile>\n";
  to.seekp(0);
  to << header(layout, appended);
}

}  // namespace scree
