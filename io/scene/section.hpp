#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <yaml-cpp/emitter.h>

#include "dem/mode.hpp"
#include "io/scene/form.hpp"
#include "io/yaml/yaml_value.hpp"

namespace scree {
struct Domain;
struct Material;
struct Measure;
struct Scene;
struct Wall;
}  // namespace scree

/// Sections of a scene: tables of keys, each of which has once its name, which member it sets, what is
/// allowed and what it means. Reader, writer, docs/scene.md and the JSON Schema all go through these tables. To add a
/// key, add an entry to its table (io/scene/*.cpp) and renew the docs (CONTRIBUTING.md).
namespace scree::keys {

/// A scene that is being read.
struct Reading {
  Scene& scene;                            ///< as far as it has been read
  std::string file;                        ///< the scene's, or what stands for it
  std::optional<Mode> as;                  ///< the mode to read it for, whatever mode it names
  std::optional<Mode> named = Mode::soft;  ///< by the scene; nothing after a mistake there
  std::optional<Mode> mode = Mode::soft;   ///< it is read for; nothing if that is unknown
  Mistakes mistakes = {};
  std::set<std::string> wall_names = {};
  std::set<std::pair<int, int>> pairs = {};      ///< of materials, the lower number first
  std::vector<std::function<void()>> last = {};  ///< what is read when all else has been
  std::vector<SceneMistake> unreadable = {};     ///< files that the scene names and that cannot be read
  std::size_t placed = 0;                        ///< grains at given places
  bool is_saved = false;                         ///< it is the scene that a run keeps, whose state has its grains

  // Parts of the scene, for sections that read no more of it: these include dem/scene/..., and not dem/scene.hpp.
  Domain& domain() const;
  std::vector<Material>& materials() const;
  std::vector<Wall>& walls() const;
  Measure& measure() const;     ///< @pre it measures
  double& end() const;          ///< [s]
  double output_every() const;  ///< [s]
};

/// A scene that is being written.
struct Writing {
  YAML::Emitter& out;
  const Scene& scene;

  // As Reading has them.
  const std::vector<Material>& materials() const;
  const std::vector<Wall>& walls() const;
};

/// In which nothing is given: beside it defaults are written.
const Scene& empty_scene();

/// Numbers as the shortest text that reads back as the same double; texts in quotes unless every YAML reader takes them
/// for texts without.
void write_number(Writing& writing, double number);
/// @pre  every YAML reader takes the text for the same without quotes
void write_plain(Writing& writing, std::string_view text);
void write_text(Writing& writing, const std::string& text);

/// A kind of value: what it is, how it is read, and how it is written.
template <class T>
struct Kind {
  /// @param form of the kind, or narrower limits of a key. Throws SceneError
  using Read = std::function<void(Reading&, const YamlValue&, const Form& form, T&)>;

  Form form;
  Read read;
  std::function<void(Writing&, const T&)> write;
  std::function<bool(const T&)> is_written = nullptr;  ///< null: always
};

/// Where a key stands: what a rule may read.
template <class Owner>
struct Context {
  Reading& reading;
  const YamlMapping& keys;  ///< beside it
  Owner& value;             ///< what they are read into; those before it in the table have been

  bool given(const char* key) const { return keys[key].given(); }
  /// Whether neither the value of a key nor anything in it is a mistake.
  bool sound(const char* key) const { return reading.mistakes.sound(keys[key].path()); }
};

/// A key of a section: one entry of its table.
template <class Owner>
class Key {
 public:
  using Condition = std::function<bool(const Context<Owner>&)>;
  using Limits = std::function<std::optional<Numbers>(const Context<Owner>&)>;

  /// @param write  null: the key is another way to give what is written otherwise
  Key(std::string name, Form form, std::function<void(Reading&, const YamlValue&, const Form&, Owner&)> read,
      std::function<void(Writing&, const Owner&)> write, std::function<bool(const Owner&)> is_written = nullptr)
      : info_{.name = std::move(name), .form = std::move(form), .says = {}},
        read_(std::move(read)),
        write_(std::move(write)),
        is_written_(std::move(is_written)) {}

  // Its description.
  Key says(std::string sentence) && { return info_.says = std::move(sentence), std::move(*this); }
  Key details(std::string markdown) && { return info_.details = std::move(markdown), std::move(*this); }
  Key example(std::string value) && { return info_.example = std::move(value), std::move(*this); }
  /// What holds without it, in words.
  Key otherwise(std::string words) && { return info_.otherwise = std::move(words), std::move(*this); }

  // When it must, and when it must not be given.
  Key required() && {
    info_.required = true;
    info_.otherwise = "required";
    return std::move(*this);
  }
  Key required_if(Condition condition, std::string words) && {
    required_if_ = std::move(condition);
    return std::move(*this).otherwise(std::move(words));
  }
  /// Required of a scene that lacks another key at its top.
  Key required_unless(std::string top_key, Condition condition) && {
    info_.required_unless = top_key;
    return std::move(*this).required_if(std::move(condition), "required, but not beside `" + top_key + "`");
  }
  Key optional() && {
    info_.required = false;
    info_.required_unless.clear();
    required_if_ = nullptr;
    return std::move(*this);
  }
  /// It has no effect in other modes.
  Key means_something_in(Modes modes) && { return info_.modes = modes, std::move(*this); }
  /// It is refused in other modes. @param problem  there, reported at the key; empty: that it must be left out
  Key only_in(Modes modes, std::string problem = {}) && {
    allowed_in_ = modes;
    problem_at_key_ = std::move(problem);
    return std::move(*this).means_something_in(modes);
  }
  /// @param allowed  instead
  Key refused_in(Mode mode, std::string allowed) && {
    allowed_in_ = Modes::all_but(mode);
    allowed_instead_ = std::move(allowed);
    return std::move(*this);
  }

  // How it is read and written.
  /// Narrower limits than those of its kind, from what has been read before; none if that was a mistake.
  Key limited(Limits limits) && { return limits_ = std::move(limits), std::move(*this); }
  /// It is read when all else of the scene has been.
  Key read_last() && { return is_last_ = true, std::move(*this); }
  Key written_if(std::function<bool(const Owner&)> condition) && {
    return is_written_ = std::move(condition), std::move(*this);
  }

  const KeyInfo& info() const { return info_; }
  bool is_last() const { return is_last_; }
  bool is_ever_required() const { return info_.required || required_if_; }

  /// @throws SceneError
  void read(const Context<Owner>& at) const {
    const YamlValue value = at.keys[info_.name];
    if (!value.given()) {
      const bool is_required = info_.required || (required_if_ && required_if_(at));
      if (!is_required || !at.reading.mistakes.readable(value.path())) return;
    } else if (at.reading.mode && !allowed_in_.has(*at.reading.mode)) {
      refuse(value, *at.reading.mode);
    }
    const std::optional<Numbers> limits = limits_ ? limits_(at) : std::nullopt;
    if (!limits) {
      read_(at.reading, value, info_.form, at.value);
    } else {
      Form form = info_.form;
      const Numbers widest = form.numbers;
      form.numbers = *limits;
      form.numbers.unit = widest.unit;
      form.numbers.alternative = widest.alternative;
      read_(at.reading, value, form, at.value);
    }
  }

  bool is_written(const Owner& owner) const { return write_ && (!is_written_ || is_written_(owner)); }
  void write(Writing& writing, const Owner& owner) const { write_(writing, owner); }

  /// This key of an Other that has an Owner.
  template <class Other>
  Key<Other> of(Owner Other::*member) const {
    const auto moved = [member](const Context<Other>& at) {
      return Context<Owner>{at.reading, at.keys, at.value.*member};
    };
    Key<Other> key(
        info_.name, info_.form,
        [member, read = read_](Reading& reading, const YamlValue& value, const Form& form, Other& other) {
          read(reading, value, form, other.*member);
        },
        [member, write = write_](Writing& writing, const Other& other) { write(writing, other.*member); });
    key.info_ = info_;
    key.allowed_in_ = allowed_in_;
    key.allowed_instead_ = allowed_instead_;
    key.problem_at_key_ = problem_at_key_;
    key.is_last_ = is_last_;
    if (is_written_) {
      key.is_written_ = [member, is_written = is_written_](const Other& other) { return is_written(other.*member); };
    }
    if (limits_) key.limits_ = [moved, limits = limits_](const Context<Other>& at) { return limits(moved(at)); };
    if (required_if_) {
      key.required_if_ = [moved, condition = required_if_](const Context<Other>& at) { return condition(moved(at)); };
    }
    return key;
  }

 private:
  template <class>
  friend class Key;

  void refuse(const YamlValue& value, Mode mode) const {
    if (!problem_at_key_.empty()) value.fail_at_key(problem_at_key_);
    value.refuse(allowed_instead_.empty() ? std::string("left out in ") + name_of(mode) + " mode" : allowed_instead_);
  }

  KeyInfo info_;
  std::function<void(Reading&, const YamlValue&, const Form&, Owner&)> read_;
  std::function<void(Writing&, const Owner&)> write_;
  std::function<bool(const Owner&)> is_written_;
  Limits limits_ = nullptr;
  Condition required_if_ = nullptr;
  Modes allowed_in_ = Modes::all();
  std::string allowed_instead_;
  std::string problem_at_key_;
  bool is_last_ = false;
};

/// A mapping with known keys, read into an Owner, and the rules beside its table.
template <class Owner>
class Section {
 public:
  using Rule = std::function<void(const Context<Owner>&)>;

  Section(std::string name, std::vector<Key<Owner>> keys) : keys_(std::move(keys)) {
    info_.name = std::move(name);
    for (const Key<Owner>& key : keys_) {
      info_.keys.push_back(key.info());
      names_.push_back(key.info().name);
    }
  }

  // To complete it.
  /// One of these keys must be given, and no more.
  Section exactly_one(YamlValue::Words group) && {
    one_is_checked_ = true;
    return std::move(*this).exactly_one_by_rule(std::move(group));
  }
  /// The same, for the schema; a rule checks it.
  Section exactly_one_by_rule(YamlValue::Words group) && {
    return info_.exactly_one = std::move(group), std::move(*this);
  }
  /// These keys must not be given together; a rule checks it.
  Section never_together_by_rule(YamlValue::Words group) && {
    return info_.never_together = std::move(group), std::move(*this);
  }
  /// Defaults that depend on the rest of the scene.
  Section before(Rule rule) && { return before_ = std::move(rule), std::move(*this); }
  /// What several keys must obey together.
  Section after(Rule rule) && { return after_ = std::move(rule), std::move(*this); }
  /// It has a table of its own in docs/scene.md. @param heading  over it, as links have it
  Section with_table_below(std::string heading) && { return info_.heading = std::move(heading), std::move(*this); }
  /// Keys that may be left out get the values of a default Owner as their defaults.
  Section with_defaults() && {
    const Owner owner{};
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      KeyInfo& info = info_.keys[k];
      if (keys_[k].is_ever_required() || !keys_[k].is_written(owner)) continue;
      YAML::Emitter out;
      out << YAML::Flow;
      Writing writing{out, empty_scene()};
      keys_[k].write(writing, owner);
      info.default_value = out.c_str();
    }
    return std::move(*this);
  }

  const SectionInfo& info() const { return info_; }

  /// Reads a mapping; mistakes in its values go to those of the reading.
  /// @throws SceneError if it is none
  void read(Reading& reading, const YamlValue& value, Owner& owner) const {
    const YamlMapping keys = value.mapping(names_, reading.mistakes);
    const Context<Owner> at{reading, keys, owner};
    const auto attempt = [&](const Rule& rule) {
      if (rule) reading.mistakes.attempt([&] { rule(at); });
    };
    attempt(before_);
    YamlValue::Words superfluous;
    if (one_is_checked_) superfluous = refuse_more_than_one(at, info_.exactly_one);
    for (const Key<Owner>& key : keys_) {
      if (std::ranges::find(superfluous, key.info().name) != superfluous.end()) continue;
      if (key.is_last()) {
        reading.last.emplace_back([&reading, &owner, &key, keys] {
          reading.mistakes.attempt([&] { key.read({reading, keys, owner}); });
        });
      } else {
        reading.mistakes.attempt([&] { key.read(at); });
      }
    }
    attempt(after_);
  }

  void write(Writing& writing, const Owner& owner) const {
    writing.out << YAML::BeginMap;
    for (const Key<Owner>& key : keys_) {
      if (!key.is_written(owner)) continue;
      writing.out << YAML::Key;
      write_plain(writing, key.info().name);
      writing.out << YAML::Value;
      key.write(writing, owner);
    }
    writing.out << YAML::EndMap;
  }

 private:
  /// @return those of the group that are given beside the first
  static YamlValue::Words refuse_more_than_one(const Context<Owner>& at, const YamlValue::Words& group) {
    const bool good = at.reading.mistakes.attempt([&] {
      bool meant = false;
      for (const std::string& key : group) meant |= !at.reading.mistakes.readable(at.keys[key].path());
      if (!meant) (void)at.keys.only_one_of(group);
    });
    if (good) return {};
    YamlValue::Words others;
    for (const std::string& key : at.keys.names()) {
      if (std::ranges::find(group, key) != group.end()) others.push_back(key);
    }
    if (!others.empty()) others.erase(others.begin());
    return others;
  }

  SectionInfo info_;
  std::vector<Key<Owner>> keys_;
  YamlValue::Words names_;
  bool one_is_checked_ = false;
  Rule before_ = nullptr;
  Rule after_ = nullptr;
};

}  // namespace scree::keys
