#include "dem/hard/flight/compression.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "dem/errors.hpp"
#include "tests/hard/rooms.hpp"

namespace scree::compression_test {

using namespace scree::hard;

namespace {

/// Two disks of 0.785 m^2 in 100 m^2, with a translational energy of 1 J, that grow from half their size.
struct Growing {
  explicit Growing(const GrowthSpec& spec)
      : setup(test::disks_in_box({{3.0, 5.0}, {7.0, 5.0}}, {{1.0, 0.0}, {-1.0, 0.0}})),
        space(setup.domain, false, Vec2::Zero()),
        disks(setup, space),
        compression(spec, {}, setup.domain, disks) {}

  Setup setup;
  Space space;
  Disks disks;
  Compression compression;
};

GrowthSpec spec(double packing_fraction = 1.0) {
  return {.rate = 0.25, .from = 0.5, .packing_fraction = packing_fraction, .pressure = 100.0, .rescaling = 20.0};
}

}  // namespace

TEST_CASE("disks grow in proportion to their sizes, linearly in time") {
  Growing growing(spec());
  CHECK(growing.compression.grows());
  CHECK(growing.compression.radius(growing.disks, 0, 0.0) == 0.25);
  CHECK(growing.compression.radius(growing.disks, 0, 2.0) == 0.5);
  growing.compression.rebase(2.0);
  CHECK(growing.compression.radius(growing.disks, 0, 0.0) == 0.5);
}

TEST_CASE("disks are as large as their boxes or as they should be, whichever comes first") {
  const Growing growing(spec(0.0785398163397448309616 * 0.8));  // twice as large as at the start: 4 s
  const double at_start = packing_fraction(growing.disks, growing.compression, growing.setup.domain, 0.0);
  CHECK(std::abs(at_start - 0.00392699081698724) < 1e-16);
  const double goal = 0.5 * std::sqrt(0.8 * 0.0785398163397448 / 0.00392699081698724);
  CHECK(growing.compression.due(0.75) == 1.0);
  CHECK(growing.compression.outgrows_boxes_first(0.75));
  CHECK(std::abs(growing.compression.due(3.0) - (goal - 0.5) / 0.25) < 1e-13);
  CHECK_FALSE(growing.compression.outgrows_boxes_first(3.0));
}

TEST_CASE("grains of a type with a share of the rate grow by that share, and the goal counts it") {
  Growing growing(spec(0.06));
  growing.setup.type = {0, 1};
  const Disks disks(growing.setup, growing.space);
  const std::vector<double> shares{1.0, 0.2};
  const Compression compression(spec(0.06), shares, growing.setup.domain, disks);
  CHECK(compression.radius(disks, 0, 0.0) == 0.25);
  CHECK(compression.radius(disks, 1, 0.0) == 0.25);
  CHECK(compression.radius(disks, 0, 2.0) == 0.5);
  CHECK(std::abs(compression.radius(disks, 1, 2.0) - 0.3) < 1e-15);
  const double goal = compression.due(1e9);
  CHECK(std::abs(packing_fraction(disks, compression, growing.setup.domain, goal) - 0.06) < 1e-15);
}

TEST_CASE("beyond a pressure the rate falls in inverse proportion to it, down to the least") {
  GrowthSpec slowing = spec();
  slowing.pressure = 1e6;
  slowing.slow_beyond = 10.0;
  slowing.least_rate = 0.001;
  CHECK(slowing.rate_at(0.0) == 0.25);
  CHECK(slowing.rate_at(10.0) == 0.25);
  CHECK(slowing.rate_at(100.0) == 0.025);
  CHECK(slowing.rate_at(1e5) == 0.001);
  Growing growing(slowing);
  growing.compression.count(120.0);
  growing.compression.measure(1.0, 1.0);
  CHECK(growing.compression.growth().rate == slowing.rate_at(growing.compression.reduced_pressure()));
  CHECK(growing.compression.growth().rate < 0.1);
  growing.compression.measure(1.0, 1.0);  // nothing collided: the pressure is that of an ideal gas
  CHECK(growing.compression.growth().rate == 0.25);
}

TEST_CASE("disks that do not grow are never due") {
  const Growing constant(GrowthSpec{});
  CHECK_FALSE(constant.compression.grows());
  CHECK_FALSE(constant.compression.has_grown());
  CHECK(constant.compression.due(1.0) == kNever);
}

TEST_CASE("the pressure is that of the virial theorem, and velocities get the energy of the start") {
  Growing growing(spec());
  growing.compression.count(3.0);
  growing.compression.count(1.0);
  // kT of two disks, in two dimensions: the translational energy over their number, 0.5 J before and 1 J now
  CHECK(growing.compression.measure(2.0, /*energy=*/2.0) == 1.0);
  CHECK(std::abs(growing.compression.reduced_pressure() - (1.0 + 4.0 / (2.0 * 2.0 * 2.0 * 0.75))) < 1e-15);
  CHECK(growing.compression.grows());
  CHECK(growing.compression.virial() == 0.0);
}

TEST_CASE("at the pressure that ends growth disks have jammed, keep their size and stop") {
  Growing growing(spec());
  growing.compression.rebase(1.0);
  growing.compression.count(1e4);
  CHECK(growing.compression.measure(1.0, 1.0) == 0.0);
  CHECK(growing.compression.has_jammed());
  CHECK(growing.compression.has_grown());
  CHECK(growing.compression.growth().rate == 0.0);
  CHECK(growing.compression.growth().scale == 0.75);
}

TEST_CASE("at the packing fraction that ends growth disks go on to fly, not jammed") {
  Growing growing(spec(4.0 * 0.00392699081698724));
  CHECK(growing.compression.reach_goal() == 1.0);
  CHECK_FALSE(growing.compression.grows());
  CHECK_FALSE(growing.compression.has_jammed());
  const double reached = packing_fraction(growing.disks, growing.compression, growing.setup.domain, 0.0);
  CHECK(std::abs(reached - 4.0 * 0.00392699081698724) < 1e-16);
}

TEST_CASE("velocities are rescaled after so many collisions a disk, but not all the time") {
  const Growing growing(spec());
  CHECK(growing.compression.changes_until_rescaling(1000) == 10000);
  CHECK(growing.compression.changes_until_rescaling(2) == 100);
}

TEST_CASE("a packing fraction that is reached at the start is refused") {
  CHECK_THROWS_WITH_AS(Growing(spec(0.0039)), doctest::Contains("growth.packing_fraction"), InvalidScene);
  CHECK_NOTHROW(Growing(spec(0.0040)));
}

}  // namespace scree::compression_test
