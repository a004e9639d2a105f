#include "io/files/numbered_files.hpp"

#include <cmath>
#include <cstdint>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "io/files/atomic_file.hpp"
#include "io/text/errors.hpp"
#include "io/text/number_text.hpp"

namespace scree {
namespace {

namespace fs = std::filesystem;

/// The number in SERIES_NNNNNN and ending, or nothing if the name is none of this series.
std::optional<std::size_t> number_in(std::string_view name, std::string_view series, std::string_view ending) {
  if (!name.starts_with(series) || !name.ends_with(ending) || name.size() < series.size() + ending.size()) return {};
  name.remove_prefix(series.size());
  name.remove_suffix(ending.size());
  if (name.size() < 7 || name.front() != '_') return {};
  return parse_number<std::size_t>(name.substr(1));
}

}  // namespace

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
