#pragma once

#include <cstdint>
#include <iosfwd>
#include <limits>
#include <string>
#include <vector>

#include "dem/soft/ranks/subdomain.hpp"
#include "dem/soft/simulation.hpp"
#include "parallel/ranks.hpp"

namespace scree::soft {

/// A soft simulation that several ranks advance, as rank 0 sees it: with the same bits as Simulation for any number of
/// them. Every other rank serves meanwhile (Subdomain::serve, of a Subdomain made from the same scene), until
/// Subdomain::end.
class RankedSimulation {
 public:
  /// @throws what Simulation throws; the other ranks then wait for orders still
  RankedSimulation(const Scene& scene, const Options& options, Ranks& ranks, const Sharing& sharing = {})
      : whole_(scene, options), domain_(scene, options, ranks, sharing, &whole_.run()) {
    if (options.made_for == MadeFor::start) domain_.distribute();
  }
  double time() const { return domain_.time(); }
  double dt() const { return domain_.dt(); }
  bool has_reached(double t) const { return domain_.has_reached(t); }
  bool is_over() const { return domain_.is_over(); }
  std::uint64_t steps() const { return domain_.steps(); }
  std::uint64_t particles() const { return domain_.particles(); }
  std::uint64_t particle_steps() const { return whole_.particle_steps(); }
  const Course& course() const { return whole_.course(); }
  const std::string& step_reason() const { return whole_.step_reason(); }
  std::string broadphase_reason() const { return whole_.broadphase_reason(); }
  const Subdomain& domain() const { return domain_; }
  int ranks() const { return domain_.ranks(); }

  void advance_to(double t, std::uint64_t at_most = std::numeric_limits<std::uint64_t>::max()) {
    domain_.advance_to(t, at_most);
  }
  void check_all() const { whole().check_all(); }

  /// All of it, as without ranks: a copy of what the ranks have. Cost: O(N) if it has gone on since the last time
  const Simulation& whole() const {
    domain_.complete();
    return whole_;
  }
  State state() const { return whole().state(); }
  Summary summary() const { return whole().summary(); }
  std::vector<Departure> take_departures() { return whole_.take_departures(); }
  const Transfers& transfers() const { return whole_.transfers(); }
  void save(std::ostream& out) const { whole().save(out); }
  void load(std::istream& in) {
    whole_.load(in);
    domain_.distribute();
  }
  void list_values(StateValues& values) const { whole().list_values(values); }

 private:
  Simulation whole_;
  mutable Subdomain domain_;  // completes the whole when it is read
};

static_assert(AnySimulation<RankedSimulation>);

}  // namespace scree::soft
