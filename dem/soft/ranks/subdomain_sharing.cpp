#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "dem/archive.hpp"
#include "dem/errors.hpp"
#include "dem/gravity.hpp"
#include "dem/scene.hpp"
#include "dem/soft/ranks/ghost_reach.hpp"
#include "dem/soft/ranks/rank_messages.hpp"
#include "dem/soft/ranks/subdomain.hpp"

/// Who has which bodies: the whole from its parts, parts from the whole, and from each other.
namespace scree::soft {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What is summed up over all ranks before grains go on their way.
struct Measures {
  std::vector<double> lo_x, lo_y, hi_x, hi_y;  // by rank: what its grains will take [m]
  std::vector<double> cost;                    // by rank: grains and contacts
  double longest_way = 0.0;                    // of a grain in a step, and by what a cell deforms over its radius [m]
  double radius = 0.0;                         // sum [m]
  std::uint64_t particles = 0;

  explicit Measures(std::size_t ranks)
      : lo_x(ranks, kInfinity),
        lo_y(ranks, kInfinity),
        hi_x(ranks, -kInfinity),
        hi_y(ranks, -kInfinity),
        cost(ranks, 0.0) {}

  void extend(std::size_t rank, const Vec2& lo, const Vec2& hi) {
    lo_x[rank] = std::min(lo_x[rank], lo.x());
    lo_y[rank] = std::min(lo_y[rank], lo.y());
    hi_x[rank] = std::max(hi_x[rank], hi.x());
    hi_y[rank] = std::max(hi_y[rank], hi.y());
  }
  void add(const Measures& other) {
    for (std::size_t rank = 0; rank < lo_x.size(); ++rank) {
      extend(rank, {other.lo_x[rank], other.lo_y[rank]}, {other.hi_x[rank], other.hi_y[rank]});
      cost[rank] += other.cost[rank];
    }
    longest_way = std::max(longest_way, other.longest_way);
    radius += other.radius;
    particles += other.particles;
  }

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.lo_x, self.lo_y, self.hi_x, self.hi_y, self.cost, self.longest_way, self.radius, self.particles);
  }
};

/// Cost of each particle: one, and one for each contact in which it is body a.
std::vector<double> costs(const Bodies& bodies, const Contacts& contacts) {
  std::vector<double> cost(bodies.size(), 1.0);
  for (std::size_t k = 0; k < contacts.size(); ++k) cost[bodies.particle(contacts.bodies(k).a)] += 1.0;
  return cost;
}

template <class T>
std::vector<char> to_chars(const T& value) {
  const Ranks::Bytes bytes = to_bytes(value);
  return {bytes.begin(), bytes.end()};
}

std::vector<char> all_particles(const Bodies& bodies) {
  std::vector<char> flags(bodies.size(), 1);
  std::fill_n(flags.begin(), bodies.walls, 0);
  return flags;
}

}  // namespace

void require_shareable(const Scene& scene) {
  if (scene.mode != Mode::soft) {
    throw InvalidScene("mode", "is hard, which several ranks cannot run; allowed: soft, or a run without mpirun");
  }
  if (scene.thermostat) {
    throw InvalidScene("thermostat", "is not for several ranks, must be left out, or the run without mpirun");
  }
}

/// Notes changes of the whole's boxes. They are repeated before they become more than the boxes themselves.
void Subdomain::note(PairFinder::ProxyChanges changes) {
  since_.proxy_changes += changes.begun.size() + changes.ended.size();
  since_.proxies.push_back(std::move(changes));
  if (since_.proxy_changes <= whole_->rooms.pairs.proxies().size()) return;
  whole_->rooms.pairs.repeat(std::exchange(since_.proxies, {}));
  since_.proxy_changes = 0;
}

/// The numbers of the whole's boxes are those of now; its bodies are still those of before.
void Subdomain::catch_up() {
  Rooms& s = whole_->rooms;
  s.pairs.repeat(since_.proxies);
  if (since_.particles_gone > 0) {
    since_.gone.resize(s.bodies.size(), 0);
    std::vector<std::uint32_t> new_index(s.bodies.size(), Bodies::kGone);
    std::uint32_t kept = 0;
    for (std::uint32_t body = 0; body < s.bodies.size(); ++body) {
      if (since_.gone[body] == 0) new_index[body] = kept++;
    }
    s.pairs.renumber(new_index, s.bodies);
  }
  since_ = {};
}

/// The whole gets all bodies and contacts as they are now.
void Subdomain::collect() {
  ++counts_.collected;
  std::vector<Ranks::Bytes> messages =
      gather(ranks_, to_bytes(pack(local_, all_particles(local_.bodies), ghosts_.own)));
  is_complete_ = true;
  if (whole_ == nullptr) return;
  std::vector<Parcel> parcels(messages.size());
  for (std::size_t rank = 0; rank < messages.size(); ++rank) from_bytes(std::move(messages[rank]), parcels[rank]);
  catch_up();
  whole_->rooms.cell = local_.cell;
  renew_periods(whole_->rooms);
  put_together(pack_walls(local_), parcels, nullptr, Proxied::as_were, whole_->rooms);
  whole_->rooms.clock = local_.clock;
  renew_derivatives(whole_->rooms);
  whole_->rooms.walls.drives() = local_.walls.drives();
}

/// All ranks get their parts of the whole.
void Subdomain::share_out() {
  share_common();
  Rooms& from = whole_ != nullptr ? whole_->rooms : local_;  // others have nothing to send: walls only
  renew(from, all_particles(from.bodies), true);
  is_complete_ = true;
}

/// What all ranks have alike: time, course, walls.
void Subdomain::share_common() {
  Ranks::Bytes message;
  if (whole_ != nullptr) {
    Rooms& s = whole_->rooms;
    s.power.find_quanta(s.bodies, s.laws, s.clock.longest());
    std::vector<std::array<bool, 2>> spans;
    for (std::uint32_t wall = 0; wall < s.bodies.walls; ++wall) {
      spans.push_back({s.pairs.proxies().spans(wall, 0), s.pairs.proxies().spans(wall, 1)});
    }
    const std::vector<char> reason(s.step.reason.begin(), s.step.reason.end());
    message = to_bytes(whole_->course, s.clock, s.step.dt, reason, s.step.shortest_contact, spans, pack_walls(s),
                       exchange_due_, is_over_, to_chars(s.walls.drives()), s.power.quanta(), to_chars(s.cell),
                       s.cell.scales());
  }
  broadcast(ranks_, message);
  Rooms& s = local_;
  std::vector<std::array<bool, 2>> spans;
  std::vector<char> reason;
  std::vector<char> drives;
  Parcel walls;
  TimeStep step = s.step;
  PowerQuanta quanta;
  std::vector<char> cell;
  Cell::Scales of_cell;
  from_bytes(std::move(message), course_, s.clock, step.dt, reason, step.shortest_contact, spans, walls, exchange_due_,
             is_over_, drives, quanta, cell, of_cell);
  enter_present_stage(course_, s);
  from_bytes({cell.begin(), cell.end()}, s.cell);
  s.cell.set_scales(of_cell);
  renew_periods(s);
  from_bytes({drives.begin(), drives.end()}, s.walls.drives());  // those of the stage
  s.power.set_quanta(quanta);
  s.step.dt = step.dt;
  s.step.reason.assign(reason.begin(), reason.end());
  s.step.shortest_contact = step.shortest_contact;
  change_gravity(gravity_at(s.scene, s.time()), s);
  renew_derivatives(s);
  s.pairs.set_spans(std::move(spans));
  put_together(walls, {}, nullptr, Proxied::anew, s);
}

/// The rank in whose domain the centre is.
int Subdomain::owner(const Bodies& bodies, std::uint32_t body) const {
  return domains_.tree.owner(linear(bodies.position[bodies.particle(body)]));
}

/// Whether a rank has to have a particle as a ghost, at least: it may come to touch one of those that the rank owns.
/// @param radius which bounds it [m]
bool Subdomain::is_near(const Vec2& centre, double radius, std::size_t rank) const {
  const Aabb2& extent = domains_.extents[rank];
  if (!(extent.lo.x() <= extent.hi.x())) return false;
  const double reach = radius + 2.0 * domains_.slack;
  const Periodic& periodic = local_.periodic();
  if (periodic.deforms()) return reaches_in_cell(periodic, centre, reach, extent);
  const std::int32_t most_x = periodic.along(0) ? 2 : 0;
  const std::int32_t most_y = periodic.along(1) ? 2 : 0;
  for (std::int32_t x = -most_x; x <= most_x; ++x) {
    for (std::int32_t y = -most_y; y <= most_y; ++y) {
      const Vec2 at = centre + periodic.shift({x, y});
      if (extent.overlaps({at.array() - reach, at.array() + reach})) return true;
    }
  }
  return false;
}

/// New owners and ghosts: every particle and pair goes from the rank that sends it to all that need it.
/// @param told one flag a body of `from`  @param is_first domains are made, too
/// @param newcomers are still to be born
void Subdomain::renew(Rooms& from, std::vector<char> told, bool is_first, std::span<const Newcomer> newcomers) {
  ++counts_.renewed;
  const Bodies& bodies = from.bodies;
  if (is_first || domains_.are_uneven || sharing_.rebalance_always) divide(from, told);
  measure(from, told, newcomers);
  std::vector<Ranks::Bytes> to_each;
  for (std::size_t rank = 0; rank < ghosts_.sent.size(); ++rank) {
    std::vector<char> wanted(bodies.size(), 0);
    for (std::uint32_t body = bodies.walls; body < bodies.size(); ++body) {
      const std::uint32_t particle = bodies.particle(body);
      if (particle != body) {
        wanted[body] = wanted[particle];
      } else {
        const bool is_near_it = is_near(linear(bodies.position[body]), bodies.bounding_radius[body], rank);
        wanted[body] = owner(bodies, body) == static_cast<int>(rank) || is_near_it ? 1 : 0;
      }
    }
    to_each.push_back(to_bytes(pack(from, wanted, told)));
  }
  std::vector<Ranks::Bytes> received = scree::exchange(ranks_, std::move(to_each));
  std::vector<Parcel> parcels(received.size());
  std::vector<std::vector<char>> own(received.size());
  for (std::size_t rank = 0; rank < received.size(); ++rank) {
    from_bytes(std::move(received[rank]), parcels[rank]);
    const Bodies& theirs = parcels[rank].bodies;
    for (std::uint32_t body = 0; body < theirs.size(); ++body) {
      own[rank].push_back(owner(theirs, body) == ranks_.rank() ? 1 : 0);
    }
  }
  const Parcel walls = pack_walls(local_);
  put_together(walls, parcels, &own, Proxied::anew, local_);
  local_.walls.find_fastest(local_.periodic(), local_.bodies);
  note_neighbours();
}

/// Domains of about equal cost: grains and contacts.
void Subdomain::divide(const Rooms& from, std::span<const char> told) {
  const std::vector<double> cost = costs(from.bodies, from.contacts);
  std::vector<double> numbers;
  for (std::uint32_t body = from.bodies.walls; body < from.bodies.size(); ++body) {
    if (told[body] == 0 || from.bodies.is_part(body)) continue;
    numbers.insert(numbers.end(), {from.bodies.position[body].x(), from.bodies.position[body].y(), cost[body]});
  }
  std::vector<Ranks::Bytes> messages = gather(ranks_, to_bytes(numbers));
  if (whole_ != nullptr) {
    std::vector<DomainTree::Load> loads;
    for (Ranks::Bytes& message : messages) {
      from_bytes(std::move(message), numbers);
      for (std::size_t k = 0; k < numbers.size(); k += 3)
        loads.push_back({{numbers[k], numbers[k + 1]}, numbers[k + 2]});
    }
    domains_.tree = DomainTree(loads, ranks_.size());
  }
  broadcast_value(ranks_, domains_.tree);
}

/// How far the grains of each rank reach, and how far they may go until this is done again. The longer, the more
/// ghosts; the shorter, the more often.
void Subdomain::measure(const Rooms& from, std::span<const char> told, std::span<const Newcomer> newcomers) {
  constexpr double kSteps = 40.0;    // at the present speeds
  constexpr double kOfRadius = 0.1;  // at least
  constexpr double kUneven = 1.2;    // greatest cost of a rank over the mean: domains are divided anew next time
  const Bodies& bodies = from.bodies;
  const std::vector<double> cost = costs(bodies, from.contacts);
  const double strain = from.cell.deforms() ? from.cell.strain_in(from.clock.dt()) : 0.0;
  Measures all(ghosts_.sent.size());
  for (std::uint32_t body = bodies.walls; body < bodies.size(); ++body) {
    if (told[body] == 0 || bodies.is_part(body)) continue;
    const Vec2 centre = linear(bodies.position[body]);
    const double radius = bodies.bounding_radius[body];
    const auto rank = static_cast<std::size_t>(owner(bodies, body));
    all.extend(rank, centre.array() - radius, centre.array() + radius);
    all.cost[rank] += cost[body];
    all.longest_way = std::max(all.longest_way, way_in_a_step(from, body) + strain * radius);
    all.radius += radius;
    ++all.particles;
  }
  std::vector<Ranks::Bytes> messages = gather(ranks_, to_bytes(all));
  for (std::size_t rank = 1; rank < messages.size(); ++rank) {
    Measures others(ghosts_.sent.size());
    from_bytes(std::move(messages[rank]), others);
    all.add(others);
  }
  if (whole_ != nullptr) {
    for (const Newcomer& grain : newcomers) {
      const auto rank = static_cast<std::size_t>(domains_.tree.owner(grain.position));
      all.extend(rank, grain.position.array() - grain.radius, grain.position.array() + grain.radius);
      all.longest_way = std::max(all.longest_way, grain.way);
    }
    // So that grains that are born later are seldom beyond.
    for (const Region& region : regions_that_pour()) {
      for (std::size_t rank = 0; rank < ghosts_.sent.size(); ++rank) {
        const Aabb2 domain = domains_.tree.domain(static_cast<int>(rank));
        const Vec2 lo = domain.lo.cwiseMax(region.lo);
        const Vec2 hi = domain.hi.cwiseMin(region.hi);
        if ((lo.array() <= hi.array()).all()) all.extend(rank, lo, hi);
      }
    }
  }
  broadcast_value(ranks_, all);
  const double mean_radius = all.particles > 0 ? all.radius / static_cast<double>(all.particles) : 0.0;
  domains_.slack = std::max(kSteps * all.longest_way, kOfRadius * mean_radius);
  const double sum = std::accumulate(all.cost.begin(), all.cost.end(), 0.0);
  domains_.are_uneven = std::ranges::max(all.cost) * static_cast<double>(all.cost.size()) > kUneven * sum;
  domains_.extents.clear();
  for (std::size_t rank = 0; rank < ghosts_.sent.size(); ++rank) {
    domains_.extents.push_back({{all.lo_x[rank], all.lo_y[rank]}, {all.hi_x[rank], all.hi_y[rank]}});
  }
}

/// Which of its particles are its own, which of these are ghosts elsewhere, and which rank owns its ghosts. All ranks
/// find the same, since they go by the same bits.
void Subdomain::note_neighbours() {
  const Bodies& bodies = local_.bodies;
  ghosts_.own.assign(bodies.size(), 0);
  renewed_.at.assign(bodies.size(), {});
  renewed_.shape = local_.cell.shape();
  for (auto& list : ghosts_.sent) list.clear();
  for (auto& list : ghosts_.received) list.clear();
  for (std::uint32_t body = bodies.walls; body < bodies.size(); ++body) {
    const int rank = owner(bodies, body);
    ghosts_.own[body] = rank == ranks_.rank() ? 1 : 0;
    if (bodies.is_part(body)) continue;
    renewed_.at[body] = {linear(bodies.position[body]), bodies.image[body]};
    if (ghosts_.own[body] == 0) {
      ghosts_.received[static_cast<std::size_t>(rank)].push_back(body);
      continue;
    }
    for (std::size_t other = 0; other < ghosts_.sent.size(); ++other) {
      const bool is_near_it = is_near(linear(bodies.position[body]), bodies.bounding_radius[body], other);
      if (static_cast<int>(other) != rank && is_near_it) ghosts_.sent[other].push_back(body);
    }
  }
}

std::uint32_t Subdomain::own() const {
  std::uint32_t count = 0;
  for (std::uint32_t body = 0; body < ghosts_.own.size(); ++body)
    count += ghosts_.own[body] != 0 && !local_.bodies.is_part(body);
  return count;
}

std::uint32_t Subdomain::ghosts() const {
  return std::accumulate(ghosts_.received.begin(), ghosts_.received.end(), 0U, [](std::uint32_t sum, const auto& list) {
    return sum + static_cast<std::uint32_t>(list.size());
  });
}

}  // namespace scree::soft
