#include "app/ensemble.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <list>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/child_process.hpp"
#include "app/errors.hpp"
#include "app/exit_code.hpp"
#include "app/interrupt.hpp"
#include "app/run_directory.hpp"
#include "app/say.hpp"
#include "dem/scene.hpp"
#include "io/files/atomic_file.hpp"
#include "io/formats/run_info.hpp"
#include "io/pages/ensemble_report.hpp"
#include "io/pages/svg_plot.hpp"
#include "io/scene/scene_identity.hpp"
#include "io/scene/scene_writer.hpp"
#include "io/tables/mean_table.hpp"
#include "io/tables/number_table.hpp"
#include "io/tables/progress.hpp"
#include "io/tables/table_expression.hpp"
#include "io/text/errors.hpp"
#include "io/text/message_text.hpp"
#include "io/text/number_text.hpp"
#include "io/text/words.hpp"

namespace scree::app {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kEnsembleFile = "ensemble.json";
constexpr std::size_t kMostVariations = 10'000;

// --- what is varied

/// A key, and the values that it gets.
struct Varied {
  std::string key;
  std::vector<std::string> values;
};

/// Parts between commas that are in no brackets and no quotes.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  char quote = '\0';
  for (const char c : text) {
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (std::strchr("[{(", c) != nullptr) {
      ++depth;
    } else if (std::strchr("]})", c) != nullptr) {
      --depth;
    } else if (c == ',' && depth == 0) {
      parts.emplace_back();
      continue;
    }
    if (c != ' ' || !parts.back().empty()) parts.back() += c;
  }
  for (std::string& part : parts) {
    while (part.ends_with(' ')) part.pop_back();
  }
  return parts;
}

Varied varied(const std::string& text) {
  const std::size_t equals = text.find('=');
  const auto refuse = [&](const std::string& problem) {
    return UsageError(
        fmt::format("--vary: '{}' {}, must be a key, = and values between commas, like "
                    "materials.stone.friction=0.1,0.3,0.5",
                    shortened(text), problem));
  };
  if (equals == std::string::npos || equals == 0) throw refuse("has no key or no =");
  Varied found{text.substr(0, equals), parts_of(text.substr(equals + 1))};
  if (found.key == "seed" || found.key == ".seed") {
    throw UsageError(
        "--vary: 'seed' varies by itself, must be left out; allowed: --runs, and --set seed=... for the first");
  }
  std::set<std::string> seen;
  for (const std::string& value : found.values) {
    if (value.empty()) throw refuse("has an empty value");
    if (!seen.insert(value).second) throw refuse(fmt::format("has the value {} twice", shortened(value)));
  }
  return found;
}

/// A combination of values, and where its runs are.
struct Variation {
  std::vector<std::string> values;
  Settings settings;  // of the command line and these
  std::string name;   // of its directory; empty if nothing is varied
  Scene scene;
  std::string hash;
};

/// A file's name of letters that every file system takes.
std::string file_name(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                          std::strchr("+-=._", c) != nullptr;
    name += is_plain ? c : '_';
  }
  constexpr std::size_t kLongest = 80;
  return name.substr(0, kLongest);
}

std::vector<std::string> keys_of(const std::vector<Varied>& all) {
  std::vector<std::string> keys;
  for (const Varied& each : all) keys.push_back(each.key);
  return keys;
}

/// Every combination, the last key's values first; each scene is read.
std::vector<Variation> variations_of(const fs::path& file, const Settings& settings, const std::vector<Varied>& all) {
  std::vector<std::vector<std::string>> combinations(1);
  for (const Varied& each : all) {
    std::vector<std::vector<std::string>> longer;
    for (const auto& before : combinations) {
      for (const std::string& value : each.values) {
        longer.push_back(before);
        longer.back().push_back(value);
      }
    }
    combinations = std::move(longer);
    if (combinations.size() > kMostVariations) {
      throw UsageError(fmt::format("--vary: gives more than {} combinations, must give fewer", kMostVariations));
    }
  }
  std::vector<Variation> variations;
  std::set<std::string> names;
  for (std::vector<std::string>& values : combinations) {
    Variation variation{.values = std::move(values), .settings = settings, .name = {}, .scene = {}, .hash = {}};
    for (std::size_t k = 0; k < all.size(); ++k) {
      variation.settings.push_back(fmt::format("{}={}", all[k].key, variation.values[k]));
    }
    variation.name = file_name(variation_text(keys_of(all), variation.values, "_"));
    if (!names.insert(variation.name).second) {
      variation.name = fmt::format("{}_{}", variation.name, variations.size() + 1);
      names.insert(variation.name);
    }
    variation.scene = read_scene(file, {}, variation.settings);
    variation.hash = scene_hash(variation.scene);
    variations.push_back(std::move(variation));
  }
  return variations;
}

// --- numbers of tables

struct AskedNumber {
  std::string name;
  TableExpression expression;
};

std::vector<AskedNumber> asked_numbers(const std::vector<std::string>& texts) {
  std::vector<AskedNumber> asked;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const std::string name = equals == std::string::npos ? fmt::to_string(asked.size() + 1) : text.substr(0, equals);
    const std::string expression = equals == std::string::npos ? text : text.substr(equals + 1);
    if (name.empty() || name != file_name(name) || name.find_first_of("=.") != std::string::npos) {
      throw UsageError(
          fmt::format("--table: '{}' has a name that is not of letters, digits, - and _", shortened(text)));
    }
    if (std::ranges::find(asked, name, &AskedNumber::name) != asked.end()) {
      throw UsageError(fmt::format("--table: the name {} is given twice", name));
    }
    try {
      asked.push_back({name, parse_table_expression(expression)});
    } catch (const std::invalid_argument& error) {
      throw UsageError(fmt::format("--table: {}", error.what()));
    }
  }
  return asked;
}

/// The tables in a directory, read once.
class Tables {
 public:
  explicit Tables(fs::path directory) : directory_(std::move(directory)) {}

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(directory_)) {
      if (entry.is_regular_file() && entry.path().extension() == ".csv") names.push_back(entry.path().stem().string());
    }
    std::ranges::sort(names);
    return names;
  }

  const NumberTable* find(const std::string& name) {
    const auto found = read_.find(name);
    if (found != read_.end()) return &found->second;
    const fs::path file = directory_ / (name + ".csv");
    if (!fs::is_regular_file(file)) return nullptr;
    return &read_.emplace(name, read_number_table(read_file(file))).first->second;
  }

 private:
  fs::path directory_;
  std::map<std::string, NumberTable> read_;
};

/// Throws UsageError if a number names what the tables of a run have not.
void require_tables(const std::vector<AskedNumber>& numbers, const fs::path& run) {
  Tables tables(run);
  for (const AskedNumber& number : numbers) {
    const std::string missing = what_is_missing(
        number.expression, [&](const std::string& name) { return tables.find(name); }, tables.names());
    if (!missing.empty()) throw UsageError(fmt::format("--table: {}", missing));
  }
}

// --- the directory

/// What decides the runs of an ensemble.
Json identity(const fs::path& file, const EnsembleOptions& options, const std::vector<Varied>& all,
              const std::vector<Variation>& variations, const std::string& base) {
  Json json;
  json["scene_file"] = file.filename().string();
  json["runs"] = options.runs;
  json["set"] = options.settings;
  json["until"] = options.until ? Json(*options.until) : Json();
  json["vary"] = Json::array();
  for (const Varied& each : all) json["vary"].push_back({{"key", each.key}, {"values", each.values}});
  json["scene"] = base;
  json["scene_hashes"] = Json::array();
  for (const Variation& each : variations) json["scene_hashes"].push_back(each.hash);
  return json;
}

std::string vary_text(const Json& vary) {
  std::vector<std::string> texts;
  for (const Json& each : vary) {
    std::string text = each.at("key").get<std::string>();
    char before = '=';
    for (const Json& value : each.at("values")) {
      text += before + value.get<std::string>();
      before = ',';
    }
    texts.push_back("--vary " + text);
  }
  return texts.empty() ? "no --vary" : fmt::format("{}", fmt::join(texts, " "));
}

std::string set_text(const Json& settings) {
  std::vector<std::string> texts;
  for (const Json& each : settings) texts.push_back("--set " + each.get<std::string>());
  return texts.empty() ? "no --set" : fmt::format("{}", fmt::join(texts, " "));
}

/// Throws UsageError with the first difference between what was begun in a directory and what is asked for now.
void require_same(const Json& begun, const Json& now, const fs::path& directory) {
  const auto refuse = [&](const std::string& what, const std::string& before, const std::string& after) {
    return UsageError(fmt::format(
        "the ensemble in {} was begun with {}{}, now it has {}; allowed: the same, to go on, or another directory by "
        "--output",
        directory.string(), what, shortened(before, 300), shortened(after, 300)));
  };
  if (begun.at("vary") != now.at("vary")) throw refuse("", vary_text(begun.at("vary")), vary_text(now.at("vary")));
  if (begun.at("set") != now.at("set")) throw refuse("", set_text(begun.at("set")), set_text(now.at("set")));
  if (begun.at("until") != now.at("until")) {
    const auto text = [](const Json& until) {
      return until.is_null() ? "no --until" : "--until " + number_text(until.get<double>());
    };
    throw refuse("", text(begun.at("until")), text(now.at("until")));
  }
  if (const auto difference =
          first_difference(begun.at("scene").get<std::string>(), now.at("scene").get<std::string>())) {
    throw refuse(difference->key + " = ", difference->first, difference->second);
  }
  if (begun.at("scene_hashes") != now.at("scene_hashes")) {
    throw refuse("", "other scenes", "those of the varied values that the scene gives today");
  }
  if (begun.at("runs").get<std::size_t>() > now.at("runs").get<std::size_t>()) {
    throw refuse("", fmt::format("--runs {}", begun.at("runs").get<std::size_t>()),
                 fmt::format("--runs {}, which are fewer", now.at("runs").get<std::size_t>()));
  }
}

/// Throws UsageError unless the directory is new, empty, or that of the same ensemble.
void require_room(const fs::path& directory, const Json& now) {
  if (!fs::exists(directory)) return;
  if (!fs::is_directory(directory)) {
    throw UsageError(
        fmt::format("the output directory {} is a file; allowed: another directory, by --output", directory.string()));
  }
  const fs::path file = directory / kEnsembleFile;
  if (fs::is_regular_file(file)) {
    const Json begun = Json::parse(read_file(file), nullptr, /*allow_exceptions=*/false);
    try {
      require_same(begun, now, directory);
    } catch (const Json::exception&) {
      throw IoError(fmt::format("{} is damaged; needed: the one that scree ensemble wrote", file.string()));
    }
    return;
  }
  if (!fs::is_empty(directory)) {
    throw UsageError(
        fmt::format("the output directory {} contains other files than an ensemble of scree, which are not touched; "
                    "allowed: an empty or new directory, by --output",
                    directory.string()));
  }
}

// --- the runs

/// One run: a variation with a seed.
struct OneRun {
  const Variation* variation;
  std::uint64_t seed;
  fs::path directory;

  enum class Status { to_do, running, finished, failed } status = Status::to_do;
  std::string error = {};    // of one that failed
  int exit_code = kPhysics;  // of one that failed
  bool warned = false;
};

/// The state of a run by its directory.
void look_at(OneRun& run) {
  constexpr const char* kStopped = "stopped: ";
  constexpr const char* kNoOutput = "stopped: input or output failed";
  const EarlierRun earlier = read_run_info(run.directory / kInfoFile);
  if (earlier.status == "finished") run.status = OneRun::Status::finished;
  if (earlier.status.starts_with(kStopped) && earlier.status != kNoOutput) {
    run.status = OneRun::Status::failed;
    run.error = earlier.status.substr(std::strlen(kStopped));
  }
}

/// The message of scree when it failed, in one line.
std::string error_text(const ChildProcess::End& end) {
  if (end.signal != 0) return fmt::format("it was ended by signal {} ({})", end.signal, strsignal(end.signal));
  std::string text;
  std::size_t at = 0;
  while (at < end.errors.size()) {
    const std::size_t stop = std::min(end.errors.find('\n', at), end.errors.size());
    std::string line = end.errors.substr(at, stop - at);
    at = stop + 1;
    if (line.starts_with("scree: warning")) continue;
    constexpr const char* kName = "scree: ";
    if (line.starts_with(kName)) line.erase(0, std::strlen(kName));
    if (!line.empty()) text += (text.empty() ? "" : "; ") + line;
  }
  if (text.empty()) return fmt::format("it ended with exit status {}", end.exit_code);
  constexpr std::size_t kLongest = 1000;
  return shortened(text, kLongest);
}

class Runs {
 public:
  Runs(const fs::path& scene, const EnsembleOptions& options, std::vector<std::string> keys,
       const std::vector<AskedNumber>& numbers, std::vector<OneRun>& runs)
      : scene_(scene),
        options_(options),
        keys_(std::move(keys)),
        numbers_(numbers),
        runs_(runs),
        line_(options.quiet) {}

  /// Until all have ended or an end is asked for.
  void carry_out() {
    for (OneRun& run : runs_) {
      if (run.status == OneRun::Status::finished) finish(run);
      if (run.status == OneRun::Status::failed) tell(run);
    }
    std::size_t next = 0;
    for (;;) {
      while (!interrupted() && children_.size() < options_.jobs && next < runs_.size()) {
        if (runs_[next].status == OneRun::Status::to_do) begin(runs_[next]);
        ++next;
      }
      if (children_.empty()) break;
      watch();
    }
    line_.clear();
  }

  std::string name_of(const OneRun& run) const {
    const std::string name = variation_text(keys_, run.variation->values);
    return fmt::format("{}{}seed {}", name, name.empty() ? "" : ", ", run.seed);
  }

 private:
  struct Child {
    OneRun* run;
    ChildProcess process;
  };

  void begin(OneRun& run) {
    make_directory(run.directory.parent_path());
    std::vector<std::string> words;
    if (holds_state(run.directory)) {
      words = {"resume", run.directory.string()};
    } else {
      words = {"run", scene_.string(), "--force", "--output", run.directory.string()};
      for (const std::string& setting : run.variation->settings) words.insert(words.end(), {"--set", setting});
      words.insert(words.end(), {"--set", fmt::format(".seed={}", run.seed)});
    }
    words.emplace_back("--quiet");
    if (options_.until) words.insert(words.end(), {"--until", number_text(*options_.until)});
    const int threads = options_.threads == 0 && options_.jobs > 1 ? 1 : options_.threads;
    if (threads > 0) words.insert(words.end(), {"--threads", fmt::to_string(threads)});
    run.status = OneRun::Status::running;
    children_.push_back({&run, ChildProcess(words)});
  }

  void watch() {
    std::vector<ChildProcess*> processes;
    for (Child& child : children_) processes.push_back(&child.process);
    wait_for_any(processes, 0.1);
    if (interrupted() && !told_) {
      told_ = true;
      for (ChildProcess* process : processes) process->interrupt();
    }
    for (auto child = children_.begin(); child != children_.end();) {
      if (child->process.read()) {
        ++child;
        continue;
      }
      end(*child->run, child->process.wait());
      child = children_.erase(child);
    }
    if (line_.is_due()) line_.show(progress_text());
  }

  void end(OneRun& run, const ChildProcess::End& end) {
    if (end.exit_code == kOk) {
      run.status = OneRun::Status::finished;
      run.warned = !end.errors.empty();
      finish(run);
    } else if (interrupted()) {
      run.status = OneRun::Status::to_do;
    } else {
      run.status = OneRun::Status::failed;
      run.exit_code = end.exit_code > 0 ? end.exit_code : static_cast<int>(kInputOutput);
      run.error = error_text(end);
      tell(run);
    }
    ++ended_;
  }

  void tell(const OneRun& run) {
    line_.clear();
    say(stderr, "scree: {} failed: {}\n", name_of(run), run.error);
  }

  void finish(const OneRun& run) {
    if (!is_checked_) require_tables(numbers_, run.directory);
    is_checked_ = true;
    if (options_.discard) remove_all_but_tables(run.directory);
  }

  std::string progress_text() const {
    std::size_t finished = 0;
    std::size_t failed = 0;
    double done = 0.0;  // runs, of this call
    std::vector<std::string> shares;
    for (const OneRun& run : runs_) {
      finished += run.status == OneRun::Status::finished;
      failed += run.status == OneRun::Status::failed;
    }
    for (const Child& child : children_) {
      const double share = read_run_info(child.run->directory / kInfoFile).progress();
      done += share;
      shares.push_back(fmt::format("{:.0f} %", 100.0 * share));
    }
    const double left = static_cast<double>(runs_.size() - finished - failed) - done;
    done += static_cast<double>(ended_);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    std::string text = fmt::format("{} of {} runs", finished, runs_.size());
    if (failed > 0) text += fmt::format(", {} failed", failed);
    text += fmt::format(", now {}", fmt::join(shares, " "));
    if (done > 0.0) text += fmt::format(", about {} left", duration_text(seconds * left / done));
    return text;
  }

  fs::path scene_;
  const EnsembleOptions& options_;
  std::vector<std::string> keys_;
  const std::vector<AskedNumber>& numbers_;
  std::vector<OneRun>& runs_;
  std::list<Child> children_;
  StatusLine line_;
  std::size_t ended_ = 0;  // in this call
  bool told_ = false;      // the children are, that an end is asked for
  bool is_checked_ = false;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

// --- what is written at the end

/// The tables whose rows are the same things in every run: a row of flow.csv is a grain, one of hashes.csv a state,
/// one of collisions.csv a collision.
bool has_means(const std::string& name) {
  return name != "flow" && name != "hashes" && name != "collisions";
}

/// Writes the means of every table. @return those of series.csv
std::string write_means(const fs::path& directory, const std::vector<const OneRun*>& finished) {
  std::set<std::string> names;
  for (const OneRun* run : finished) {
    for (const std::string& name : Tables(run->directory).names()) names.insert(name);
  }
  std::string series;
  for (const std::string& name : names) {
    if (!has_means(name)) continue;
    std::vector<std::string> texts;
    for (const OneRun* run : finished) {
      const fs::path file = run->directory / (name + ".csv");
      if (fs::is_regular_file(file)) texts.push_back(read_file(file));
    }
    std::string means = mean_table(texts);
    if (means.empty()) continue;
    write_file_atomically(directory / (name + ".csv"), means, Sync::by_caller);
    if (name == "series") series = std::move(means);
  }
  return series;
}

/// Whether several runs have the same course.
bool are_alike(const std::vector<const OneRun*>& runs) {
  if (runs.size() < 2) return false;
  const auto series = [](const OneRun* run) { return read_file(run->directory / "series.csv"); };
  return std::ranges::all_of(runs, [&](const OneRun* run) { return series(run) == series(runs.front()); });
}

/// The header and the last row of a table.
std::string last_row(const std::string& text) {
  const std::size_t head = text.find('\n');
  if (head == std::string::npos || head + 1 == text.size()) return text;
  return text.substr(0, head + 1) + text.substr(text.rfind('\n', text.size() - 2) + 1);
}

/// The last row of series.csv of each run, as means: a row for each variation, with empty cells where no run is
/// finished.
std::string end_table(const EnsembleReport& report, const std::vector<std::vector<const OneRun*>>& finished) {
  std::string header;
  std::vector<std::string> rows;
  for (const std::vector<const OneRun*>& runs : finished) {
    std::vector<std::string> texts;
    for (const OneRun* run : runs) texts.push_back(last_row(read_file(run->directory / "series.csv")));
    const std::string means = mean_table(texts);
    const std::size_t head = means.find('\n');
    if (head != std::string::npos) header = means.substr(0, head + 1);
    rows.push_back(head != std::string::npos ? means.substr(head + 1) : std::string());
  }
  if (header.empty()) return {};
  const auto commas = static_cast<std::size_t>(std::ranges::count(header, ','));
  std::string out;
  for (const std::string& key : report.keys) out += csv_cell(key) + ',';
  out += "failed," + header;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    for (const std::string& value : report.variations[k].values) out += csv_cell(value) + ',';
    out +=
        fmt::format("{},{}", report.variations[k].failed, rows[k].empty() ? std::string(commas, ',') + '\n' : rows[k]);
  }
  return out;
}

/// The numbers that were asked for, over the runs of each variation. @param problems  a line for each run that has none
std::vector<EnsembleNumber> numbers_of(const std::vector<AskedNumber>& asked,
                                       const std::vector<std::vector<const OneRun*>>& finished, const Runs& runs,
                                       std::vector<std::string>& problems) {
  std::vector<EnsembleNumber> numbers;
  for (const AskedNumber& each : asked) numbers.push_back({each.name, each.expression.text, {}});
  for (const std::vector<const OneRun*>& variation : finished) {
    std::vector<std::vector<double>> values(asked.size());
    for (const OneRun* run : variation) {
      Tables tables(run->directory);
      const auto find = [&](const std::string& name) { return tables.find(name); };
      for (std::size_t k = 0; k < asked.size(); ++k) {
        try {
          const std::string missing = what_is_missing(asked[k].expression, find, tables.names());
          if (!missing.empty()) throw std::invalid_argument(missing);
          values[k].push_back(evaluate(asked[k].expression, find));
        } catch (const std::invalid_argument& error) {
          problems.push_back(fmt::format("{}: {}", runs.name_of(*run), error.what()));
        }
      }
    }
    for (std::size_t k = 0; k < asked.size(); ++k) {
      const bool has_any = !values[k].empty();
      numbers[k].values.push_back({has_any ? compare::estimate(values[k]) : compare::Estimate{}, values[k].size()});
    }
  }
  return numbers;
}

void write(const EnsembleReport& report, const fs::path& directory) {
  for (const EnsembleNumber& number : report.numbers) {
    write_file_atomically(directory / fmt::format("table_{}.csv", number.name), number_csv(report, number));
  }
  const ReportPage page = report_page(report);
  for (const Drawing& drawing : drawings(page)) write_file_atomically(directory / drawing.file, drawing.svg);
  write_file_atomically(directory / "report.md", to_markdown(page));
  write_file_atomically(directory / "report.html", to_html(page));
}

}  // namespace

int ensemble(const fs::path& file, const EnsembleOptions& options) {
  std::vector<Varied> all;
  for (const std::string& text : options.vary) {
    all.push_back(varied(text));
    if (std::ranges::count(all, all.back().key, &Varied::key) > 1) {
      throw UsageError(fmt::format("--vary: {} is given twice, must be given once", shortened(all.back().key)));
    }
  }
  const std::vector<AskedNumber> asked = asked_numbers(options.tables);
  const Scene base = read_scene(file, {}, options.settings);
  const std::vector<Variation> variations = variations_of(file, options.settings, all);
  if (base.seed > std::numeric_limits<std::uint64_t>::max() - options.runs) {
    throw UsageError(fmt::format("seed: is {}, must be smaller by the number of runs", base.seed));
  }
  const fs::path directory = options.output.value_or(base.output_directory + "_ensemble");
  const Json now = identity(file, options, all, variations, to_yaml(base));
  require_room(directory, now);
  make_directory(directory);
  const DirectoryLock lock(directory);
  require_room(directory, now);  // still: no other run has begun in it
  write_file_atomically(directory / kEnsembleFile, now.dump(2) + "\n");

  std::vector<OneRun> each;
  for (std::size_t k = 0; k < options.runs; ++k) {
    for (const Variation& variation : variations) {
      const std::uint64_t seed = base.seed + k;
      each.push_back({&variation, seed, directory / variation.name / fmt::format("seed_{}", seed)});
      look_at(each.back());
    }
  }
  Runs runs(file, options, keys_of(all), asked, each);
  {
    const InterruptGuard guard;
    runs.carry_out();
    if (interrupted()) {
      const auto finished = std::ranges::count(each, OneRun::Status::finished, &OneRun::status);
      if (!options.quiet) {
        say(stderr, "interrupted; {} of {} runs are finished; to continue: the same command again\n", finished,
            each.size());
      }
      return kInterrupted;
    }
  }

  EnsembleReport report;
  report.title = base.title;
  report.scene_file = file.filename().string();
  report.scene = to_yaml(variations.front().scene);
  report.settings = options.settings;
  report.first_seed = base.seed;
  report.runs = options.runs;
  report.keys = keys_of(all);
  std::vector<std::vector<const OneRun*>> finished(variations.size());
  int code = kOk;
  std::size_t warned = 0;
  for (const OneRun& run : each) {
    const auto k = static_cast<std::size_t>(run.variation - variations.data());
    if (run.status == OneRun::Status::finished) finished[k].push_back(&run);
    warned += run.warned;
    if (run.status != OneRun::Status::failed) continue;
    if (code == kOk) code = run.exit_code;
    report.failures.push_back(fmt::format("{}: {}", runs.name_of(run), run.error));
  }
  for (std::size_t k = 0; k < variations.size(); ++k) {
    EnsembleVariation variation{variations[k].values, finished[k].size(), options.runs - finished[k].size()};
    if (!finished[k].empty()) variation.series = write_means(directory / variations[k].name, finished[k]);
    report.variations.push_back(std::move(variation));
  }
  report.numbers = numbers_of(asked, finished, runs, report.notes);
  const std::vector<std::string> problems = report.notes;
  if (std::ranges::any_of(finished, are_alike)) {
    report.notes.push_back("Seeds change nothing in this scene: runs with other seeds are the same, and errors are 0.");
    if (!options.quiet) say(stderr, "scree: warning: {}\n", report.notes.back());
  }
  if (warned > 0) report.notes.push_back(fmt::format("{} runs have warnings: see their run.json.", warned));
  if (const std::string ends = end_table(report, finished); !ends.empty()) {
    write_file_atomically(directory / "ensemble.csv", ends);
  }
  write(report, directory);
  for (const std::string& problem : problems) say(stderr, "scree: left out: {}\n", problem);
  if (options.quiet) return code;
  for (const EnsembleNumber& number : report.numbers) say("{}\n{}", heading(number), number_csv(report, number));
  say("{} runs finished, {} failed\nwritten to {}; to look at it, open {}/report.html in a browser\n",
      each.size() - report.failures.size(), report.failures.size(), directory.string(), directory.string());
  return code;
}

}  // namespace scree::app
