#include "app/diverge.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/errors.hpp"
#include "app/hashing.hpp"
#include "app/run.hpp"
#include "app/run_directory.hpp"
#include "dem/hard/scene/scene_simulation.hpp"
#include "dem/scene.hpp"
#include "dem/soft/simulation.hpp"
#include "dem/state_values.hpp"
#include "io/formats/checkpoint.hpp"
#include "io/formats/run_info.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/tables/hash_table.hpp"
#include "io/text/errors.hpp"

namespace scree::app {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostLines = 10;  // of values that differ

/// What a run left in its directory.
struct Run {
  fs::path directory;
  HashRows table;

  std::string name() const { return directory.string(); }
};

Run read_run(const fs::path& directory) {
  const auto refuse = [&](const std::string& why) {
    return IoError(fmt::format("cannot compare {}: {}; needed: the output directory of a run of this version of scree",
                               directory.string(), why));
  };
  if (!fs::exists(directory)) throw refuse("there is no such directory");
  if (!fs::is_directory(directory)) throw refuse("it is a file");
  if (!fs::exists(directory / kHashFile)) throw refuse(fmt::format("it holds no hashes of states, {}", kHashFile));
  return {directory, read_hash_table(directory / kHashFile)};
}

/// The scene of a run, as it is kept with the saved state.
Scene scene_of(const Run& run) {
  const Checkpoint checkpoint = read_checkpoint(run.directory / kStateFile);
  return parse_saved_scene(checkpoint.scene_yaml, checkpoint.scene_name);
}

bool same_moment(Mode mode, const HashRow& a, const HashRow& b) {
  return mode == Mode::soft ? a.step == b.step : a.time == b.time;
}

bool is_before(Mode mode, const HashRow& a, const HashRow& b) {
  return mode == Mode::soft ? a.step < b.step : a.time < b.time;
}

/// For people.
std::string moment(Mode mode, const HashRow& row) {
  if (mode == Mode::soft) return fmt::format("step {} (t = {} s)", row.step, row.time);
  return fmt::format("t = {} s ({} changes of velocity)", row.time, row.step);
}

struct CommonRow {
  HashRow first;
  HashRow second;

  bool differs() const { return first.hashes != second.hashes; }
};

/// The moments of which both tables have a row, in order.
std::vector<CommonRow> common_rows(const HashRows& first, const HashRows& second) {
  std::vector<CommonRow> common;
  auto b = second.rows.begin();
  for (const HashRow& a : first.rows) {
    while (b != second.rows.end() && is_before(first.mode, *b, a)) ++b;
    if (b != second.rows.end() && same_moment(first.mode, a, *b)) common.push_back({a, *b});
  }
  return common;
}

void say(const std::string& text) {
  fmt::print("{}", text);
  std::fflush(stdout);  // what follows may take long
}

/// The difference by the hashes of one moment: the quantities that differ, and the body if it is only one.
std::string what_differs(Mode mode, const StateHash& first, const StateHash& second) {
  std::vector<std::string> list;
  for (const Quantity quantity : quantities_of(mode)) {
    const QuantityHash& a = first[static_cast<std::size_t>(quantity)];
    const QuantityHash& b = second[static_cast<std::size_t>(quantity)];
    if (a == b) continue;
    if (quantity == Quantity::run || quantity == Quantity::pour) {
      list.emplace_back(name(quantity));
    } else if (const auto body = only_body_that_differs(a, b)) {
      list.push_back(fmt::format("{} of body {} alone", name(quantity), *body));
    } else {
      list.push_back(fmt::format("{} of several bodies", name(quantity)));
    }
  }
  return fmt::format("{}", fmt::join(list, "; "));
}

std::string owner_text(const ValueDifference& d) {
  if (d.quantity == Quantity::run) return "the run";
  if (d.quantity == Quantity::pour) return fmt::format("particle group {}", d.owner.body);
  if (d.owner.partner == 0) return fmt::format("body {}", d.owner.body);
  const auto [x, y] = d.owner.image;
  const std::string image = x == 0 && y == 0 ? "" : fmt::format(", image [{}, {}]", x, y);
  return fmt::format("body {} with body {}{}", d.owner.body, d.owner.partner, image);
}

void print_differences(const std::vector<ValueDifference>& differences, const Run& first, const Run& second) {
  const auto value_text = [](const std::optional<OwnedValues::Value>& value) {
    return value ? text(*value) : "not there";
  };
  std::set<std::uint64_t> bodies;
  for (const ValueDifference& d : differences) {
    if (d.quantity != Quantity::run && d.quantity != Quantity::pour) bodies.insert(d.owner.body);
  }
  for (std::size_t k = 0; k < std::min(differences.size(), kMostLines); ++k) {
    const ValueDifference& d = differences[k];
    fmt::print("  {}: {} is {} in {}, {} in {}\n", owner_text(d), name(d.quantity, d.component), value_text(d.first),
               first.name(), value_text(d.second), second.name());
  }
  if (differences.size() > kMostLines) fmt::print("  and {} more\n", differences.size() - kMostLines);
  fmt::print("in all {} value{} of {} bod{}\n", differences.size(), differences.size() == 1 ? "" : "s", bodies.size(),
             bodies.size() == 1 ? "y" : "ies");
}

template <AnySimulation S>
StateValues values_of(const S& simulation) {
  StateValues values(StateValues::Keep::values);
  simulation.list_values(values);
  return values;
}

template <AnySimulation S>
std::string saved(const S& simulation) {
  std::ostringstream out;
  simulation.save(out);
  return std::move(out).str();
}

template <AnySimulation S>
void restore(S& simulation, const std::string& state) {
  std::istringstream in(state);
  simulation.load(in);
}

void go_to(soft::Simulation& simulation, const HashRow& row) {
  if (row.step > simulation.steps()) {
    simulation.advance_to(std::numeric_limits<double>::infinity(), row.step - simulation.steps());
  }
}

void go_to(hard::SceneSimulation& simulation, const HashRow& row) {
  simulation.advance_to(row.time);
}

template <AnySimulation S>
bool differ(const S& first, const S& second) {
  return hashes_now(first).hashes != hashes_now(second).hashes;
}

/// From a moment at which both are alike to the first step after which they are not. @pre they differ at `last`
void find_first_difference(soft::Simulation& first, soft::Simulation& second, const HashRow& last) {
  while (!differ(first, second) && first.steps() < last.step) {
    for (soft::Simulation* simulation : {&first, &second}) {
      simulation->advance_to(std::numeric_limits<double>::infinity(), 1);
    }
  }
}

/// ... to the first moment, a double, at which they differ.
void find_first_difference(hard::SceneSimulation& first, hard::SceneSimulation& second, const HashRow& last) {
  double alike = first.time();
  double different = last.time;
  std::string first_alike = saved(first);
  std::string second_alike = saved(second);
  for (;;) {
    const double middle = std::midpoint(alike, different);
    const bool found = !(middle > alike && middle < different);
    first.advance_to(found ? different : middle);
    second.advance_to(found ? different : middle);
    if (found) return;
    if (differ(first, second)) {
      different = middle;
      restore(first, first_alike);
      restore(second, second_alike);
    } else {
      alike = middle;
      first_alike = saved(first);
      second_alike = saved(second);
    }
  }
}

/// A run that is repeated.
template <AnySimulation S>
struct Repeated {
  const Run& run;
  S& simulation;
  bool is_faithful = true;  ///< its hashes are those of the directory, so far

  void go_to_row(const HashRow& row) {
    go_to(simulation, row);
    is_faithful = is_faithful && hashes_now(simulation).hashes == row.hashes;
  }
};

/// For one run that is repeated faithfully beside one that is not: that one may have rows of its own between the two
/// moments, such as that of its end.
template <AnySimulation S>
void compare_with_rows(Repeated<S>& faithful, const Run& other, const HashRow& alike, const HashRow& different) {
  const Mode mode = other.table.mode;
  for (const HashRow& row : other.table.rows) {
    if (is_before(mode, row, alike) || is_before(mode, different, row)) continue;
    go_to(faithful.simulation, row);
    const StateHash hashes = hashes_now(faithful.simulation).hashes;
    if (hashes == row.hashes) continue;
    fmt::print("{} differs at {}, and at none of its rows before that, in\n  {}\n", other.name(), moment(mode, row),
               what_differs(mode, hashes, row.hashes));
    return;
  }
}

bool begin_with_other_bodies(const std::vector<ValueDifference>& differences) {
  return std::ranges::any_of(differences,
                             [](const auto& d) { return d.quantity == Quantity::body && (!d.first || !d.second); });
}

template <AnySimulation S>
void report_from_here_on(const Repeated<S>& first, const Repeated<S>& second) {
  fmt::print("they differ from {} on:\n", moment(first.run.table.mode, hashes_now(first.simulation)));
  print_differences(differences(values_of(first.simulation), values_of(second.simulation)), first.run, second.run);
}

/// @param alike the last common moment at which they are the same; absent: the start may be one
/// @param known the difference by the tables, printed once it is clear that the runs can be compared
template <AnySimulation S>
void repeat(Repeated<S> first, Repeated<S> second, std::optional<HashRow> alike, const CommonRow& different,
            const std::string& known) {
  if (!alike) {
    const auto found = differences(values_of(first.simulation), values_of(second.simulation));
    if (begin_with_other_bodies(found)) {
      throw UsageError(fmt::format(
          "{} and {} do not begin with the same bodies; needed: runs of the same scene, but for what should make no "
          "difference",
          first.run.name(), second.run.name()));
    }
    if (!found.empty()) {
      say(known);
      return report_from_here_on(first, second);
    }
    alike = hashes_now(first.simulation);
  }
  say(known);
  first.go_to_row(*alike);
  second.go_to_row(*alike);
  const std::string first_alike = saved(first.simulation);
  const std::string second_alike = saved(second.simulation);
  first.go_to_row(different.first);
  second.go_to_row(different.second);
  restore(first.simulation, first_alike);
  restore(second.simulation, second_alike);
  if (first.is_faithful && second.is_faithful) {
    find_first_difference(first.simulation, second.simulation, different.first);
    return report_from_here_on(first, second);
  }
  for (const Repeated<S>* each : {&first, &second}) {
    if (each->is_faithful) continue;
    fmt::print("{} is not what this program makes of its scene: another build made it, or a part of it\n",
               each->run.name());
  }
  if (first.is_faithful) compare_with_rows(first, second.run, *alike, different.second);
  if (second.is_faithful) compare_with_rows(second, first.run, *alike, different.first);
}

int threads_for(const Run& run, const DivergeOptions& options) {
  return options.threads.value_or(read_run_info(run.directory / kInfoFile).threads.value_or(0));
}

void repeat(const Run& first, const Run& second, const std::optional<HashRow>& alike, const CommonRow& different,
            const std::string& known, const DivergeOptions& options) {
  const Mode mode = first.table.mode;
  const Scene first_scene = scene_of(first);
  const Scene second_scene = scene_of(second);
  if (!options.quiet) {
    fmt::print(stderr, "repeating both up to {}\n", moment(mode, different.first));
  }
  if (mode == Mode::hard) {
    hard::SceneSimulation one(first_scene);
    hard::SceneSimulation two(second_scene);
    return repeat<hard::SceneSimulation>({first, one}, {second, two}, alike, different, known);
  }
  soft::Simulation one(first_scene, {.threads = threads_for(first, options)});
  soft::Simulation two(second_scene, {.threads = threads_for(second, options)});
  if (one.longest_step() != two.longest_step()) {
    throw UsageError(
        fmt::format("{} has steps of {} s, {} of {} s; needed: runs with the same step, such as time.step gives",
                    first.name(), one.longest_step(), second.name(), two.longest_step()));
  }
  repeat<soft::Simulation>({first, one}, {second, two}, alike, different, known);
}

/// The difference by the tables.
std::string known_from_tables(const Run& first, const Run& second, const std::optional<HashRow>& alike,
                              const CommonRow& different) {
  const Mode mode = first.table.mode;
  const std::string before = alike ? fmt::format("they are the same at {}, not ", moment(mode, *alike)) : "";
  return fmt::format("{} and {} differ: {}at {}, in\n  {}\n", first.name(), second.name(), before,
                     moment(mode, different.first),
                     what_differs(mode, different.first.hashes, different.second.hashes));
}

}  // namespace

int diverge(const fs::path& first_directory, const fs::path& second_directory, const DivergeOptions& options) {
  const Run first = read_run(first_directory);
  const Run second = read_run(second_directory);
  const Mode mode = first.table.mode;
  if (mode != second.table.mode) {
    throw UsageError(fmt::format(
        "{} and {} are runs of different modes, soft and hard; needed: two of one mode (scree compare runs a "
        "scene in both)",
        first.name(), second.name()));
  }
  const std::vector<CommonRow> common = common_rows(first.table, second.table);
  if (common.empty()) {
    throw UsageError(fmt::format("{} and {} have no common row in {}; needed: runs that reached a common {}",
                                 first.name(), second.name(), kHashFile,
                                 mode == Mode::soft ? "step" : "output time, by the same output.every"));
  }
  const auto different = std::ranges::find_if(common, &CommonRow::differs);
  if (different == common.end()) {
    const HashRow& last = common.back().first;
    fmt::print("no difference in {} {}, to t = {} s: {} common rows of {} are the same\n", last.step,
               mode == Mode::soft ? "steps" : "changes of velocity", last.time, common.size(), kHashFile);
    return kOk;
  }
  if (mode == Mode::soft && different->first.time != different->second.time) {
    throw UsageError(
        fmt::format("{} reaches step {} at {} s, {} at {} s; needed: runs with the same step, such as time.step gives",
                    first.name(), different->first.step, different->first.time, second.name(), different->second.time));
  }
  std::optional<HashRow> alike;
  if (different != common.begin()) alike = std::prev(different)->first;
  const std::string known = known_from_tables(first, second, alike, *different);
  options.repeat ? repeat(first, second, alike, *different, known, options) : say(known);
  return kDiffers;
}

}  // namespace scree::app
