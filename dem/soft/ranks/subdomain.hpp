#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <vector>

#include "dem/soft/options.hpp"
#include "dem/soft/ranks/domain_tree.hpp"
#include "dem/soft/ranks/ghosts.hpp"
#include "dem/soft/ranks/parcel.hpp"
#include "dem/soft/ranks/sharing.hpp"
#include "dem/soft/run.hpp"
#include "dem/soft/tally.hpp"
#include "parallel/ranks.hpp"
#include "parallel/threads.hpp"

namespace scree {
struct Scene;
}  // namespace scree

namespace scree::soft {

/// One rank's part of a simulation that several ranks advance together (docs/ranks.md).
///
/// It has rooms of its own, with all walls, the grains in its domain and ghosts: copies, bit for bit, of all grains of
/// other domains whose boxes may overlap those of its own. Every rank takes the one step (dem/soft/step.hpp) with its
/// bodies; only the force on a ghost comes from its owner. So a ghost moves as its original does, and a contact between
/// a grain and a ghost has the same bits on both ranks.
///
/// Rank 0 also keeps the whole: the accounts of energy, to which ranks give sums that do not depend on their order,
/// births and departures, and, on request, all bodies and contacts. What happens seldom (stages, walls that come or go,
/// what a guard found wrong) it does there, by the functions that a simulation without ranks calls.
class Subdomain {
 public:
  /// @param whole of rank 0: the run at its start or loaded; of the others null
  Subdomain(const Scene& scene, const Options& options, Ranks& ranks, const Sharing& sharing, Run* whole);

  /// Does what rank 0 orders, until that is over. For the other ranks.
  void serve();

  // For rank 0, which gives the orders.

  /// The whole as it is now is shared among the ranks.
  void distribute();
  /// As Simulation::advance_to. @throws PhysicsError as there; the whole is then complete
  void advance_to(double t, std::uint64_t at_most);
  /// Completes the whole, if it has gone on since.
  void complete();
  /// The others stop serving.
  static void end(Ranks& ranks) { order(ranks, Order::end); }

  double time() const { return local_.time(); }
  double dt() const { return local_.clock.dt(); }
  bool has_reached(double t) const { return local_.clock.has_reached(t); }
  bool is_over() const { return is_over_; }
  std::uint64_t steps() const { return local_.clock.steps(); }
  /// Number of particles of all ranks.
  std::uint64_t particles() const { return whole_->rooms.bodies.particles() - since_.particles_gone; }
  int ranks() const { return ranks_.size(); }
  /// Steps that it has done itself; how often the whole was put together on rank 0; how often owners and ghosts were
  /// renewed.
  struct Counts {
    std::uint64_t steps = 0;
    std::uint64_t collected = 0;
    std::uint64_t renewed = 0;
  };
  const Counts& counts() const { return counts_; }
  /// How many grains this rank has: its own, and ghosts.
  std::uint32_t own() const;
  std::uint32_t ghosts() const;

 private:
  enum class Order : std::uint8_t { distribute, advance, complete, end };
  struct Question;
  /// What a step begins with.
  enum Exchange : std::uint8_t {
    kNothing = 0,
    kDepartures = 1,  ///< particles leave
    kPours = 2,       ///< grains are born if they find room
    kAll = 4          ///< all that dem/soft/exchange does
  };
  /// A grain that is born. Its shape follows from its group and its number in it.
  struct Birth {
    std::uint64_t id;
    int group;
    std::uint64_t number;
    Vec2 position;
    double angle;
    Vec2 velocity;
    double angular_velocity;

    template <class Archive, class Self>
    static void visit(Archive& archive, Self& self) {
      archive(self.id, self.group, self.number, self.position, self.angle, self.velocity, self.angular_velocity);
    }
  };
  /// A grain that is about to be born, as far as its owner's ghosts must allow for it.
  struct Newcomer {
    Vec2 position;  ///< [m]
    double radius;  ///< [m]
    double way;     ///< in a step [m]
  };
  /// What has become of the whole since it was last complete; its arrays do not show it yet.
  struct Since {
    std::vector<PairFinder::ProxyChanges> proxies;
    std::size_t proxy_changes = 0;     ///< in these
    std::vector<char> gone;            ///< by body of the whole, or fewer
    std::uint64_t particles_gone = 0;  ///< how many of them are particles
  };

  /// At the end of a step, for all ranks.
  struct Decision {
    bool is_complete_needed = false;   ///< rank 0 needs the whole
    bool renews = false;               ///< owners and ghosts
    std::uint8_t exchange = kNothing;  ///< what the next step begins with
    int halvings = 0;                  ///< of the step
    // After rank 0 has checked.
    bool failed = false;       ///< rank 0 throws
    bool distributes = false;  ///< the whole has changed
    bool is_over = false;

    template <class Archive, class Self>
    static void visit(Archive& archive, Self& self) {
      archive(self.is_complete_needed, self.renews, self.exchange, self.failed, self.distributes, self.is_over,
              self.halvings);
    }
  };

  static constexpr double kStepsAhead = 4.0;  // at the present speed: the step may become longer
  static constexpr double kNearly = 0.9;      // of the slack: higher derivatives, rounding

  static double way_in_a_step(const Rooms& rooms, std::uint32_t body);
  static std::uint32_t body_of(const Bodies& bodies, std::uint64_t id);

  static void order(Ranks& ranks, Order order, double t = 0.0, std::uint64_t at_most = 0);
  void advance(double t, std::uint64_t at_most);

  bool step();
  bool is_cell_sound();
  void list_images(Tally& tally) const;
  void look_at_own(Tally& tally) const;
  bool has_outrun() const;
  bool conclude(Tally tally, double dt);
  void take_account(Tally& all, double dt);
  std::optional<int> find_halvings(const Tally& all) const;
  bool is_sound(const Tally& all);
  std::exception_ptr look_at_whole(bool alarm, Decision& decision);

  // subdomain_exchange.cpp
  std::uint8_t next_exchange(bool some_leave) const;
  bool exchange();
  bool exchange_in_whole();
  void find_quanta();
  void remove_leaving();
  bool is_free_everywhere(const ShapeView& shape, const Pose& pose);
  void answer_questions();
  std::vector<Region> regions_that_pour() const;
  bool find_births(std::vector<Birth>& births);
  void give_birth(const std::vector<Birth>& births);

  // subdomain_sharing.cpp
  void collect();
  void share_out();
  void share_common();
  void note(PairFinder::ProxyChanges changes);
  void catch_up();
  void renew(Rooms& from, std::vector<char> told, bool is_first, std::span<const Newcomer> newcomers = {});
  void divide(const Rooms& from, std::span<const char> told);
  void measure(const Rooms& from, std::span<const char> told, std::span<const Newcomer> newcomers);
  bool is_near(const Vec2& centre, double radius, std::size_t rank) const;
  int owner(const Bodies& bodies, std::uint32_t body) const;
  void note_neighbours();

  /// Which rank has which place.
  struct Domains {
    DomainTree tree;
    std::vector<Aabb2> extents;  // by rank: what its own grains take, however they turn; lo > hi if it has none [m]
    double slack = 0.0;          // how far a grain may go until ghosts are renewed, beside the flow [m]
    bool are_uneven = false;
  };
  /// Where particles, and the cell, were when owners and ghosts were renewed.
  struct Renewed {
    struct Place {
      Vec2 position = Vec2::Zero();  // [m]
      Image image = {0, 0};
    };
    std::vector<Place> at;  // by body
    CellShape shape;
  };

  Ranks& ranks_;
  Sharing sharing_;
  Rooms local_;
  Course course_;
  Run* whole_;
  Threads threads_;
  StageTimes stage_times_;
  Domains domains_;
  Renewed renewed_;
  Ghosts ghosts_;
  GhostExchange neighbours_;
  std::vector<PairFinder::ImageChange> images_;
  std::uint8_t exchange_due_ = kNothing;
  bool is_over_ = false;
  bool is_complete_ = false;  // the whole
  Since since_;               // of rank 0
  Counts counts_;
};

}  // namespace scree::soft
