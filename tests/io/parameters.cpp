// Expressions, parameters, included files and settings: what they mean, and that mistakes name the place they come
// from.

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "dem/scene.hpp"
#include "io/files/input_file.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/scene/scene_writer.hpp"
#include "io/text/errors.hpp"
#include "io/text/expression.hpp"
#include "scene_texts.hpp"
#include "tests/io/scratch_directory.hpp"

namespace scree::parameters_test {

namespace {

const std::string kFrame = "domain: {x: [0, 1], y: [0, 1]}\ntime: {end: 1}\noutput: {every: 1}\n";
const std::string kStone = "materials: {stone: {density: 1000, stiffness: 1e6, restitution: 0.5, friction: 0.5}}\n";

double value_of(const std::string& text, const Parameters& parameters = {}) {
  const Evaluated result = evaluate(text, parameters);
  return result.value.value_or(std::nan(""));
}

class Files {
 public:
  std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = directory_.path() / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file.string();
  }
  std::string path(const std::string& name) const { return (directory_.path() / name).string(); }

 private:
  ScratchDirectory directory_;
};

std::string said(const std::string& file, const Settings& settings = {}) {
  try {
    (void)read_scene(file, {}, settings);
    return "";
  } catch (const SceneError& error) {
    return error.what();
  } catch (const IoError& error) {
    return std::string("IoError ") + error.what();
  }
}

}  // namespace

TEST_CASE("an expression has the value that arithmetic gives it") {
  CHECK(value_of("1+2*3") == 7.0);
  CHECK(value_of("(1 + 2) * 3") == 9.0);
  CHECK(value_of("7 - 4 - 2") == 1.0);
  CHECK(value_of("8/4/2") == 1.0);
  CHECK(value_of("2^3^2") == 512.0);
  CHECK(value_of("-2^2") == -4.0);
  CHECK(value_of("2^-1") == 0.5);
  CHECK(value_of("4^0.5") == 2.0);
  CHECK(std::abs(value_of("10^-2.5") - std::pow(10.0, -2.5)) < 1e-17);
  CHECK(value_of("-(3)") == -3.0);
  CHECK(value_of("1e-3*2") == 2e-3);
  CHECK(value_of(".5 + .25") == 0.75);
  CHECK(value_of("sqrt(16)") == 4.0);
  CHECK(value_of("abs(-3)") == 3.0);
  CHECK(std::abs(value_of("2 * pi") - 6.283185307179586) < 1e-15);
  CHECK(std::abs(value_of("sin(pi/6)") - 0.5) < 1e-15);
  CHECK(std::abs(value_of("cos(pi/3) + tan(pi/4) + exp(1) + log(2)") - (1.5 + std::exp(1.0) + std::log(2.0))) < 1e-14);
  CHECK(value_of("2*r + r_2", {{"r", {0.25}}, {"r_2", {1.0}}}) == 1.5);
}

TEST_CASE("what is no expression has no value, and a message where one helps") {
  for (const char* text :
       {"", "+", "1 +", "2 kg", "1.0m", "--3", "+-3", "1,5", "0x10", "1_000", "inf", "nan", "2 3", "()", ")", "1e"}) {
    CAPTURE(text);
    CHECK_FALSE(evaluate(text, {}).value);
    CHECK(evaluate(text, {}).problem.empty());
  }
  CHECK(evaluate("(1", {}).problem == "a ')' is missing");
  CHECK(evaluate("1/0", {}).problem == "its value is not finite");
  CHECK(evaluate("sqrt 4", {}).problem == "sqrt must be followed by (");
  CHECK(evaluate("sqr(4)", {}).problem ==
        "'sqr' is not a function (did you mean 'sqrt'?), must be sqrt, abs, exp, log, sin, cos or tan");
  CHECK(evaluate("2*widht", {{"width", {1.0}}}).problem == "'widht' is not a parameter (did you mean 'width'?)");
  CHECK(evaluate("2*width", {{"width", {}}}).problem == "the parameter 'width' comes after it, must be before it");
  CHECK(evaluate("2*width", {{"width", {{}, true}}}).is_broken);
  CHECK(evaluate(std::string(1'000'000, '('), {}).problem == "an expression has at most 1000 characters");
  CHECK(evaluate(std::string(900, '('), {}).problem == "it has more than 64 parentheses in each other");
  CHECK(value_of(std::string(64, '(') + "1" + std::string(64, ')')) == 1.0);
  std::string tower = "1";
  for (int k = 0; k < 499; ++k) tower += "^1";
  CHECK(value_of(tower) == 1.0);
}

TEST_CASE("parameters have values in all numbers of a scene, and the resolved scene has numbers") {
  const Scene scene = parse_scene("scree: 1\nparameters: {r: 0.01, n: 2^2, mu: .5}\n" + kFrame + kStone +
                                      "particles:\n- fill: {region: {x: [0, 10*r], y: [r, 20 * r]}, count: n + 1}\n"
                                      "  material: stone\n  shape: {random_polygon: {vertices: [n, 2*n]}}\n"
                                      "  size: {uniform: [r, 2*r]}\n",
                                  "s.yaml", {}, {"materials.stone.friction=mu/2"});
  const ParticleGroup& group = scene.particles.at(0);
  const Fill& fill = std::get<Fill>(group.how);
  CHECK(fill.region.hi == Vec2(0.1, 0.2));
  CHECK(fill.count == 5);
  CHECK(std::get<RandomPolygon>(group.shape).vertices == std::array<int, 2>{4, 8});
  CHECK(group.size == SizeSpec{0.01, 0.02});
  CHECK(scene.materials[0].friction == 0.25);
  CHECK(parse_scene(to_yaml(scene), "s.yaml") == scene);
}

TEST_CASE("a parameter that is a mistake is told once, not where it is used") {
  CHECK(complaint("scree: 1\nparameters: {r: 0.01m, mu: 2*r, r: 3, pi: 3, 2x: 1, late: later, later: 1}\n" + kFrame +
                  "materials: {stone: {density: r, stiffness: mu, restitution: 0.5}}\ngravity: [0, mu - nu]\n") ==
        "s.yaml:2:17: parameters.r: is '0.01m', must be a number; without 'm'\n"
        "s.yaml:2:33: parameters.r: is given twice, must be given once (also in line 2)\n"
        "s.yaml:2:39: parameters.pi: is known to expressions already, must be called otherwise\n"
        "s.yaml:2:46: parameters.2x: is not a name of letters, digits and _ that begins with a letter\n"
        "s.yaml:2:59: parameters.late: is 'later', must be a number; the parameter 'later' comes after it, must be "
        "before it");
  CHECK(complaint("scree: 1\nparameters: [1]\n" + kFrame) ==
        "s.yaml:2:13: parameters: is a list, must be a mapping from names to numbers");
  CHECK(complaint("scree: 1\nparameters: {mu: 0.5}\n" + kFrame +
                  "materials: {stone: {density: 1, stiffness: 1, restitution: 3*mu, friction: 'mu'}}\n") ==
        "s.yaml:6:60: materials.stone.restitution: is '3*mu', which is 1.5, must be a number in (0, 1] (no finite "
        "damping reaches 0)\n"
        "s.yaml:6:76: materials.stone.friction: is \"mu\", must be a number >= 0");
}

TEST_CASE("included files are merged below the scene, each seen from where it is named") {
  const Files files;
  files.write("shared/steel.yaml",
              "materials: {steel: {density: 7800, stiffness: 1e7, restitution: 0.5, friction: mu}}\n");
  files.write("shared/all.yaml",
              "scree: 1\ninclude: steel.yaml\nparameters: {mu: 0.25, r: 0.5}\ngravity: [0, -1]\n" + kStone);
  const std::string file = files.write(
      "s.yaml", "scree: 1\ninclude: [shared/all.yaml]\nparameters: {r: 2*mu + 0.5}\n" + kFrame +
                    "gravity: [0, -10 * r]\nmaterials: {stone: {friction: mu}, wood: {density: 600, stiffness: 1e5, "
                    "restitution: 0.5}}\n");
  const Scene scene = read_scene(file);
  REQUIRE(scene.materials.size() == 3);
  CHECK(scene.materials[0].name == "steel");
  CHECK(scene.materials[0].friction == 0.25);
  CHECK(scene.materials[1].name == "stone");
  CHECK(scene.materials[1].density == 1000.0);
  CHECK(scene.materials[1].friction == 0.25);  // the scene's, not the file's
  CHECK(scene.materials[2].name == "wood");
  CHECK(scene.gravity.y() == -10.0);
  CHECK(to_yaml(scene).find("include") == std::string::npos);
  CHECK(to_yaml(scene).find("parameters") == std::string::npos);
  CHECK(parse_scene(to_yaml(scene), file) == scene);
  // A setting is above both.
  CHECK(read_scene(file, {}, {"mu=0.75"}).gravity.y() == -20.0);
}

TEST_CASE("a mistake names the file it stands in") {
  const Files files;
  const std::string materials = files.write(
      "m.yaml", "materials:\n  stone: {density: -1, stiffness: 1e6, restitution: 0.5}\n  wood: {fricton: 1}\n");
  const std::string file = files.write("s.yaml", "scree: 1\ninclude: m.yaml\n" + kFrame + "seed: -1\n");
  CHECK(said(file) ==
        materials + ":2:20: materials.stone.density: is -1, must be a number > 0 [kg/m^2]\n" + materials +
            ":3:9: materials.wood.density: is missing, must be a number > 0 [kg/m^2]\n" + materials +
            ":3:9: materials.wood.stiffness: is missing, must be a number > 0 [N/m]\n" + materials +
            ":3:9: materials.wood.restitution: is missing, must be a number in (0, 1] (no finite damping reaches 0)\n" +
            materials +
            ":3:10: materials.wood.fricton: is not a key here (did you mean 'friction'?), must be density, "
            "stiffness, restitution, damping, friction, dynamic_friction, tangential_stiffness, tangential_damping, "
            "rolling_friction, cohesion, tangential_restitution, restitution_law or restitution_speed\n" +
            file + ":6:7: seed: is -1, must be a whole number from 0 to 18446744073709551615");
  files.write("m.yaml", "materials: {stone: [\n");
  CHECK(said(file).starts_with(materials + ":2:1: not valid YAML: "));
  files.write("m.yaml", "just words\n");
  CHECK(said(file) == materials + ":1:1: is a text, must be a mapping with keys of a scene");
  files.write("m.yaml", "");
  CHECK(said(file) == materials + ":1:1: is empty, must be a mapping with keys of a scene");
  files.write("m.yaml", "scree: 2\n");
  CHECK(said(file) == materials + ":1:8: scree: is 2, must be 1, the version of the scene format");
  std::string secrets;
  for (int k = 0; k < 30; ++k) secrets += fmt::format("secret_{}: word\n", k);
  files.write("m.yaml", secrets);
  CHECK(said(file) == materials + ":1:1: is no part of a scene, must have keys of docs/scene.md");
}

TEST_CASE("a parameter that is called as a key of a scene is set by its whole name") {
  const Files files;
  const std::string file = files.write(
      "s.yaml", "scree: 1\nseed: 3\nparameters: {seed: 2, time: 5}\ngravity: [0, -seed * time]\n" + kFrame + kStone);
  CHECK(read_scene(file).gravity.y() == -10.0);
  CHECK(said(file, {"seed=7"}) ==
        "--set seed=7: seed: is a key of a scene and one of its parameters, must be parameters.seed or, for the key, "
        ".seed");
  const Scene by_parameter = read_scene(file, {}, {"parameters.seed=7"});
  CHECK(by_parameter.seed == 3);
  CHECK(by_parameter.gravity.y() == -35.0);
  const Scene by_key = read_scene(file, {}, {".seed=7"});
  CHECK(by_key.seed == 7);
  CHECK(by_key.gravity.y() == -10.0);
  CHECK(read_scene(file, {}, {"time.end=2"}).end == 2.0);  // no parameter has keys
}

TEST_CASE("files that include themselves, pipes and what is too large are refused at once") {
  const Files files;
  const std::string file = files.write("s.yaml", "scree: 1\ninclude: a.yaml\n" + kFrame);
  const std::string a = files.write("a.yaml", "include: [b.yaml]\n");
  const std::string b = files.write(
      "b.yaml", "include: ../" + std::filesystem::path(file).parent_path().filename().string() + "/a.yaml\n");
  CHECK(said(file).starts_with(b + ":1:10: include: is '"));
  CHECK(said(file).ends_with("which is the file itself or includes it, must be another file"));
  files.write("a.yaml", "include: s.yaml\n");
  CHECK(said(file).starts_with(a + ":1:10: include: is '"));
  files.write("a.yaml", "include: [nowhere.yaml, 3]\n");
  CHECK(said(file) == "IoError " + a + ":1:11: include[0]: cannot be used: " + files.path("nowhere.yaml") +
                          ": cannot be read: No such file or directory");
  REQUIRE(mkfifo(files.path("pipe").c_str(), 0600) == 0);
  files.write("a.yaml", "include: pipe\n");
  CHECK(said(file) == "IoError " + a + ":1:10: include: cannot be used: " + files.path("pipe") +
                          ": is a pipe, not a file to include");
  std::filesystem::resize_file(files.write("large.yaml", "x: 1\n"), kMostInputBytes + 1);
  files.write("a.yaml", "include: large.yaml\n");
  CHECK(said(file).ends_with("is larger than 64 MB, a file to include must be smaller"));
  // Two of each, again and again: 2^20 without a bound.
  for (int k = 0; k < 20; ++k) {
    const auto name = [](int number) { return fmt::format("f{}.yaml", number); };
    files.write(name(k), fmt::format("include: [{0}, {0}]\n", name(k + 1)));
  }
  files.write("a.yaml", "include: f0.yaml\n");
  CHECK(said(file).find("is one file too deep, at most 16 may include each other") != std::string::npos);
  files.write("f10.yaml", "title: end\n");
  CHECK(said(file).find("is one file too many, a scene may include at most 100") != std::string::npos);
}

TEST_CASE("settings replace values, and their mistakes name them") {
  const Files files;
  const std::string file =
      files.write("s.yaml", "scree: 1\nparameters: {mu: 0.5}\n" + kFrame + kStone +
                                "walls:\n- {name: plate, material: stone, box: {x: [0, 1], y: [0, 0.1]}}\n"
                                "- {name: lid, material: stone, box: {x: [0, 1], y: [0.8, 0.9]}}\n");
  const auto with = [&](const std::string& setting) { return read_scene(file, {}, {setting}); };
  CHECK(with("materials.stone.friction=mu").materials[0].friction == 0.5);
  CHECK(with("walls[1].velocity=[0, -1]").walls[1].velocity == Vec2(0.0, -1.0));
  CHECK(with("walls.lid.velocity=[0, -1]").walls[1].velocity == Vec2(0.0, -1.0));
  CHECK(with("walls.lid.rotation.rate=2").walls[1].angular_velocity == 2.0);
  CHECK(with("title=a = b").title == "a = b");
  CHECK(with("contact={duration: 0.5}").hard.contact_duration == 0.5);
  CHECK(with("contact.initial_depth=mu/10").soft.initial_depth == 0.05);
  CHECK(said(file, {"mu=x"}) == "--set mu=x: parameters.mu: is 'x', must be a number; 'x' is not a parameter");
  CHECK(said(file, {"materials.stone.friction=-1"}) ==
        "--set materials.stone.friction=-1: materials.stone.friction: is -1, must be a number >= 0");
  CHECK(said(file, {"materials.ston.friction=1"})
            .starts_with(
                "--set materials.ston.friction=1: materials.ston.density: is missing, must be a number > 0 [kg/m^2]"));
  CHECK(said(file, {"walls.lit.until=1"}) ==
        "--set walls.lit.until=1: walls.lit.until: there is no 'lit', must be an entry from [0] to [1], or its name");
  CHECK(said(file, {"walls[2].until=1"}).find("there is no '[2]'") != std::string::npos);
  CHECK(said(file, {"seed.x=1"}).find("is not a key") == std::string::npos);
  CHECK(said(file, {"time.end.x=1"}) == "--set time.end.x=1: time.end.x: 'x' is in a value without keys, '1'");
  CHECK(said(file, {"parameters.mue=1"}) ==
        "--set parameters.mue=1: parameters.mue: is not a parameter of the scene (did you mean 'mu'?), must be mu");
  CHECK(said(file, {"mue=1"}).starts_with("--set mue=1: mue: is not a key here"));
  CHECK(said(file, {"end"}) == "--set end: is 'end', must be a key, = and a value, like time.end=2");
  CHECK(said(file, {"gravity=[0"}).starts_with("--set gravity=[0: gravity: not valid YAML: "));
  CHECK(said(file, {"gravity=*a"}).find("stands for nothing") != std::string::npos);
  CHECK(said(file, {"a" + std::string(200'000, '.') + "=1"}).find("is not a key of a scene") != std::string::npos);
  CHECK(said(file, {"gravity=" + std::string(100'000, '[')}).find("is nested too deep") != std::string::npos);
  // The file is as it was.
  CHECK(said(file).empty());
}

}  // namespace scree::parameters_test
