#pragma once

#include <cstdint>
#include <iosfwd>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "dem/soft/ranks/sharing.hpp"
#include "dem/soft/simulation.hpp"

namespace scree {
class Ranks;
struct Scene;
}  // namespace scree

namespace scree::soft {

class Subdomain;

/// A soft simulation that several ranks advance, as rank 0 sees it: with the same bits as Simulation for any number of
/// them. Every other rank serves meanwhile (Subdomain::serve, of a Subdomain made from the same scene), until
/// Subdomain::end.
class RankedSimulation {
 public:
  /// @throws what Simulation throws; the other ranks then wait for orders still
  RankedSimulation(const Scene& scene, const Options& options, Ranks& ranks, const Sharing& sharing = {});
  ~RankedSimulation();

  double time() const;
  double dt() const;
  bool has_reached(double t) const;
  bool is_over() const;
  std::uint64_t steps() const;
  std::uint64_t particles() const;
  std::uint64_t particle_steps() const { return whole_.particle_steps(); }
  const Course& course() const { return whole_.course(); }
  const std::string& step_reason() const { return whole_.step_reason(); }
  std::string broadphase_reason() const { return whole_.broadphase_reason(); }
  const Subdomain& domain() const { return *domain_; }
  int ranks() const;

  void advance_to(double t, std::uint64_t at_most = std::numeric_limits<std::uint64_t>::max());
  void check_all() const { whole().check_all(); }

  /// All of it, as without ranks: a copy of what the ranks have. Cost: O(N) if it has gone on since the last time
  const Simulation& whole() const;
  State state() const { return whole().state(); }
  Summary summary() const { return whole().summary(); }
  std::vector<Departure> take_departures() { return whole_.take_departures(); }
  const Transfers& transfers() const { return whole_.transfers(); }
  void save(std::ostream& out) const { whole().save(out); }
  void load(std::istream& in);
  void list_values(StateValues& values) const { whole().list_values(values); }

 private:
  Simulation whole_;
  std::unique_ptr<Subdomain> domain_;  // completes the whole when it is read
};

static_assert(AnySimulation<RankedSimulation>);

}  // namespace scree::soft
