#include "dem/soft/ranks/ranked_simulation.hpp"

#include "dem/soft/ranks/subdomain.hpp"

namespace scree::soft {

RankedSimulation::RankedSimulation(const Scene& scene, const Options& options, Ranks& ranks, const Sharing& sharing)
    : whole_(scene, options), domain_(std::make_unique<Subdomain>(scene, options, ranks, sharing, &whole_.run())) {
  if (options.made_for == MadeFor::start) domain_->distribute();
}

RankedSimulation::~RankedSimulation() = default;

double RankedSimulation::time() const {
  return domain_->time();
}
double RankedSimulation::dt() const {
  return domain_->dt();
}
bool RankedSimulation::has_reached(double t) const {
  return domain_->has_reached(t);
}
bool RankedSimulation::is_over() const {
  return domain_->is_over();
}
std::uint64_t RankedSimulation::steps() const {
  return domain_->steps();
}
std::uint64_t RankedSimulation::particles() const {
  return domain_->particles();
}
int RankedSimulation::ranks() const {
  return domain_->ranks();
}

void RankedSimulation::advance_to(double t, std::uint64_t at_most) {
  domain_->advance_to(t, at_most);
}

const Simulation& RankedSimulation::whole() const {
  domain_->complete();
  return whole_;
}

void RankedSimulation::load(std::istream& in) {
  whole_.load(in);
  domain_->distribute();
}

}  // namespace scree::soft
