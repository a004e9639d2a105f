#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "broadphase/all_pairs.hpp"
#include "broadphase/distance_sort.hpp"
#include "broadphase/hierarchical_grid.hpp"
#include "broadphase/linked_cells.hpp"
#include "broadphase/pair.hpp"
#include "broadphase/sort_and_update.hpp"
#include "broadphase/sorted_strips.hpp"
#include "dem/scene.hpp"

// What the experiments on broadphases share: the members of the family, scenes, and a fair way to compare.

namespace scree::bench {

struct Options {
  bool quick = false;  ///< small numbers, one round: does it run, do all find the same?

  /// Of boxes, where quickness asks for other ones than these.
  std::vector<std::size_t> counts(const std::vector<std::size_t>& full) const {
    return quick ? std::vector<std::size_t>{300} : full;
  }
};

// --- the family

constexpr std::size_t kFew = 1000;  ///< boxes up to which everything may cost O(n^2) a step

/// Calls visit(std::type_identity<B>(), name) for each member; for those that are slow where there are many boxes only
/// up to slow_up_to of them. A new member is one line.
template <int Dim, class Visit>
void for_each_member(std::size_t n, Visit visit, std::size_t slow_up_to = kFew) {
  if (n <= slow_up_to) visit(std::type_identity<AllPairs<Dim>>(), "all pairs");
  if (n <= slow_up_to) visit(std::type_identity<DistanceSort<Dim>>(), "distance sort");
  visit(std::type_identity<SortAndUpdate<Dim>>(), "sort and update");
  visit(std::type_identity<SortedStrips<Dim>>(), "sorted strips");
  visit(std::type_identity<LinkedCells<Dim>>(), "linked cells");
  visit(std::type_identity<HierarchicalGrid<Dim>>(), "hierarchical grid");
}

// --- sets of pairs, compared

/// A set of pairs in two numbers: equal sets have equal digests, others different ones but for a chance of 2^-64.
class PairDigest {
 public:
  void add(Pair pair) {
    ++count_;
    sum_ += scrambled(pair);
  }
  void remove(Pair pair) {
    --count_;
    sum_ -= scrambled(pair);
  }
  void follow(const PairChanges& changes) {
    for (const Pair& pair : changes.begun) add(pair);
    for (const Pair& pair : changes.ended) remove(pair);
  }
  std::uint64_t count() const { return count_; }
  bool operator==(const PairDigest&) const = default;

 private:
  static std::uint64_t scrambled(Pair pair);

  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
};

/// Of those among the candidates (each once or more) whose boxes overlap.
PairDigest exact_digest(std::vector<Pair> candidates, const std::vector<Aabb2>& boxes);

/// Of all pairs of these boxes, found from scratch: by looking at each where there are few boxes.
template <int Dim>
PairDigest true_digest(const std::vector<Aabb<Dim>>& boxes);

// --- rounds and tables

/// One of those compared: a round measures it and tells its cost in the table's unit.
struct Contender {
  std::string name;
  std::function<double()> round;
  std::function<PairDigest()> pairs;     ///< found by now
  std::function<PairDigest()> expected;  ///< to be found by now
  std::function<double()> exchanges{};   ///< of neighbours in sorted lists, a step so far; empty if it does not sort
};

/// Rounds with the contenders in turn, so that a disturbance hits all alike; fewer of them where they take long.
/// @return each one's median
/// @throw std::runtime_error where a contender has not found what it should
std::vector<double> medians(const std::vector<Contender>& contenders, const Options& options);

/// A plain aligned table, a row a contender in the order in which they first came.
class Table {
 public:
  Table(std::string title, std::vector<std::string> columns);
  void set(const std::string& row, std::size_t column, const std::string& cell);
  void set(const std::vector<Contender>& contenders, std::size_t column, const std::vector<double>& values);
  void print() const;

 private:
  struct Row {
    std::string name;
    std::vector<std::string> cells;
  };
  std::string title_;
  std::vector<std::string> columns_;
  std::vector<Row> rows_;
};

std::string number(double value);       ///< three digits or so: 0.12, 3.45, 67.8, 910
std::string power_of_ten(std::size_t);  ///< 10^4, 3*10^4

/// A clock: processor time of the calling thread, which a busy machine disturbs least.
double nanoseconds();
void use_real_time();  ///< for nanoseconds(), where threads share the work

// --- scenes

/// Random numbers, the same with every standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }  // [0, 1)
  double uniform(double lo, double hi) { return lo + (hi - lo) * uniform(); }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(uniform() * static_cast<double>(n)); }

  template <int Dim>
  Eigen::Matrix<double, Dim, 1> point(double side) {
    Eigen::Matrix<double, Dim, 1> p;
    for (int k = 0; k < Dim; ++k) p[k] = side * uniform();
    return p;
  }

  template <int Dim>
  Eigen::Matrix<double, Dim, 1> direction() {
    for (;;) {
      const Eigen::Matrix<double, Dim, 1> p = 2 * point<Dim>(1) - Eigen::Matrix<double, Dim, 1>::Ones();
      const double square = p.squaredNorm();
      if (square > 0.01 && square <= 1) return p / std::sqrt(square);
    }
  }

 private:
  std::mt19937_64 engine_;
};

constexpr double kStep = 1e-3;        ///< a moving box goes this part of its size a step
constexpr double kPairsPerBox = 2.5;  ///< overlapping ones, in a Scene of strewn boxes

enum class Ids {
  kShuffled,  ///< ids say nothing about places
  kSorted,    ///< by rows of cells of some eight boxes, as a simulation orders its memory
};

/// Boxes that fly straight in random directions and are reflected by the edge of a cube.
template <int Dim>
class Scene {
 public:
  using Vec = Eigen::Matrix<double, Dim, 1>;

  struct Body {
    Vec extent;
    double step;  ///< how far it goes at a time
  };

  /// In random places within [0, side]^Dim, in random directions.
  Scene(const std::vector<Body>& bodies, double side, Ids ids);

  /// From now on, those with ids from n on are at rest.
  void move_only(std::size_t n) { moving_ = n; }
  void step();

  const std::vector<Aabb<Dim>>& boxes() const { return boxes_; }
  Aabb<Dim> box_before(std::size_t i, double steps) const { return boxes_[i].shifted(-steps * velocities_[i]); }
  std::size_t moving() const { return moving_; }

 private:
  double side_;
  std::size_t moving_;
  std::vector<Aabb<Dim>> boxes_;
  std::vector<Vec> velocities_;  // a step
};

/// n cubes, sizes spread evenly in their logarithm from 1 to the ratio given, with kPairsPerBox.
template <int Dim>
Scene<Dim> strewn(std::size_t n, double size_ratio, Ids ids);

std::vector<ProxyId> ids_below(std::size_t n);

// --- steps, measured

template <class B, int Dim>
struct Tracked {
  explicit Tracked(const std::vector<Aabb<Dim>>& boxes) {
    broadphase.insert(ids_below(boxes.size()), boxes, changes);
    digest.follow(changes);
  }

  B broadphase;
  PairChanges changes;
  PairDigest digest;
};

/// How many steps make a round with n boxes. What a step costs comes in waves for those that look ahead.
inline int steps_for(std::size_t n, const Options& options) {
  return options.quick ? 5 : n <= 10'000 ? 300 : 100;
}

/// Mean of what up to so many steps cost; fewer where they take seconds.
template <class Step>
double mean_of_steps(int steps, Step step) {
  constexpr double kEnough = 4e9;
  double spent = 0;
  int done = 0;
  for (; done < steps && (done < 10 || spent < kEnough); ++done) spent += step();
  return spent / done;
}

template <class B>
concept Sorting = requires(const B& b) {
  { b.exchanges() } -> std::convertible_to<std::uint64_t>;
};

/// Steps of a scene by update(): nanoseconds a step.
template <class B, int Dim>
Contender updating(const std::string& name, const Scene<Dim>& start, int steps) {
  struct State : Tracked<B, Dim> {
    explicit State(const Scene<Dim>& first) : Tracked<B, Dim>(first.boxes()), scene(first) {}
    double step() {
      scene.step();
      const double begin = nanoseconds();
      this->broadphase.update(scene.boxes(), this->changes);
      const double spent = nanoseconds() - begin;
      this->digest.follow(this->changes);
      ++steps;
      return spent;
    }
    Scene<Dim> scene;
    int steps = 0;
  };
  const auto state = std::make_shared<State>(start);
  Contender contender{name, [state, steps] { return mean_of_steps(steps, [&] { return state->step(); }); },
                      [state] { return state->digest; }, [state] { return true_digest(state->scene.boxes()); }};
  if constexpr (Sorting<B>) {
    const std::uint64_t before = state->broadphase.exchanges();
    contender.exchanges = [state, before] {
      return static_cast<double>(state->broadphase.exchanges() - before) / state->steps;
    };
  }
  return contender;
}

// --- the experiments; each prints its tables

void paper(const Options& options);     ///< Leszczynski & Ciesielski 2004: contacts of spheres, from scratch
void schinner(const Options& options);  ///< Schinner 1999: what motion, rest, sizes and shapes cost
void moves(const Options& options);     ///< single boxes, as in event-driven dynamics
void peers(const Options& options);     ///< Bullet, Box2D, CGAL beside us
void large(const Options& options);     ///< up to a million boxes

extern template PairDigest true_digest<2>(const std::vector<Aabb<2>>&);
extern template PairDigest true_digest<3>(const std::vector<Aabb<3>>&);
extern template class Scene<2>;
extern template class Scene<3>;
extern template Scene<2> strewn<2>(std::size_t, double, Ids);
extern template Scene<3> strewn<3>(std::size_t, double, Ids);

}  // namespace scree::bench
