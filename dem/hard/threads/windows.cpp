#include "dem/hard/threads/windows.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "dem/errors.hpp"
#include "dem/hard/event_loop.hpp"
#include "dem/hard/placing.hpp"
#include "dem/hard/threads/parts.hpp"

namespace scree::hard {

namespace {

constexpr double kContactSlack = 1.0 / 1024.0;  // of a distance: more than rounding
constexpr double kLeastStrip = 4.0;             // halos
constexpr double kBorder = 0.5;                 // halos
constexpr double kLittle = 0.25;                // of a window: if less is left of it there is something wrong with it
constexpr double kShorter = 0.9;                // windows, after one that was cut
constexpr double kLonger = 1.03;                // after one that was not: so about one in five is cut
constexpr int kMostFailures = 4;                // one after the other
constexpr double kSerial = 8.0;                 // windows, as long as they were before
constexpr std::uint64_t kAtOnce = 1;            // tiles that a thread takes

double greatest_diameter(const Disks& disks) {
  double radius = 0.0;
  for (const FlyingDisk& disk : disks.all()) radius = std::max(radius, disk.flight.radius);
  return 2.0 * radius;
}

/// A guess for the first window: disks fly a sixteenth of the greatest diameter [s].
double first_width(const DiskWorld& whole) {
  const Disks& disks = whole.disks;
  double squares = 0.0;
  for (const FlyingDisk& disk : disks.all()) squares += disk.flight.velocity.squaredNorm();
  const double path = greatest_diameter(disks) / 16.0;
  const double speed = std::sqrt(squares / static_cast<double>(disks.size())) +
                       std::sqrt(whole.space.gravity.acceleration.norm() * path);
  return speed > 0.0 ? path / speed : kNever;
}

std::uint64_t events(const Counters& c) {
  return c.collisions + c.wall_hits + c.box_exits + c.advancements;
}

/// A time before `until` that the clock shows not after that moment, however times are rounded: what comes next must
/// not lie in the past, or it would not come in its order.
double last_before(double moment, double until, const Clock& clock) {
  const auto before = [](double time) { return std::nextafter(time, -kNever); };
  double time = std::min(clock.epoch() + moment, before(until));
  while (clock.at(time) > moment) time = before(time);
  return time;
}

/// Calls act(k) for every k < n, on several threads.
template <class Act>
void for_all(std::size_t n, const Act& act) {
  const auto body = [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) act(k);
  };
  Threads::share_by_turns(n, kAtOnce, std::cref(body));
}

}  // namespace

Windows::Windows(const WindowOptions& options)
    : options_(options), threads_(options.threads), mean_free_times_(options.mean_free_times) {}

void Windows::advance_to(DiskWorld& whole, double time, std::uint64_t at_most) {
  if (tiles() == 1 || !why_undivided(whole).empty() || (whole.has_boxes() && whole.time >= time)) {
    division_.reset();
    whole.watchdog.aim_at(time);
    return hard::advance(whole, time, at_most);
  }
  whole.watchdog.aim_at(time);
  const auto advance = [&] {
    const std::uint64_t begin = events(whole.counters);
    for (;;) {
      const std::uint64_t so_far = events(whole.counters) - begin;
      if (whole.time >= time || so_far >= at_most) return;
      if (!is_divided(whole) && !divide(whole)) return hard::advance(whole, time, at_most - so_far);
      advance_by_a_window(whole, time);
    }
  };
  try {
    threads_.run(advance);
  } catch (const PhysicsError&) {
    division_.reset();  // the tiles are where the last window ended
    throw;
  }
}

std::string Windows::why_serial(const DiskWorld& whole) const {
  if (tiles() == 1) return "it has one thread";
  std::string why = why_undivided(whole);
  if (why.empty() && strips(whole).count() < 2) {
    why = fmt::format("the half of the domain that has half of its disks is narrower than {:g} of the greatest disk",
                      kLeastStrip * options_.halo);
  }
  return why;
}

TileWidths Windows::widths(const DiskWorld& whole) const {
  const double diameter = greatest_diameter(whole.disks);
  return {.contact = (1.0 + kContactSlack) * diameter,
          .halo = options_.halo * diameter,
          .border = kBorder * options_.halo * diameter};
}

Strips Windows::strips(const DiskWorld& whole) const {
  return {whole.disks, whole.space, whole.now_on_clock(), static_cast<std::size_t>(tiles()),
          kLeastStrip * widths(whole).halo};
}

/// Until the clock is rebased. @return false if the domain is too small
bool Windows::divide(DiskWorld& whole) {
  division_.reset();
  const TileWidths widths = this->widths(whole);
  Strips strips = this->strips(whole);
  if (strips.count() < 2) return false;
  division_.reset(new Division{std::move(strips), Owners(whole.disks.size()), {}});
  for (Index i = 0; i < whole.disks.size(); ++i) {
    const double x = division_->strips.coordinate(whole.disks, i, whole.now_on_clock());
    division_->owners[i] = static_cast<std::uint32_t>(division_->strips.at(x));
  }
  std::vector<std::optional<Tile>> tiles(division_->strips.count());
  for_all(tiles.size(),
          [&](std::size_t k) { tiles[k].emplace(whole, division_->strips, k, widths, division_->owners); });
  for (auto& tile : tiles) division_->tiles.push_back(std::move(*tile));
  give_up_boxes(whole);
  return true;
}

void Windows::advance_by_a_window(DiskWorld& whole, double time) {
  if (width_ == 0.0) width_ = first_width(whole);
  const double from = whole.time;
  const double until = std::min(time, from + width_);
  const std::uint64_t before = events(whole.counters);
  const double agreed = run_tiles(whole, until);
  if (agreed == kNever) {
    if (!take_over(whole, until)) division_.reset();
    ++counts_.windows;
    failures_ = 0;
    mean_free_times_ = std::min(kLonger * mean_free_times_, options_.mean_free_times);
    return choose_width(whole.time - from, events(whole.counters) - before, whole.disks.present());
  }
  const double end = last_before(agreed, until, whole.rebasing.clock());
  std::vector<Tile>& tiles = division_->tiles;
  bool goes_on = end > from;
  if (goes_on) {
    for_all(tiles.size(), [&](std::size_t k) { tiles[k].cut(whole, whole.rebasing.clock().at(end)); });
    goes_on = take_over(whole, end);
  }
  if (goes_on) {
    for_all(tiles.size(), [&](std::size_t k) { tiles[k].resume(whole); });
  } else {
    division_.reset();
  }
  ++counts_.cut_short;
  const double part_done = (whole.time - from) / (until - from);
  mean_free_times_ =
      std::max((part_done < kLittle ? 0.5 : kShorter) * mean_free_times_, options_.mean_free_times / 16.0);
  failures_ = part_done < kLittle ? failures_ + 1 : 0;
  choose_width(whole.time - from, events(whole.counters) - before, whole.disks.present());
  if (failures_ < kMostFailures) return;
  failures_ = 0;
  width_ *= std::ldexp(1.0, kMostFailures);  // as before them
  division_.reset();
  hard::advance(whole, std::min(time, whole.time + kSerial * width_));
  ++counts_.serial;
}

/// @return until when the tiles agree, on the clock [s]
double Windows::run_tiles(const DiskWorld& whole, double until) {
  std::vector<Tile>& tiles = division_->tiles;
  Owners& owners = division_->owners;
  for_all(tiles.size(), [&](std::size_t k) { tiles[k].hand_over(whole, tiles, owners); });
  std::vector<std::uint8_t> has_run(tiles.size());
  for_all(tiles.size(), [&](std::size_t k) { has_run[k] = tiles[k].run(whole, owners, until) ? 1 : 0; });
  if (std::ranges::count(has_run, 0) > 0) return -kNever;
  std::vector<double> agreed(tiles.size());
  for_all(tiles.size(), [&](std::size_t k) { agreed[k] = tiles[k].agrees_until(tiles, owners); });
  return std::ranges::min(agreed);
}

/// What the tiles did until then happens in the whole: all of it at once, or where something is measured, or the clock
/// is to be rebased, one by one. @return false if the clock was rebased on the way: then nothing that comes later has
/// happened
bool Windows::take_over(DiskWorld& whole, double until) {
  const std::vector<Tile>& tiles = division_->tiles;
  const Rebasing& rebasing = whole.rebasing;
  Counters counters;
  Rebasing::Haste haste{.deadline = rebasing.deadline()};
  bool has_losses = false;
  for (const Tile& tile : tiles) {
    counters.collisions += tile.counters().collisions;
    counters.wall_hits += tile.counters().wall_hits;
    haste.include(tile.haste());
    has_losses = has_losses || tile.has_losses();
  }
  const std::uint64_t changes = rebasing.changes() + counters.collisions + counters.wall_hits;
  if (whole.recorder.records() || changes >= rebasing.changes_to_rebase() ||
      haste.deadline <= rebasing.clock().at(until)) {
    return repeat(whole, merge(), until);
  }
  for_all(tiles.size(), [&](std::size_t k) { tiles[k].write_back(whole); });
  hard::take_over(whole, counters, haste, has_losses ? merge() : std::span<const KeptChange>(), until);
  return true;
}

/// The changes of all tiles in the order of the serial run: what comes next in one of them, and is the least of all. In
/// a cluster that collapses several collisions come at one time, each after those of its disks that made it happen.
std::span<const KeptChange> Windows::merge() {
  struct Head {
    const Tile* tile;
    std::size_t next;
    const Change& change() const { return *tile->changes()[next].change; }
    bool is_due(const std::vector<Index>& changed_now) const {
      const auto is_ready = [&](Index i) {
        return static_cast<std::size_t>(std::ranges::count(changed_now, i)) >= tile->changes_at_once_before(next, i);
      };
      return is_ready(change().disk) && (!change().has_partner() || is_ready(change().partner()));
    }
  };
  std::vector<Tile>& tiles = division_->tiles;
  for_all(tiles.size(), [&](std::size_t k) { tiles[k].name_changes(); });
  std::vector<Head> heads;
  for (const Tile& tile : tiles) {
    if (!tile.changes().empty()) heads.push_back({&tile, 0});
  }
  const auto is_before = [](const Head& a, const Head& b) { return a.change().event < b.change().event; };
  merged_.clear();
  std::vector<Index> changed_now;  // disks, once for each change at the time of the last one
  while (!heads.empty()) {
    auto least = std::min_element(heads.begin(), heads.end(), is_before);
    const double time = least->change().event.time;
    if (merged_.empty() || merged_.back().change->event.time != time) changed_now.clear();
    if (!least->is_due(changed_now)) {
      const auto can_come = [&](const Head& head) {
        return head.change().event.time == time && head.is_due(changed_now);
      };
      least = std::ranges::min_element(heads, [&](const Head& a, const Head& b) {
        return can_come(a) == can_come(b) ? is_before(a, b) : can_come(a);
      });
    }
    merged_.push_back(least->tile->changes()[least->next]);
    changed_now.push_back(least->change().disk);
    if (least->change().has_partner()) changed_now.push_back(least->change().partner());
    if (++least->next == least->tile->changes().size()) heads.erase(least);
  }
  return merged_;
}

/// For the next window: so long that each disk collides as often as it is to, by the rate until now.
void Windows::choose_width(double duration, std::uint64_t changes, std::uint64_t disks) {
  if (duration < kLittle * width_) {  // too short for an estimate
    if (failures_ > 0) width_ *= 0.5;
    return;
  }
  const double wanted = 0.5 * mean_free_times_ * static_cast<double>(disks);
  const double by_rate = duration * wanted / std::max(static_cast<double>(changes), 0.5);
  width_ = std::clamp(by_rate, 0.5 * width_, 2.0 * width_);
}

}  // namespace scree::hard
