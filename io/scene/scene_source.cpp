#include "io/scene/scene_source.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "io/files/input_file.hpp"
#include "io/scene/sections.hpp"
#include "io/text/errors.hpp"
#include "io/text/message_text.hpp"

namespace scree {

namespace {

namespace fs = std::filesystem;
using Index = YamlDocument::Index;
using Type = YamlDocument::Type;

// --- include

/// A file that is to be included, and the place that names it.
struct Included {
  fs::path path;
  SceneMistake at;

  [[noreturn]] void fail(const std::string& problem) const {
    SceneMistake mistake = at;
    mistake.problem = problem;
    throw SceneError({std::move(mistake)});
  }
};

fs::path whole_path(const fs::path& path) {
  std::error_code error;
  const fs::path result = fs::weakly_canonical(path, error);
  return error ? path : result;
}

bool has_any_of(const YamlValue& top, const YamlValue::Words& keys) {
  return top.is_mapping() && std::ranges::any_of(keys, [&](const std::string& key) { return top[key].given(); });
}

class Includer {
 public:
  /// @param known  the keys of a scene
  Includer(std::shared_ptr<YamlDocument> document, const YamlValue::Words& known)
      : document_(std::move(document)), known_(known) {}

  /// @param chain  the files from the scene to this one
  Index with_included(Index root, std::vector<fs::path>& chain) {
    std::optional<Index> below;
    for (const Included& file : included_in(root)) {
      const Index next = include(file, chain);
      below = below ? document_->merged(*below, next, "include") : next;
    }
    return below ? document_->merged(*below, root, "include") : root;
  }

 private:
  std::vector<Included> included_in(Index root) const {
    const YamlValue list = YamlValue(document_, root)["include"];
    if (!list.given()) return {};
    std::vector<Included> files;
    Mistakes mistakes;
    const std::string allowed = "the name of a file to include";
    const auto add = [&](const YamlValue& name) {
      mistakes.attempt([&] {
        const fs::path path = name.beside(name.name(allowed));
        files.push_back({path, name.error("").mistakes.front()});
      });
    };
    if (list.is_list()) {
      for (const YamlValue& name : list.list("")) add(name);
    } else {
      add(list);
    }
    mistakes.throw_if_any();
    return files;
  }

  Index include(const Included& file, std::vector<fs::path>& chain) {
    const fs::path path = whole_path(file.path);
    if (std::ranges::find(chain, path) != chain.end()) {
      file.fail(fmt::format("is '{}', which is the file itself or includes it, must be another file",
                            shortened(file.path.string())));
    }
    if (chain.size() > kMostIncludedInEachOther) {
      file.fail(fmt::format("is one file too deep, at most {} may include each other", kMostIncludedInEachOther));
    }
    if (++files_ > kMostIncluded) {
      file.fail(fmt::format("is one file too many, a scene may include at most {}", kMostIncluded));
    }
    const std::string text = text_of(file);
    bytes_ += text.size();
    if (bytes_ > kMostInputBytes) {
      file.fail(fmt::format("is too large, a scene may include at most {} MB", kMostInputBytes >> 20));
    }
    const Index root = document_->add(text, file.path.string());
    const YamlValue top(document_, root);
    if (!top.is_mapping()) top.refuse("a mapping with keys of a scene");
    if (!has_any_of(top, known_)) top.fail("is no part of a scene, must have keys of docs/scene.md");  // not quoted
    if (const YamlValue version = top["scree"]; version.given()) keys::require_version(version);
    chain.push_back(path);
    const Index whole = with_included(root, chain);
    chain.pop_back();
    return whole;
  }

  static std::string text_of(const Included& file) {
    try {
      return read_input_file(file.path, "a file to include");
    } catch (const IoError& error) {
      SceneMistake mistake = file.at;
      mistake.problem = fmt::format("cannot be used: {}", error.what());
      throw IoError(mistake.text());
    }
  }

  std::shared_ptr<YamlDocument> document_;
  const YamlValue::Words& known_;
  std::size_t files_ = 0;
  std::size_t bytes_ = 0;
};

// --- settings

/// One "key=value".
class Setting {
 public:
  Setting(std::shared_ptr<YamlDocument> document, const std::string& text)
      : document_(std::move(document)), name_("--set " + text), key_(text.substr(0, text.find('='))) {
    if (key_.size() == text.size() || key_.empty()) {
      fail("", fmt::format("is '{}', must be a key, = and a value, like time.end=2", shortened(text)));
    }
    value_text_ = text.substr(key_.size() + 1);
  }

  /// @return the new root
  Index apply(const YamlValue::Words& known) {
    std::string path = key_;
    const YamlValue root(document_);
    const std::string first = path.substr(0, path.find_first_of(".["));
    const YamlValue parameters = root["parameters"];
    if (parameters[first].given()) {
      if (std::ranges::find(known, first) == known.end()) {
        path = "parameters." + path;
      } else if (first == path) {
        fail(key_,
             fmt::format("is a key of a scene and one of its parameters, must be parameters.{0} or, for the key, .{0}",
                         first));
      }
    }
    if (path.starts_with("parameters.")) require_parameter(parameters, path.substr(path.find('.') + 1));
    return set(document_->root_index(), path, value());
  }

 private:
  [[noreturn]] void fail(const std::string& key, const std::string& problem) const {
    throw SceneError(name_, 0, 0, key, problem);
  }

  Index value() {
    try {
      return document_->add(value_text_, name_, false);
    } catch (const SceneError& error) {
      fail(key_, error.mistakes.front().problem);
    }
  }

  void require_parameter(const YamlValue& parameters, const std::string& name) const {
    if (parameters[name].given()) return;
    std::vector<std::string> names;
    Mistakes ignored;
    if (parameters.is_mapping()) {
      for (const auto& entry : parameters.entries("", ignored)) names.push_back(entry.first);
    }
    fail(key_, fmt::format("is not a parameter of the scene{}, must be {}", did_you_mean(name, names),
                           names.empty() ? "left out" : one_of_text(names)));
  }

  /// A copy of what stands somewhere, with the value at a path from there on. Entries on the way that are missing are
  /// made, those of lists are not.
  Index set(Index at, std::string_view path, Index value) {
    if (path.starts_with('.')) path.remove_prefix(1);
    if (path.empty()) return value;
    const Type type = document_->value(at).type;
    const std::vector<Index> values = document_->values_of(at);
    if (type == Type::list) {
      const auto [k, length] = entry_of_list(values, path);
      if (k == values.size()) {
        fail(key_, fmt::format("there is no '{}', must be an entry from [0] to [{}], or its name",
                               shortened(path.substr(0, path.find('.'))), values.size() - std::min<std::size_t>(1, k)));
      }
      return document_->with_value(at, k, set(values[k], path.substr(length), value));
    }
    if (type == Type::scalar) {
      fail(key_, fmt::format("'{}' is in a value without keys, '{}'", shortened(path),
                             shortened(document_->text(document_->value(at)))));
    }
    std::size_t length = 0;
    std::size_t place = 0;
    for (std::size_t k = 0; k < values.size(); k += 2) {
      if (document_->value(values[k]).type != Type::scalar) continue;
      const std::string_view key = document_->text(document_->value(values[k]));
      if (key.size() <= length || !is_whole_step(path, key)) continue;
      length = key.size();
      place = k + 1;
    }
    if (length > 0) return document_->with_value(at, place, set(values[place], path.substr(length), value));
    const std::string key(path.substr(0, path.find_first_of(".[")));
    if (key.empty() || key.size() > kLongestName) fail(key_, "is not a key of a scene");
    return document_->with_entry(at, key, set_new(path.substr(key.size()), value));
  }

  /// What a missing entry becomes.
  Index set_new(std::string_view path, Index value) {
    if (path.starts_with('.')) path.remove_prefix(1);
    if (path.empty()) return value;
    const std::string key(path.substr(0, path.find_first_of(".[")));
    if (key.empty() || ++made_ > static_cast<int>(YamlDocument::kMostNested)) fail(key_, "is not a key of a scene");
    const Index inner = set_new(path.substr(key.size()), value);
    const Index nothing = document_->add("", name_, false);
    return document_->with_entry(nothing, key, inner);
  }

  static bool is_whole_step(std::string_view path, std::string_view step) {
    return path.starts_with(step) &&
           (path.size() == step.size() || path[step.size()] == '.' || path[step.size()] == '[');
  }

  /// @return its number, or that of all if there is none, and how much of the path calls it
  std::pair<std::size_t, std::size_t> entry_of_list(const std::vector<Index>& values, std::string_view path) const {
    for (std::size_t k = 0; k < values.size(); ++k) {
      const std::string number = '[' + std::to_string(k) + ']';
      if (is_whole_step(path, number)) return {k, number.size()};
      const YamlValue entry(document_, values[k]);
      if (!entry.is_mapping()) continue;
      Mistakes ignored;
      std::string name;
      ignored.attempt([&] { name = entry["name"].name(""); });
      if (!name.empty() && is_whole_step(path, name)) return {k, name.size()};
    }
    return {values.size(), 0};
  }

  std::shared_ptr<YamlDocument> document_;
  std::string name_;
  std::string key_;
  std::string value_text_;
  int made_ = 0;
};

// --- parameters

/// Each may use those before it.
void evaluate_parameters(YamlDocument& document, const YamlValue& parameters, Mistakes& mistakes) {
  if (!parameters.given() || parameters.is_empty()) return;
  mistakes.attempt([&] {
    const auto entries = parameters.entries("a mapping from names to numbers", mistakes);
    if (entries.size() > kMostParameters) {
      parameters.fail_at_key(fmt::format("has {} parameters, must have at most {}", entries.size(), kMostParameters));
    }
    for (const auto& entry : entries) document.parameters[entry.first] = {};
    for (const auto& [name, value] : entries) {
      Parameter& parameter = document.parameters[name];
      const bool is_good = mistakes.attempt([&, &name = name, &value = value] {
        const std::string problem = problem_of_parameter_name(name);
        if (!problem.empty()) value.fail_at_key(problem);
        parameter.value = value.number(Numbers::any(""));
      });
      parameter.is_broken = !is_good;
    }
  });
}

}  // namespace

YamlValue scene_document(const std::string& text, const std::string& name, const std::vector<std::string>& settings,
                         const YamlValue::Words& known, Mistakes& mistakes) {
  const auto document = std::make_shared<YamlDocument>(text, name);
  {
    const YamlValue top(document);
    if (top.is_empty()) top.refuse("a scene");
    if (!top.is_mapping()) return top;
    if (!has_any_of(top, known))
      top.fail("is not a scene, must have scree and other keys of docs/scene.md");  // and is not quoted
    if (const YamlValue version = top["scree"]; version.given()) keys::require_version(version);
  }
  std::vector<fs::path> chain = {whole_path(name)};
  document->set_root(Includer(document, known).with_included(document->root_index(), chain));
  for (const std::string& setting : settings) document->set_root(Setting(document, setting).apply(known));
  const YamlValue top(document);
  evaluate_parameters(*document, top["parameters"], mistakes);
  return top;
}

}  // namespace scree
