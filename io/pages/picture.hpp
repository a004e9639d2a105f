#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dem/scene/colour.hpp"
#include "dem/scene/domain.hpp"
#include "dem/scene/region.hpp"
#include "dem/state.hpp"
#include "geometry/vec.hpp"

/// Pictures of the grains at one time, as a list of what is to be drawn; io/pages/svg_plot.hpp makes SVG of it.
namespace scree {

struct Scene;

enum class Anchor { start, middle, end };

/// Something to draw, in pixels from the upper left corner of the picture.
struct Mark {
  enum class Kind { polygon, disk, line, text } kind;
  std::vector<Vec2> points;  ///< corners; of a disk the centre; of a text where its baseline begins, or its anchor is
  double size = 0.0;         ///< radius of a disk, width of a line, height of a text
  Colour colour = {0, 0, 0};
  std::optional<Colour> edge = {};  ///< of polygons and disks
  double edge_width = 0.0;
  bool dashed = false;
  std::string text = {};
  Anchor anchor = Anchor::start;
};

struct Picture {
  double width;   ///< [pixels]
  double height;  ///< [pixels]
  std::vector<Mark> marks;
};

/// Numbers of grains that can colour them: speed, coordination, angular_velocity, force, torque.
const std::vector<std::string>& grain_arrays();

/// One of these numbers, of particle i [m/s, -, rad/s, N, N m]; of another name its speed.
double grain_value(const ParticleState& particles, std::size_t i, const std::string& array);

/// What can colour grains, in a replay, too: scene (the colours that it gives), grain_arrays(), size, material, group,
/// none.
const std::vector<std::string>& grain_colours();

/// What all pictures of a run have in common: what part of the plane they show, and where scales of colours end.
class PictureScales {
 public:
  /// @param colour  one of grain_colours(); empty: the scene's colours, if it gives any, else speed. `scene` of a scene
  ///                that gives none is speed, too.
  explicit PictureScales(const Scene& scene, std::string colour = {});

  /// A state that shall fit into the pictures.
  void add(const State& state);

  /// The grains with the walls about them; of a wall that goes far beyond them, only a margin. Periodic and reflecting
  /// sides are inside.
  Region region() const;
  const std::string& colour() const { return colour_; }
  double value() const;  ///< of what colours grains: of a hundred one has a greater size of it; speed if it is none
  double force() const;  ///< of a hundred contacts one has a greater normal force [N]
  double smallest_radius() const;  ///< [m]; 1 if there are no grains
  double largest_radius() const;   ///< [m]; 1 if there are no grains

 private:
  Domain domain_;
  std::string colour_;
  std::optional<Region> grains_;
  std::optional<Region> walls_;
  std::vector<double> values_;
  std::vector<double> forces_;
  double radius_ = 0.0;
  double largest_radius_ = 0.0;
};

struct PictureOptions {
  double width = 1200.0;  ///< [pixels]; the height follows
  double letters = 0.0;   ///< size of words, 1 in a picture of 1200 pixels; 0: in proportion to the width
  bool chains = true;     ///< draw the forces between grains
  bool words = true;      ///< title, time and scales
  std::string note = {};  ///< behind the time, such as the speed of a film
};

/// Grains in the colours that the scales are made for. A periodic cell that deforms is the parallelogram of
/// its periods, with the grains in it.
Picture picture_of(const State& state, const Scene& scene, const PictureScales& scales,
                   const PictureOptions& options = {});

/// The next round number, and marks of a scale that ends there; a scale of nothing ends at 1.
struct RoundScale {
  double end;
  std::vector<double> marks;
};
RoundScale round_scale(double greatest);

}  // namespace scree
