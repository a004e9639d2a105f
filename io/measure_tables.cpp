#include "io/measure_tables.hpp"

#include <array>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "io/atomic_file.hpp"
#include "io/number_text.hpp"

namespace scree {

namespace {

std::string cell(double value) {
  return number_text(value);
}
std::string cell(std::uint64_t value) {
  return fmt::to_string(value);
}

/// A table in memory, to be written as a whole.
class Table {
 public:
  explicit Table(const std::string& header) : text_(header + "\n") {}

  template <class First, class... Others>
  void add(First first, Others... others) {
    text_ += cell(first);
    ((text_ += ',' + cell(others)), ...);
    text_ += '\n';
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

Table table_of(const RadialDistribution& distribution) {
  Table table("distance [m],g,pairs");
  for (const auto& row : distribution.rows()) table.add(row.distance, row.g, row.pairs);
  return table;
}

Table table_of(const VelocityDistribution& distribution) {
  Table table("velocity,density_x,density_y,speed_density");
  for (const auto& row : distribution.rows()) {
    table.add(row.velocity, row.density.x(), row.density.y(), row.speed_density);
  }
  return table;
}

Table table_of(const std::vector<Measurements::LayerRow>& profile) {
  Table table(
      "y [m],packing_fraction,particles,velocity_x [m/s],velocity_y [m/s],temperature [J],collision_rate [1/s],"
      "pressure_xx [N/m],pressure_yy [N/m],pressure_xy [N/m]");
  for (const auto& row : profile) {
    table.add(row.y, row.packing_fraction, row.particles, row.velocity.x(), row.velocity.y(), row.temperature,
              row.collision_rate, row.pressure(0, 0), row.pressure(1, 1), row.pressure(0, 1));
  }
  return table;
}

Table table_of(const std::vector<Measurements::FlightRow>& flights, const std::string& unit) {
  Table table(fmt::format("from [{0}],to [{0}],flights,density [1/{0}]", unit));
  for (const auto& row : flights) table.add(row.from, row.to, row.count, row.density);
  return table;
}

bool has_sides(const Domain& domain) {
  return domain.reflecting && !(domain.periodic[0] && domain.periodic[1]);
}

}  // namespace

SampleTables::SampleTables(const std::filesystem::path& directory, const Scene& scene, const Written& from)
    : walls_(scene.walls.size()),
      domain_(scene.domain),
      measure_(directory / "measure.csv",
               "time [s],particles,packing_fraction,velocity_x [m/s],velocity_y [m/s],mean_speed [m/s],"
               "temperature [J],rotational_temperature [J],collision_rate [1/s],wall_collision_rate [1/s],"
               "pressure [N/m],pressure_xx [N/m],pressure_yy [N/m],pressure_xy [N/m],contact_pressure [N/m],"
               "wall_pressure_x [N/m],wall_pressure_y [N/m]",
               from) {
  if (!scene.walls.empty() || has_sides(scene.domain)) {
    wall_forces_.emplace(directory / "wall_forces.csv",
                         "time [s],id,force_x [N],force_y [N],torque [N m],side,pressure [N/m]", from);
  }
  if (scene.measure->mean_square_displacement) {
    displacement_.emplace(directory / "mean_square_displacement.csv",
                          "time [s],particles,mean_square_displacement [m^2],along_x [m^2],along_y [m^2],"
                          "displacement_x [m],displacement_y [m]",
                          from);
  }
}

void SampleTables::add(const Sample& s) {
  measure_ << s.time << s.particles << s.packing_fraction << s.velocity.x() << s.velocity.y() << s.mean_speed
           << s.temperature << s.rotational_temperature << s.collision_rate << s.wall_collision_rate
           << 0.5 * s.pressure.trace() << s.pressure(0, 0) << s.pressure(1, 1) << s.pressure(0, 1)
           << 0.5 * s.contact_pressure.trace() << s.wall_pressure.x() << s.wall_pressure.y();
  measure_.end_row();
  if (wall_forces_) add_wall_forces(s);
  if (displacement_ && s.displacement) {
    const auto& moved = *s.displacement;
    *displacement_ << s.time << moved.particles << moved.squares.sum() << moved.squares.x() << moved.squares.y()
                   << moved.displacement.x() << moved.displacement.y();
    displacement_->end_row();
  }
}

void SampleTables::sync() {
  measure_.sync();
  if (wall_forces_) wall_forces_->sync();
  if (displacement_) displacement_->sync();
}

void SampleTables::add_to(Written& written) const {
  measure_.add_to(written);
  if (wall_forces_) wall_forces_->add_to(written);
  if (displacement_) displacement_->add_to(written);
}

void SampleTables::add_wall_forces(const Sample& s) {
  constexpr std::array<const char*, 4> kSides = {"left", "right", "bottom", "top"};
  for (std::size_t k = 0; k < s.walls.size(); ++k) {
    const bool is_wall = k < walls_;
    const std::size_t side = is_wall ? 0 : k - walls_;
    const std::size_t axis = side / 2;
    if (!is_wall && domain_.periodic[axis]) continue;
    const WallForce& wall = s.walls[k];
    *wall_forces_ << s.time << (is_wall ? static_cast<std::uint64_t>(k + 1) : std::uint64_t{0}) << wall.force.x()
                  << wall.force.y() << wall.torque;
    if (is_wall) {
      *wall_forces_ << ""
                    << "";
    } else {
      const Vec2 size = domain_.hi - domain_.lo;
      const double outward = axis == 0 ? wall.force.x() : wall.force.y();
      *wall_forces_ << kSides.at(side) << (side % 2 == 0 ? -outward : outward) / (axis == 0 ? size.y() : size.x());
    }
    wall_forces_->end_row();
  }
}

void write_averages(const std::filesystem::path& directory, const Measurements& measurements) {
  const auto write = [&](const char* name, const Table& table) {
    write_file_atomically(directory / name, table.text());
  };
  if (const auto& distribution = measurements.radial_distribution()) {
    write("radial_distribution.csv", table_of(*distribution));
  }
  if (const auto& distribution = measurements.velocity_distribution()) {
    write("velocity_distribution.csv", table_of(*distribution));
  }
  if (measurements.measure().height_profile) write("height_profile.csv", table_of(measurements.height_profile()));
  if (measurements.measure().free_flights) {
    write("free_paths.csv", table_of(measurements.free_paths(), "m"));
    write("free_times.csv", table_of(measurements.free_times(), "s"));
  }
}

}  // namespace scree
