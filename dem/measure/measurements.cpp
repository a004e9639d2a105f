#include "dem/measure/measurements.hpp"

#include <algorithm>
#include <cmath>

#include "dem/archive.hpp"
#include "dem/scene.hpp"

namespace scree {

namespace {

/// The grains of a periodic cell that deforms, with their velocities beside its flow.
ParticleState beside_flow(const State& state, const Vec2& centre) {
  ParticleState particles = state.particles;
  const double* const rate = state.cell->rate;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const Vec2 from = particles.position[i] - centre;
    particles.velocity[i] -= Vec2(rate[0] * from.x() + rate[2] * from.y(), rate[1] * from.y());
  }
  return particles;
}

}  // namespace

Measurements::Measurements(const Scene& scene)
    : measure_(*scene.measure),
      domain_(scene.domain),
      centre_(0.5 * (scene.domain.lo + scene.domain.hi)),
      layers_(layers_of(measure_)),
      displacement_(scene.domain) {
  if (measure_.radial_distribution) {
    radial_distribution_.emplace(*measure_.radial_distribution, measure_.region, domain_);
  }
  if (measure_.velocity_distribution) velocity_distribution_.emplace(*measure_.velocity_distribution);
  if (measure_.pair_orientation) pair_orientation_.emplace(*measure_.pair_orientation, measure_.region, domain_);
  if (const auto& forces = measure_.forces) {
    const auto bins = static_cast<std::size_t>(forces->bins);
    forces_.emplace(ForceDistribution{forces->to / static_cast<double>(bins), std::vector<std::uint64_t>(bins)});
  }
  if (const auto& fields = measure_.fields) {
    fields_.emplace(*fields, measure_.region, domain_, measure_.from, fields->every.value_or(scene.output_every));
  }
}

std::optional<Sample> Measurements::take(const State& state, const Transfers& transfers) {
  const bool first = samples_ == 0;
  samples_ = std::max(samples_ + 1, samples_due(state.time));
  if (first) {
    begin(state, transfers);
    return std::nullopt;
  }
  Sample sample;
  sample.time = state.time;
  if (state.cell) {
    follow(*state.cell);
    look_at_motion(beside_flow(state, centre_), sample);
  } else {
    look_at_motion(state.particles, sample);
  }
  look_at_contacts(transfers, state.time - last_, sample);
  if (radial_distribution_) radial_distribution_->add(state.particles);
  if (pair_orientation_) pair_orientation_->add(state.particles);
  if (measure_.mean_square_displacement) sample.displacement = displacement_.now(state.particles);
  look_at_texture(state, sample);
  sample.moments = state.moments;
  if (fields_) sample.image = fields_->add(state);
  last_ = state.time;
  at_last_ = transfers;
  return sample;
}

/// The region is the rectangle that the cell's grains are in.
void Measurements::follow(const CellState& cell) {
  constexpr double kRounding = 1e-9;  // so that no particle at a side is left out
  const Vec2 half = 0.5 * (1.0 + kRounding) * cell.length;
  domain_.lo = measure_.region.lo = centre_ - half;
  domain_.hi = measure_.region.hi = centre_ + half;
}

// More than one where a step is longer than the time between samples.
std::uint64_t Measurements::samples_due(double time) const {
  constexpr double kMost = 0x1p63;
  const double due = std::ceil((time - measure_.from) / measure_.every + 1e-6);
  return due > 0.0 ? static_cast<std::uint64_t>(std::min(due, kMost)) : 0;
}

void Measurements::require_sound(const Transfers& transfers) const {
  require_state(std::isfinite(begin_) && std::isfinite(last_), "times of samples");
  displacement_.require_sound();
  if (fields_) fields_->require_sound();
  if (samples_ == 0) return;
  at_begin_.require_sound(transfers);
  at_last_.require_sound(transfers);
}

void Measurements::begin(const State& state, const Transfers& transfers) {
  begin_ = last_ = state.time;
  at_begin_ = at_last_ = transfers;
  if (measure_.mean_square_displacement) displacement_.begin(state.particles);
}

void Measurements::look_at_motion(const ParticleState& particles, Sample& sample) {
  Layer all;
  const std::vector<Layer> now = layers(particles, measure_, domain_);
  for (std::size_t k = 0; k < now.size(); ++k) {
    all += now[k];
    layers_[k] += now[k];
  }
  ++summed_;
  sample.particles = static_cast<std::uint64_t>(all.particles);
  sample.packing_fraction = all.area / area();
  sample.velocity = all.velocity();

  std::vector<std::size_t> inside;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    if (layer_at(measure_.region, 1, particles.position[i])) inside.push_back(i);
  }
  Eigen::Matrix2d fluctuation = Eigen::Matrix2d::Zero();
  for (const std::size_t i : inside) {
    const Vec2 velocity = particles.velocity[i] - sample.velocity;
    fluctuation += particles.mass[i] * velocity * velocity.transpose();
    sample.mean_speed += velocity.norm() / all.particles;
    sample.spin += particles.angular_velocity[i] / all.particles;
    sample.rotational_temperature +=
        particles.inertia[i] * particles.angular_velocity[i] * particles.angular_velocity[i] / all.particles;
  }
  sample.temperature = temperature(fluctuation, all.particles);
  sample.pressure = fluctuation / area();
  if (!velocity_distribution_) return;
  for (const std::size_t i : inside) {
    const double per_thermal = sample.temperature > 0.0 ? std::sqrt(particles.mass[i] / sample.temperature) : 0.0;
    velocity_distribution_->add(per_thermal * (particles.velocity[i] - sample.velocity));
  }
}

void Measurements::look_at_texture(const State& state, Sample& sample) {
  if (measure_.texture) sample.texture = contact_statistics(state, measure_.region, domain_);
  if (forces_) *forces_ += force_distribution(state, measure_.region, domain_, forces_->bin, forces_->count.size());
}

void Measurements::look_at_contacts(const Transfers& transfers, double duration, Sample& sample) const {
  std::uint64_t collisions = 0;
  std::uint64_t wall_collisions = 0;
  for (std::size_t k = 0; k < transfers.layers().size(); ++k) {
    const LayerTransfer& now = transfers.layers()[k];
    const LayerTransfer& before = at_last_.layers()[k];
    collisions += now.collisions - before.collisions;
    wall_collisions += now.wall_collisions - before.wall_collisions;
    sample.contact_pressure += (now.virial - before.virial) / (area() * duration);
    sample.wall_pressure += (now.wall_virial - before.wall_virial) / (area() * duration);
  }
  sample.pressure += sample.contact_pressure;
  if (sample.particles > 0) {
    const double per_particle = 1.0 / (static_cast<double>(sample.particles) * duration);
    sample.collision_rate = 2.0 * static_cast<double>(collisions) * per_particle;
    sample.wall_collision_rate = static_cast<double>(wall_collisions) * per_particle;
  }
  for (std::size_t k = 0; k < transfers.walls().size(); ++k) {
    const WallTransfer& now = transfers.walls()[k];
    const WallTransfer& before = at_last_.walls()[k];
    sample.walls.push_back(
        {(now.impulse - before.impulse) / duration, (now.angular_impulse - before.angular_impulse) / duration});
  }
}

std::vector<Measurements::LayerRow> Measurements::height_profile() const {
  std::vector<LayerRow> rows;
  const auto count = static_cast<double>(layers_.size());
  const double height = (measure_.region.hi.y() - measure_.region.lo.y()) / count;
  const double area_of_layer = area() / count;
  const double samples = std::max(static_cast<double>(summed_), 1.0);
  const double duration = last_ - begin_;
  for (std::size_t k = 0; k < layers_.size(); ++k) {
    const Layer& layer = layers_[k];
    LayerRow row{.y = measure_.region.lo.y() + (static_cast<double>(k) + 0.5) * height,
                 .packing_fraction = layer.area / (samples * area_of_layer),
                 .particles = layer.particles / samples,
                 .velocity = layer.velocity(),
                 .temperature = layer.temperature(),
                 .collision_rate = 0.0,
                 .pressure = layer.fluctuation() / (samples * area_of_layer)};
    if (duration > 0.0) {
      const LayerTransfer& now = at_last_.layers()[k];
      const LayerTransfer& before = at_begin_.layers()[k];
      row.pressure += (now.virial - before.virial) / (area_of_layer * duration);
      if (row.particles > 0.0) {
        row.collision_rate = 2.0 * static_cast<double>(now.collisions - before.collisions) / (row.particles * duration);
      }
    }
    rows.push_back(row);
  }
  return rows;
}

namespace {

std::vector<Measurements::FlightRow> rows_between(const LogHistogram& before, const LogHistogram& now) {
  std::vector<Measurements::FlightRow> rows;
  std::uint64_t all = 0;
  const auto count = [&](std::size_t k) {
    return now.counts()[k] - (before.counts().empty() ? 0 : before.counts()[k]);
  };
  for (std::size_t k = 0; k < now.counts().size(); ++k) all += count(k);
  for (std::size_t k = 0; k < now.counts().size(); ++k) {
    if (count(k) == 0) continue;
    const double from = LogHistogram::edge(k);
    const double to = LogHistogram::edge(k + 1);
    rows.push_back({from, to, count(k), static_cast<double>(count(k)) / (static_cast<double>(all) * (to - from))});
  }
  return rows;
}

}  // namespace

std::vector<Measurements::FlightRow> Measurements::free_paths() const {
  return rows_between(at_begin_.free_path(), at_last_.free_path());
}

std::vector<Measurements::FlightRow> Measurements::free_times() const {
  return rows_between(at_begin_.free_time(), at_last_.free_time());
}

}  // namespace scree
