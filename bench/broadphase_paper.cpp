// J. S. Leszczynski & M. Ciesielski, Effective Algorithm for Detection of a Collision between Spherical Particles,
// ICCS 2004, LNCS 3037, 348: spheres in random places of a box of side nx, np / nx^2 = 100 in the plane and
// np / nx^3 = 1000 in space; the time to find all contacts, from scratch, by their two methods as they print them and
// by each of our family, whose pairs of boxes are then tried as spheres.

#include <array>
#include <cstdio>
#include <numeric>

#include "broadphase_bench.hpp"

namespace scree::bench {

namespace {

template <int Dim>
struct Spheres {
  using Vec = Eigen::Matrix<double, Dim, 1>;

  double side;
  std::vector<Vec> centres;
  std::vector<double> radii;

  std::size_t size() const { return radii.size(); }
  bool touch(std::size_t i, std::size_t j) const {
    const double reach = radii[i] + radii[j];
    return (centres[i] - centres[j]).squaredNorm() <= reach * reach;
  }
};

using Contacts = std::vector<Pair>;

constexpr std::array<int, 3> kPerCell{1, 5, 10};

template <int Dim>
void try_pair(const Spheres<Dim>& spheres, ProxyId i, ProxyId j, Contacts& contacts) {
  if (spheres.touch(i, j)) contacts.push_back({std::min(i, j), std::max(i, j)});
}

// Algorithm 1 of the paper. Cost: O(np) for each a shell of the sphere's thickness has in it.
template <int Dim>
void sort_by_distance(const Spheres<Dim>& spheres, Contacts& contacts) {
  std::vector<double> l(spheres.size());  // to the origin, less the radius
  for (std::size_t i = 0; i < l.size(); ++i) l[i] = spheres.centres[i].norm() - spheres.radii[i];
  std::vector<ProxyId> nl = ids_below(l.size());
  std::sort(nl.begin(), nl.end(), [&](ProxyId a, ProxyId b) { return l[a] < l[b]; });
  for (std::size_t i = 0; i < nl.size(); ++i) {
    for (std::size_t j = i + 1; j < nl.size(); ++j) {
      if (2 * spheres.radii[nl[i]] < l[nl[j]] - l[nl[i]]) break;
      try_pair(spheres, nl[i], nl[j], contacts);
    }
  }
}

// Section 2.1: the head of each cell's list, the next sphere in it; half of the neighbouring cells, so that each pair
// is tried once.
template <int Dim>
void linked_cells(const Spheres<Dim>& spheres, int cells_per_side, Contacts& contacts) {
  constexpr ProxyId kNone = ~ProxyId{0};
  using Cell = std::array<int, Dim>;
  const auto index = [&](const Cell& cell) {
    int result = 0;
    for (const int c : cell) result = result * cells_per_side + c;
    return static_cast<std::size_t>(result);
  };
  const double scale = cells_per_side / spheres.side;
  std::vector<ProxyId> head(static_cast<std::size_t>(std::pow(cells_per_side, Dim)), kNone);
  std::vector<ProxyId> next(spheres.size());
  for (ProxyId i = 0; i < spheres.size(); ++i) {
    Cell cell;
    for (int k = 0; k < Dim; ++k) {
      cell[static_cast<std::size_t>(k)] = std::min(static_cast<int>(spheres.centres[i][k] * scale), cells_per_side - 1);
    }
    ProxyId& first = head[index(cell)];
    next[i] = first;
    first = i;
  }
  const auto inside = [&](const Cell& cell) {
    return std::all_of(cell.begin(), cell.end(), [&](int c) { return 0 <= c && c < cells_per_side; });
  };
  const int neighbours = Dim == 2 ? 9 : 27;
  Cell cell{};
  for (const ProxyId first : head) {
    for (ProxyId i = first; i != kNone; i = next[i]) {
      for (ProxyId j = next[i]; j != kNone; j = next[j]) try_pair(spheres, i, j, contacts);
    }
    for (int n = neighbours / 2 + 1; n < neighbours && first != kNone; ++n) {
      Cell other = cell;
      int digits = n;
      for (std::size_t k = Dim; k-- > 0; digits /= 3) other[k] += digits % 3 - 1;
      if (!inside(other)) continue;
      for (ProxyId i = first; i != kNone; i = next[i]) {
        for (ProxyId j = head[index(other)]; j != kNone; j = next[j]) try_pair(spheres, i, j, contacts);
      }
    }
    for (std::size_t k = Dim; k-- > 0;) {  // the next cell, in the order of index()
      if (++cell[k] < cells_per_side) break;
      cell[k] = 0;
    }
  }
}

template <class B, int Dim>
void by_boxes(B broadphase, const Spheres<Dim>& spheres, Contacts& contacts) {
  std::vector<Aabb<Dim>> boxes;
  boxes.reserve(spheres.size());
  for (std::size_t i = 0; i < spheres.size(); ++i) {
    boxes.push_back(Aabb<Dim>{spheres.centres[i], spheres.centres[i]}.expanded(spheres.radii[i]));
  }
  PairChanges changes;
  broadphase.insert(ids_below(boxes.size()), boxes, changes);
  for (const Pair& pair : changes.begun) try_pair(spheres, pair.a, pair.b, contacts);
}

// Nanoseconds to find the contacts of one of the scenes, all of which are looked at in turn.
template <int Dim, class Method>
Contender finding(const std::string& name, const std::shared_ptr<const std::vector<Spheres<Dim>>>& scenes,
                  Method method) {
  const auto contacts = std::make_shared<std::vector<Contacts>>(scenes->size());
  const auto round = [scenes, contacts, method] {
    constexpr double kLongEnough = 2e6;
    const double begin = nanoseconds();
    double spent = 0;
    int times = 0;
    for (; spent < kLongEnough; spent = nanoseconds() - begin, ++times) {
      for (std::size_t k = 0; k < scenes->size(); ++k) {
        (*contacts)[k].clear();
        method((*scenes)[k], (*contacts)[k]);
      }
    }
    return spent / times / static_cast<double>(scenes->size());
  };
  const auto pairs = [contacts] {
    PairDigest digest;
    ProxyId first = 0;  // ids go on from scene to scene
    for (const Contacts& found : *contacts) {
      for (const Pair& pair : found) digest.add({first + pair.a, first + pair.b});
      first += 1'000'000;
    }
    return digest;
  };
  return {name, round, pairs, pairs};
}

// Each of the family; all must find what the first contender has found.
template <int Dim>
void add_family(std::vector<Contender>& contenders, const std::shared_ptr<const std::vector<Spheres<Dim>>>& scenes,
                const Options& options) {
  const std::size_t slow_up_to = options.quick ? kFew : 10'000;
  const auto visit = [&]<class B>(std::type_identity<B>, const std::string& name) {
    contenders.push_back(finding(name, scenes, [](const auto& s, Contacts& contacts) { by_boxes(B(), s, contacts); }));
  };
  for_each_member<Dim>(scenes->front().size(), visit, slow_up_to);
  for (const int per_cell : kPerCell) {
    contenders.push_back(
        finding("linked cells of " + std::to_string(per_cell), scenes,
                [per_cell](const auto& s, Contacts& contacts) { by_boxes(LinkedCells<Dim>(per_cell), s, contacts); }));
  }
  for (Contender& contender : contenders) contender.expected = contenders.front().pairs;
}

template <int Dim>
Spheres<Dim> random_spheres(std::size_t np, double side, double smallest, double largest, Random& random) {
  Spheres<Dim> spheres{side, {}, {}};
  for (std::size_t i = 0; i < np; ++i) {
    spheres.centres.push_back(random.point<Dim>(side));
    spheres.radii.push_back(random.uniform(smallest, largest) / 2);
  }
  return spheres;
}

// --- figure 2

struct Sizes {
  const char* name;
  double smallest, largest;                // diameters
  std::array<double, 2> paper_percentage;  // contacts a particle in the plane and in space
};
constexpr std::array<Sizes, 3> kSizes{{
    {"0.05 to 0.1 (A)", 0.05, 0.1, {87, 90}},
    {"0.02 to 0.05 (B)", 0.02, 0.05, {19, 10}},
    {"0.005 to 0.02 (C)", 0.005, 0.02, {2, 4}},
}};

template <int Dim>
void figure_2(const Sizes& sizes, const Options& options) {
  constexpr double kDensity = Dim == 2 ? 100 : 1000;
  constexpr std::size_t kSortByDistanceUpTo = Dim == 2 ? 1'000'000 : 100'000;  // its cost grows as np^1.5, np^1.67
  std::vector<std::size_t> counts{100, 1000, 10'000, 100'000, 1'000'000};
  if (options.quick) counts.resize(2);
  std::vector<std::string> columns;
  for (const std::size_t np : counts) {
    columns.insert(columns.end(), {power_of_ten(np), "ratio"});
  }
  Table table("figure 2, " + std::to_string(Dim) + "-D, d in " + sizes.name + ": ns a particle, and its ratio to LCM1",
              columns);
  double percentage = 0;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    const std::size_t np = counts[c];
    const double side = std::pow(static_cast<double>(np) / kDensity, 1.0 / Dim);
    Random random(np);
    const auto scenes = std::make_shared<const std::vector<Spheres<Dim>>>(
        1, random_spheres<Dim>(np, side, sizes.smallest, sizes.largest, random));
    std::vector<Contender> contenders;
    for (const int per_cell : kPerCell) {
      const double cell = std::pow(per_cell / kDensity, 1.0 / Dim);  // not below the largest diameter, but for rounding
      const int cells =
          std::clamp(static_cast<int>(std::lround(side / cell)), 1, static_cast<int>(side / sizes.largest + 1e-9));
      contenders.push_back(finding("LCM" + std::to_string(per_cell), scenes,
                                   [cells](const auto& s, Contacts& contacts) { linked_cells(s, cells, contacts); }));
    }
    if (np <= kSortByDistanceUpTo) contenders.push_back(finding("sort by distance", scenes, &sort_by_distance<Dim>));
    add_family(contenders, scenes, options);
    const std::vector<double> costs = medians(contenders, options);
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      table.set(contenders[i].name, 2 * c, number(costs[i] / static_cast<double>(np)));
      table.set(contenders[i].name, 2 * c + 1, number(costs[i] / costs.front()));
    }
    percentage = 100 * static_cast<double>(contenders.front().pairs().count()) / static_cast<double>(np);
  }
  table.print();
  std::printf("  contacts a particle: %.1f %% (paper: %.0f %%)\n", percentage, sizes.paper_percentage[Dim - 2]);
}

// --- tables 1 to 3, in the plane

struct PaperLcm {
  int cells_per_side;
  double seconds;
};

struct PaperTable {
  const char* title;
  std::vector<Spheres<2>> scenes;
  double sort_by_distance_seconds;
  std::vector<PaperLcm> lcm;
};

void print_paper_table(const PaperTable& paper, const Options& options) {
  const auto scenes = std::make_shared<const std::vector<Spheres<2>>>(paper.scenes);
  const std::size_t np = scenes->front().size();
  std::vector<Contender> contenders;
  contenders.push_back(finding("sort by distance", scenes, &sort_by_distance<2>));
  for (const PaperLcm& lcm : paper.lcm) {
    const int cells = lcm.cells_per_side;
    contenders.push_back(finding("LCM" + std::to_string(np / static_cast<std::size_t>(cells * cells)), scenes,
                                 [cells](const auto& s, Contacts& contacts) { linked_cells(s, cells, contacts); }));
  }
  add_family(contenders, scenes, options);
  const std::vector<double> costs = medians(contenders, options);
  Table table(paper.title + std::string("; ratio to sorting by distance"), {"microseconds", "ratio", "paper's ratio"});
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    table.set(contenders[i].name, 0, number(costs[i] / 1000));
    table.set(contenders[i].name, 1, number(costs[i] / costs.front()));
  }
  table.set(contenders.front().name, 2, number(1));
  for (std::size_t k = 0; k < paper.lcm.size(); ++k) {
    table.set(contenders[k + 1].name, 2, number(paper.lcm[k].seconds / paper.sort_by_distance_seconds));
  }
  table.print();
}

std::vector<Spheres<2>> draws(std::size_t count, std::size_t np, double side, double smallest, double largest) {
  Random random(1);
  std::vector<Spheres<2>> scenes;
  for (std::size_t k = 0; k < count; ++k) scenes.push_back(random_spheres<2>(np, side, smallest, largest, random));
  return scenes;
}

void tables_1_to_3(const Options& options) {
  // The paper does not say the side of the box. In table 1 np / nx^2 = 100 gives 10, and its cells (10000 / 100 = 10^2,
  // ..., 10000 / 1111 = 3^2) are then as wide as the largest particle or wider; in table 3, 5.64 = 10 / sqrt(pi) is the
  // disk that fills a quarter of such a box. So 10 it is, in table 2 as well.
  constexpr double kSide = 10;
  const std::size_t count = options.quick ? 3 : 100;
  print_paper_table({"table 1: 10 000 particles, d in 0.02 to 1.0",
                     draws(1, 10'000, kSide, 0.02, 1.0),
                     1.627,
                     {{10, 1.141}, {7, 2.296}, {4, 8.828}, {3, 12.332}}},
                    options);
  print_paper_table({"table 2: 100 particles, d in 0.1 to 2.0",
                     draws(count, 100, kSide, 0.1, 2.0),
                     0.37,
                     {{3, 1.01}, {2, 1.4}, {1, 1.59}}},
                    options);
  std::vector<Spheres<2>> scenes = draws(count, 101, kSide, 0.1, 0.3);
  for (Spheres<2>& scene : scenes) scene.radii.back() = 5.64 / 2;
  print_paper_table(
      {"table 3: 100 particles, d in 0.1 to 0.3, and one of d = 5.64", std::move(scenes), 0.197, {{1, 1.38}}}, options);
}

}  // namespace

void paper(const Options& options) {
  std::printf("\n== Leszczynski & Ciesielski: all contacts of spheres, from scratch\n");
  for (const Sizes& sizes : kSizes) figure_2<2>(sizes, options);
  for (const Sizes& sizes : kSizes) figure_2<3>(sizes, options);
  tables_1_to_3(options);
}

}  // namespace scree::bench
