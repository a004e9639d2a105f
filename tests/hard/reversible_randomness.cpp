// The rows of the paper's Table I: Marsaglia's Diehard tests of the angles after collisions, of procedures 5 and 6. The
// long runs by dieharder are those of `./dev validate reversible`; here are the definitions, with fewer numbers.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "dem/hard/reversible/sequences.hpp"

namespace scree::reversible_randomness_test {

using namespace scree::hard::reversible;
using scree::Vec2;

namespace {

using std::numbers::pi;
using Source = std::function<double()>;  ///< of numbers in [0, 1)

/// Offsets from a sixtieth of the range only: an angle then tells much of the next one, as each test must notice.
class PartOfStream {
 public:
  explicit PartOfStream(std::uint64_t seed) : whole_(seed) {}
  double next() { return whole_.next() / 60.0; }
  double previous() { return whole_.previous() / 60.0; }

 private:
  PhiloxStream whole_;
};

double inside(double x) {
  return std::clamp(x, 0.0, 1.0 - 0x1p-53);
}

/// The paper's section 5.2: the angle after a collision as a number in [0, 1).
template <class Stream>
Source two_in_plane(std::uint64_t seed) {
  return [pair = Procedure5({Vec2(-1.0, 0.3), Vec2(0.6, 0.5)}, Vec2(1.0, 0.0), Stream(seed))]() mutable {
    return inside((pair.forward().after + 0.5 * pi) / pi);
  };
}

template <class Stream>
Source three_on_line(std::uint64_t seed) {
  return [line = Procedure6({1.5, 0.4, -0.7}, Stream(seed))]() mutable {
    return inside((line.forward().after + 5.0 * pi / 6.0) / (pi / 3.0));
  };
}

// --- p-values

double of_normal(double deviations) {
  return 0.5 * std::erfc(-deviations / std::numbers::sqrt2);
}

/// By Wilson & Hilferty, good to 1e-3 for more than 5 degrees of freedom.
double of_chi_squared(double sum, double degrees) {
  const double spread = 2.0 / (9.0 * degrees);
  return of_normal((std::cbrt(sum / degrees) - (1.0 - spread)) / std::sqrt(spread));
}

/// Of counts beside what is expected.
double of_counts(const std::vector<double>& counts, const std::vector<double>& expected) {
  double sum = 0.0;
  for (std::size_t k = 0; k < counts.size(); ++k)
    sum += (counts[k] - expected[k]) * (counts[k] - expected[k]) / expected[k];
  return of_chi_squared(sum, static_cast<double>(counts.size()) - 1.0);
}

/// A test makes p-values, which are uniform in [0, 1] if the numbers are random. With these seeds none is extreme.
void check_row(const std::function<std::vector<double>(const Source&)>& test, const std::vector<std::string>& rows) {
  constexpr double kExtreme = 1e-4;
  const std::array named = {std::pair{std::string("2-dimension, 2-particle"), two_in_plane<PhiloxStream>(101)},
                            std::pair{std::string("1-dimension, 3-particle"), three_on_line<PhiloxStream>(102)}};
  for (const auto& system : named) {
    CAPTURE(system.first);
    const std::vector<double> found = test(system.second);
    REQUIRE(found.size() == rows.size());
    for (std::size_t k = 0; k < rows.size(); ++k) {
      CAPTURE(rows[k]);
      CAPTURE(found[k]);
      CHECK(found[k] > kExtreme);
      CHECK(found[k] < 1.0 - kExtreme);
    }
  }
  // Angles that are not random are found out, by each row.
  for (const Source& source : {two_in_plane<PartOfStream>(103), three_on_line<PartOfStream>(104)}) {
    const std::vector<double> found = test(source);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      CAPTURE(rows[k]);
      CAPTURE(found[k]);
      CHECK(std::min(found[k], 1.0 - found[k]) < kExtreme);
    }
  }
}

// --- tests

std::vector<double> craps(const Source& next) {
  constexpr int kGames = 50000;
  constexpr std::size_t kLongest = 21;  // throws: this many, or more
  const auto die = [&] { return 1 + static_cast<int>(6.0 * next()); };
  double wins = 0.0;
  std::vector<double> lengths(kLongest, 0.0);
  for (int game = 0; game < kGames; ++game) {
    const int first = die() + die();
    std::size_t throws = 1;
    bool won = first == 7 || first == 11;
    if (!won && first != 2 && first != 3 && first != 12) {
      for (int sum = 0; sum != 7 && !won;) {
        sum = die() + die();
        ++throws;
        won = sum == first;
      }
    }
    wins += won ? 1.0 : 0.0;
    lengths[std::min(throws, kLongest) - 1] += 1.0;
  }
  std::vector<double> expected(kLongest, 0.0);
  expected[0] = kGames / 3.0;
  for (const double ways : {3.0, 4.0, 5.0}) {  // of a point in 36; there are two points of each
    const double ends = (ways + 6.0) / 36.0;
    double here = 2.0 * kGames * ways / 36.0;
    for (std::size_t k = 1; k + 1 < kLongest; ++k, here *= 1.0 - ends) expected[k] += here * ends;
    expected[kLongest - 1] += here;
  }
  const double chance = 244.0 / 495.0;
  const double of_wins = of_normal((wins - chance * kGames) / std::sqrt(kGames * chance * (1.0 - chance)));
  const double of_lengths = of_counts(lengths, expected);
  const double larger = std::max(of_wins, of_lengths);
  return {larger * larger, of_wins, of_lengths};
}

/// Knuth's chi-squared of the lengths of runs, with their covariances (The Art of Computer Programming, 3.3.2 G).
double of_runs(const std::vector<double>& sequence, bool up) {
  constexpr double kInverse[6][6] = {
      {4529.4, 9044.9, 13568, 18091, 22615, 27892}, {9044.9, 18097, 27139, 36187, 45234, 55789},
      {13568, 27139, 40721, 54281, 67852, 83685},   {18091, 36187, 54281, 72414, 90470, 111580},
      {22615, 45234, 67852, 90470, 113262, 139476}, {27892, 55789, 83685, 111580, 139476, 172860}};
  constexpr double kShare[6] = {1.0 / 6, 5.0 / 24, 11.0 / 120, 19.0 / 720, 29.0 / 5040, 1.0 / 840};
  const auto n = static_cast<double>(sequence.size());
  std::array<double, 6> excess{};
  std::size_t length = 1;
  for (std::size_t k = 1; k <= sequence.size(); ++k) {
    if (k < sequence.size() && (sequence[k] > sequence[k - 1]) == up) {
      ++length;
    } else {
      excess[std::min<std::size_t>(length, 6) - 1] += 1.0;
      length = 1;
    }
  }
  for (std::size_t k = 0; k < 6; ++k) excess[k] -= n * kShare[k];
  double sum = 0.0;
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) sum += excess[i] * excess[j] * kInverse[i][j] / n;
  }
  return sum;
}

std::vector<double> runs(const Source& next) {
  std::vector<double> found;
  for (int set = 0; set < 2; ++set) {
    double up = 0.0;
    double down = 0.0;
    for (int k = 0; k < 10; ++k) {
      std::vector<double> sequence(10000);
      for (double& number : sequence) number = next();
      up += of_runs(sequence, true);
      down += of_runs(sequence, false);
    }
    found.push_back(of_chi_squared(up, 60.0));
    found.push_back(of_chi_squared(down, 60.0));
  }
  return found;
}

std::vector<double> sums(const Source& next) {
  // Sums of 100 numbers are normal; of their values in units of probability, 20 bins are equally full.
  constexpr int kSums = 10000;
  std::vector<double> counts(20, 0.0);
  for (int k = 0; k < kSums; ++k) {
    double sum = 0.0;
    for (int i = 0; i < 100; ++i) sum += next();
    counts[static_cast<std::size_t>(20.0 * inside(of_normal((sum - 50.0) / std::sqrt(100.0 / 12.0))))] += 1.0;
  }
  return {of_counts(counts, std::vector<double>(20, kSums / 20.0))};
}

std::vector<double> squeeze(const Source& next) {
  // How often 2^31 has to be multiplied by a number, and rounded up, until it is 1: 6 times or fewer, 7, ... 48 or
  // more; of a million, from Marsaglia's program.
  constexpr std::array kExpected = {
      21.03,    57.79,    175.54,   467.32,   1107.83,  2367.84,  4609.44,  8241.16,  13627.81, 20968.49, 30176.12,
      40801.97, 52042.03, 62838.28, 72056.37, 78694.51, 82067.55, 81919.35, 78440.08, 72194.12, 63986.79, 54709.31,
      45198.52, 36136.61, 28000.28, 21055.67, 15386.52, 10940.20, 7577.96,  5119.56,  3377.26,  2177.87,  1374.39,
      849.70,   515.18,   306.66,   179.39,   103.24,   58.51,    32.69,    18.03,    9.82,     11.21};
  REQUIRE(std::abs(std::accumulate(kExpected.begin(), kExpected.end(), 0.0) - 1e6) < 1.0);
  constexpr int kTrials = 20000;
  std::vector<double> counts(kExpected.size(), 0.0);
  for (int trial = 0; trial < kTrials; ++trial) {
    int times = 0;
    for (double k = 0x1p31; k > 1.0 && times < 48; ++times) k = std::max(std::ceil(k * next()), 1.0);
    counts[static_cast<std::size_t>(std::clamp(times, 6, 48) - 6)] += 1.0;
  }
  std::vector<double> pooled = {0.0};
  std::vector<double> expected = {0.0};
  for (std::size_t k = 0; k < counts.size(); ++k) {  // at least 10 in a bin
    if (expected.back() >= 10.0 && k < 35) {
      pooled.push_back(0.0);
      expected.push_back(0.0);
    }
    pooled.back() += counts[k];
    expected.back() += kExpected[k] * kTrials / 1e6;
  }
  return {of_counts(pooled, expected)};
}

/// The square of the least distance of so many points in a cube, or square, with edges of this length.
template <std::size_t Dim>
double least_square_distance(const Source& next, std::size_t count, double edge) {
  std::vector<std::array<double, Dim>> points(count);
  for (auto& point : points) {
    for (double& coordinate : point) coordinate = edge * next();
  }
  std::ranges::sort(points);
  double least = 1e9;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      const double x = points[j][0] - points[i][0];
      if (x * x > least) break;
      double square = x * x;
      for (std::size_t k = 1; k < Dim; ++k) {
        const double along = points[j][k] - points[i][k];
        square += along * along;
      }
      least = std::min(least, square);
    }
  }
  return least;
}

std::vector<double> spheres(const Source& next) {
  // 4000 points in a cube with edges of 1000: the cube of the least distance is exponential, with mean 30.
  constexpr int kCubes = 10;
  double sum = 0.0;
  for (int cube = 0; cube < kCubes; ++cube) {
    sum += std::pow(least_square_distance<3>(next, 4000, 1000.0), 1.5) / 30.0;
  }
  return {of_chi_squared(2.0 * sum, 2.0 * kCubes)};
}

std::vector<double> minimum_distance(const Source& next) {
  // 8000 points in a square with sides of 10000: the square of the least distance is exponential, with mean 0.995.
  constexpr int kSquares = 20;
  double sum = 0.0;
  for (int square = 0; square < kSquares; ++square) {
    sum += least_square_distance<2>(next, 8000, 10000.0) / 0.995;
  }
  return {of_chi_squared(2.0 * sum, 2.0 * kSquares)};
}

std::vector<double> parking_lot(const Source& next) {
  // 12000 attempts to park cars, unit squares, in a square with sides of 100: 3523 +- 21.9 stay.
  constexpr int kLots = 10;
  constexpr std::size_t kSide = 102;
  double deviations = 0.0;
  for (int lot = 0; lot < kLots; ++lot) {
    std::vector<std::vector<Vec2>> cells(kSide * kSide);
    int parked = 0;
    for (int attempt = 0; attempt < 12000; ++attempt) {
      const double x = 100.0 * next();
      const Vec2 car(x, 100.0 * next());
      const std::size_t column = static_cast<std::size_t>(car.x()) + 1;
      const std::size_t row = static_cast<std::size_t>(car.y()) + 1;
      bool crash = false;
      for (std::size_t r = row - 1; r <= row + 1; ++r) {
        for (std::size_t c = column - 1; c <= column + 1; ++c) {
          for (const Vec2& other : cells[r * kSide + c]) {
            crash = crash || (car - other).cwiseAbs().maxCoeff() <= 1.0;
          }
        }
      }
      if (crash) continue;
      cells[row * kSide + column].push_back(car);
      ++parked;
    }
    deviations += (parked - 3523.0) / 21.9;
  }
  return {of_normal(deviations / std::sqrt(static_cast<double>(kLots)))};
}

}  // namespace

TEST_CASE("Table I, craps: games that are won, and throws a game") {
  check_row(craps, {"overall", "wins", "throws a game"});
}

TEST_CASE("Table I, runs: up and down, two sets") {
  check_row(runs, {"set 1, up", "set 1, down", "set 2, up", "set 2, down"});
}

TEST_CASE("Table I, sums of 100 numbers") {
  check_row(sums, {"sums"});
}

TEST_CASE("Table I, squeeze") {
  check_row(squeeze, {"squeeze"});
}

TEST_CASE("Table I, 3-d spheres") {
  check_row(spheres, {"3-d spheres"});
}

TEST_CASE("Table I, minimum distance") {
  check_row(minimum_distance, {"minimum distance"});
}

TEST_CASE("Table I, parking lot") {
  check_row(parking_lot, {"parking lot"});
}

}  // namespace scree::reversible_randomness_test
