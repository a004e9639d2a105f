#include "io/scene/restart_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "dem/errors.hpp"
#include "dem/insertion.hpp"
#include "dem/scene.hpp"
#include "dem/wall_motion.hpp"
#include "geometry/pose.hpp"
#include "io/scene/scene_writer.hpp"
#include "io/text/number_text.hpp"

namespace scree {

namespace {

/// Of what else goes on in time, a run that begins now knows nothing.
void require_only_grains_go_on(const Scene& scene) {
  const auto refuse = [](const char* key, const std::string& problem) {
    throw InvalidScene(key, problem + ": its grains can be put elsewhere at time 0 only");
  };
  const auto changes = [](const Wall& wall) { return ever_moves(wall) || wall.from || wall.until; };
  const auto moving = std::ranges::find_if(scene.walls, changes);
  if (moving != scene.walls.end()) refuse("walls", fmt::format("'{}' moves, comes or goes", moving->name));
  if (!scene.soft.stages.empty()) refuse("stages", "the scene has stages");
  if (!scene.soft.gravity_table.empty()) refuse("gravity", "gravity changes in time");
  if (scene.domain.cell) refuse("domain.cell", "the domain deforms");
  if (scene.hard.growth.rate > 0.0) refuse("growth", "grains grow");
  if (scene.hard.reverse) refuse("reverse", "time turns back");
  if (scene.thermostat) refuse("thermostat", "a thermostat acts at times of its own");
}

/// Where they are now, in the order of their ids.
Place places(const ParticleState& grains, const Scene& scene, const ParticleGroup& group,
             const std::vector<std::size_t>& which) {
  Place place;
  for (const std::size_t k : which) {
    Placed& one = place.emplace_back();
    one.position = grains.position[k];
    one.angle = grains.angle[k];
    one.velocity = grains.velocity[k];
    one.angular_velocity = grains.angular_velocity[k];
    one.size = 2.0 * grains.radius[k];
    const double mass = mass_of(scene, group, 2.0 * grains.radius[k]);
    if (std::abs(grains.mass[k] - mass) > 1e-9 * mass) one.mass = grains.mass[k];
    if (!grains.colour.empty() && grains.colour[k] != group.colour) one.colour = grains.colour[k];
  }
  return place;
}

/// The polygon that a grain has drawn.
ExplicitPolygon drawn(const ParticleState& grains, std::size_t k) {
  ExplicitPolygon polygon;
  const Rotation back = Rotation::by(grains.angle[k]).inverse();
  for (std::uint32_t v = grains.outlines.first[k]; v < grains.outlines.first[k + 1]; ++v) {
    polygon.vertices.emplace_back(back * Vec2(grains.outlines.vertices[v] - grains.position[k]));
  }
  return polygon;
}

/// What is still to come of a pour. @param born so many of it so far
std::optional<Pour> rest_of(Pour pour, std::uint64_t born, double time) {
  if (born >= pour.count) return std::nullopt;
  pour.from = std::max(0.0, pour.from + static_cast<double>(born) / pour.rate - time);
  pour.count -= born;
  return pour;
}

std::vector<ParticleGroup> groups_now(const Scene& scene, const State& state, const Summary& summary) {
  const ParticleState& grains = state.particles;
  std::vector<std::size_t> by_id(grains.size());
  std::iota(by_id.begin(), by_id.end(), std::size_t{0});
  std::ranges::sort(by_id, {}, [&](std::size_t k) { return grains.id[k]; });
  std::vector<std::vector<std::size_t>> of_group(scene.particles.size());
  for (const std::size_t k : by_id) of_group[static_cast<std::size_t>(grains.type[k])].push_back(k);
  const bool all_are_there = summary.particles_out == 0;

  std::vector<ParticleGroup> groups;
  std::vector<ParticleGroup> to_come;
  for (std::size_t g = 0; g < of_group.size(); ++g) {
    ParticleGroup group = scene.particles[g];
    if (const auto* pour = std::get_if<Pour>(&group.how)) {
      const bool is_over =
          summary.particles_owed == 0 && state.time >= pour->from + static_cast<double>(pour->count) / pour->rate;
      if (!is_over && !all_are_there) {
        throw InvalidScene("particles",
                           "grains have left while others are still to come: grains can be put elsewhere "
                           "before the first leaves, or when all have come");
      }
      const auto rest = is_over ? std::nullopt : rest_of(*pour, of_group[g].size(), state.time);
      if (rest) {
        ParticleGroup poured = group;
        poured.how = *rest;
        (of_group[g].empty() ? groups : to_come).push_back(std::move(poured));
      }
    }
    if (of_group[g].empty()) continue;
    group.how = places(grains, scene, group, of_group[g]);
    // A grain draws its polygon by the numbers of its group and of the grain in it.
    const bool draws_the_same = all_are_there && !group.sizes;
    if (std::holds_alternative<RandomPolygon>(group.shape) && !draws_the_same) {
      const Place all = std::get<Place>(group.how);
      for (std::size_t k = 0; k < all.size(); ++k) {
        group.shape = drawn(grains, of_group[g][k]);
        group.sizes = {};
        group.size = {*all[k].size, *all[k].size};
        group.how = Place{all[k]};
        groups.push_back(group);
      }
    } else {
      groups.push_back(std::move(group));
    }
  }
  groups.insert(groups.end(), to_come.begin(), to_come.end());
  return groups;
}

/// A key at the top of a scene's text with all that belongs to it, but not the comments after it.
struct Block {
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::optional<Block> find_block(const std::string& text, const std::string& key) {
  std::optional<Block> block;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = std::min(text.find('\n', at), text.size() - 1) + 1;
    const bool is_key = std::string(" \t\r\n#-]}").find(text[at]) == std::string::npos;
    const bool is_inside = !is_key && text[at] != '#' && text[at] != '\n' && text[at] != '\r';
    if (block && is_key) return block;
    if (is_key && text.compare(at, key.size() + 1, key + ":") == 0) block = {at, next};
    if (block && is_inside) block->end = next;
    at = next;
  }
  return block;
}

/// contact.initial_depth becomes a number.
std::string with_initial_depth(std::string text, const std::string& number) {
  const std::string key = "initial_depth: ";
  const std::string entry = key + number;
  const std::optional<Block> contact = find_block(text, "contact");
  if (!contact) return text + "contact: {" + entry + "}\n";
  const std::size_t given = text.find(key, contact->begin);
  if (given < contact->end) {
    const std::size_t end = text.find_first_of(" ,}#\r\n", text.find_first_not_of(' ', given + key.size()));
    return text.replace(given, end - given, entry);
  }
  const std::size_t line_end = std::min(text.find('\n', contact->begin), contact->end);
  const std::size_t brace = text.find('{', contact->begin);
  if (brace < line_end) {
    const std::size_t first = text.find_first_not_of(" \t\r\n", brace + 1);
    return text.insert(brace + 1, first != std::string::npos && text[first] == '}' ? entry : entry + ", ");
  }
  std::size_t indent = 2;
  if (line_end + 1 < contact->end) {
    indent = std::max<std::size_t>(1, text.find_first_not_of(' ', line_end + 1) - line_end - 1);
  }
  return text.insert(line_end + 1, std::string(indent, ' ') + entry + "\n");
}

}  // namespace

std::string restart_text(const std::string& text, const Scene& scene, const State& state, const Summary& summary) {
  if (state.time > 0.0) require_only_grains_go_on(scene);
  std::string restarted = text.ends_with('\n') ? text : text + '\n';
  const std::optional<Block> particles = find_block(restarted, "particles");
  if (!particles) throw InvalidScene("particles", "stands in the middle of a line, must be at the beginning of one");
  Scene now = scene;
  now.particles = groups_now(scene, state, summary);
  restarted.replace(particles->begin, particles->end - particles->begin, "particles:\n" + particles_to_yaml(now));
  if (scene.mode == Mode::soft && summary.max_depth_ratio > scene.soft.initial_depth) {
    const double next = std::pow(10.0, std::floor(std::log10(summary.max_depth_ratio)) - 1.0);  // two digits, up
    restarted =
        with_initial_depth(restarted, number_text(next * std::ceil(summary.max_depth_ratio / next * (1.0 + 1e-6)), 3));
  }
  return restarted;
}

}  // namespace scree
