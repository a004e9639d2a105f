#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dem/errors.hpp"
#include "dem/scene.hpp"
#include "dem/state.hpp"
#include "io/files/atomic_file.hpp"
#include "io/formats/frame_reader.hpp"
#include "io/frames/image_series.hpp"
#include "io/frames/parallelogram.hpp"
#include "io/scene/scene_identity.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/scene/scene_writer.hpp"
#include "io/text/errors.hpp"
#include "io/text/version.hpp"
#include "io/yaml/scene_error.hpp"
#include "python/algorithms.hpp"
#include "python/arrays.hpp"
#include "python/engine.hpp"
#include "python/measures.hpp"
#include "python/scene_values.hpp"

/// The module scree._scree: what the Python package scree is made of. Whoever uses Python sees the package.
namespace scree::python {

namespace {

using namespace py::literals;
using EngineRef = std::shared_ptr<Engine>;

/// A state that nothing changes any more, and where it is: what a run wrote, or a simulation at one time.
struct Frozen {
  std::shared_ptr<const State> state;
  Domain domain;

  Region region(const std::optional<std::array<double, 4>>& sides) const {
    return sides ? region_of(*sides) : Region{domain.lo, domain.hi};
  }
};

/// One simulation, and whether a thread is in it without the interpreter's lock.
struct Handle {
  EngineRef engine;
  bool is_busy = false;

  Engine& idle() const {
    if (is_busy) throw WrongMoment("the simulation is running in another thread; wait for its run() to return");
    return *engine;
  }
};

class Busy {
 public:
  explicit Busy(Handle& handle) : handle_(handle) {
    handle.idle();
    handle.is_busy = true;
  }
  ~Busy() { handle_.is_busy = false; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  Handle& handle_;
};

[[noreturn]] void refuse(const std::string& what) {
  throw py::value_error(what);
}

Handle make(const Scene& scene, int threads) {
  if (threads < 0 || threads > 1024) refuse(fmt::format("threads: is {}, must be from 0 (all cores) to 1024", threads));
  if (scene.start && !scene.start->inherited) {
    throw InvalidScene("start.from", "is not read with the scene that a run has kept, must be in a scene from a file");
  }
  py::gil_scoped_release release;
  return {std::make_shared<Engine>(scene, threads)};
}

/// Advances in pieces of some 50 ms, between which a signal, Ctrl-C, gets its turn.
void advance(Handle& handle, double until, std::uint64_t at_most) {
  if (std::isnan(until)) refuse("until: is not a number, must be a time [s]");
  const Busy busy(handle);
  Engine& engine = *handle.engine;
  std::uint64_t chunk = 16;
  while (at_most > 0 && !engine.has_reached(until) && !engine.is_over()) {
    const std::uint64_t piece = std::min(chunk, at_most);
    const auto begin = std::chrono::steady_clock::now();
    {
      const py::gil_scoped_release release;
      engine.advance_to(until, piece);
    }
    at_most -= piece;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    if (spent.count() < 0.03) chunk *= 2;
    if (spent.count() > 0.1 && chunk > 1) chunk /= 2;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
}

py::dict summary(const Handle& handle) {
  const Summary summary = handle.idle().summary();
  py::dict d = dict_of(kObservables, summary);
  d["chord_jumps"] = summary.chord_jumps;
  return d;
}

py::dict take_collisions(Handle& handle) {
  const std::vector<Collision> all = handle.idle().take_collisions();
  const auto column = [&](auto member) { return column_of(all, [&](const Collision& c) { return c.*member; }); };
  py::list kind;
  for (const Collision& c : all) kind.append(Collision::kNames.at(static_cast<std::size_t>(c.with)));
  py::dict d;
  d["time"] = column(&Collision::time);
  d["id1"] = column(&Collision::id1);
  d["id2"] = column(&Collision::id2);
  d["kind"] = py::module_::import("numpy").attr("array")(kind, py::arg("dtype") = "U6");
  d["position"] = column(&Collision::position);
  d["branch"] = column(&Collision::branch);
  d["impulse"] = column(&Collision::impulse);
  d["lost"] = column(&Collision::lost);
  return d;
}

void set_velocities(Handle& handle, const py::array_t<std::uint64_t>& ids,
                    const py::array_t<double, py::array::c_style>& velocities) {
  if (ids.ndim() != 1 || velocities.ndim() != 2 || velocities.shape(0) != ids.shape(0) || velocities.shape(1) != 3) {
    refuse("velocities: must be (n, 3) for n ids");
  }
  const auto at = velocities.unchecked<2>();
  std::vector<Motion> motions;
  for (py::ssize_t k = 0; k < velocities.shape(0); ++k) {
    motions.emplace_back(at(k, 0), at(k, 1), at(k, 2));
    if (!motions.back().isFinite().all()) refuse("velocities: must be finite [m/s, rad/s]");
  }
  handle.idle().set_velocities({ids.data(), ids.data() + ids.size()}, motions);
}

/// Keeps alive the memory of an array; while it lives the simulation cannot go on.
py::capsule owner_of(const EngineRef& engine, std::shared_ptr<const State> state) {
  struct Kept {
    EngineRef engine;
    std::shared_ptr<const void> loan;
    std::shared_ptr<const State> state;
  };
  auto kept = std::make_unique<Kept>(Kept{engine, engine->lend(), std::move(state)});
  py::capsule capsule(kept.get(), [](void* memory) { delete static_cast<Kept*>(memory); });
  kept.release();  // NOLINT(bugprone-unused-return-value): the capsule has it
  return capsule;
}

/// @param shared  a read-only window instead of a copy
py::object particles(const Handle& handle, const std::string& name, bool shared) {
  Engine& engine = handle.idle();
  if (const Bodies* bodies = engine.bodies()) {
    py::object found = body_column(*bodies, name, shared ? owner_of(handle.engine, {}) : py::object());
    if (found) return found;
  }
  const auto state = engine.state();
  return particle_column(state->particles, name, shared ? owner_of(handle.engine, state) : py::object());
}

// --- errors
// -----------------------------------------------------------------------------------------------------------

py::list mistakes_of(const SceneError& error) {
  py::list list;
  for (const SceneMistake& m : error.mistakes) list.append(py::make_tuple(m.file, m.line, m.column, m.key, m.problem));
  return list;
}

template <class... Arguments>
void raise(const char* type, const Arguments&... arguments) {
  const py::object cls = py::module_::import("scree.errors").attr(type);
  const py::object error = cls(arguments...);
  PyErr_SetObject(cls.ptr(), error.ptr());
}

void translate(std::exception_ptr pointer) {
  try {
    if (pointer) std::rethrow_exception(pointer);
  } catch (const SceneError& error) {
    raise("SceneError", std::string(error.what()), mistakes_of(error));
  } catch (const InvalidScene& error) {
    const std::string problem = std::string(error.what()).substr(error.key.size() + 2);
    py::list list;
    list.append(py::make_tuple(py::none(), py::none(), py::none(), error.key, problem));
    raise("SceneError", std::string(error.what()), list);
  } catch (const PhysicsError& error) {
    raise("PhysicsError", std::string(error.what()));
  } catch (const IoError& error) {
    raise("FileError", std::string(error.what()));
  } catch (const WrongMoment& error) {
    raise("WrongMoment", std::string(error.what()));
  }
}

}  // namespace

}  // namespace scree::python

PYBIND11_MODULE(_scree, m) {
  using namespace scree;
  using namespace scree::python;
  py::register_exception_translator(&translate);
  m.attr("version") = version();
  bind_algorithms(m);

  py::class_<Scene>(m, "Scene")
      .def_static(
          "read",
          [](const std::string& path, const Settings& settings) {
            const py::gil_scoped_release release;
            return read_scene(path, {}, settings);
          },
          "path"_a, "settings"_a = Settings{})
      .def_static(
          "parse",
          [](const std::string& text, const std::string& name, const Settings& settings) {
            return parse_scene(text, name, {}, settings);
          },
          "text"_a, "name"_a, "settings"_a = Settings{})
      .def_static("parse_saved",
                  [](const std::string& text, const std::string& name) { return parse_saved_scene(text, name); })
      .def("to_yaml", [](const Scene& scene) { return to_yaml(scene); })
      .def("to_values", [](const Scene& scene) { return values_of(to_yaml(scene)); })
      .def("hash", [](const Scene& scene) { return scene_hash(scene); })
      .def_readonly("title", &Scene::title)
      .def_readonly("end", &Scene::end)
      .def("sides",
           [](const Scene& s) {
             return std::array{s.domain.lo.x(), s.domain.hi.x(), s.domain.lo.y(), s.domain.hi.y()};
           })
      .def_property_readonly("mode", [](const Scene& scene) { return name_of(scene.mode); })
      .def("__eq__", [](const Scene& a, const Scene& b) { return a == b; });
  m.def("place_of", [](const std::string& key, const std::string& problem, const std::string& file) {
    throw with_place(InvalidScene(key, problem), file);
  });

  using Sides = std::optional<std::array<double, 4>>;
  py::class_<Frozen>(m, "Frozen")
      .def("time", [](const Frozen& f) { return f.state->time; })
      .def("particles",
           [](const Frozen& f, const std::string& name) { return particle_column(f.state->particles, name); })
      .def("walls", [](const Frozen& f, const std::string& name) { return wall_column(f.state->walls, name); })
      .def("contacts", [](const Frozen& f, const std::string& name) { return contact_column(f.state->contacts, name); })
      .def("texture", [](const Frozen& f, const Sides& s) { return texture(*f.state, f.region(s), f.domain); })
      .def("forces", [](const Frozen& f, const Sides& s, double bin,
                        int bins) { return forces(*f.state, f.region(s), f.domain, bin, bins); })
      .def("pair_orientation",
           [](const Frozen& f, const Sides& s, double to, int bins, int symmetry) {
             return pair_orientation(*f.state, f.region(s), f.domain, {to, bins, symmetry});
           })
      .def("grain_stress", [](const Frozen& f) { return stress_of_grains(*f.state); })
      .def("field_sums", [](const Frozen& f, const Sides& s, const std::string& kernel, double width, double spacing) {
        return coarse_fields(f.region(s), f.domain, kernel, width, spacing);
      });
  py::class_<CoarseFields>(m, "FieldSums")
      .def("add",
           [](CoarseFields& fields, const Frozen& f) {
             const py::gil_scoped_release release;
             fields.add(*f.state);
           })
      .def("states", &CoarseFields::states)
      .def("mean", [](const CoarseFields& fields) { return dict_of(fields.grid(), fields.mean()); });
  m.def("write_file", [](const std::string& path, const std::string& text) { write_file_atomically(path, text); });
  m.def("list_images", [](const std::string& directory) { return list_images(directory); });
  m.def("read_image", [](const std::string& path) {
    const FieldImage image = read_image(path);
    py::dict fields = dict_of(image.grid, image.mean);
    fields["time"] = image.time;
    fields["states"] = image.states;
    return fields;
  });
  m.def("list_frames", [](const std::string& directory) {
    std::vector<std::pair<double, std::size_t>> list;
    for (const WrittenFrame& frame : list_frames(directory)) list.emplace_back(frame.time, frame.number);
    return list;
  });
  m.def("read_frame", [](const std::string& directory, double time, std::size_t number, const Scene& scene) {
    const py::gil_scoped_release release;
    State state = read_frame(directory, {time, number}, scene);
    move_into_rectangle(state, centre_of(scene.domain));  // as in a simulation
    return Frozen{std::make_shared<const State>(std::move(state)), scene.domain};
  });

  py::class_<Handle>(m, "Engine")
      .def(py::init(&make))
      .def_static("load",
                  [](const std::string& path, int threads) {
                    const py::gil_scoped_release release;
                    return Handle{Engine::load(path, threads)};
                  })
      .def("save",
           [](Handle& handle, const std::string& path) {
             const Busy busy(handle);
             const py::gil_scoped_release release;
             handle.engine->save(path);
           })
      .def("advance", &advance)
      .def("set_velocities", &set_velocities)
      .def("take_collisions", &take_collisions)
      .def("set_wall_velocity",
           [](Handle& handle, const std::string& name, double x, double y) {
             Engine& engine = handle.idle();
             if (!std::isfinite(x) || !std::isfinite(y)) refuse("velocity: must be finite [m/s]");
             engine.replace_scene(engine.with_wall_velocity(name, {x, y}));
           })
      .def("replace_scene", [](Handle& handle, const Scene& scene) { handle.idle().replace_scene(scene); })
      .def("edits", [](const Handle& handle) { return handle.idle().edits; })
      .def("set_edits", [](Handle& handle, const std::string& edits) { handle.idle().edits = edits; })
      .def("write",
           [](Handle& handle, const std::string& directory) {
             const Busy busy(handle);
             const py::gil_scoped_release release;
             handle.engine->write(directory);
           })
      .def("warnings", [](const Handle& handle) { return handle.idle().warnings(); })
      .def("check_all", [](Handle& handle) { handle.idle().check_all(); })
      .def("has_reached", [](const Handle& handle, double t) { return handle.idle().has_reached(t); })
      .def("is_over", [](const Handle& handle) { return handle.idle().is_over(); })
      .def("scene", [](const Handle& handle) { return handle.engine->scene(); })
      .def("time", [](const Handle& handle) { return handle.idle().time(); })
      .def("count", [](const Handle& handle) { return handle.idle().particles(); })
      .def("steps", [](const Handle& handle) { return handle.idle().steps(); })
      .def("threads", [](const Handle& handle) { return handle.engine->threads(); })
      .def("dt", [](const Handle& handle) { return handle.idle().dt(); })
      .def("hash", [](const Handle& handle) { return handle.idle().hash(); })
      .def("broadphase", [](const Handle& handle) { return handle.idle().broadphase(); })
      .def("summary", &summary)
      .def("particles", &particles)
      .def("frozen",
           [](const Handle& handle) {
             return Frozen{handle.idle().state(), handle.engine->scene().domain};
           })
      .def("walls", [](const Handle& handle,
                       const std::string& name) { return wall_column(handle.idle().state()->walls, name); })
      .def("contacts", [](const Handle& handle, const std::string& name) {
        return contact_column(handle.idle().state()->contacts, name);
      });
}
