#include <exception>
#include <tuple>
#include <utility>
#include <vector>

#include "dem/archive.hpp"
#include "dem/soft/rank_messages.hpp"
#include "dem/soft/subdomain.hpp"

/// How a step begins: bodies that come and go.
namespace scree::soft {

/// What the next step begins with.
std::uint8_t Subdomain::next_exchange(bool some_leave) const {
  if (some_leave) return kAll;
  const Bodies& bodies = local_.bodies_;
  for (std::uint32_t body = 0; body < bodies.walls; ++body) {
    if (!bodies.is_absent(body)) continue;
    const Wall& wall = whole_->scene_.walls[static_cast<std::size_t>(bodies.type[body])];
    if (wall.stage == 0 && local_.time() >= wall.from.value_or(0.0)) return kAll;
  }
  return whole_->population_.owed(whole_->scene_, local_.time()) > 0 ? kPours : kNothing;
}

/// Rank 0 does what Simulation::step does first. @return see step
bool Subdomain::exchange() {
  exchange_due_ = kNothing;
  if (!is_complete_) collect();
  Decision decision;
  std::exception_ptr error;
  if (whole_ != nullptr) {
    Simulation& s = *whole_;
    s.pairs_.restore(s.placement_);
    const auto population = [&] {
      return std::tuple(s.bodies_.size(), s.population_.next_id(), s.population_.departed(), s.bodies_.absent);
    };
    const auto before = population();
    try {
      s.exchange();
      s.end_with_their_pairs(s.contacts_.apply(s.pairs_.changes(), s.bodies_));
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

/// What rank 0 asks the others about grains that are due.
struct Subdomain::Question {
  enum Kind : std::uint8_t { is_there_room, one_is_born, none_is_born };

  std::uint8_t kind = none_is_born;
  bool has_sums = false;  ///< Outline::sums
  double radius = 0.0;
  Vec2 position = Vec2::Zero();
  double cos = 1.0;
  double sin = 0.0;
  std::vector<Vec2> outline = {};

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.kind, self.has_sums, self.radius, self.position, self.cos, self.sin, self.outline);
  }
};

/// Only pours are due: as long as no grain finds room, nobody has to know the whole. @return see step
bool Subdomain::pour() {
  exchange_due_ = kNothing;
  bool is_one_born = false;
  Decision decision;
  std::exception_ptr error;
  if (whole_ == nullptr) {
    is_one_born = answer_questions();
    if (is_one_born && !is_complete_) collect();
  } else {
    Simulation& s = *whole_;
    const auto is_free = [&](const ShapeView& shape, const Pose& pose) {
      return is_one_born ? s.is_free(shape, pose) : is_free_everywhere(shape, pose);
    };
    try {
      for (std::size_t g = 0; g < s.scene_.particles.size(); ++g) {
        const int group = static_cast<int>(g);
        while (const auto birth = s.population_.try_pour(s.scene_, group, time(), is_free)) {
          if (!is_one_born) {
            Question question{.kind = Question::one_is_born};
            broadcast_value(ranks_, question);
            is_one_born = true;
            if (!is_complete_) collect();
            s.pairs_.restore(s.placement_);
          }
          const std::uint32_t body = s.add(*birth, group);
          s.placement_.add_missing(s.bodies_);
          s.pairs_.insert(body, s.bodies_, s.placement_);
        }
      }
      if (is_one_born) s.end_with_their_pairs(s.contacts_.apply(s.pairs_.changes(), s.bodies_));
    } catch (const std::exception&) {
      if (!is_one_born) throw;
      decision.failed = true;
      error = std::current_exception();
    }
    if (!is_one_born) {
      Question question;
      broadcast_value(ranks_, question);
    }
  }
  if (!is_one_born) return true;
  broadcast_value(ranks_, decision);
  if (error) std::rethrow_exception(error);
  if (decision.failed) return false;
  share_out();
  return true;
}

/// Of rank 0: whether no rank has a body there.
bool Subdomain::is_free_everywhere(const ShapeView& shape, const Pose& pose) {
  Question question{.kind = Question::is_there_room,
                    .has_sums = shape.outline.sums() != nullptr,
                    .radius = shape.radius,
                    .position = pose.position,
                    .cos = pose.rotation.cos,
                    .sin = pose.rotation.sin,
                    .outline = {shape.outline.begin(), shape.outline.end()}};
  broadcast_value(ranks_, question);
  bool is_free = true;
  for (Ranks::Bytes& answer : gather(ranks_, to_bytes(local_.is_free(shape, pose)))) {
    bool is_free_there = false;
    from_bytes(std::move(answer), is_free_there);
    is_free = is_free && is_free_there;
  }
  return is_free;
}

/// Of the others. @return whether a grain is born
bool Subdomain::answer_questions() {
  for (;;) {
    Question question;
    broadcast_value(ranks_, question);
    if (question.kind != Question::is_there_room) return question.kind == Question::one_is_born;
    std::vector<ArcSum> sums;
    if (question.has_sums) append_arc_sums(question.outline, sums);
    const ShapeView shape{{question.outline, question.has_sums ? sums.data() : nullptr}, question.radius};
    const Pose pose{question.position, {question.cos, question.sin}};
    (void)gather(ranks_, to_bytes(local_.is_free(shape, pose)));
  }
}

}  // namespace scree::soft
