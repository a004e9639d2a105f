// What costs or confuses: files that are no scenes, too large, too deep; texts that a terminal would obey.
#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <sys/stat.h>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "dem/scene.hpp"
#include "io/files/input_file.hpp"
#include "io/formats/billiards.hpp"
#include "io/text/errors.hpp"
#include "io/text/message_text.hpp"
#include "scene_texts.hpp"
#include "tests/io/scratch_directory.hpp"

namespace scree::input_bounds_test {

namespace {

const std::string kRest =
    "domain: {x: [0, 1], y: [0, 1]}\ntime: {end: 1}\noutput: {every: 1}\n"
    "materials: {a: {density: 1, stiffness: 1, restitution: 1}}\n";

/// Grains at given places, a line each.
std::string scene_of_grains(int count) {
  std::string text = "scree: 1\n" + kRest + "particles:\n- material: a\n  shape: disk\n  size: 0.01\n  place:\n";
  for (int k = 0; k < count; ++k) text += fmt::format("  - {{position: [0.{:06}, 0.5], velocity: [0, -1.25]}}\n", k);
  return text;
}

/// CPU time [s] that it takes, the better of two.
template <class Do>
double cost_of(const Do& do_it) {
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 2; ++k) {
    const std::clock_t begin = std::clock();
    do_it();
    least = std::min(least, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return least;
}

std::string said_of_billiards(const std::string& text) {
  try {
    (void)parse_billiards(text, "b.txt");
    return "";
  } catch (const SceneError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("texts in messages are one line that no terminal obeys") {
  CHECK(escaped("plain, Sch\xC3\xBCttung \xF0\x9F\xAA\xA8") == "plain, Sch\xC3\xBCttung \xF0\x9F\xAA\xA8");
  CHECK(escaped("a\x1B[31m\n\t\r\x7F") == "a\\x1b[31m\\n\\t\\r\\x7f");
  CHECK(escaped("\xC2\x9B\xE2\x80\xAE\xE2\x80\xA8") == "\\x9b\\u202e\\u2028");
  CHECK(escaped("\xFF\xC3") == "\\xff\\xc3");
  CHECK(escaped("\xED\xA0\x80\xC0\x80") == "\\xed\\xa0\\x80\\xc0\\x80");  // a surrogate, a long form
  CHECK(shortened("short") == "short");
  CHECK(shortened(std::string(1000, 'x'), 20) == "xxxxxxxxxxxxxxx...xxxxx");
  // Bytes that are of no character do not lead back to the beginning.
  CHECK(shortened(std::string(1000, '\x80'), 20).size() < 4 * 20 + 4);
  for (std::size_t most = 4; most < 20; ++most) {  // characters stay whole
    std::string text;
    for (int k = 0; k < 30; ++k) text += "\xE2\x86\x93";
    CHECK(is_printable(shortened(text, most)));
    CHECK(shortened(text, most).size() <= most + 6);
  }
}

TEST_CASE("what is no file, or too large, is refused at once") {
  const ScratchDirectory directory;
  const auto said = [](const std::filesystem::path& path) {
    try {
      (void)read_scene(path);
      return std::string();
    } catch (const IoError& error) {
      return std::string(error.what());
    }
  };
  const std::filesystem::path pipe = directory.path() / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(said(pipe) == pipe.string() + ": is a pipe, not a scene");
  CHECK(said("/dev/zero") == "/dev/zero: is a device, not a scene");
  CHECK(said(directory.path()) == directory.path().string() + ": is a directory, not a scene");
  const std::filesystem::path large = directory.path() / "large";
  std::ofstream(large) << "scree: 1\n";
  std::filesystem::resize_file(large, kMostInputBytes + 1);  // a hole, which takes no room
  CHECK(said(large) == large.string() + ": is larger than 64 MB, a scene must be smaller");
  CHECK(said(std::string(5000, 'x')).size() < 300);
}

TEST_CASE("depth, values and aliases of a scene are bounded") {
  const auto says = [](const std::string& text, const std::string& message) {
    const std::string said = complaint(text);
    CHECK_MESSAGE(said == "s.yaml:" + message, said);
  };
  says("scree: 1\ntitle: " + std::string(100'000, '['),
       "2:71: is nested too deep, must be at most 64 lists and mappings in each other");
  std::string dashes;
  for (int k = 0; k < 100'000; ++k) dashes += "- ";
  says(dashes, "1:129: is nested too deep, must be at most 64 lists and mappings in each other");
  // Ten times ten times ten ... words.
  std::string laughs = "scree: 1\na: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int k = 1; k < 20; ++k) {
    laughs +=
        fmt::format("b{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n", k, k - 1);
  }
  says(laughs, "6:45: aliases up to *a3 repeat more than 100000 values, which no scene may");
  std::string grains = "scree: 1\n" + kRest + "particles:\n- {material: a, shape: disk, size: 0.1, place: &p [";
  for (int k = 0; k < 200; ++k) grains += "{position: [0.5, 0.5]}, ";
  grains += "]}\n";
  std::string many = grains;
  for (int k = 0; k < 500; ++k) many += "- {material: a, shape: disk, size: 0.1, place: *p}\n";
  CHECK(complaint(many).find("aliases up to *p repeat more than 100000 values") != std::string::npos);
  CHECK(complaint(grains + "- {material: a, shape: disk, size: 0.1, place: *p}\n") == "");
  says("scree: 1\na: &a [*a]\n", "2:8: *a is inside of &a, which it stands for");
  says("scree: 1\na: *b\n", "2:4: *b stands for nothing, &b must be before it");
}

TEST_CASE("the numbers of things are bounded, each with its message") {
  const auto says = [](const std::string& text, const std::string& message) {
    const std::string said = complaint(text);
    CHECK_MESSAGE(said.find(message) != std::string::npos, said);
  };
  std::string materials = "materials:\n";
  for (int k = 0; k < 4000; ++k) materials += fmt::format("  m{}: {{density: 1, stiffness: 1, restitution: 1}}\n", k);
  says("scree: 1\ndomain: {x: [0, 1], y: [0, 1]}\ntime: {end: 1}\noutput: {every: 1}\n" + materials,
       "s.yaml:5:1: materials: has 4000 materials, must have at most 100");
  std::string groups = "scree: 1\n" + kRest + "particles:\n";
  for (int k = 0; k < 1001; ++k) groups += "- {place: [], material: a, shape: disk, size: 0.1}\n";
  says(groups, "s.yaml:6:1: particles: has 1001 groups, must have at most 1000");
  std::string drums = "scree: 1\n" + kRest + "walls:\n";
  for (int k = 0; k < 11; ++k) {
    drums += fmt::format(
        "- {{name: d{}, material: a, ring: {{centre: [0, 0], radius: 1, thickness: 0.1, segments: 10000}}}}\n", k);
  }
  says(drums, "s.yaml:17:3: walls[10]: makes 110000 walls in this scene, must make at most 100000");
  std::string corners;
  for (int k = 0; k < 10'001; ++k) corners += fmt::format("[{}, {}], ", k, k);
  says(replaced(kMaximalScene, "[[0, 0], [0.04, 0], [0.04, 0.02], [0, 0.02]]", '[' + corners + ']'),
       "has 10001 corners, must be a polygon: a list of at least 3 corners [x, y] in order [m], at most 10000");
  check_mistakes({{"count: 1500", "count: 4e9",
                   "24:19: particles[0].pour.count: is 4e9, must be a whole number from 1 to 10000000"},
                  {"count: 100,", "count: 1e8,",
                   "28:58: particles[1].fill.count: is 1e8, must be all or a whole number from 1 to 10000000"}});
  says("scree: 1\n" + std::string(2'000'000, 'x'), "s.yaml:2:1: not valid YAML: a key must be followed by ': '");
  CHECK(complaint("scree: 1\ntitle: " + std::string(2'000'000, 'x')).size() < 5000);
}

TEST_CASE("reading is linear in the file") {
  const auto unknown_keys = [](int count) {
    std::string text = "scree: 1\n" + kRest;
    for (int k = 0; k < count; ++k) text += fmt::format("key{}: 1\n", k);
    return text;
  };
  const auto bad_grains = [](int count) {
    std::string text = scene_of_grains(count);
    std::ranges::replace(text, '5', 'x');
    return text;
  };
  const auto anchors = [](int count) {
    std::string text = "scree: 1\ntitle: [";
    for (int k = 0; k < count; ++k) text += fmt::format("&a{0} x, *a{0},\n", k);
    return text + "]\n";
  };
  const auto check = [](const char* what, const auto& make, int count) {
    const double once = cost_of([&] { (void)complaint(make(count)); });
    const double four_times = cost_of([&] { (void)complaint(make(4 * count)); });
    CAPTURE(what);
    CAPTURE(once);
    CAPTURE(four_times);
    CHECK(four_times < 10.0 * once + 0.02);  // 16 if quadratic
  };
  check("grains", scene_of_grains, 4'000);
  check("unknown keys", unknown_keys, 10'000);
  check("mistakes", bad_grains, 4'000);
  check("anchors", anchors, 10'000);
}

TEST_CASE("a text that is no YAML is told what to do, where it went wrong, in our words") {
  const auto says = [](const std::string& text, const std::string& message) {
    const std::string said = complaint("scree: 1\n" + text);
    CHECK_MESSAGE(said == "s.yaml:" + message, said);
  };
  says("title: \"Stones\nseed: 7\nmode: soft\n", "2:8: not valid YAML: a quote is opened here and never closed");
  says("title: 'Stones\nseed: 7\n", "2:8: not valid YAML: a quote is opened here and never closed");
  says("title: \"a\\q\"\n",
       "2:10: not valid YAML: a backslash in double quotes must begin an escape like \\n or \\\\ (in single quotes it "
       "stands for itself)");
  says("title: a: b\n",
       "2:9: not valid YAML: no ':' can be here (a text with ': ' in it must be in quotes; is the indentation right?)");
  says("title\nseed: 7\n", "2:1: not valid YAML: a key must be followed by ': ' and its value");
  says("gravity: [0, 1\nseed: 7\n",
       "3:5: not valid YAML: there must be ',' or ']' here, the list that [ began in line 2 goes on");
  says("time: {end: 1\nseed: 7\n",
       "3:5: not valid YAML: there must be ',' or '}' here, the mapping that { began in line 2 goes on");
  says("time:\n\tend: 1\n", "3:1: not valid YAML: there is a tab, must be indented with spaces");
  says("title: @home\n", "2:8: not valid YAML: no value can begin with @ (put it in quotes)");
  says("title: %\n", "2:8: not valid YAML: no value can begin with % (put it in quotes)");
  says("title: !x y\n", "2:8: not valid YAML: a scene has no tags: a text that begins with ! must be in quotes");
  says("time:\n  end: 1\n step: 2\n",
       "4:2: not valid YAML: there must be a key here, the mapping that began in line 1 goes on (is the indentation "
       "right?)");
  says("title: *\n", "2:8: not valid YAML: an alias must be * and the name of an anchor");
  says("gravity: [,]\n", "2:11: not valid YAML: a value is missing here");
  says("--- \nseed: 7\n",
       "2:1: does not belong to the scene, which ended before, must be one mapping (is the indentation right?)");
}

TEST_CASE("names and values show what is wrong with them") {
  check_mistakes({
      {"density: 2600", "density: 1e101",
       "8:20: materials.stone.density: is 1e101, must be a number > 0 [kg/m^2]; numbers have magnitudes from 1e-307 to "
       "1e100"},
      {"density: 2600", "density: 1e999",
       "8:20: materials.stone.density: is 1e999, must be a number > 0 [kg/m^2]; numbers have magnitudes from 1e-307 to "
       "1e100"},
      {"density: 2600,", "density: \"2600\",",
       "8:20: materials.stone.density: is \"2600\", must be a number > 0 [kg/m^2], without quotes"},
      {"density: 7800", "density: 7,8",
       "10:14: materials.steel.density: is '7,8', must be a number > 0 [kg/m^2]; with a point: 7.8"},
      {"density: 2600,", "density: 2600 kg/m^2,",
       "8:20: materials.stone.density: is '2600 kg/m^2', must be a number > 0 [kg/m^2]; without 'kg/m^2'"},
      {"name: gate", "name: \"g\\e[31m\"",
       "15:12: walls[1].name: is \"g\\x1b[31m\", must be the wall's name without control characters"},
      {"  stone: {", "  <<: {}\n  stone: {",
       "8:7: materials.<<.density: is missing, must be a number > 0 [kg/m^2]\n"
       "s.yaml:8:7: materials.<<.stiffness: is missing, must be a number > 0 [N/m]\n"
       "s.yaml:8:7: materials.<<.restitution: is missing, must be a number in (0, 1] (no finite damping reaches 0)"},
      {"density: 2600", "density:2600",
       "8:11: materials.stone.density:2600: has no blank behind the ':', must be 'density: 2600'"},
      {"seed: 1", "<<: {}\nseed: 1", "4:1: <<: is a merge key, which a scene cannot have, must be left out"},
  });
  const std::string long_key = complaint("friction: 0.5", std::string(900, 'k') + ": 1");
  CHECK(long_key.size() < 600);
  const std::string longer_key = complaint("friction: 0.5", "? " + std::string(5'000'000, 'k') + "\n   : 1");
  CHECK(longer_key.size() < 300);
}

TEST_CASE("a file of billiards is answered like a scene; one that is none is not repeated") {
  const std::string disk = " .5 .5 0 0 .1 1 0 0 0\n";
  CHECK(said_of_billiards("1\n" + disk) == "");
  CHECK(said_of_billiards("") ==
        "b.txt:1:1: is empty, must begin with a line that has nothing but the number of "
        "disks, from 0 to 500000");
  CHECK(
      said_of_billiards("root:$6$salt$secret:19000:0:99999:7:::\nx\n") ==
      "b.txt:1:1: is not a file of billiards, must begin with a line that has nothing but the number of disks, from 0 "
      "to 500000");
  CHECK(complaint("root:$6$salt$secret:19000: x\n") ==
        "s.yaml:1:1: is not a scene, must have scree and other keys of docs/scene.md");
  CHECK(complaint("root:$6$salt$secret:19000\n").starts_with("s.yaml:1:1: is a text, must be a mapping with scree"));
  CHECK(said_of_billiards("3\nsecret\n").find("secret") == std::string::npos);
  CHECK(said_of_billiards("1e9\n").find("is not a file of billiards") != std::string::npos);
  CHECK(said_of_billiards("500001\n").find("is not a file of billiards") != std::string::npos);
  CHECK(said_of_billiards("1\n.5 .5 0 0 .1 1 0 0\n") ==
        "b.txt:2:1: disk 1: has 8 values, must have 9: rx ry vx vy radius mass red green blue");
  CHECK(said_of_billiards("1\n" + std::string(5'000'000, '1') + disk) ==
        "b.txt:2:1: disk 1: has more than 9 values, must have 9: rx ry vx vy radius mass red green blue");
  CHECK(said_of_billiards("2\n .5 0,5 0 0 -.1 1 \x1B[31m 0 256\n") ==
        "b.txt:1:1: number of disks: is 2, must be 1, as many as there are lines after it\n"
        "b.txt:2:5: disk 1: ry: is 0,5, must be a number of magnitude up to 1e100\n"
        "b.txt:2:13: disk 1: radius: is -.1, must be a number > 0 [m]\n"
        "b.txt:2:19: disk 1: red: is a word, must be a number of magnitude up to 1e100\n"
        "b.txt:2:27: disk 1: blue: is 256, must be a whole number from 0 to 255");
  std::string bad = "100000\n";
  for (int k = 0; k < 100'000; ++k) bad += "x x x x x x x x x\n";
  const std::vector<std::string> lines = lines_of(said_of_billiards(bad));
  REQUIRE(lines.size() == 21);
  CHECK(lines[20] == "and at least 980 more");
}

TEST_CASE("a file of billiards that cannot be read is one of input and output") {
  const ScratchDirectory directory;
  const std::filesystem::path file = directory.path() / "s.yaml";
  const auto write = [&](const std::string& name, const std::string& rest) {
    std::ofstream(file) << "scree: 1\nmode: hard\ndomain: {x: [0, 1], y: [0, 1]}\n"
                           "materials: {a: {density: 1, restitution: 1}}\nparticles: [{material: a, billiards: "
                        << name << "}]\ntime: {end: 1}\n"
                        << rest;
  };
  const std::string message =
      file.string() + ":5:38: particles[0].billiards: cannot be used: " + (directory.path() / "none.txt").string() +
      ": cannot be read: No such file or directory";
  write("none.txt", "output: {every: 1}\n");
  CHECK_THROWS_WITH_AS((void)read_scene(file), message.c_str(), IoError);
  write("none.txt", "output: {every: 2}\n");  // beside another mistake it is one of several
  CHECK_THROWS_WITH_AS((void)read_scene(file), doctest::Contains(message.c_str()), SceneError);
  write("/dev/zero", "output: {every: 1}\n");
  CHECK_THROWS_WITH_AS((void)read_scene(file), doctest::Contains("/dev/zero: is a device, not a file of billiards"),
                       IoError);
}

}  // namespace scree::input_bounds_test
