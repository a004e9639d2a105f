#include <algorithm>
#include <exception>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "dem/archive.hpp"
#include "dem/room.hpp"
#include "dem/scene.hpp"
#include "dem/soft/exchange.hpp"
#include "dem/soft/ranks/rank_messages.hpp"
#include "dem/soft/ranks/subdomain.hpp"

/// How a step begins: bodies that come and go.
namespace scree::soft {

namespace {

/// A particle that leaves, as its owner has it.
struct Leaving {
  struct Box {
    std::uint32_t part;  ///< number of the part; else 0
    Image image;
    Aabb2 box;

    template <class Archive, class Self>
    static void visit(Archive& archive, Self& self) {
      archive(self.part, self.image, self.box);
    }
  };

  std::uint64_t id;
  Motion position;
  Motion velocity;
  Image image;
  std::vector<Box> boxes;

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.id, self.position, self.velocity, self.image, self.boxes);
  }
};

/// A contact that ends since one of its bodies leaves.
struct EndedWithBody {
  PairKey key;
  double depth_ratio;
  ElasticEnergy elastic;

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.key, self.depth_ratio, self.elastic.potential, self.elastic.without_potential,
            self.elastic.tangential);
  }
};

template <class T>
void append(std::vector<T> more, std::vector<T>& all) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

/// What the next step begins with.
std::uint8_t Subdomain::next_exchange(bool some_leave) const {
  const Bodies& bodies = local_.bodies;
  for (std::uint32_t body = 0; body < bodies.walls; ++body) {
    const Wall& wall = whole_->rooms.scene.walls[static_cast<std::size_t>(bodies.type[body])];
    if (wall.stage > 0) continue;
    const bool comes = bodies.is_absent(body) && local_.time() >= wall.from.value_or(0.0);
    if (comes || (wall.until && local_.time() >= *wall.until)) return kAll;
  }
  std::uint8_t due = some_leave ? kDepartures : kNothing;
  if (whole_->rooms.population.owed(whole_->rooms.scene, local_.time()) > 0) due |= kPours;
  return due;
}

/// Who comes and goes. @return see step
bool Subdomain::exchange() {
  const std::uint8_t due = std::exchange(exchange_due_, kNothing);
  if ((due & kAll) != 0) return exchange_in_whole();
  bool has_changed = false;
  if ((due & kDepartures) != 0) {
    remove_leaving();
    has_changed = true;
  }
  if ((due & kPours) != 0) {
    std::vector<Birth> births;
    if (!find_births(births)) return false;
    if (!births.empty()) give_birth(births);
    has_changed |= !births.empty();
  }
  if (has_changed) find_quanta();
  return true;
}

/// Walls come or go, or it is not known what is due: rank 0 does what a run alone does. @return see step
bool Subdomain::exchange_in_whole() {
  if (!is_complete_) collect();
  Decision decision;
  std::exception_ptr error;
  if (whole_ != nullptr) {
    Rooms& s = whole_->rooms;
    s.pairs.restore(s.placement);
    const auto population = [&] {
      return std::tuple(s.bodies.size(), s.population.next_id(), s.population.departed(), s.bodies.absent);
    };
    const auto before = population();
    try {
      soft::exchange(s, whole_->accounts);
      std::vector<Tally::Ended> ended;
      for (const EndedContact& contact : s.contacts.apply(s.pairs.changes(), s.bodies)) {
        ended.push_back(ended_with_boxes(s, contact));
      }
      whole_->accounts.end_pairs(ended);
      decision.distributes = population() != before;
    } catch (const std::exception&) {
      decision.failed = true;
      error = std::current_exception();
    }
  }
  broadcast_value(ranks_, decision);
  if (error) std::rethrow_exception(error);
  if (decision.failed) return false;
  if (decision.distributes) share_out();
  return true;
}

/// The largest grain may have come or gone.
void Subdomain::find_quanta() {
  double largest = 0.0;
  for (Ranks::Bytes& message : gather(ranks_, to_bytes(PowerIntegral::largest_grain(local_.bodies)))) {
    double there = 0.0;
    from_bytes(std::move(message), there);
    largest = std::max(largest, there);
  }
  broadcast_value(ranks_, largest);
  PowerIntegral& power = local_.power;
  power.find_quanta(largest, local_.laws, local_.clock.longest());
  if (whole_ != nullptr) whole_->rooms.power.set_quanta(power.quanta());
}

// -------------------------------------------------------------------------------------------------------- departures

/// Every rank finds by itself which of its own particles and ghosts leave. Rank 0 keeps the accounts.
void Subdomain::remove_leaving() {
  Rooms& s = local_;
  const Bodies& bodies = s.bodies;
  std::vector<char> leaving = Population::leaving(s.scene, bodies, s.placement, s.time());
  leaving.resize(bodies.size(), 0);
  std::vector<Leaving> gone;
  std::vector<std::uint32_t> place(bodies.size(), Bodies::kGone);  // in `gone`
  for (std::uint32_t body = bodies.walls; body < bodies.size(); ++body) {
    if (leaving[body] == 0 || ghosts_.own[body] == 0) continue;
    if (!bodies.is_part(body)) {
      gone.push_back({bodies.id[body], bodies.position[body], bodies.velocity[body], bodies.image[body], {}});
    }
    place[body] = static_cast<std::uint32_t>(gone.size() - 1);
  }
  const Proxies& proxies = s.pairs.proxies();
  for (ProxyId id = 0; !gone.empty() && id < proxies.size(); ++id) {
    const Proxy proxy = proxies[id];
    if (proxy.body == Proxies::kUnused || place[proxy.body] == Bodies::kGone) continue;
    gone[place[proxy.body]].boxes.push_back(
        {bodies.part_number(proxy.body), proxy.image, s.pairs.box(id, s.placement)});
  }
  std::vector<EndedWithBody> ended;
  for (const EndedContact& contact : end_contacts_of(leaving, s)) {
    if (ghosts_.own[contact.bodies.a] == 0) continue;
    ended.push_back({key_of(bodies, contact.bodies, contact.image), contact.history.max_depth_ratio,
                     s.forces.elastic_energy(bodies, s.laws, proxies, contact)});
  }
  const std::vector<std::uint32_t> new_index = compact(leaving, s);
  keep_remaining(ghosts_.own, new_index);
  keep_remaining(renewed_.at, new_index);
  for (auto* lists : {&ghosts_.sent, &ghosts_.received}) {
    for (std::vector<std::uint32_t>& list : *lists) {
      for (std::uint32_t& body : list) body = new_index[body];
      std::erase(list, Bodies::kGone);
    }
  }
  std::vector<Ranks::Bytes> messages = gather(ranks_, to_bytes(gone, ended));
  is_complete_ = false;
  if (whole_ == nullptr) return;
  std::vector<Leaving> all_gone;
  std::vector<EndedWithBody> all_ended;
  for (Ranks::Bytes& message : messages) {
    from_bytes(std::move(message), gone, ended);
    append(std::move(gone), all_gone);
    append(std::move(ended), all_ended);
  }
  std::ranges::sort(all_gone, {}, &Leaving::id);
  std::ranges::sort(all_ended, {}, &EndedWithBody::key);
  Rooms& whole = whole_->rooms;
  whole.clock = s.clock;
  since_.gone.resize(whole.bodies.size(), 0);
  PairFinder::ProxyChanges changes;
  for (const Leaving& each : all_gone) {
    const std::uint32_t body = body_of(whole.bodies, each.id);
    whole.bodies.position[body] = each.position;
    whole.bodies.velocity[body] = each.velocity;
    whole.bodies.image[body] = each.image;
    depart(body, whole, whole_->accounts);
    std::fill_n(since_.gone.begin() + body, 1 + whole.bodies.parts_of(body), 1);
    ++since_.particles_gone;
    for (const Leaving::Box& box : each.boxes) changes.ended.push_back({{body + box.part, box.image}, box.box});
  }
  note(std::move(changes));
  for (const EndedWithBody& each : all_ended) whole_->accounts.end_with_body(each.depth_ratio, each.elastic);
}

// -------------------------------------------------------------------------------------------------------------- births

/// What rank 0 asks the others about grains that are due.
struct Subdomain::Question {
  bool is_there_room = false;  ///< else there are no more questions
  bool has_sums = false;       ///< Outline::sums
  double radius = 0.0;
  Vec2 position = Vec2::Zero();
  double cos = 1.0;
  double sin = 0.0;
  std::vector<Vec2> outline = {};

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.is_there_room, self.has_sums, self.radius, self.position, self.cos, self.sin, self.outline);
  }
};

/// Whether no rank has a body there. Rank 0 asks.
bool Subdomain::is_free_everywhere(const ShapeView& shape, const Pose& pose) {
  Question question{.is_there_room = true,
                    .has_sums = shape.outline.sums() != nullptr,
                    .radius = shape.radius,
                    .position = pose.position,
                    .cos = pose.rotation.cos,
                    .sin = pose.rotation.sin,
                    .outline = {shape.outline.begin(), shape.outline.end()}};
  broadcast_value(ranks_, question);
  bool is_free = true;
  for (Ranks::Bytes& answer : gather(ranks_, to_bytes(soft::is_free(local_, shape, pose)))) {
    bool is_free_there = false;
    from_bytes(std::move(answer), is_free_there);
    is_free = is_free && is_free_there;
  }
  return is_free;
}

/// Answers rank 0, on the other ranks.
void Subdomain::answer_questions() {
  for (;;) {
    Question question;
    broadcast_value(ranks_, question);
    if (!question.is_there_room) return;
    std::vector<ArcSum> sums;
    if (question.has_sums) append_arc_sums(question.outline, sums);
    const ShapeView shape{{question.outline, question.has_sums ? sums.data() : nullptr}, question.radius};
    const Pose pose{question.position, {question.cos, question.sin}};
    (void)gather(ranks_, to_bytes(is_free(local_, shape, pose)));
  }
}

/// Rank 0 finds the grains that are born, and puts them into the whole. @return see step
bool Subdomain::find_births(std::vector<Birth>& births) {
  Decision decision;
  std::exception_ptr error;
  if (whole_ == nullptr) {
    answer_questions();
  } else {
    Rooms& s = whole_->rooms;
    const std::uint32_t first = s.bodies.size();
    const auto near = [&](const Aabb2& box, const auto& take) {  // of those born just now
      for (std::uint32_t body = first; body < s.bodies.size(); ++body) {
        if (s.bodies.has_shape(body) && s.placement.box[body].overlaps(box)) {
          take(s.bodies.shape(body), s.bodies.pose(body));
        }
      }
    };
    const auto is_free = [&](const ShapeView& shape, const Pose& pose) {
      return has_room(shape, pose, kRoomAround * shape.radius, near) && is_free_everywhere(shape, pose);
    };
    s.clock = local_.clock;
    try {
      for (std::size_t g = 0; g < s.scene.particles.size(); ++g) {
        const int group = static_cast<int>(g);
        while (const auto birth = s.population.try_pour(s.scene, group, local_.time(), is_free)) {
          const std::uint64_t number = s.population.pours()[g].born - 1;
          births.push_back({s.population.next_id(), group, number, birth->position, birth->angle, birth->velocity,
                            birth->angular_velocity});
          const std::uint32_t body = add(*birth, group, s);
          whole_->accounts.enter(energy_of(s, body));
          s.placement.add_missing(s.bodies);
          PairFinder::ProxyChanges changes;
          for (std::uint32_t k = body; k < s.bodies.size(); ++k) {
            if (s.bodies.has_shape(k)) changes.begun.push_back({.body = k});
          }
          note(std::move(changes));
        }
      }
    } catch (const std::exception&) {
      decision.failed = true;
      error = std::current_exception();
    }
    Question none;
    broadcast_value(ranks_, none);
  }
  broadcast_value(ranks_, decision);
  if (error) std::rethrow_exception(error);
  if (decision.failed) return false;
  broadcast_value(ranks_, births);
  return true;
}

/// Regions where grains may be born yet. Rank 0 asks.
std::vector<Region> Subdomain::regions_that_pour() const {
  std::vector<Region> regions;
  for (std::size_t g = 0; g < whole_->rooms.scene.particles.size(); ++g) {
    const auto* pour = std::get_if<Pour>(&whole_->rooms.scene.particles[g].how);
    if (pour != nullptr && whole_->rooms.population.pours()[g].born < pour->count) regions.push_back(pour->region);
  }
  return regions;
}

/// Adds the grains that are born in its domain, or near enough to be ghosts.
void Subdomain::give_birth(const std::vector<Birth>& births) {
  Rooms& s = local_;
  is_complete_ = false;
  std::vector<GrainShape> grains;
  std::vector<Newcomer> newcomers;
  bool is_beyond = false;  // what its owner's ghosts are for
  for (const Birth& birth : births) {
    grains.push_back(make_grain(s.scene, birth.group, birth.number));
    const double radius = grains.back().bounding_radius;
    const Vec2& at = birth.position;
    newcomers.push_back({at, radius, s.clock.dt() * birth.velocity.norm()});
    const Aabb2& extent = domains_.extents[static_cast<std::size_t>(domains_.tree.owner(at))];
    const bool is_within = extent.contains(at.array() - radius) && extent.contains(at.array() + radius);
    is_beyond |= !is_within || !(kStepsAhead * newcomers.back().way < kNearly * domains_.slack);
  }
  if (is_beyond) renew(s, ghosts_.own, false, newcomers);
  for (std::size_t k = 0; k < births.size(); ++k) {
    const Birth& birth = births[k];
    const int owner = domains_.tree.owner(birth.position);
    const bool is_own = owner == ranks_.rank();
    const double radius = grains[k].bounding_radius;
    if (!is_own && !is_near(birth.position, radius, static_cast<std::size_t>(ranks_.rank()))) continue;
    s.population.set_next_id(birth.id);
    const std::uint32_t body = add(
        {std::move(grains[k]), birth.position, birth.angle, birth.velocity, birth.angular_velocity}, birth.group, s);
    give_boxes(body, s);
    ghosts_.own.resize(s.bodies.size(), is_own ? 1 : 0);
    renewed_.at.resize(s.bodies.size(), {birth.position, {0, 0}});
    if (!is_own) {
      ghosts_.received[static_cast<std::size_t>(owner)].push_back(body);
      continue;
    }
    for (std::size_t other = 0; other < ghosts_.sent.size(); ++other) {
      if (static_cast<int>(other) != owner && is_near(birth.position, radius, other))
        ghosts_.sent[other].push_back(body);
    }
  }
}

}  // namespace scree::soft
