#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dem/scene/domain.hpp"
#include "dem/scene/particles.hpp"
#include "io/files/input_file.hpp"
#include "io/formats/billiards.hpp"
#include "io/formats/csv_reader.hpp"
#include "io/scene/file_beside.hpp"
#include "io/scene/group_entry.hpp"
#include "io/scene/kinds.hpp"
#include "io/text/message_text.hpp"
#include "io/text/number_text.hpp"

namespace scree::keys {

namespace {

struct GrainsFile {
  std::string name = {};
  std::optional<std::string> shape = {};
};

const Section<GrainsFile>& grains_file_section() {
  static const Section<GrainsFile> section =
      Section<GrainsFile>("file",
                          {
                              key("name", &GrainsFile::name, name_of("the name of a file with grains"))
                                  .required()
                                  .says("of the file, as seen from the one that names it")
                                  .example("grains.csv"),
                              key("shape", &GrainsFile::shape, maybe(name_of("a word of the column shape")))
                                  .says("of the lines of which only those with this word in the column shape are taken")
                                  .otherwise("all lines")
                                  .example("pebble"),
                          })
          .with_table_below("file");
  return section;
}

constexpr std::array kGrainColumns = {"id", "x", "y", "angle", "vx", "vy", "angular_velocity", "size", "mass", "shape"};

/// Lines of a table of grains, in the order of their ids, if they have any.
scree::Place parse_grains(const std::string& text, const std::string& name, const std::optional<std::string>& shape,
                          const std::optional<Domain>& domain) {
  const CsvInput table = read_csv(text, name, kMostPlaced);
  const YamlValue::Words known(kGrainColumns.begin(), kGrainColumns.end());
  std::array<std::optional<std::size_t>, kGrainColumns.size()> place_of;
  for (std::size_t k = 0; k < table.names.size(); ++k) {
    const auto column = std::ranges::find(known, table.names[k]) - known.begin();
    if (column == static_cast<std::ptrdiff_t>(known.size()) || place_of[static_cast<std::size_t>(column)]) {
      throw SceneError(name, 1, 1, "",
                       fmt::format("has a column '{}'{}, must have each once of {}", table.names[k],
                                   did_you_mean(table.names[k], known), one_of_text(known)));
    }
    place_of[static_cast<std::size_t>(column)] = k;
  }
  if (!place_of[1] || !place_of[2] || (shape && !place_of[9])) {
    throw SceneError(
        name, 1, 1, "",
        fmt::format("must have a first line with the names of columns, x, y{} among them", shape ? " and shape" : ""));
  }
  std::vector<std::pair<double, Placed>> grains;
  std::set<double> ids;
  Mistakes mistakes;
  for (const CsvInput::Row& row : table.rows) {
    if (shape && row.cells[*place_of[9]].text != *shape) continue;
    Placed one;
    double id = static_cast<double>(grains.size());
    const auto read = [&](std::size_t column, double& value, std::optional<double> least = {}) {
      if (!place_of[column]) return false;
      return mistakes.attempt(
          [&] { value = number_in(row.cells[*place_of[column]], row.line, name, known[column], least); });
    };
    if (read(0, id) && !ids.insert(id).second) {
      mistakes.add(SceneError(name, row.line, row.cells[*place_of[0]].column, "id",
                              fmt::format("is {} again, must be another in each line", number_text(id))));
    }
    for (const int axis : {0, 1}) {
      const auto column = static_cast<std::size_t>(axis) + 1;
      if (!read(column, one.position[axis]) || !domain) continue;
      if (one.position[axis] >= domain->lo[axis] && one.position[axis] <= domain->hi[axis]) continue;
      mistakes.add(SceneError(name, row.line, row.cells[*place_of[column]].column, known[column],
                              fmt::format("is {}, must be in the domain, [{}, {}] [m]", number_text(one.position[axis]),
                                          number_text(domain->lo[axis]), number_text(domain->hi[axis]))));
    }
    read(3, one.angle);
    read(4, one.velocity.x());
    read(5, one.velocity.y());
    read(6, one.angular_velocity);
    double value = 0.0;
    if (read(7, value, 0.0)) one.size = value;
    if (read(8, value, 0.0)) one.mass = value;
    grains.emplace_back(id, one);
  }
  mistakes.throw_if_any();
  std::ranges::stable_sort(grains, {}, &std::pair<double, Placed>::first);
  scree::Place place;
  for (const auto& grain : grains) place.push_back(grain.second);
  return place;
}

void read_grains_file(Reading& reading, const YamlValue& value, GroupEntry& group) {
  group.how = scree::Place{};
  GrainsFile from;
  if (value.is_mapping()) {
    grains_file_section().read(reading, value, from);
    if (!reading.mistakes.sound(value.path())) return;
  } else {
    from.name = value.name("the name of a file with grains");
  }
  const auto grains = read_beside(reading, value, from.name, [&](const std::filesystem::path& path) {
    const std::string text = read_input_file(path, "a file of grains");
    const std::optional<Domain> domain =
        reading.mistakes.sound("domain") ? std::optional(reading.domain()) : std::nullopt;
    return parse_grains(text, path.string(), from.shape, domain);
  });
  if (grains) group.how = *grains;
}

}  // namespace

Key<GroupEntry> file_key() {
  return Key<GroupEntry>(
      "file",
      in_words(either_form({name_of("").form, mapping_form(grains_file_section().info())}),
               "text, or [mapping](#file)"),
      [](Reading& reading, const YamlValue& value, const Form&, GroupEntry& group) {
        read_grains_file(reading, value, group);
      },
      nullptr);
}

}  // namespace scree::keys
