#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dem/scene.hpp"
#include "dem/state.hpp"
#include "geometry/vec.hpp"

/// Pictures of the grains at one time, as a list of what is to be drawn; io/svg_plot.hpp makes SVG of it.
namespace scree {

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

/// What all pictures of a run have in common: what part of the plane they show, and where scales of colours end.
class PictureScales {
 public:
  explicit PictureScales(const Scene& scene) : domain_(scene.domain) {}

  /// A state that shall fit into the pictures.
  void add(const State& state);

  /// The grains with the walls about them; of a wall that goes far beyond them, only a margin. Periodic and reflecting
  /// sides are inside.
  Region region() const;
  double speed() const;            ///< of a hundred grains one is faster [m/s]
  double force() const;            ///< of a hundred contacts one has a greater normal force [N]
  double smallest_radius() const;  ///< [m]; 1 if there are no grains

 private:
  Domain domain_;
  std::optional<Region> grains_;
  std::optional<Region> walls_;
  std::vector<double> speeds_;
  std::vector<double> forces_;
  double radius_ = 0.0;
};

struct PictureOptions {
  double width = 1200.0;  ///< [pixels]; the height follows
  double letters = 0.0;   ///< size of words, 1 in a picture of 1200 pixels; 0: in proportion to the width
  bool chains = true;     ///< draw the forces between grains
  bool words = true;      ///< title, time and scales
};

/// Grains in the scene's colours, if it gives any, else by speed. A periodic cell that deforms is the parallelogram of
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
