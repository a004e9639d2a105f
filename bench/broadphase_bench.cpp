#include "broadphase_bench.hpp"

#include <array>
#include <cstdio>
#include <ctime>
#include <numeric>
#include <stdexcept>

namespace scree::bench {

std::uint64_t PairDigest::scrambled(Pair pair) {  // Steele, Lea & Flood, Fast splittable random numbers, OOPSLA 2014
  std::uint64_t x = (static_cast<std::uint64_t>(pair.a) << 32 | pair.b) + 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

PairDigest exact_digest(std::vector<Pair> candidates, const std::vector<Aabb2>& boxes) {
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  PairDigest digest;
  for (const Pair& pair : candidates) {
    if (boxes[pair.a].overlaps(boxes[pair.b])) digest.add(pair);
  }
  return digest;
}

template <int Dim>
PairDigest true_digest(const std::vector<Aabb<Dim>>& boxes) {
  if (boxes.size() <= kFew) return Tracked<AllPairs<Dim>, Dim>(boxes).digest;
  return Tracked<SortAndUpdate<Dim>, Dim>(boxes).digest;
}

std::vector<double> medians(const std::vector<Contender>& contenders, const Options& options) {
  constexpr int kRounds = 7;
  constexpr double kEnough = 3e9;  // nanoseconds for all rounds of all contenders
  const double begin = nanoseconds();
  std::vector<std::vector<double>> costs(contenders.size());
  for (int round = 0; round < (options.quick ? 1 : kRounds); ++round) {
    for (std::size_t i = 0; i < contenders.size(); ++i) costs[i].push_back(contenders[i].round());
    if (nanoseconds() - begin > kEnough) break;
  }
  std::vector<double> result;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    const auto middle = costs[i].begin() + static_cast<std::ptrdiff_t>(costs[i].size() / 2);
    std::nth_element(costs[i].begin(), middle, costs[i].end());
    result.push_back(*middle);
    const PairDigest found = contenders[i].pairs();
    const PairDigest expected = contenders[i].expected();
    if (found != expected) {
      throw std::runtime_error(contenders[i].name + " has found " + std::to_string(found.count()) +
                               " pairs; there are " + std::to_string(expected.count()));
    }
  }
  return result;
}

Table::Table(std::string title, std::vector<std::string> columns)
    : title_(std::move(title)), columns_(std::move(columns)) {}

void Table::set(const std::string& row, std::size_t column, const std::string& cell) {
  auto found = std::find_if(rows_.begin(), rows_.end(), [&](const Row& other) { return other.name == row; });
  if (found == rows_.end()) {
    rows_.push_back({row, std::vector<std::string>(columns_.size(), "-")});
    found = rows_.end() - 1;
  }
  found->cells.at(column) = cell;
}

void Table::set(const std::vector<Contender>& contenders, std::size_t column, const std::vector<double>& values) {
  for (std::size_t i = 0; i < contenders.size(); ++i) set(contenders[i].name, column, number(values[i]));
}

void Table::print() const {
  std::size_t names = 0;
  for (const Row& row : rows_) names = std::max(names, row.name.size());
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    widths.push_back(columns_[c].size());
    for (const Row& row : rows_) widths[c] = std::max(widths[c], row.cells[c].size());
  }
  const auto print_row = [&](const std::string& name, const std::vector<std::string>& cells) {
    std::printf("  %-*s", static_cast<int>(names), name.c_str());
    for (std::size_t c = 0; c < cells.size(); ++c) {
      std::printf("  %*s", static_cast<int>(widths[c]), cells[c].c_str());
    }
    std::printf("\n");
  };
  std::printf("\n%s\n", title_.c_str());
  print_row("", columns_);
  for (const Row& row : rows_) print_row(row.name, row.cells);
  std::fflush(stdout);
}

namespace {

clockid_t clock_of_choice = CLOCK_THREAD_CPUTIME_ID;

}  // namespace

double nanoseconds() {
  timespec now{};
  clock_gettime(clock_of_choice, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

void use_real_time() {
  clock_of_choice = CLOCK_MONOTONIC;
}

std::string number(double value) {
  char text[32];
  const int digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string power_of_ten(std::size_t n) {
  int exponent = 0;
  for (; n >= 10 && n % 10 == 0; n /= 10) ++exponent;
  std::string text = "10^" + std::to_string(exponent);
  return n == 1 ? text : std::to_string(n) + "*" + text;
}

template <int Dim>
Scene<Dim>::Scene(const std::vector<Body>& bodies, double side, Ids ids) : side_(side), moving_(bodies.size()) {
  struct Placed {
    Aabb<Dim> box;
    Vec velocity;
    std::array<int, Dim> cell;
  };
  const double cells = std::ceil(std::pow(static_cast<double>(bodies.size()) / 8, 1.0 / Dim));
  Random random(1);
  std::vector<Placed> placed;
  for (const Body& body : bodies) {
    const Vec centre = random.point<Dim>(side);
    placed.push_back({{centre - body.extent / 2, centre + body.extent / 2}, body.step * random.direction<Dim>(), {}});
    for (int k = 0; k < Dim; ++k) {
      placed.back().cell[static_cast<std::size_t>(k)] = static_cast<int>(centre[k] / side * cells);
    }
  }
  if (ids == Ids::kSorted) {
    std::stable_sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) { return a.cell < b.cell; });
  }
  for (const Placed& body : placed) {
    boxes_.push_back(body.box);
    velocities_.push_back(body.velocity);
  }
}

template <int Dim>
void Scene<Dim>::step() {
  for (std::size_t i = 0; i < moving_; ++i) {
    boxes_[i] = boxes_[i].shifted(velocities_[i]);
    for (int k = 0; k < Dim; ++k) {
      const double centre = (boxes_[i].lo[k] + boxes_[i].hi[k]) / 2;
      if (centre < 0) velocities_[i][k] = std::abs(velocities_[i][k]);
      if (centre > side_) velocities_[i][k] = -std::abs(velocities_[i][k]);
    }
  }
}

template <int Dim>
Scene<Dim> strewn(std::size_t n, double size_ratio, Ids ids) {
  Random random(2);
  std::vector<typename Scene<Dim>::Body> bodies;
  std::array<double, Dim + 1> moments{};  // means of the powers of the size
  for (std::size_t i = 0; i < n; ++i) {
    const double size = std::pow(size_ratio, random.uniform());
    bodies.push_back({Scene<Dim>::Vec::Constant(size), kStep * size});
    for (std::size_t k = 0; k <= Dim; ++k) moments[k] += std::pow(size, k) / static_cast<double>(n);
  }
  // Two centres in a cube of side L overlap with probability ((s_i + s_j) / L)^Dim, edges aside.
  double mean = 0;
  double binomial = 1;
  for (std::size_t k = 0; k <= Dim; ++k) {
    mean += binomial * moments[k] * moments[Dim - k];
    binomial *= static_cast<double>(Dim - k) / static_cast<double>(k + 1);
  }
  const double side = std::pow(mean * static_cast<double>(n) / (2 * kPairsPerBox), 1.0 / Dim);
  return Scene<Dim>(bodies, side, ids);
}

std::vector<ProxyId> ids_below(std::size_t n) {
  std::vector<ProxyId> ids(n);
  std::iota(ids.begin(), ids.end(), ProxyId{0});
  return ids;
}

template PairDigest true_digest<2>(const std::vector<Aabb<2>>&);
template PairDigest true_digest<3>(const std::vector<Aabb<3>>&);
template class Scene<2>;
template class Scene<3>;
template Scene<2> strewn<2>(std::size_t, double, Ids);
template Scene<3> strewn<3>(std::size_t, double, Ids);

}  // namespace scree::bench
