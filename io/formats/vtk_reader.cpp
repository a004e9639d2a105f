#include "io/formats/vtk_reader.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <zlib.h>

#include <fmt/format.h>

#include "io/text/errors.hpp"
#include "io/text/message_text.hpp"
#include "io/text/number_text.hpp"

namespace scree {
namespace {

/// A byte that was deflated stands for no more.
constexpr std::uint64_t kMostInflation = 1032;

constexpr std::array<std::string_view, 8> kSections = {"FieldData", "PointData", "CellData", "Points",
                                                       "Verts",     "Lines",     "Strips",   "Polys"};

bool is_blank(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

std::string_view stripped(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

VtkReader::VtkReader(std::string contents, std::filesystem::path path, std::string_view kind, std::string needed)
    : contents_(std::move(contents)), path_(std::move(path)), needed_(std::move(needed)) {
  read_header(kind);
}

void VtkReader::refuse(const std::string& why) const {
  throw IoError(fmt::format("cannot read {}: {}; needed: {}", path_.string(), why, needed_));
}

void VtkReader::read_header(std::string_view kind) {
  const std::string_view text = contents_;
  std::string_view section;
  std::size_t pieces = 0;
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at)) {
    const std::size_t name_end = std::min(text.find_first_of(" \n\r\t/>", at + 2), text.size());
    const std::string_view name = text.substr(at + 1, name_end - at - 1);
    Attributes attributes;
    at = name_end;
    while (at < text.size() && text[at] != '>') {
      if (is_blank(text[at]) || text[at] == '/' || text[at] == '?') {
        ++at;
        continue;
      }
      const std::size_t equals = text.find('=', at);
      const std::size_t end =
          equals < text.size() - 1 && text[equals + 1] == '"' ? text.find('"', equals + 2) : std::string_view::npos;
      if (end == std::string_view::npos) refuse("it is damaged");
      attributes.emplace_back(stripped(text.substr(at, equals - at)), text.substr(equals + 2, end - equals - 2));
      at = end + 1;
    }
    if (name == "VTKFile") {
      constexpr const char* kOrder = std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian";
      if (text_in(attributes, "type") != kind || text_in(attributes, "byte_order") != kOrder ||
          text_in(attributes, "compressor") != "vtkZLibDataCompressor") {
        refuse(fmt::format("it is no {} file of this machine's byte order, compressed by zlib", kind));
      }
      const std::string_view word = text_in(attributes, "header_type");
      word_size_ = word == "UInt32" ? 4 : word == "UInt64" ? 8 : 0;
      if (word_size_ == 0) refuse("it has sizes of an unknown type");
    } else if (name == kind) {
      data_set_ = std::move(attributes);
    } else if (name == "Piece") {
      piece_ = std::move(attributes);
      ++pieces;
    } else if (std::ranges::find(kSections, name) != kSections.end()) {
      section = name;
    } else if (name == "DataArray") {
      arrays_.push_back({section, std::move(attributes)});
    } else if (name == "AppendedData") {
      data_ = text.find('_', at);
      if (text_in(attributes, "encoding") != "raw" || data_ == std::string_view::npos) refuse("it has no raw data");
      ++data_;
      break;
    }
  }
  const bool has_end = stripped(text.substr(std::min(data_, text.size()))).ends_with("</VTKFile>");
  if (word_size_ == 0 || data_ == 0 || pieces != 1 || !has_end) refuse("it is damaged or cut off");
}

std::string_view VtkReader::text_in(const Attributes& attributes, std::string_view name) const {
  const auto found = std::ranges::find(attributes, name, &Attributes::value_type::first);
  return found != attributes.end() ? found->second : std::string_view();
}

std::size_t VtkReader::count_in(const Attributes& attributes, std::string_view name) const {
  const auto count = parse_number<std::uint64_t>(text_in(attributes, name));
  if (!count || *count > contents_.size() * kMostInflation) {
    refuse(fmt::format("its {} is '{}', which is no number that it has room for", name,
                       shortened(text_in(attributes, name), 30)));
  }
  return static_cast<std::size_t>(*count);
}

std::vector<double> VtkReader::numbers(std::string_view attribute, std::size_t count) const {
  std::vector<double> found;
  std::string_view rest = stripped(text_in(data_set_, attribute));
  while (!rest.empty() && found.size() <= count) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest = stripped(rest.substr(word.size()));
    found.push_back(parse_number<double>(word).value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  if (found.size() != count || !std::ranges::all_of(found, [](double x) { return std::isfinite(x); })) {
    refuse(fmt::format("its {} is not {} numbers", attribute, count));
  }
  return found;
}

const VtkReader::Array* VtkReader::find(std::string_view section, std::string_view name) const {
  const auto found = std::ranges::find_if(arrays_, [&](const Array& array) {
    return array.section == section && text_in(array.attributes, "Name") == name;
  });
  return found != arrays_.end() ? &*found : nullptr;
}

const VtkReader::Array& VtkReader::array(std::string_view section, std::string_view name) const {
  const Array* const found = find(section, name);
  if (found == nullptr) refuse(fmt::format("it has no array {} in {}", name, section));
  return *found;
}

/// A size in the data. @param at  where it is; behind it afterwards
std::uint64_t VtkReader::header_word(std::size_t& at) const {
  if (at > contents_.size() || contents_.size() - at < word_size_) refuse("its data are cut off");
  std::uint64_t word = 0;
  if (word_size_ == 4) {
    std::uint32_t half = 0;
    std::memcpy(&half, contents_.data() + at, 4);
    word = half;
  } else {
    std::memcpy(&word, contents_.data() + at, 8);
  }
  at += word_size_;
  return word;
}

/// The data of an array: blocks of one size, the last of which may be smaller, each deflated.
std::string VtkReader::bytes(const Array& array) const {
  std::size_t at = data_ + count_in(array.attributes, "offset");
  const std::uint64_t blocks = header_word(at);
  const std::uint64_t block_size = header_word(at);
  const std::uint64_t last_size = header_word(at);
  if (blocks > (contents_.size() - at) / word_size_) refuse("its data are cut off");
  std::vector<std::uint64_t> deflated;
  for (std::uint64_t k = 0; k < blocks; ++k) deflated.push_back(header_word(at));
  std::string raw;
  for (std::uint64_t k = 0; k < blocks; ++k) {
    const std::uint64_t size = k + 1 == blocks && last_size != 0 ? last_size : block_size;
    if (deflated[k] > contents_.size() - at) refuse("its data are cut off");
    if (size > deflated[k] * kMostInflation) refuse("its data are damaged");
    const std::size_t begin = raw.size();
    raw.resize(begin + size);
    uLongf inflated = size;
    const int error = uncompress(reinterpret_cast<Bytef*>(raw.data() + begin), &inflated,
                                 reinterpret_cast<const Bytef*>(contents_.data() + at), deflated[k]);
    if (error != Z_OK || inflated != size) refuse("its data are damaged");
    at += deflated[k];
  }
  return raw;
}

template <class Raw, class T>
std::vector<T> VtkReader::converted(const std::string& raw, std::string_view name) const {
  if (raw.size() % sizeof(Raw) != 0) refuse(fmt::format("its array {} is damaged", name));
  std::vector<T> values(raw.size() / sizeof(Raw));
  for (std::size_t k = 0; k < values.size(); ++k) {
    Raw value;
    std::memcpy(&value, raw.data() + k * sizeof(Raw), sizeof(Raw));
    if constexpr (std::is_floating_point_v<T>) {
      values[k] = static_cast<T>(value);
      if (!std::isfinite(values[k])) refuse(fmt::format("its array {} has a number that is not finite", name));
    } else if constexpr (std::is_integral_v<Raw>) {
      if (!std::in_range<T>(value)) refuse(fmt::format("its array {} has {}, which it may not", name, value));
      values[k] = static_cast<T>(value);
    } else {
      refuse(fmt::format("its array {} is not of whole numbers", name));
    }
  }
  return values;
}

template <class T>
std::vector<T> VtkReader::list(std::string_view section, std::string_view name) const {
  const Array& found = array(section, name);
  const std::string raw = bytes(found);
  const std::string_view type = text_in(found.attributes, "type");
  if (type == "Float32") return converted<float, T>(raw, name);
  if (type == "Float64") return converted<double, T>(raw, name);
  if (type == "Int32") return converted<std::int32_t, T>(raw, name);
  if (type == "Int64") return converted<std::int64_t, T>(raw, name);
  if (type == "UInt8") return converted<std::uint8_t, T>(raw, name);
  refuse(fmt::format("its array {} is of an unknown type", name));
}

template <class T>
std::vector<T> VtkReader::values(std::string_view section, std::string_view name, std::size_t components,
                                 std::size_t tuples) const {
  const std::string_view told = text_in(array(section, name).attributes, "NumberOfComponents");
  const bool has_components = told.empty() ? components == 1 : parse_number<std::size_t>(told) == components;
  std::vector<T> found = list<T>(section, name);
  if (!has_components || found.size() != components * tuples) {
    refuse(fmt::format("its array {} is not of {} x {} numbers", name, tuples, components));
  }
  return found;
}

template std::vector<double> VtkReader::list(std::string_view, std::string_view) const;
template std::vector<std::uint32_t> VtkReader::list(std::string_view, std::string_view) const;
template std::vector<double> VtkReader::values(std::string_view, std::string_view, std::size_t, std::size_t) const;
template std::vector<int> VtkReader::values(std::string_view, std::string_view, std::size_t, std::size_t) const;
template std::vector<std::uint8_t> VtkReader::values(std::string_view, std::string_view, std::size_t,
                                                     std::size_t) const;
template std::vector<std::uint64_t> VtkReader::values(std::string_view, std::string_view, std::size_t,
                                                      std::size_t) const;

}  // namespace scree
