#include "io/scene/tables.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "dem/mode.hpp"
#include "io/files/input_file.hpp"
#include "io/formats/csv_reader.hpp"
#include "io/scene/file_beside.hpp"
#include "io/scene/kinds.hpp"
#include "io/scene/sections.hpp"
#include "io/text/message_text.hpp"
#include "io/text/number_text.hpp"

namespace scree::keys {

namespace {

std::vector<std::vector<double>> parse_rows(const std::string& text, const std::string& name,
                                            const std::vector<std::string>& columns, std::size_t needed, Rows order) {
  const CsvInput table = read_csv(text, name, kMostTableRows);
  std::vector<std::string> names = table.names;
  if (names.empty()) names.assign(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(columns.size()));
  std::vector<std::size_t> place(columns.size(), names.size());
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto column = static_cast<std::size_t>(std::ranges::find(columns, names[k]) - columns.begin());
    if (column == columns.size() || place[column] != names.size()) {
      throw SceneError(name, 1, 1, "",
                       fmt::format("has a column '{}'{}, must have each once of {}", names[k],
                                   did_you_mean(names[k], columns), one_of_text(columns)));
    }
    place[column] = k;
  }
  std::vector<std::vector<double>> rows;
  Mistakes mistakes;
  for (const CsvInput::Row& row : table.rows) {
    std::vector<double>& values = rows.emplace_back(columns.size(), 0.0);
    for (std::size_t column = 0; column < columns.size(); ++column) {
      if (place[column] >= row.cells.size()) {
        if (column >= needed) continue;
        throw SceneError(name, row.line, 1, columns[column], fmt::format("is missing, must be a column"));
      }
      mistakes.attempt([&] { values[column] = number_in(row.cells[place[column]], row.line, name, columns[column]); });
    }
    const double before = rows.size() > 1 ? rows[rows.size() - 2][0] : -1.0;
    if (order == Rows::ascending && !mistakes.any() && (values[0] < 0.0 || values[0] <= before)) {
      mistakes.add(SceneError(
          name, row.line, row.cells[place[0]].column, columns[0],
          fmt::format("is {}, must be at least 0 and more than in the row before [s]", number_text(values[0]))));
    }
  }
  mistakes.throw_if_any();
  if (rows.size() < 2) throw SceneError(name, 1, 1, "", "must have at least two rows");
  return rows;
}

/// Times of a list of points ascend.
template <class Point>
void check_times(const std::vector<Point>& points, const std::vector<YamlValue>& values) {
  for (std::size_t k = 0; k < points.size(); ++k) {
    const double before = k > 0 ? points[k - 1].time : -1.0;
    if (points[k].time >= 0.0 && points[k].time > before) continue;
    values[k]["time"].refuse(k > 0 ? fmt::format("a number > {}, the time before [s]", number_text(before))
                                   : std::string("a number >= 0 [s]"));
  }
}

// --- gravity

const Section<GravityPoint>& gravity_point_section() {
  static const Section<GravityPoint> section = Section<GravityPoint>(
      "gravity",
      {
          key("time", &GravityPoint::time, number(Numbers::at_least(0.0, "s"))).required().says("when").example("1"),
          key("gravity", &GravityPoint::gravity, vector("m/s^2"))
              .required()
              .says("then; in between it changes linearly, beyond the ends it stays")
              .example("[0, -9.81]"),
      });
  return section;
}

struct GravityFile {
  std::string file = {};
};

const Section<GravityFile>& gravity_file_section() {
  static const Section<GravityFile> section =
      Section<GravityFile>("gravity", {key("file", &GravityFile::file, name_of("the name of a file"))
                                           .required()
                                           .says("with columns time, x, y [s, m/s^2]")
                                           .example("gravity.csv")});
  return section;
}

void read_gravity(Reading& reading, const YamlValue& value, std::vector<GravityPoint>& points) {
  const std::string allowed = reading.mode == Mode::hard ? "[x, y], two numbers [m/s^2]"
                                                         : "[x, y] [m/s^2], a list of {time, gravity}, or {file: NAME}";
  points.clear();
  if (value.is_mapping()) {
    GravityFile from;
    gravity_file_section().read(reading, value, from);
    if (!reading.mistakes.sound(value.path())) return;
    for (const auto& row : read_rows(reading, value["file"], {"time", "x", "y"}, 3)) {
      points.push_back({row[0], Vec2(row[1], row[2])});
    }
    return;
  }
  if (!value.is_list()) value.refuse(allowed);
  const std::vector<YamlValue> entries = value.list(allowed);
  if (entries.empty() || !entries.front().is_mapping()) {
    points.push_back({0.0, value.vec2("m/s^2")});
    return;
  }
  if (entries.size() < 2) value.fail("has one entry, must have at least two, or be [x, y] [m/s^2]");
  for (const YamlValue& entry : entries) {
    reading.mistakes.attempt([&] { gravity_point_section().read(reading, entry, points.emplace_back()); });
  }
  if (reading.mistakes.sound(value.path())) check_times(points, entries);
}

// --- motions

const Section<MotionPoint>& motion_point_section() {
  static const Section<MotionPoint> section =
      Section<MotionPoint>("table",
                           {
                               key("time", &MotionPoint::time, number(Numbers::at_least(0.0, "s")))
                                   .required()
                                   .says("since the motion began")
                                   .example("1"),
                               key("displacement", &MotionPoint::displacement, vector("m"))
                                   .says("since the first row")
                                   .example("[0, 1]"),
                               key("angle", &MotionPoint::angle, number(Numbers::any("rad")))
                                   .says("by which it has turned since the first row, counter-clockwise")
                                   .example("0.1"),
                           })
          .with_defaults();
  return section;
}

Kind<std::vector<MotionPoint>> motion_table() {
  static const Kind<std::vector<MotionPoint>> rows =
      list_of(mapping(motion_point_section()), "a list of {time, displacement, angle}");
  return {either_form({name_of("").form, rows.form}),
          [](Reading& reading, const YamlValue& value, const Form& form, std::vector<MotionPoint>& table) {
            if (!value.is_list()) {
              for (const auto& row : read_rows(reading, value, {"time", "x", "y", "angle"}, 3)) {
                table.push_back({row[0], Vec2(row[1], row[2]), row[3]});
              }
              return;
            }
            rows.read(reading, value, form, table);
            if (!reading.mistakes.sound(value.path())) return;
            if (table.size() < 2) value.fail("has fewer than two rows, must have at least two");
            check_times(table, value.list(""));
          },
          rows.write, [](const std::vector<MotionPoint>& table) { return !table.empty(); }};
}

bool turns(const PhaseOfMotion& motion) {
  return motion.angular_velocity != 0.0 ||
         std::ranges::any_of(motion.table, [](const MotionPoint& at) { return at.angle != 0.0; });
}

const Section<PhaseOfMotion>& phase_section() {
  static const Section<PhaseOfMotion> section =
      Section<PhaseOfMotion>(
          "motions",
          {
              key("from", &PhaseOfMotion::from, number(Numbers::at_least(0.0, "s")))
                  .required()
                  .says("when it begins, where the one before has left the wall")
                  .example("1"),
              key("until", &PhaseOfMotion::until, maybe(number(Numbers::positive("s"))))
                  .says("when it ends; the wall rests until the next one")
                  .otherwise("the next one begins, or never")
                  .example("2"),
              key("velocity", &PhaseOfMotion::velocity, vector("m/s"))
                  .written_if([](const PhaseOfMotion& one) { return one.table.empty(); })
                  .says("constant velocity")
                  .example("[0.1, 0]"),
              key("rotation", &PhaseOfMotion::angular_velocity, number(Numbers::any("rad/s")))
                  .written_if([](const PhaseOfMotion& one) { return one.table.empty(); })
                  .says("angular velocity, counter-clockwise")
                  .example("3.1"),
              key("about", &PhaseOfMotion::about, maybe(vector("m")))
                  .says("the point of the wall about which it turns, where the outline is given")
                  .otherwise("the centroid, of a ring its centre")
                  .example("[0, 0]"),
              key("oscillation", &PhaseOfMotion::oscillation, mapping(oscillation_section()))
                  .written_if([](const PhaseOfMotion& one) { return one.oscillation != Oscillation{}; })
                  .says("sinusoidal motion on top of that; its displacement counts from the beginning")
                  .otherwise("none")
                  .example("{amplitude: [0, 0.001], frequency: 50}"),
              key("table", &PhaseOfMotion::table, motion_table())
                  .says(
                      "instead of these: a list of {time, displacement, angle}, or a file with columns time, x, y and "
                      "perhaps angle; in between speeds are constant")
                  .otherwise("none")
                  .example("tilt.csv"),
          })
          .with_defaults()
          .after([](const Context<PhaseOfMotion>& at) {
            if (at.sound("until") && at.sound("from") && at.value.until && *at.value.until <= at.value.from) {
              at.keys["until"].refuse(fmt::format("a number > from, {} [s]", number_text(at.value.from)));
            }
            for (const char* key : {"velocity", "rotation", "oscillation"}) {
              if (at.given("table") && at.given(key)) at.keys[key].refuse("left out beside table");
            }
          })
          .with_table_below("motions");
  return section;
}

// --- taps

const Section<Taps>& taps_section() {
  static const Section<Taps> section =
      Section<Taps>(
          "taps",
          {
              key("from", &Taps::from, number(Numbers::at_least(0.0, "s")))
                  .required()
                  .says("when the first one begins")
                  .example("1"),
              key("every", &Taps::every, maybe(number(Numbers::positive("s"))))
                  .says("from the beginning of one tap to that of the next, at least 1 / (2 `frequency`)")
                  .otherwise("there is one only")
                  .example("0.5"),
              key("until", &Taps::until, maybe(number(Numbers::positive("s"))))
                  .says("no tap begins then or later")
                  .otherwise("the next train of taps begins, or never")
                  .example("60"),
              key("amplitude", &Taps::amplitude, vector("m"))
                  .required()
                  .says("the wall is displaced by amplitude times sin(2 pi frequency t), t since the tap began, for "
                        "half a period; along one line for all taps of a wall")
                  .example("[0, 0.002]"),
              key("frequency", &Taps::frequency, number(Numbers::positive("1/s")))
                  .required()
                  .says("half a period of it is a tap")
                  .example("25"),
          })
          .with_defaults()
          .after([](const Context<Taps>& at) {
            const Taps& taps = at.value;
            if (at.sound("until") && at.sound("from") && taps.until && *taps.until <= taps.from) {
              at.keys["until"].refuse(fmt::format("a number > from, {} [s]", number_text(taps.from)));
            }
            if (at.sound("every") && at.sound("frequency") && taps.every && *taps.every < taps.duration()) {
              at.keys["every"].refuse(
                  fmt::format("at least {}, as long as a tap lasts [s]", number_text(taps.duration())));
            }
          })
          .with_table_below("taps");
  return section;
}

bool are_along_a_line(const Vec2& a, const Vec2& b) {
  constexpr double kAlong = 1e-9;  // sine: rounding
  return std::abs(cross(a, b)) <= kAlong * a.norm() * b.norm();
}

}  // namespace

Kind<std::vector<Taps>> taps() {
  static const Kind<std::vector<Taps>> list = list_of(mapping(taps_section()), "a list of taps");
  return {either_form({name_of("").form, list.form}),
          [](Reading& reading, const YamlValue& value, const Form& form, std::vector<Taps>& all) {
            if (!value.is_list()) {
              for (const auto& row : read_rows(reading, value, {"time", "x", "y", "frequency"}, 4)) {
                if (!(row[3] > 0.0)) value.fail("has a frequency that is not positive, must have positive ones [1/s]");
                all.push_back({.from = row[0], .amplitude = Vec2(row[1], row[2]), .frequency = row[3]});
              }
            } else {
              list.read(reading, value, form, all);
            }
            if (!reading.mistakes.sound(value.path())) return;
            for (std::size_t k = 1; k < all.size(); ++k) {
              const double over = all[k - 1].from + all[k - 1].duration();
              const bool follows = all[k].from >= over;
              if (follows && are_along_a_line(all[k].amplitude, all[0].amplitude)) continue;
              const YamlValue at = value.is_list() ? value.list("a list of taps")[k] : value;
              if (follows) at["amplitude"].refuse("along one line with that of the first taps");
              const std::string allowed =
                  fmt::format("a number from {} on, when the tap before is over [s]", number_text(over));
              if (value.is_list()) at["from"].refuse(allowed);
              value.fail(fmt::format("has a tap at {}, must be {}", number_text(all[k].from), allowed));
            }
          },
          list.write, [](const std::vector<Taps>& all) { return !all.empty(); }};
}

std::vector<std::vector<double>> read_rows(Reading& reading, const YamlValue& value,
                                           const std::vector<std::string>& columns, std::size_t needed, Rows order) {
  const auto rows =
      read_beside(reading, value, value.name("the name of a file"), [&](const std::filesystem::path& path) {
        return parse_rows(read_input_file(path, "a table"), path.string(), columns, needed, order);
      });
  return rows.value_or(std::vector<std::vector<double>>{});
}

Kind<std::vector<GravityPoint>> gravity() {
  Form form = either_form({vector("m/s^2").form, list_form(mapping_form(gravity_point_section().info()), 2),
                           mapping_form(gravity_file_section().info())});
  return {in_words(std::move(form),
                   "`[x, y]` [m/s^2], or a table in time: a list of `{time: t, gravity: [x, y]}`, or "
                   "`{file: NAME}` with columns time, x, y"),
          [](Reading& reading, const YamlValue& value, const Form&, std::vector<GravityPoint>& points) {
            read_gravity(reading, value, points);
            if (points.size() > 1 && reading.mode == Mode::hard) value.refuse("constant, [x, y], in hard mode");
          },
          [](Writing& writing, const std::vector<GravityPoint>& points) {
            if (points.size() == 1) return vector("m/s^2").write(writing, points.front().gravity);
            writing.out << YAML::Block << YAML::BeginSeq;
            for (const GravityPoint& point : points) mapping(gravity_point_section()).write(writing, point);
            writing.out << YAML::EndSeq;
          },
          [](const std::vector<GravityPoint>& points) { return !points.empty(); }};
}

Kind<std::vector<PhaseOfMotion>> motions() {
  static const Kind<std::vector<PhaseOfMotion>> list = list_of(mapping(phase_section()), "a list of motions");
  return {list.form,
          [](Reading& reading, const YamlValue& value, const Form& form, std::vector<PhaseOfMotion>& all) {
            list.read(reading, value, form, all);
            if (!reading.mistakes.sound(value.path())) return;
            const std::vector<YamlValue> entries = value.list("a list of motions");
            for (std::size_t k = 1; k < all.size(); ++k) {
              const double least = all[k - 1].until.value_or(all[k - 1].from);
              if (all[k].from >= least && all[k].from > all[k - 1].from) continue;
              entries[k]["from"].refuse(fmt::format("a number from {} on, when the motion before ends, or {}",
                                                    number_text(least), "begins if it has no until [s]"));
            }
          },
          list.write, [](const std::vector<PhaseOfMotion>& all) { return !all.empty(); }};
}

void set_pivot(std::vector<PhaseOfMotion>& motions, const Vec2& pivot) {
  for (PhaseOfMotion& motion : motions) {
    if (turns(motion) && !motion.about) motion.about = pivot;
  }
}

}  // namespace scree::keys
