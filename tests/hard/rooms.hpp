#pragma once

#include <utility>
#include <vector>

#include "broadphase/all_pairs.hpp"
#include "dem/hard/boxes/box_margin.hpp"
#include "dem/hard/boxes/neighbourhood.hpp"
#include "dem/hard/disk/handlers.hpp"
#include "dem/hard/disk/predictor.hpp"
#include "dem/hard/view.hpp"

namespace scree::test {

/// Disks of radius 0.5 m and mass 1 kg in a box of 10 m by 10 m.
inline hard::Setup disks_in_box(std::vector<Vec2> position, std::vector<Vec2> velocity) {
  hard::Setup setup;
  setup.domain = {{0.0, 0.0}, {10.0, 10.0}};
  setup.radius.assign(position.size(), 0.5);
  setup.mass.assign(position.size(), 1.0);
  setup.position = std::move(position);
  setup.velocity = std::move(velocity);
  return setup;
}

/// The rooms of a simulation of the hard mode without its event loop, when the clock shows 0. No disk has an event.
struct Rooms {
  explicit Rooms(const hard::Setup& setup)
      : space(setup.domain, setup.open, setup.gravity),
        rules(setup),
        walls(setup.walls, setup.domain),
        disks(setup, space),
        wells{setup.well, {}},
        compression(setup.growth, setup.growth_share, setup.domain, disks),
        neighbourhood(setup.domain, hard::first_margin(setup)),
        events(disks.size(), hard::QueuedEvent{hard::Event::advancement(hard::kNever, 0)}) {
    std::vector<Vec2> centres;
    std::vector<double> radii;
    const double reach = compression.growth().scale * setup.well.range;
    for (hard::Index i = 0; i < disks.size(); ++i) {
      centres.push_back(disks.place_box(i, 0.0, space));
      radii.push_back(reach * disks.flight(i).radius);
    }
    wells.pairs.assign(disks.size(), {});
    neighbourhood.assign(centres, radii);
    walls.start(Clock(), 0.0, 4.0 * neighbourhood.boxes().margin(), disks.size());
    for (hard::Index i = 0; i < disks.size(); ++i) walls.find(i, neighbourhood.boxes().box(centres[i], radii[i]));
  }
  Rooms(const Rooms&) = delete;  // predictor, handlers and view refer to it
  Rooms& operator=(const Rooms&) = delete;

  hard::Predictor predictor() const { return {space, disks, neighbourhood.boxes(), walls, wells, compression, events}; }
  hard::Handlers handlers() { return {space, rules, walls, compression, disks, wells}; }
  hard::View view(double now = 0.0) const {
    return {space, disks, neighbourhood.boxes(), walls, wells, compression, now, now};
  }

  void give(hard::Index i, const hard::Event& event) {
    events[i].event = event;
    disks.set_event_time(i, event.time);
  }

  hard::Space space;
  hard::RuleTable rules;
  hard::Walls walls;
  hard::Disks disks;
  hard::Wells wells;
  hard::Compression compression;
  hard::Neighbourhood<AllPairs<2>> neighbourhood;
  std::vector<hard::QueuedEvent> events;
};

}  // namespace scree::test
