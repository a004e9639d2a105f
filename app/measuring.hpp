#pragma once

#include <filesystem>
#include <limits>
#include <optional>
#include <sstream>
#include <string>

#include "dem/archive.hpp"
#include "dem/measure/measurements.hpp"
#include "dem/scene.hpp"
#include "dem/simulation.hpp"
#include "io/tables/measure_tables.hpp"

namespace scree::app {

/// The measurements of a run and their tables; nothing if the scene does not measure.
class Measuring {
 public:
  /// @param saved what save() returned, of the state that a resumed run goes on from; empty: nothing was measured yet
  /// @param from what was written up to that state
  Measuring(const Scene& scene, std::filesystem::path directory, const std::string& saved, const Written& from)
      : directory_(std::move(directory)) {
    if (!scene.measure) return;
    measurements_.emplace(scene);
    tables_.emplace(directory_, scene, from);
    if (saved.empty()) return;
    std::istringstream in(saved);
    InArchive archive(in);
    Measurements::visit(archive, *measurements_);
  }

  /// @param transfers of the simulation that was saved with it @throws InvalidState if that is not what save() returns
  static void require_sound(const Scene& scene, const std::string& saved, const Transfers& transfers) {
    if (saved.empty()) return;  // nothing was measured yet
    std::istringstream in(saved);
    if (scene.measure) {
      Measurements measurements(scene);
      InArchive archive(in);
      Measurements::visit(archive, measurements);
      measurements.require_sound(transfers);
    }
    require_state(in.peek() == std::istringstream::traits_type::eof(), "more measurements than the scene has");
  }

  /// When the next sample is due [s].
  double next() const { return measurements_ ? measurements_->next() : std::numeric_limits<double>::infinity(); }

  template <AnySimulation S>
  void take(const S& simulation) {
    if (const auto sample = measurements_->take(simulation.state(), simulation.transfers())) tables_->add(*sample);
  }

  std::string save() const {
    std::ostringstream out;
    OutArchive archive(out);
    if (measurements_) Measurements::visit(archive, *measurements_);
    return std::move(out).str();
  }

  void sync() {
    if (tables_) tables_->sync();
  }

  void add_to(Written& written) const {
    if (tables_) tables_->add_to(written);
  }

  void write_averages() const {
    if (measurements_) scree::write_averages(directory_, *measurements_);
  }

 private:
  std::filesystem::path directory_;
  std::optional<Measurements> measurements_;
  std::optional<SampleTables> tables_;
};

}  // namespace scree::app
