#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "geometry/vec.hpp"

namespace scree {
struct Scene;
}  // namespace scree

namespace scree::soft {

/// How a stage began.
struct StageBegin {
  /// Where a wall was that the stage gives other motions, against its outline.
  struct Put {
    std::int32_t wall;  ///< its number in the scene
    Vec2 displacement;  ///< of its centroid [m]
    double angle;       ///< [rad]

    template <class Archive, class Self>
    static void visit(Archive& archive, Self& self) {
      archive(self.wall, self.displacement, self.angle);
    }
  };

  double time = 0.0;  ///< [s]
  std::vector<Put> put = {};

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.time, self.put);
  }
};

/// How far a run has come: which stage it is in, and whether it is over.
class Course {
 public:
  explicit Course(const Scene& scene);

  bool has_stages() const { return whole_ != nullptr; }
  /// Number of the present one; 0 without stages.
  std::size_t stage() const { return begun_.empty() ? 0 : begun_.size() - 1; }
  const std::vector<StageBegin>& begun() const { return begun_; }
  bool is_last_stage() const;
  bool is_over() const { return is_over_; }
  std::uint32_t looks_at_rest() const { return looks_at_rest_; }

  /// Walls, by number, whose place the next stage needs. @pre not in the last stage
  std::vector<std::int32_t> walls_that_change(const Scene& scene) const;
  /// The next stage begins. @param scene becomes that of the stage
  void begin_stage(StageBegin begin, Scene& scene);
  /// The scene of the present stage, after loading.
  Scene scene() const;

  /// Checks whether grains rest. @return whether they have rested long enough
  bool look(bool at_rest);
  void end() { is_over_ = true; }

  /// After loading. @throws InvalidState
  void require_sound() const;
  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.begun_, self.looks_at_rest_, self.is_over_);
  }

 private:
  std::shared_ptr<const Scene> whole_;  // null without stages
  std::vector<StageBegin> begun_;
  std::uint32_t looks_at_rest_ = 0;
  bool is_over_ = false;
};

/// Makes of the scene of the stage before that of a stage: a scene whose times are those of the run.
/// @param number of the stage
void enter_stage(std::size_t number, const StageBegin& begin, Scene& scene);

}  // namespace scree::soft
