#include "dem/hard/flight/grain_forms.hpp"

#include <utility>

namespace scree::hard {

std::vector<Vec2> GrainForm::corners() const {
  std::vector<Vec2> corners;
  for (std::size_t k = 0; k < shape.edges(); ++k) corners.push_back(shape.sides()[k].corner);
  return corners;
}

void GrainForm::take_shape(const std::vector<Vec2>& corners, double disk_radius) {
  if (corners.empty()) {
    require_state(disk_radius > 0.0 && std::isfinite(disk_radius), "the radius of a disk");
    shape = ContactShape::disk(disk_radius);
    return;
  }
  const std::size_t count = corners.size();
  bool is_convex = count >= 3 && disk_radius == 0.0;
  for (std::size_t k = 0; is_convex && k < count; ++k) {
    const Vec2& corner = corners[k];
    const Vec2& next = corners[k + 1 < count ? k + 1 : 0];
    const Vec2& after = corners[k + 2 < count ? k + 2 : k + 2 - count];
    is_convex = corner.allFinite() && cross(next - corner, after - next) > 0.0 && cross(corner, next) > 0.0;
  }
  require_state(is_convex, "the outline of a grain");
  shape = ContactShape(Outline(corners));
}

GrainForms::GrainForms(std::vector<GrainForm> forms, double greatest_radius)
    : of_(std::move(forms)), turns_(of_.size()) {
  const double half = 2.0 * greatest_radius;
  sides_.push_back(ContactShape::segment({0.0, -half}, {0.0, half}));
  sides_.push_back(ContactShape::segment({-half, 0.0}, {half, 0.0}));
}

void GrainForms::add(const GrainForm& form) {
  of_.push_back(form);
  turns_.push_back(0.0);
}

void GrainForms::take_in(Index i, const GrainForms& others, Index there) {
  of_[i] = others.of_[there];
  turns_[i] = others.turns_[there];
}

void GrainForms::require_sound(std::size_t grains) const {
  require_state(of_.size() == grains && turns_.size() == grains, "the forms of grains differ in number");
  for (Index i = 0; i < of_.size(); ++i) {
    const GrainForm& form = of_[i];
    require_state(form.area > 0.0 && std::isfinite(form.area) && form.inertia > 0.0 && std::isfinite(form.inertia),
                  "the area or inertia of a grain");
    require_state(std::isfinite(turns_[i]) && turns_[i] == std::nearbyint(turns_[i]), "the turns of a grain");
  }
}

}  // namespace scree::hard
