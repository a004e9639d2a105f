// Grains that a scene puts at random, on a lattice, from a file and mixed; distributions of sizes; outlines from files.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <string>
#include <sys/stat.h>
#include <vector>

#include <doctest/doctest.h>

#include "dem/hard/scene/scene_simulation.hpp"
#include "dem/insertion.hpp"
#include "dem/random.hpp"
#include "dem/room.hpp"
#include "dem/scene.hpp"
#include "dem/size_distribution.hpp"
#include "io/formats/outline_reader.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/scene/scene_writer.hpp"
#include "io/text/errors.hpp"
#include "io/warnings.hpp"
#include "scene_texts.hpp"
#include "tests/io/scratch_directory.hpp"
#include "tests/sanitized.hpp"

namespace scree::starts_test {

namespace {

const std::string kFrame =
    "scree: 1\ndomain: {x: [0, 1], y: [0, 1]}\ntime: {end: 1}\noutput: {every: 1}\n"
    "materials:\n  stone: {density: 2000, stiffness: 1e6, restitution: 0.5}\n"
    "  steel: {density: 8000, stiffness: 1e6, restitution: 0.5}\n";
const std::string kPeriodic =
    "scree: 1\ndomain: {x: [0, 1], y: [0, 1], periodic: [x, y]}" + kFrame.substr(kFrame.find("\ntime"));

const Place& place_of(const Scene& scene, std::size_t group) {
  return std::get<Place>(scene.particles.at(group).how);
}

double area_of(const Scene& scene) {
  double area = 0.0;
  for (std::size_t g = 0; g < scene.particles.size(); ++g) {
    for (std::size_t k = 0; k < place_of(scene, g).size(); ++k) area += make_grain(scene, static_cast<int>(g), k).area;
  }
  return area;
}

/// Every pair of grains and images that overlap, by brute force, and grains that stick out of the domain.
int overlaps_in(const Scene& scene) {
  struct Grain {
    GrainShape shape;
    Pose pose;
  };
  std::vector<Grain> grains;
  for (std::size_t g = 0; g < scene.particles.size(); ++g) {
    for (std::size_t k = 0; k < place_of(scene, g).size(); ++k) {
      const Placed& at = place_of(scene, g)[k];
      grains.push_back({make_grain(scene, static_cast<int>(g), k), {at.position, Rotation::by(at.angle)}});
    }
  }
  int found = 0;
  for (std::size_t i = 0; i < grains.size(); ++i) {
    Extremes extremes{};
    const Aabb2 box = bounds(grains[i].shape.view(), grains[i].pose, extremes);
    for (const int axis : {0, 1}) {
      if (scene.domain.periodic[static_cast<std::size_t>(axis)]) continue;
      if (box.lo[axis] < scene.domain.lo[axis] || box.hi[axis] > scene.domain.hi[axis]) ++found;
    }
    for (const Wall& wall : scene.walls) {
      if (overlap_anywhere(grains[i].shape.view(), grains[i].pose, {wall.polygon, 10.0}, {})) ++found;
    }
    for (std::size_t j = 0; j < i; ++j) {
      for (const int y : {-1, 0, 1}) {
        for (const int x : {-1, 0, 1}) {
          if ((x != 0 && !scene.domain.periodic[0]) || (y != 0 && !scene.domain.periodic[1])) continue;
          Pose there = grains[j].pose;
          there.position += Vec2(x, y).cwiseProduct(scene.domain.hi - scene.domain.lo);
          if (overlap_anywhere(grains[i].shape.view(), grains[i].pose, grains[j].shape.view(), there)) ++found;
        }
      }
    }
  }
  return found;
}

std::vector<double> drawn(const SizeDistribution& sizes, int count) {
  std::vector<double> all;
  for (int k = 0; k < count; ++k) {
    Random random(7, 3, static_cast<std::uint64_t>(k));
    all.push_back(sizes.draw(random));
  }
  return all;
}

double mean(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

class Files {
 public:
  std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = directory_.path() / name;
    std::ofstream(file) << text;
    return file.string();
  }
  const std::filesystem::path& path() const { return directory_.path(); }

 private:
  ScratchDirectory directory_;
};

std::string said_of_outline(const std::string& text, bool svg) {
  try {
    (void)(svg ? parse_outline_svg(text, "o") : parse_outline_csv(text, "o"));
    return "";
  } catch (const SceneError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("random grains have the packing fraction that was asked for, and do not overlap" *
          doctest::skip(test::kSanitized)) {
  struct Case {
    std::string shape;
    double fraction;
  };
  for (const Case& one : {Case{"disk", 0.3}, Case{"disk", 0.75}, Case{"{random_polygon: {vertices: [5, 8]}}", 0.7},
                          Case{"{ellipse: {aspect: 2}}", 0.65}}) {
    for (const std::string& frame : {kFrame, kPeriodic}) {
      CAPTURE(one.shape);
      const Scene scene =
          parse_scene(frame + "particles:\n- random: {region: {x: [0, 1], y: [0, 1]}, packing_fraction: " +
                          std::to_string(one.fraction) + ", jitter: 0.5}\n  material: stone\n  shape: " + one.shape +
                          "\n  size: {uniform: [0.06, 0.1]}\n",
                      "s.yaml");
      CHECK(std::abs(area_of(scene) - one.fraction) < 0.5 * 0.25 * std::numbers::pi * 0.1 * 0.1);
      CHECK(overlaps_in(scene) == 0);
      const double speed = place_of(scene, 0).front().velocity.cwiseAbs().maxCoeff();
      CHECK(speed > 0.0);
      CHECK(speed <= 0.5 + 0.3);  // less the mean of all
      CHECK(parse_scene(to_yaml(scene), "s.yaml") == scene);
    }
  }
}

TEST_CASE("random grains keep away from walls and from grains that are there") {
  const Scene scene = parse_scene(
      kFrame +
          "walls:\n- {name: bar, material: steel, box: {x: [0.3, 0.7], y: [0.4, 0.6]}}\n"
          "particles:\n- {place: [{position: [0.5, 0.2]}, {position: [0.5, 0.8]}], material: steel, shape: "
          "{regular_polygon: {vertices: 3}}, size: 0.25}\n"
          "- {random: {region: {x: [0, 1], y: [0, 1]}, count: 300}, material: stone, shape: disk, size: 0.035}\n",
      "s.yaml");
  CHECK(place_of(scene, 1).size() == 300);
  CHECK(overlaps_in(scene) == 0);
}

TEST_CASE("velocities that are drawn have no net momentum, whatever groups they are of, or keep theirs") {
  for (const bool keeps : {false, true}) {
    CAPTURE(keeps);
    const Scene scene =
        parse_scene(kPeriodic + (keeps ? "drawn_momentum: kept\n" : "") +
                        "particles:\n"
                        "- {random: {region: {x: [0, 1], y: [0, 0.5]}, count: 40, jitter: 0.3}, material: stone, "
                        "shape: disk, size: 0.02}\n"
                        "- {mix: {share: 0.3, by: number}, material: steel, shape: disk, size: 0.03}\n"
                        "- {lattice: {region: {x: [0, 1], y: [0.5, 1]}, count: 30, jitter: 0.7}, material: stone, "
                        "shape: {regular_polygon: {vertices: 5}}, size: 0.04}\n"
                        "- {place: [{position: [0.5, 0.99], velocity: [0, 7]}], material: steel, shape: disk, "
                        "size: 0.001}\n",
                    "s.yaml");
    Vec2 momentum = Vec2::Zero();
    double scale = 0.0;
    for (std::size_t g = 0; g < 3; ++g) {
      for (std::size_t k = 0; k < place_of(scene, g).size(); ++k) {
        const auto material = static_cast<std::size_t>(scene.particles[g].material);
        const double mass = make_grain(scene, static_cast<int>(g), k).mass(scene.materials[material].density);
        momentum += mass * place_of(scene, g)[k].velocity;
        scale += mass * place_of(scene, g)[k].velocity.norm();
      }
    }
    if (keeps) CHECK(momentum.norm() > 1e-3 * scale);
    if (!keeps) CHECK(momentum.norm() < 1e-14 * scale);
    CHECK(place_of(scene, 3).front().velocity == Vec2(0.0, 7.0));
    CHECK(parse_scene(to_yaml(scene), "s.yaml") == scene);
  }
}

TEST_CASE("velocities and spins are drawn at their temperatures, whatever puts the grains there") {
  const char* const kRest =
      ", temperature: 2e-3, rotational_temperature: 5e-4}, material: stone, size: {uniform: [0.004, "
      "0.012]}, shape: ";
  for (const std::string how :
       {"random: {region: {x: [0, 1], y: [0, 1]}, count: 2000", "lattice: {region: {x: [0, 1], y: [0, 1]}, count: 2000",
        "fill: {region: {x: [0, 1], y: [0, 1]}, count: 2000"}) {
    for (const std::string shape : {"disk", "{regular_polygon: {vertices: 4}}"}) {
      CAPTURE(how);
      CAPTURE(shape);
      const Scene scene = parse_scene(kPeriodic + "particles:\n- {" + how + kRest + shape + "}\n", "s.yaml");
      CHECK(parse_scene(to_yaml(scene), "s.yaml") == scene);
      double moving = 0.0;
      double turning = 0.0;
      const auto grains = initial_grains(scene, 0, [](const ShapeView&, const Pose&) { return true; });
      for (const InitialState& grain : grains) {
        moving += 0.5 * grain.grain.mass(2000.0) * grain.velocity.squaredNorm() / static_cast<double>(grains.size());
        turning += grain.grain.inertia(2000.0) * grain.angular_velocity * grain.angular_velocity /
                   static_cast<double>(grains.size());
      }
      CHECK(grains.size() == 2000);
      CHECK(moving == doctest::Approx(2e-3).epsilon(0.1));  // 4.5 standard errors
      CHECK(turning == doctest::Approx(5e-4).epsilon(0.14));
    }
  }
  CHECK_THROWS_WITH_AS(
      parse_scene(kPeriodic + "particles:\n- {fill: {region: {x: [0, 1], y: [0, 1]}, jitter: 1, temperature: "
                              "1}, material: stone, shape: disk, size: 0.1}\n",
                  "s.yaml"),
      doctest::Contains("particles[0].fill.jitter"), SceneError);
}

TEST_CASE("a mean velocity across the flow of a cell that shears warns") {
  const auto said_of = [](const std::string& cell, const std::string& more, const std::string& velocity) {
    const Scene scene =
        parse_scene("scree: 1\nmode: hard\ndomain: {x: [0, 1], y: [0, 1], periodic: [x, y]" + cell + "}\n" + more +
                        "materials: {ball: {density: 1000, restitution: 1}}\nparticles:\n"
                        "- {place: [{position: [0.2, 0.2], velocity: " +
                        velocity +
                        "}, {position: [0.6, 0.6], velocity: [0.3, -1]}], "
                        "material: ball, shape: disk, size: 0.1}\n"
                        "- {random: {region: {x: [0, 1], y: [0.7, 1]}, count: 10, jitter: 0.5}, material: ball, shape: "
                        "disk, size: 0.02}\n"
                        "time: {end: 1}\noutput: {every: 1}\n",
                    "s.yaml");
    std::string all;
    for (const std::string& one : warnings(scene, hard::SceneSimulation(scene))) all += one;
    return all;
  };
  const std::string sheared = ", cell: {xy: {rate: 2}}";
  CHECK(said_of(sheared, "", "[0, 1.2]").find("have a mean velocity of 0.0") != std::string::npos);
  CHECK(said_of(sheared, "", "[0, 1]").empty());  // two that are as fast, and draws without a mean
  CHECK(said_of("", "", "[0, 1.2]").empty());     // nothing grows
  CHECK_FALSE(said_of(sheared, "drawn_momentum: kept\n", "[0, 1]").empty());
}

TEST_CASE("what does not fit is refused with what was reached") {
  const std::string dense =
      complaint(kFrame +
                "particles:\n- random: {region: {x: [0, 0.4], y: [0, 0.4]}, packing_fraction: 0.85}\n"
                "  material: stone\n  shape: {regular_polygon: {vertices: 3}}\n  size: 0.1\n");
  CHECK(dense.find("particles[0].random.packing_fraction: asks for ") != std::string::npos);
  CHECK(dense.find(" was reached, must be less") != std::string::npos);
}

TEST_CASE("a mixture has the shares that were asked for, by mass or by number") {
  for (const bool by_mass : {true, false}) {
    const Scene scene =
        parse_scene(kFrame +
                        "particles:\n- random: {region: {x: [0, 1], y: [0, 1]}, packing_fraction: 0.5}\n"
                        "  material: stone\n  shape: disk\n  size: 0.02\n"
                        "- mix: {share: 0.3, by: " +
                        std::string(by_mass ? "mass" : "number") +
                        "}\n"
                        "  material: steel\n  shape: disk\n  size: 0.03\n",
                    "s.yaml");
    std::vector<double> amounts;
    for (const std::size_t g : {0U, 1U}) {
      double amount = 0.0;
      for (std::size_t k = 0; k < place_of(scene, g).size(); ++k) {
        amount += by_mass ? make_grain(scene, static_cast<int>(g), k).mass(scene.materials[g].density) : 1.0;
      }
      amounts.push_back(amount);
    }
    const double one = by_mass ? 8000.0 * 0.25 * std::numbers::pi * 0.03 * 0.03 : 1.0;
    CHECK(std::abs(amounts[1] / (amounts[0] + amounts[1]) - 0.3) < one / (amounts[0] + amounts[1]));
    CHECK(overlaps_in(scene) == 0);
    // Both lie everywhere: the mean height of each is that of the region.
    for (const std::size_t g : {0U, 1U}) {
      std::vector<double> heights;
      for (const Placed& grain : place_of(scene, g)) heights.push_back(grain.position.y());
      CHECK(std::abs(mean(heights) - 0.5) < 4.0 * 0.29 / std::sqrt(static_cast<double>(heights.size())));
    }
  }
  CHECK(
      complaint(kFrame + "particles:\n- {mix: {share: 0.3, by: mass}, material: steel, shape: disk, size: 0.03}\n") ==
      "s.yaml:9:4: particles[0].mix: has nothing to be mixed into, must be in a group behind one with random or pour");
}

TEST_CASE("a wall that comes later is not in the way at the start") {
  const auto grains = [](const std::string& from) {
    const std::string text = kFrame + "walls:\n- {name: lid, material: steel, box: {x: [0, 1], y: [0.51, 1]}" + from +
                             "}\nparticles:\n- lattice: {region: {x: [0, 1], y: [0, 1]}, spacing: 0.1, kind: square}\n"
                             "  material: stone\n  shape: disk\n  size: 0.1\n";
    return place_of(parse_scene(text, "s.yaml"), 0).size();
  };
  CHECK(grains("") == 50);
  CHECK(grains(", from: 0.5") == 100);
}

TEST_CASE("a hexagonal lattice has its neighbours at the spacing, and leaves out what is taken") {
  const std::string text = kFrame +
                           "particles:\n- lattice: {region: {x: [0, 1], y: [0, 1]}, spacing: 0.1, angle: 0}\n"
                           "  material: stone\n  shape: disk\n  size: 0.1\n";
  const Scene scene = parse_scene(text, "s.yaml");
  // Rows of 10 and 9 in turn, 11 of them: 1 + (1 - 0.1)/(0.1 sqrt(3)/2) = 11.39.
  CHECK(place_of(scene, 0).size() == 6 * 10 + 5 * 9);
  int neighbours = 0;
  for (const Placed& a : place_of(scene, 0)) {
    for (const Placed& b : place_of(scene, 0)) {
      const double distance = (a.position - b.position).norm();
      CHECK((distance == 0.0 || distance > 0.1 - 1e-12));
      neighbours += std::abs(distance - 0.1) < 1e-12 ? 1 : 0;
    }
  }
  CHECK(neighbours == 2 * (6 * 9 + 5 * 8 + 10 * 18));  // in rows, and between two rows
  const Scene square = parse_scene(replaced(text, "spacing: 0.1", "spacing: 0.1, kind: square"), "s.yaml");
  CHECK(place_of(square, 0).size() == 100);
  const Scene holed = parse_scene(
      replaced(replaced(text, "size: 0.1\n", "size: 0.0999\n"),
               "particles:", "walls: [{name: w, material: steel, box: {x: [0.4, 0.6], y: [0.4, 0.6]}}]\nparticles:"),
      "s.yaml");
  CHECK(place_of(holed, 0).size() < 105);
  CHECK(overlaps_in(holed) == 0);
  CHECK(complaint(replaced(text, "spacing: 0.1", "spacing: 0.1, count: 106"))
            .find("lattice.count: is 106, of which 105 found room") != std::string::npos);
  CHECK(complaint(replaced(text, "spacing: 0.1", "spacing: 0.09")).find("must be at least the width") !=
        std::string::npos);
}

TEST_CASE("sizes follow their law") {
  using Law = SizeDistribution::Law;
  const int count = 40'000;
  const std::vector<double> normal =
      drawn({.least = 0.4, .greatest = 1.6, .law = Law::normal, .centre = 1.0, .deviation = 0.2}, count);
  CHECK(std::abs(mean(normal) - 1.0) < 4.0 * 0.2 / std::sqrt(count));
  double variance = 0.0;
  for (const double x : normal) variance += (x - 1.0) * (x - 1.0) / count;
  CHECK(std::abs(variance / (0.04 * 0.9733) - 1.0) < 0.04);  // cut off at three deviations: 0.9733 of the whole
  const std::vector<double> log_normal =
      drawn({.least = 0.2, .greatest = 5.0, .law = Law::log_normal, .centre = 1.0, .deviation = 0.3}, count);
  std::vector<double> logarithms;
  for (const double x : log_normal) logarithms.push_back(std::log(x));
  CHECK(std::abs(mean(logarithms)) < 4.0 * 0.3 / std::sqrt(count));
  // A sieve curve by mass: the mass below each sieve is what the curve says.
  const std::vector<SizeDistribution::Sieve> curve = {{1.0, 0.0}, {2.0, 0.25}, {4.0, 0.25}, {8.0, 1.0}};
  for (const bool by_mass : {true, false}) {
    const std::vector<double> sizes =
        drawn({.least = 1.0, .greatest = 8.0, .law = Law::table, .table = curve, .by_mass = by_mass}, count);
    double all = 0.0;
    double below = 0.0;
    double half_class = 0.0;  // up to the middle of the last class: 0.25 + 0.375
    for (const double d : sizes) {
      const double amount = by_mass ? d * d : 1.0;
      all += amount;
      if (d < 3.0) below += amount;
      if (d < 6.0) half_class += amount;
      CHECK((d <= 2.0 || d >= 4.0));
    }
    CHECK(std::abs(below / all - 0.25) < 0.01);
    CHECK(std::abs(half_class / all - 0.625) < 0.015);
  }
}

TEST_CASE("mistakes in sizes name what is allowed") {
  const auto said = [](const std::string& size) {
    return complaint(
        kFrame + "particles:\n- {place: [{position: [0.5, 0.5]}], material: stone, shape: disk, size: " + size + "}\n");
  };
  CHECK(said("{normal: {mean: 0.1, deviation: 0.01}}").empty());
  CHECK(said("{normal: {mean: 0.1, deviation: 0.04}}").find("must be less than a third of the mean") !=
        std::string::npos);
  CHECK(
      said("{log_normal: {median: 0.1, deviation: 0.4, least: 0.2}}").find("least: is 0.2, must be a number <= 0.1") !=
      std::string::npos);
  CHECK(said("{table: {by: mass, passing: [[0.1, 0], [0.05, 1]]}}").find("has [0.05, 1] as pair 2, must be") !=
        std::string::npos);
  CHECK(said("{table: {by: mass, passing: [[0.1, 0], [0.2, 0.9]]}}").find("shares that rise from 0 to 1") !=
        std::string::npos);
  CHECK(said("{table: {passing: [[0.1, 0], [0.2, 1]]}}").find("table.by: is missing, must be mass or number") !=
        std::string::npos);
}

TEST_CASE("a sieve curve from a file is that of the scene") {
  const Files files;
  const std::string group =
      "particles:\n- random: {region: {x: [0, 1], y: [0, 1]}, count: 20}\n  material: stone\n"
      "  shape: disk\n  size: {table: {by: mass, ";
  std::string rows = "size, passing\n# a line longer than any text that is kept without memory of its own\n";
  files.write("sieve.csv", rows + "0.01, 0\n0.02, 0.25\n0.04, 1\n");
  const Scene from_file = read_scene(files.write("s.yaml", kFrame + group + "file: sieve.csv}}\n"));
  const Scene in_place =
      read_scene(files.write("t.yaml", kFrame + group + "passing: [[0.01, 0], [0.02, 0.25], [0.04, 1]]}}\n"));
  CHECK(from_file.particles == in_place.particles);
}

TEST_CASE("pours and fills have all laws of sizes, and a mix may follow a pour") {
  const std::string text =
      kFrame +
      "particles:\n- pour: {count: 1000, rate: 100, region: {x: [0, 1], y: [0, 1]}}\n  material: stone\n  shape: disk\n"
      "  size: {log_normal: {median: 0.05, deviation: 0.2}}\n"
      "- mix: {share: 0.5, by: mass}\n  material: stone\n  shape: {regular_polygon: {vertices: 5}}\n  size: 0.1\n"
      "- fill: {region: {x: [0, 1], y: [0, 1]}}\n  material: stone\n  shape: disk\n"
      "  size: {table: {by: number, passing: [[0.02, 0], [0.04, 1]]}}\n";
  const Scene scene = parse_scene(text, "mixed.yaml");
  REQUIRE(scene.particles.size() == 3);
  const Pour& large = std::get<Pour>(scene.particles[1].how);
  const Pour& small = std::get<Pour>(scene.particles[0].how);
  CHECK(large.count + small.count == 1000);
  CHECK(std::abs(large.rate + small.rate - 100.0) < 1e-9);
  // Masses are equal: the numbers are as one over the mean square of the sizes, 0.05 exp(0.04) for the small ones.
  const double ratio = static_cast<double>(large.count) / static_cast<double>(small.count);
  CHECK(std::abs(ratio / (0.25 * std::exp(2.0 * 0.04)) - 1.0) < 0.03);
  double mean = 0.0;
  for (std::uint64_t k = 0; k < 400; ++k) mean += std::log(make_grain(scene, 0, k).bounding_radius * 2.0) / 400.0;
  CHECK(std::abs(mean - std::log(0.05)) < 0.04);
  CHECK(parse_scene(to_yaml(scene), "mixed.yaml") == scene);
}

TEST_CASE("grains come from a file, in the order of their ids") {
  const Files files;
  files.write("g.csv",
              "id, x [m], y [m], angle, vx, vy, size, shape\n"
              "7, 0.5, 0.5, 0.1, 1, 2, 0.1, round\n3; 0.2; 0.2; 0; 0; -1; 0.05; round  # a comment\n\n5, 0.8, 0.8, 0, "
              "0, 0, 0.1, other\n");
  const std::string file = files.write(
      "s.yaml",
      kFrame + "particles:\n- file: {name: g.csv, shape: round}\n  material: stone\n  shape: disk\n  size: 1\n");
  const Scene scene = read_scene(file);
  REQUIRE(place_of(scene, 0).size() == 2);
  CHECK(place_of(scene, 0)[0].position == Vec2(0.2, 0.2));
  CHECK(place_of(scene, 0)[0].size == 0.05);
  CHECK(place_of(scene, 0)[1].velocity == Vec2(1.0, 2.0));
  const auto said = [&](const std::string& text) {
    files.write("g.csv", text);
    try {
      (void)read_scene(file);
      return std::string();
    } catch (const SceneError& error) {
      return std::string(error.what());
    } catch (const IoError& error) {
      return std::string(error.what());
    }
  };
  const std::string g = (files.path() / "g.csv").string();
  CHECK(said("x, y, shape\n2, y, round\n0.5, 0.5\n") ==
        g + ":3:1: has 2 values in a line, must have 3, as the first line");
  CHECK(said("x, y, shape\n2, y, round\n") == g + ":2:1: x: is 2, must be in the domain, [0, 1] [m]\n" + g +
                                                  ":2:4: y: is a word, must be a number of magnitude up to 1e100");
  CHECK(said("x, why, shape\n").starts_with(g + ":1:1: has a column 'why'"));
  CHECK(said("0.5, 0.5\n") == g + ":1:1: must have a first line with the names of columns, x, y and shape among them");
  CHECK(said("id, x, y, shape\n1, 0.1, 0.1, round\n1, 0.5, 0.5, round\n") ==
        g + ":3:1: id: is 1 again, must be another in each line");
  CHECK(said("\"x\",\"y\",\"shape\"\n\"0.5\",\"0.5\",\"round\"\n").empty());
  CHECK(said("x, y, shape\n0.5, nan, round\n") ==
        g + ":2:6: y: is not finite, must be a number of magnitude up to 1e100");
  CHECK(said("x, y, size, shape\n0.5, 0.5, 0, round\n") == g + ":2:11: size: is 0, must be a number > 0");
  std::filesystem::remove(g);
  REQUIRE(mkfifo(g.c_str(), 0600) == 0);
  try {
    (void)read_scene(file);
    CHECK(false);
  } catch (const IoError& error) {
    CHECK(std::string(error.what()).find(g + ": is a pipe, not a file of grains") != std::string::npos);
  }
}

TEST_CASE("an outline comes from a CSV or an SVG") {
  const std::vector<Vec2> square = {{0.0, 0.0}, {2.0, 0.0}, {2.0, 1.0}, {0.0, 1.0}};
  CHECK(parse_outline_csv("x, y\n0, 0\n2, 0\n2, 1\n0, 1\n0, 0\n", "o") == square);
  CHECK(parse_outline_csv("0 0\n2 0\n2 1\n0 1", "o") == square);
  CHECK(parse_outline_csv("y;x\n0;0\n0;2\n1;2\n1;0\n", "o") == square);
  const auto svg = [](const std::string& inside) {
    return parse_outline_svg(
        "<?xml version='1.0'?>\n<!-- <path> --><svg><defs><rect/><path d='M0'/></defs><g>" + inside + "</g></svg>",
        "o");
  };
  CHECK(svg("<polygon points='0,0 2,0 2,-1 0,-1'/>") == square);
  CHECK(svg("<polyline points=\"0 0 2 0 2 -1 0 -1 0 0\"></polyline>") == square);
  CHECK(svg("<path d='M0 0H2V-1H0Z'/>") == square);
  CHECK(svg("<path d='m0,0 2,0 l0-1h-2z'/>") == square);
  CHECK(svg("<path id='a>b' d='M 0 0 L 2 0 2 -1 0 -1'/>") == square);
}

TEST_CASE("what is no simple outline is refused by name, with its place") {
  const auto svg = [](const std::string& inside) { return said_of_outline("<svg>\n" + inside + "\n</svg>", true); };
  CHECK(svg("<path d='M0 0 C1 1 2 2 3 3'/>") ==
        "o:2:15: <path>: has the curve 'C', must have straight lines only: M, L, H, V and Z");
  CHECK(svg("<path d='M0 0 L1 1 M2 2 L3 3'/>").find("begins a second time") != std::string::npos);
  CHECK(svg("<path d='M0 0 L1 1 Z L3 3'/>").find("goes on after it is closed") != std::string::npos);
  CHECK(svg("<path d='L0 0'/>").find("must begin with M") != std::string::npos);
  CHECK(svg("<path d='0 0'/>").find("must begin with M") != std::string::npos);
  CHECK(svg("<path d='M0 x'/>").find("has no number here") != std::string::npos);
  CHECK(svg("<path d='M0 1e999'/>").find("has no number here") != std::string::npos);
  CHECK(svg("<path/>").find("is without 'd'") != std::string::npos);
  CHECK(svg("<circle r='1'/>") ==
        "o:2:1: <circle>: is not allowed in an outline, must be one <polygon>, <polyline> or <path>");
  CHECK(svg("<g transform='scale(2)'><path d='M0 0'/></g>").find("<g>: has a transform") != std::string::npos);
  CHECK(svg("<path d='M0 0'/><path d='M0 0'/>").find("is a second shape") != std::string::npos);
  CHECK(svg("<path d='M0 0'").find("must be") != std::string::npos);
  CHECK(svg("<path d='M0 0").find("a quote is not closed") != std::string::npos);
  CHECK(svg("") == "o:1:1: has no outline, must have one <polygon>, <polyline> or <path>");
  CHECK(said_of_outline("<!DOCTYPE svg [<!ENTITY a 'b'>]><svg/>", true) ==
        "o:1:1: has a document type, which an outline may not");
  CHECK(said_of_outline("just text", true) == "o:1:1: is not an SVG, must have the element <svg>");
  std::string many = "<svg><polygon points='";
  for (int k = 0; k < 10'001; ++k) many += "1,1 ";
  CHECK(said_of_outline(many + "'/></svg>", true).find("has more than 10000 corners") != std::string::npos);
  CHECK(said_of_outline("1, 2\n3, four\n", false) == "o:2:4: y: is a word, must be a number of magnitude up to 1e100");
  CHECK(said_of_outline("1, 2\n3, 1e400\n", false) == "o:2:4: y: is 1e400, must be a number of magnitude up to 1e100");
  CHECK(said_of_outline("1, 2, 3\n", false) == "o:1:1: has 3 values in a line, must have 2, x and y");
  CHECK(said_of_outline("a, b\n1, 2\n", false) == "o:1:1: has no column 'x', must have x and y");
  std::string long_table;
  for (int k = 0; k < 10'001; ++k) long_table += "1, 2\n";
  CHECK(said_of_outline(long_table, false).find("has more than 10000 lines of values") != std::string::npos);
  CHECK(said_of_outline(std::string(100'000, ','), false).find("more than 100 values in a line") != std::string::npos);
}

TEST_CASE("a superellipse is convex for every exponent, and has the aspect that was asked for") {
  for (const char* exponent : {"1.1", "2", "4", "10"}) {
    for (const int vertices : {4, 7, 24, 100}) {
      CAPTURE(exponent);
      CAPTURE(vertices);
      const std::string text = kFrame +
                               "particles:\n- place: [{position: [0.5, 0.5]}]\n  material: stone\n  shape: "
                               "{superellipse: {aspect: 2, exponent: " +
                               exponent + ", vertices: " + std::to_string(vertices) + "}}\n  size: 0.1\n";
      const Scene scene = parse_scene(text, "s.yaml");
      const GrainShape grain = make_grain(scene, 0, 0);
      CHECK(grain.outline.size() == static_cast<std::size_t>(vertices));
      CHECK(std::abs(grain.area - 0.25 * std::numbers::pi * 0.01) < 1e-12);
      Vec2 reach = Vec2::Zero();
      for (const Vec2& corner : grain.outline) reach = reach.cwiseMax(corner.cwiseAbs());
      if (vertices % 4 == 0) CHECK(std::abs(reach.x() / reach.y() - 2.0) < 1e-9);
    }
  }
}

}  // namespace scree::starts_test
