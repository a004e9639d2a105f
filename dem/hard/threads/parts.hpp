#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "dem/hard/events/change.hpp"
#include "dem/hard/events/part.hpp"
#include "dem/hard/world.hpp"

/// A world in parts (windows.hpp): the whole keeps its disks, the parts have boxes and events.
namespace scree::hard {

/// Empty if what happens is of one disk or two near each other, and none comes or goes; else what does not let that be.
std::string why_undivided(const DiskWorld& whole);

/// These disks alone, in this order; it goes on from now and keeps all changes. It never rebases its clock.
/// @param inner disks whose boxes are there need not be watched [m]
DiskWorld part_of(const DiskWorld& whole, std::span<const Index> members, int axis, const Stretch& inner);

// The whole.

/// What has happened in parts until `time` happens here. @param changes in order
/// @return false if the clock was rebased on the way: then nothing that comes later has happened
bool repeat(DiskWorld& whole, std::span<const KeptChange> changes, double time);
/// Takes over parts, if the clock need not be rebased and nothing is measured: after their disks were taken in.
/// @param counters of what happened @param haste of its disks @param losses all changes in order, if any of them lost
/// or gained energy
void take_over(DiskWorld& whole, const Counters& counters, const Rebasing::Haste& haste,
               std::span<const KeptChange> losses, double time);

// A part.

/// Disk i is not there any more.
void leave_out(DiskWorld& part, Index i);
/// Disk i is now as disk `there` of the whole is.
void take_in(DiskWorld& part, Index i, const Disks& whole, Index there);
/// Goes on from where the whole is, at an earlier time. Takes O(1) for each disk that is undone, or has moved its box.
/// @param members by disk: its place there @param undone disks that changed since
void resume(DiskWorld& part, const DiskWorld& whole, std::span<const Index> members, std::span<const Index> undone);

}  // namespace scree::hard
