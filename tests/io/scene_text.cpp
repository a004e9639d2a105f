#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "dem/errors.hpp"
#include "dem/scene.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/text/errors.hpp"
#include "scene_texts.hpp"
#include "tests/io/scratch_directory.hpp"

namespace scree::scene_text_test {

TEST_CASE("numbers are read in the forms that people write") {
  for (const char* text : {"2600", "2600.", "+2.6e3", "2.6E+3", "26e2"}) {
    CAPTURE(text);
    CHECK(parse_scene(replaced(kMaximalScene, "2600", text), "s.yaml").materials[0].density == 2600.0);
  }
}

TEST_CASE("a text that is not a number is refused where a number is required") {
  for (const std::string text :
       {".inf", "-.inf", ".nan", "inf",  "nan", "NAN",      "1e400",  "1e101", "1.0m",   "0x10",   "1_000",   "+-3",
        "--3",  "true",  "yes",  "null", "~",   "\"2600\"", "'2600'", "",      "[2600]", "{a: 1}", "2600 kg", "1,5e"}) {
    CAPTURE(text);
    const std::string said = complaint("density: 2600,", "density: " + text + ",");
    const bool names_it = said.find("s.yaml:8:") == 0 && said.find("materials.stone") != std::string::npos;
    CHECK_MESSAGE(names_it, said);
  }
  check_mistakes({
      {"density: 2600", "density: 1.0m",
       "8:20: materials.stone.density: is '1.0m', must be a number > 0 [kg/m^2]; without 'm'"},
      {"density: 2600", "density: .inf", "8:20: materials.stone.density: is '.inf', must be a number > 0 [kg/m^2]"},
      {"density: 2600", "density: [1]", "8:20: materials.stone.density: is a list, must be a number > 0 [kg/m^2]"},
      {"density: 2600", "density: {}", "8:20: materials.stone.density: is a mapping, must be a number > 0 [kg/m^2]"},
      {"density: 2600", "density: ", "8:11: materials.stone.density: is empty, must be a number > 0 [kg/m^2]"},
      {"density: 2600", "density: '1'",
       "8:20: materials.stone.density: is \"1\", must be a number > 0 [kg/m^2], without quotes"},
      {"density: 2600", "density: true", "8:20: materials.stone.density: is 'true', must be a number > 0 [kg/m^2]"},
  });
}

TEST_CASE("unknown and repeated keys are mistakes, and the key that was meant is proposed") {
  check_mistakes({
      {"gravity: [", "gravty: [",
       "6:1: gravty: is not a key here (did you mean 'gravity'?), must be scree, include, parameters, title, "
       "mode, seed, drawn_momentum, domain, gravity, materials, walls, particles, start, contact, growth, well, "
       "thermostat, arithmetic, "
       "broadphase, "
       "stages, time, output, checkpoint or measure"},
      {"friction: 0.5", "fricton: 0.5",
       "8:60: materials.stone.fricton: is not a key here (did you mean 'friction'?), must be density, stiffness, "
       "restitution, damping, friction, dynamic_friction, tangential_stiffness, tangential_damping, rolling_friction, "
       "cohesion, tangential_restitution, restitution_law or restitution_speed"},
      {"friction: 0.5", "colour: red",
       "8:60: materials.stone.colour: is not a key here, must be density, stiffness, restitution, damping, "
       "friction, dynamic_friction, tangential_stiffness, tangential_damping, rolling_friction, cohesion, "
       "tangential_restitution, restitution_law or restitution_speed"},
      {"{disk: {}}", "{disk: {radius: 1}}",
       "34:20: particles[2].shape.disk.radius: is not a key here, must be left out"},
      {"friction: 0.5", "density: 1",
       "8:60: materials.stone.density: is given twice, must be given once (also in line 8)"},
      {"mode: soft\n", "mode: soft\ntitle: again\n", "4:1: title: is given twice, must be given once (also in line 2)"},
      {"friction: 0.5", "[1]: 0.5", "8:60: materials.stone: is a list, must be a key"},
  });
}

TEST_CASE("a mistake that is found after reading gets its place, as far as its keys exist") {
  const ScratchDirectory directory;
  const std::filesystem::path file = directory.path() / "scene.yaml";
  std::ofstream(file) << R"(scree: 1
walls:
  - name: drum
    ring: {}
  - {name: a.b, polygon: [[0, 0]]}
  - {name: drum two, ring: {}}
particles:
  - fill: {count: 7}
  - place:
      - {position: [0, 0]}
      - position: [1, 1]
materials: {steel: {damping: 1}, steel.2: {damping: 3}}
)";
  const auto place = [&](const char* key) {
    const SceneError error = with_place(InvalidScene(key, "is bad"), file);
    CHECK(std::string(error.what()) == file.string() + ':' + std::to_string(error.line) + ':' +
                                           std::to_string(error.column) + ": " + key + ": is bad");
    return std::pair(error.line, error.column);
  };
  CHECK(place("particles[0].fill.count") == std::pair(8, 19));
  CHECK(place("particles[1].place[1]") == std::pair(11, 9));
  CHECK(place("particles[1].place[1].position") == std::pair(11, 19));
  CHECK(place("particles[1].place[2]") == std::pair(10, 7));
  CHECK(place("walls[1].polygon") == std::pair(5, 26));
  CHECK(place("walls.drum 2.polygon") == std::pair(3, 5));
  CHECK(place("walls.drum two 2.ring") == std::pair(6, 28));
  CHECK(place("walls.a.b.polygon") == std::pair(5, 26));
  CHECK(place("materials.steel.damping") == std::pair(12, 30));
  CHECK(place("materials.steel.2.damping") == std::pair(12, 53));
  CHECK(place("contact.pairs") == std::pair(1, 1));
  CHECK_THROWS_AS(with_place(InvalidScene("walls", "is bad"), directory.path() / "none.yaml"), IoError);
}

TEST_CASE("a text that is no YAML, or not one mapping, is told with its place") {
  CHECK(complaint("") == "s.yaml:1:1: is empty, must be a scene");
  CHECK(complaint("# nothing\n\n") == "s.yaml:1:1: is empty, must be a scene");
  CHECK(complaint("---\n") == "s.yaml:1:1: is empty, must be a scene");
  CHECK(complaint("- 1\n").find("s.yaml:1:1: is a list, must be a mapping with scree, include") == 0);
  CHECK(complaint("scree").find("s.yaml:1:1: is a text, must be a mapping with scree, include") == 0);
  CHECK(complaint("\n\nscree: [1\n").find("s.yaml:") == 0);
  CHECK(complaint("mode: soft", "mode: soft: hard").find("s.yaml:3:11: not valid YAML: ") == 0);
  CHECK(complaint("mode: soft", "\tmode: soft").find("s.yaml:3:") == 0);
  CHECK(complaint("    density: 7800", "\tdensity: 7800") ==
        "s.yaml:10:1: not valid YAML: there is a tab, must be indented with spaces");
  CHECK(complaint("gravity: [0, -9.81]", "gravity: *earth") ==
        "s.yaml:6:10: *earth stands for nothing, &earth must be before it");
  CHECK(
      complaint(kMaximalScene + "---\n" + kMaximalScene) ==
      "s.yaml:58:1: does not belong to the scene, which ended before, must be one mapping (is the indentation right?)");
  CHECK(complaint("mode: soft", std::string("mode: so\0ft", 11)) ==
        "s.yaml:3:9: byte 0x0 is not text, a scene must be UTF-8 without control characters");
  CHECK(complaint("mode: soft", "mode: so\x04 ft").find("s.yaml:3:9: byte 0x4 is not text") == 0);
  CHECK(complaint("Everything", "Every\xC3").find("s.yaml:2:14: byte 0xc3 is not text") == 0);
  CHECK(complaint("Everything", "Sch\xC3\xBCttung \xE2\x86\x93 \xF0\x9F\xAA\xA8") == "");
}

TEST_CASE("values in messages are cut to a readable length") {
  const std::string said = complaint("density: 2600", "density: " + std::string(5000, 'x'));
  CHECK(said.find("is 'xxx") != std::string::npos);
  CHECK(said.size() < 200);
}

TEST_CASE("anchors and aliases work, and an alias of itself does no harm") {
  CHECK(complaint(
            "stone: {density: 2600, stiffness: 1e6, restitution: 0.3, friction: 0.5}\n  steel:\n",
            "stone: &s {density: 2600, stiffness: 1e6, restitution: 0.3, friction: 0.5}\n  glass: *s\n  steel:\n") ==
        "");
  CHECK(complaint("gravity: [0, -9.81]", "gravity: &g [*g, 0]").find("s.yaml:6:") == 0);
  CHECK(complaint("mode: soft", "mode: &m {m: *m}").find("s.yaml:3:") == 0);
  CHECK(complaint(std::string(100'000, '[')).find("s.yaml:1:") == 0);
}

TEST_CASE("the name of the scene stands in messages and in the default directory") {
  const auto directory = [](const std::string& name) {
    return parse_scene(replaced(kMaximalScene, ", directory: out/everything", ""), name).output_directory;
  };
  CHECK(directory("heap.yaml") == "out/heap");
  CHECK(directory("some/where/heap.yaml") == "out/heap");
  CHECK(directory("heap") == "out/heap");
  CHECK(directory("") == "out/scene");
  CHECK_THROWS_WITH_AS(parse_scene("", "a b/c.yaml"), "a b/c.yaml:1:1: is empty, must be a scene", SceneError);
}

TEST_CASE("an error carries its place and key as data") {
  try {
    parse_scene(replaced(kMaximalScene, "friction: 0.5", "friction: -1"), "s.yaml");
    FAIL("accepted");
  } catch (const SceneError& error) {
    CHECK(error.file == "s.yaml");
    CHECK(error.line == 8);
    CHECK(error.column == 70);
    CHECK(error.key == "materials.stone.friction");
  }
}

TEST_CASE("a scene is read from a file; a file that cannot be read is another kind of error") {
  const std::filesystem::path directory = std::filesystem::temp_directory_path() / "scree-test-scene_reader";
  std::filesystem::create_directories(directory);
  const std::filesystem::path file = directory / "heap.yaml";
  std::ofstream(file) << replaced(kMaximalScene, ", directory: out/everything", "");
  CHECK(read_scene(file).output_directory == "out/heap");
  CHECK(read_scene(file).seed == 18446744073709551615ULL);

  std::ofstream(file) << "scree: 2\n";
  CHECK_THROWS_WITH_AS(read_scene(file),
                       (file.string() + ":1:8: scree: is 2, must be 1, the version of the scene format").c_str(),
                       SceneError);

  const std::filesystem::path missing = directory / "missing.yaml";
  CHECK_THROWS_WITH_AS(read_scene(missing), (missing.string() + ": cannot be read: No such file or directory").c_str(),
                       IoError);
  CHECK_THROWS_WITH_AS(read_scene(directory), (directory.string() + ": is a directory, not a scene").c_str(), IoError);
  std::filesystem::remove_all(directory);
}

TEST_CASE("the scene in docs/scene.md is one") {
  std::ifstream stream(SCREE_SOURCE_DIR "/docs/scene.md");
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const std::size_t begin = text.find("scree: 1\n");
  REQUIRE(begin != std::string::npos);
  const Scene scene = parse_scene(text.substr(begin, text.find("```", begin) - begin), "scene.md");
  CHECK(scene.walls.size() == 3);
  CHECK(scene.particles.size() == 2);
}

TEST_CASE("a scene that lost any of its lines, or any of its words, is read or refused with a place") {
  const std::vector<std::string> lines = lines_of(kMaximalScene);
  const auto joined = [&](std::size_t without, std::size_t twice) {
    std::string text;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (i != without) text += lines[i] + '\n';
      if (i == twice) text += lines[i] + '\n';
    }
    return text;
  };
  int refused = 0;
  int cases = 0;
  const auto try_it = [&](const std::string& text) {
    ++cases;
    CAPTURE(text);
    try {
      parse_scene(text, "s.yaml");
    } catch (const SceneError& error) {
      ++refused;
      CHECK(error.line > 0);
      CHECK(error.column > 0);
    }  // anything else fails the test
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    try_it(joined(i, lines.size()));
    try_it(joined(lines.size(), i));
    try_it(kMaximalScene.substr(0, joined(lines.size(), lines.size()).find(lines[i])));
  }

  const std::vector<std::string> junk = {"",       "junk", "-1", "0",    "1e999", ".nan",   "[]",   "{}",  "[[]]",
                                         "{a: b}", "\"\"", "~",  "'",    "*a",    "&a",     "!!x",  "? x", "- x",
                                         ":",      "\t",   "#",  "|",    "1e-99", "[1, 1]", "1e99", "]",   "}",
                                         ",",      "%",    "@",  "\xFF", "---",   "..."};
  for (std::size_t begin = 0; begin < kMaximalScene.size();) {
    const std::string separators = " ,:[]{}\n\"";
    begin = kMaximalScene.find_first_not_of(separators, begin);
    if (begin == std::string::npos) break;
    const std::size_t end = std::min(kMaximalScene.find_first_of(separators, begin), kMaximalScene.size());
    // A third of the junk for each word, another third for the next.
    for (std::size_t k = begin % 3; k < junk.size(); k += 3) {
      try_it(std::string(kMaximalScene).replace(begin, end - begin, junk[k]));
    }
    begin = end;
  }

  std::mt19937_64 bits(1);  // and single characters anywhere
  for (int i = 0; i < 1000; ++i) {
    std::string text = kMaximalScene;
    const std::string characters = "[]{}:,-?&*!|>'\"%@`#~ \n\t0x.";
    for (std::uint64_t k = 0; k < 1 + bits() % 3; ++k)
      text[bits() % text.size()] = characters[bits() % characters.size()];
    try_it(text);
  }
  CHECK(cases > 3000);
  CHECK(refused > cases / 2);
  CHECK(refused < cases);
}

}  // namespace scree::scene_text_test
