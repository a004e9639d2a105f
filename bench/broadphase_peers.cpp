// The broadphases of others beside ours: strewn boxes, every one of which moves by 0.1 % of its size a step. What the
// others report is filtered by the exact boxes and must then be what ours report.

#include <cstdio>
#include <set>

#include "broadphase_bench.hpp"
#ifdef SCREE_BENCH_BULLET
#include "broadphase_bullet.hpp"
#endif
#ifdef SCREE_BENCH_BOX2D
#include "broadphase_box2d.hpp"
#endif
#ifdef SCREE_BENCH_CGAL
#include "broadphase_cgal.hpp"
#endif

namespace scree::bench {

namespace {

// Margins as the caller's business: B holds fat boxes, and those change whose box has left them.
template <class B>
class FatBoxes {
 public:
  static double margin(double size) { return kMargin * size; }

  explicit FatBoxes(const std::vector<Aabb2>& boxes) {
    for (const Aabb2& box : boxes) fat_.push_back(fattened(box));
    broadphase_.insert(ids_below(fat_.size()), fat_, changes_);
    log();
  }

  void prepare(const std::vector<Aabb2>&) {
    for (const auto& [pair, begun] : log_) {
      begun ? void(pairs_.insert(pair)) : void(pairs_.erase(pair));
    }
    log_.clear();
  }

  std::vector<Pair> candidates() {
    prepare({});
    return {pairs_.begin(), pairs_.end()};
  }

 protected:
  template <class Changed>
  void refresh(const std::vector<Aabb2>& boxes, Changed changed) {
    for (ProxyId id = 0; id < boxes.size(); ++id) {
      if (fat_[id].contains(boxes[id].lo) && fat_[id].contains(boxes[id].hi)) continue;
      fat_[id] = fattened(boxes[id]);
      changed(id);
    }
  }

  void log() {
    for (const Pair& pair : changes_.begun) log_.emplace_back(pair, true);
    for (const Pair& pair : changes_.ended) log_.emplace_back(pair, false);
  }

  B broadphase_;
  PairChanges changes_;
  std::vector<Aabb2> fat_;

 private:
  static constexpr double kMargin = 0.1;  // of its size, on each side

  static Aabb2 fattened(const Aabb2& box) { return box.expanded(margin((box.hi - box.lo).minCoeff())); }

  std::vector<std::pair<Pair, bool>> log_;  // pairs of fat boxes that have begun (true) or ended since prepare()
  std::set<Pair> pairs_;                    // of fat boxes, up to then
};

template <class B>
struct FatBoxesMoved : FatBoxes<B> {
  using FatBoxes<B>::FatBoxes;
  void update(const std::vector<Aabb2>& boxes) {
    this->refresh(boxes, [&](ProxyId id) {
      this->broadphase_.move(id, this->fat_[id], this->changes_);
      this->log();
    });
  }
};

template <class B>
struct FatBoxesUpdated : FatBoxes<B> {
  using FatBoxes<B>::FatBoxes;
  void update(const std::vector<Aabb2>& boxes) {
    this->refresh(boxes, [](ProxyId) {});
    this->broadphase_.update(this->fat_, this->changes_);
    this->log();
  }
};

// Nanoseconds a step of whatever has margins or is not ours. prepare() is not timed.
template <class Peer>
Contender stepping(const std::string& name, const Scene<2>& start, int steps) {
  struct State {
    // Where there are margins, some boxes have gone far in their fat boxes and some have not, as after a long time.
    static std::vector<Aabb2> in_their_fat_boxes(const Scene<2>& scene) {
      Random random(4);
      std::vector<Aabb2> boxes = scene.boxes();
      for (std::size_t i = 0; i < boxes.size(); ++i) {
        const double size = (boxes[i].hi - boxes[i].lo).minCoeff();
        boxes[i] = scene.box_before(i, random.uniform() * Peer::margin(size) / (kStep * size));
      }
      return boxes;
    }
    explicit State(const Scene<2>& first) : scene(first), peer(in_their_fat_boxes(first)) { take_boxes(); }
    double step() {
      scene.step();
      return take_boxes();
    }
    double take_boxes() {
      peer.prepare(scene.boxes());
      const double begin = nanoseconds();
      peer.update(scene.boxes());
      return nanoseconds() - begin;
    }
    Scene<2> scene;
    Peer peer;
  };
  const auto state = std::make_shared<State>(start);
  return {name, [state, steps] { return mean_of_steps(steps, [&] { return state->step(); }); },
          [state] { return exact_digest(state->peer.candidates(), state->scene.boxes()); },
          [state] { return true_digest(state->scene.boxes()); }};
}

std::vector<Contender> others([[maybe_unused]] const Scene<2>& scene, [[maybe_unused]] int steps) {
  std::vector<Contender> contenders;
#ifdef SCREE_BENCH_BULLET
  if (scene.boxes().size() <= 16'384) {
    contenders.push_back(stepping<BulletSweep<unsigned short>>("Bullet btAxisSweep3", scene, steps));
  } else {
    contenders.push_back(stepping<BulletSweep<unsigned>>("Bullet bt32BitAxisSweep3", scene, steps));
  }
  contenders.push_back(stepping<BulletTree>("Bullet btDbvtBroadphase", scene, steps));
#endif
#ifdef SCREE_BENCH_BOX2D
  contenders.push_back(stepping<Box2dTree>("Box2D b2BroadPhase", scene, steps));
#endif
#ifdef SCREE_BENCH_CGAL
  contenders.push_back(stepping<CgalBoxes>("CGAL box_self_intersection_d", scene, steps));
#endif
  return contenders;
}

void beside_others(Ids ids, const Options& options) {
  const std::vector<std::size_t> counts = options.counts({10'000, 100'000});
  const std::vector<int> ratios{1, 10, 50};
  std::vector<std::string> columns;
  for (const std::size_t n : counts) {
    for (const int ratio : ratios) columns.push_back(power_of_ten(n) + " 1:" + std::to_string(ratio));
  }
  Table table(std::string("2.5 overlapping pairs a box, all move by 0.1 % of their size, ids ") +
                  (ids == Ids::kSorted ? "sorted in space" : "shuffled") + ": ns a box and step",
              columns);
  Table advantage("best of theirs / best of ours", columns);
  std::size_t column = 0;
  for (const std::size_t n : counts) {
    const int their_steps = options.quick ? 5 : n <= 10'000 ? 60 : 10;
    for (const int ratio : ratios) {
      const Scene<2> scene = strewn<2>(n, ratio, ids);
      std::vector<Contender> exact;
      std::vector<Contender> fat;
      for_each_member<2>(n, [&]<class B>(std::type_identity<B>, const std::string& name) {
        exact.push_back(updating<B, 2>(name, scene, steps_for(n, options)));
        fat.push_back(stepping<FatBoxesUpdated<B>>(name + ", margins", scene, steps_for(n, options)));
        fat.push_back(stepping<FatBoxesMoved<B>>(name + ", margins, by move()", scene, steps_for(n, options)));
      });
      const std::vector<Contender> theirs = others(scene, their_steps);
      std::vector<Contender> all = exact;
      all.insert(all.end(), fat.begin(), fat.end());
      all.insert(all.end(), theirs.begin(), theirs.end());
      std::vector<double> costs = medians(all, options);
      for (double& cost : costs) cost /= static_cast<double>(n);
      table.set(all, column, costs);
      if (!theirs.empty()) {
        const auto first_fat = costs.begin() + static_cast<std::ptrdiff_t>(exact.size());
        const auto first_theirs = first_fat + static_cast<std::ptrdiff_t>(fat.size());
        const double best = *std::min_element(first_theirs, costs.end());
        advantage.set("exact boxes", column, number(best / *std::min_element(costs.begin(), first_fat)));
        advantage.set("margins", column, number(best / *std::min_element(first_fat, first_theirs)));
      }
      ++column;
    }
  }
  table.print();
  advantage.print();
}

}  // namespace

void peers(const Options& options) {
  std::printf("\n== Beside the broadphases of others\n");
  beside_others(Ids::kShuffled, options);
  beside_others(Ids::kSorted, options);
}

}  // namespace scree::bench
