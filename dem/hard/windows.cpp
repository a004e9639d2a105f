#include "dem/hard/windows.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <optional>

namespace scree::hard {

namespace {

constexpr double kContactSlack = 1.0 / 1024.0;  // of a distance: more than rounding
constexpr double kLeastStrip = 4.0;             // halos: with them, a tile simulates half as much again
constexpr std::uint64_t kAtOnce = 1;            // tiles that a thread takes

double greatest_diameter(const Disks& disks) {
  double radius = 0.0;
  for (const FlyingDisk& disk : disks.all()) radius = std::max(radius, disk.flight.radius);
  return 2.0 * radius;
}

/// A guess for the first window: disks fly a quarter of the greatest diameter [s].
double first_width(const Simulation& whole) {
  const Disks& disks = whole.disks();
  double squares = 0.0;
  for (const FlyingDisk& disk : disks.all()) squares += disk.flight.velocity.squaredNorm();
  const double path = 0.25 * greatest_diameter(disks);
  const double speed = std::sqrt(squares / static_cast<double>(disks.size())) +
                       std::sqrt(whole.space().gravity.acceleration.norm() * path);
  return speed > 0.0 ? path / speed : kNever;
}

std::uint64_t events(const Counters& c) {
  return c.collisions + c.wall_hits + c.box_exits + c.advancements;
}

/// Calls act(k) for every k < n, on several threads.
template <class Act>
void for_all(std::size_t n, const Act& act) {
  const auto body = [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) act(k);
  };
  Threads::share(n, kAtOnce, std::cref(body));
}

/// The same, if act(k) is true for all.
template <class Act>
bool all_of(std::size_t n, const Act& act) {
  std::atomic<bool> all = true;
  for_all(n, [&](std::size_t k) {
    if (!act(k)) all.store(false, std::memory_order_relaxed);
  });
  return all;
}

}  // namespace

Windows::Windows(const WindowOptions& options)
    : options_(options), threads_(options.threads), mean_free_times_(options.mean_free_times) {}

void Windows::advance_to(Simulation& whole, double time, std::uint64_t at_most) {
  if (threads_.count() == 1 || !whole.can_be_divided() || (whole.has_boxes() && whole.has_reached(time))) {
    division_.reset();
    return whole.advance_to(time, at_most);
  }
  threads_.run([&] {
    const std::uint64_t begin = events(whole.counters());
    for (;;) {
      const std::uint64_t so_far = events(whole.counters()) - begin;
      if (whole.has_reached(time) || so_far >= at_most) return;
      if (!is_divided(whole) && !divide(whole, options_.halo)) return whole.advance_to(time, at_most - so_far);
      advance_by_a_window(whole, time);
    }
  });
}

void Windows::advance_by_a_window(Simulation& whole, double time) {
  if (width_ == 0.0) width_ = first_width(whole);
  const double from = whole.time();
  const double until = std::min(time, from + width_);
  for (double halo = division_->halo; halo <= 2.0 * options_.halo; halo *= 2.0) {
    if (!is_divided(whole) && !divide(whole, halo)) break;
    if (run_tiles(whole, until)) {
      const std::uint64_t before = events(whole.counters());
      const std::span<const Change* const> changes = merge();
      if (!whole.repeat(changes, until)) division_.reset();
      choose_width(whole.time() - from, events(whole.counters()) - before, whole.particles());
      ++counts_.windows;
      return;
    }
    division_.reset();
    ++counts_.repeated;
    mean_free_times_ = std::max(0.7 * mean_free_times_, options_.mean_free_times / 16.0);
  }
  division_.reset();
  whole.advance_to(until);
  ++counts_.serial;
}

/// Until the clock is rebased, or tiles disagree. @param halo in greatest diameters @return false if the domain is too
/// small
bool Windows::divide(Simulation& whole, double halo) {
  division_.reset();
  const double width = halo * greatest_diameter(whole.disks());
  const auto threads = static_cast<std::size_t>(threads_.count());
  Strips strips(whole.disks(), whole.space(), whole.now(), threads, kLeastStrip * width);
  if (strips.count() < 2) return false;
  division_.reset(new Division{halo, std::move(strips), Owners(whole.disks().size()), {}});
  for (Index i = 0; i < whole.disks().size(); ++i) {
    const double x = division_->strips.coordinate(whole.disks(), i, whole.space(), whole.now());
    division_->owners[i] = static_cast<std::uint32_t>(division_->strips.at(x));
  }
  std::vector<std::optional<Tile>> tiles(division_->strips.count());
  for_all(tiles.size(),
          [&](std::size_t k) { tiles[k].emplace(whole, division_->strips, k, width, division_->owners); });
  for (auto& tile : tiles) division_->tiles.push_back(std::move(*tile));
  whole.give_up_boxes();
  return true;
}

/// @return whether they agree
bool Windows::run_tiles(const Simulation& whole, double until) {
  std::vector<Tile>& tiles = division_->tiles;
  Owners& owners = division_->owners;
  const double contact = (1.0 + kContactSlack) * greatest_diameter(whole.disks());
  for_all(tiles.size(), [&](std::size_t k) { tiles[k].hand_over(whole, tiles, owners); });
  return all_of(tiles.size(), [&](std::size_t k) { return tiles[k].run(whole, owners, until); }) &&
         all_of(tiles.size(), [&](std::size_t k) { return tiles[k].agrees(tiles, owners, contact); });
}

/// The changes of all tiles in the order of the serial run: what comes next in one of them, and is the least of all.
std::span<const Change* const> Windows::merge() {
  struct Head {
    const Tile* tile;
    std::size_t next;
    const Change& change() const { return tile->change(next); }
  };
  std::vector<Head> heads;
  for (const Tile& tile : division_->tiles) {
    if (tile.count() > 0) heads.push_back({&tile, 0});
  }
  const auto is_before = [](const Head& a, const Head& b) { return a.change().event < b.change().event; };
  merged_.clear();
  while (!heads.empty()) {
    const auto least = std::min_element(heads.begin(), heads.end(), is_before);
    merged_.push_back(&least->change());
    if (++least->next == least->tile->count()) heads.erase(least);
  }
  return merged_;
}

/// For the next window: so long that each disk collides as often as it is to, by the rate in this one.
void Windows::choose_width(double duration, std::uint64_t changes, std::uint64_t disks) {
  mean_free_times_ = std::min(1.05 * mean_free_times_, options_.mean_free_times);
  const double wanted = 0.5 * mean_free_times_ * static_cast<double>(disks);
  if (duration < 0.25 * width_) return;  // too short to tell
  const double by_rate = duration * wanted / std::max(static_cast<double>(changes), 0.5);
  width_ = std::clamp(by_rate, 0.5 * width_, 2.0 * width_);
}

}  // namespace scree::hard
