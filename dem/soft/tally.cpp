#include "dem/soft/tally.hpp"

#include <utility>

namespace scree::soft {

namespace {

template <class T>
void append(std::vector<T>& all, std::vector<T>&& more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

Tally& Tally::operator+=(Tally&& other) {
  alarm |= other.alarm;
  some_leave |= other.some_leave;
  some_outran |= other.some_outran;
  has_images |= other.has_images;
  chord_jumps += other.chord_jumps;
  append(ended_with_pairs, std::move(other.ended_with_pairs));
  append(ended_depths, std::move(other.ended_depths));
  power.add(other.power);
  append(transfers, std::move(other.transfers));
  append(images, std::move(other.images));
  gain.add(other.gain);
  damping.add(other.damping);
  kinetic.add(other.kinetic);
  cell.add(other.cell);
  step.add(other.step);
  energies.add(other.energies);
  unbalanced.add(other.unbalanced);
  return *this;
}

}  // namespace scree::soft
