#include "python/arrays.hpp"

#include <pybind11/stl.h>

namespace scree::python {

namespace {

[[noreturn]] void no_column(const char* of, const std::string& name) {
  throw py::attribute_error(std::string(of) + " have no '" + name + "'");
}

/// Each outline as an array (corners, 2); a disk has none.
py::object outline_list(const Outlines& outlines) {
  py::list list;
  for (std::size_t k = 0; k + 1 < outlines.first.size(); ++k) {
    list.append(column<double>(
        {outlines.vertices.data() + outlines.first[k], outlines.first[k + 1] - outlines.first[k], sizeof(Vec2)}, 2));
  }
  return list;
}

}  // namespace

py::object particle_column(const ParticleState& p, const std::string& name, const py::object& owner) {
  if (name == "id") return column(p.id, owner);
  if (name == "group") return column(p.type, owner);
  if (name == "material") return column(p.material, owner);
  if (name == "radius") return column(p.radius, owner);
  if (name == "mass") return column(p.mass, owner);
  if (name == "inertia") return column(p.inertia, owner);
  if (name == "position") return column(p.position, owner);
  if (name == "image") return column(p.image, owner);
  if (name == "angle") return column(p.angle, owner);
  if (name == "velocity") return column(p.velocity, owner);
  if (name == "angular_velocity") return column(p.angular_velocity, owner);
  if (name == "force") return column(p.force, owner);
  if (name == "torque") return column(p.torque, owner);
  if (name == "coordination") return column(p.coordination, owner);
  if (name == "outlines") return outline_list(p.outlines);
  no_column("particles", name);
}

py::object wall_column(const WallState& w, const std::string& name) {
  if (name == "id") return column(w.id);
  if (name == "name") return py::cast(w.name);
  if (name == "material") return column(w.material);
  if (name == "velocity") return column(w.velocity);
  if (name == "angular_velocity") return column(w.angular_velocity);
  if (name == "force") return column(w.force);
  if (name == "torque") return column(w.torque);
  if (name == "outlines") return outline_list(w.outlines);
  no_column("walls", name);
}

py::object contact_column(const std::vector<ContactState>& contacts, const std::string& name) {
  const auto of = [&](auto ContactState::*member) {
    return column_of(contacts, [=](const ContactState& c) { return c.*member; });
  };
  if (name == "id1") return of(&ContactState::id1);
  if (name == "id2") return of(&ContactState::id2);
  if (name == "centre1") return of(&ContactState::centre1);
  if (name == "centre2") return of(&ContactState::centre2);
  if (name == "point") return of(&ContactState::point);
  if (name == "image_shift") return of(&ContactState::image_shift);
  if (name == "force") return of(&ContactState::force);
  if (name == "force_normal") return of(&ContactState::force_normal);
  if (name == "force_tangential") return of(&ContactState::force_tangential);
  if (name == "overlap") return of(&ContactState::overlap);
  if (name == "depth") return of(&ContactState::depth);
  if (name == "sliding") return of(&ContactState::sliding);
  no_column("contacts", name);
}

py::object body_column(const Bodies& bodies, const std::string& name, const py::object& owner) {
  if (bodies.parts > 0) return {};  // parts of clumps stand between the particles: from the state
  const auto place = [&](const auto& values, std::size_t offset = 0) {
    using T = typename std::decay_t<decltype(values)>::value_type;
    const auto* first = reinterpret_cast<const std::byte*>(values.data() + bodies.walls);
    return Place{first + offset * sizeof(double), bodies.particles(), sizeof(T), owner};
  };
  if (name == "id") return column<std::uint64_t>(place(bodies.id));
  if (name == "group") return column<std::int32_t>(place(bodies.type));
  if (name == "material") return column<std::int32_t>(place(bodies.material));
  if (name == "radius") return column<double>(place(bodies.radius));
  if (name == "mass") return column<double>(place(bodies.mass));
  if (name == "image") return column<std::int32_t>(place(bodies.image), 2);
  if (name == "position") return column<double>(place(bodies.position), 2);
  if (name == "angle") return column<double>(place(bodies.position, 2));
  if (name == "velocity") return column<double>(place(bodies.velocity), 2);
  if (name == "angular_velocity") return column<double>(place(bodies.velocity, 2));
  return {};
}

}  // namespace scree::python
