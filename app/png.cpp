#include "app/png.hpp"

#include <cairo.h>
#include <fontconfig/fontconfig.h>
#include <memory>
#include <numbers>

#include <fmt/format.h>

#include "dem/scene/colour.hpp"
#include "io/text/errors.hpp"

namespace scree::app {

namespace {

template <auto Destroy>
struct Destroyer {
  template <class T>
  void operator()(T* object) const {
    Destroy(object);
  }
};
using Surface = std::unique_ptr<cairo_surface_t, Destroyer<cairo_surface_destroy>>;
using Context = std::unique_ptr<cairo_t, Destroyer<cairo_destroy>>;

/// What cairo and fontconfig keep until the program ends, when a search for leaks would find it.
struct FontCaches {
  ~FontCaches() {
    cairo_debug_reset_static_data();
    FcFini();
  }
};

void set_colour(cairo_t* cr, const Colour& c) {
  cairo_set_source_rgb(cr, c[0] / 255.0, c[1] / 255.0, c[2] / 255.0);
}

void trace(cairo_t* cr, const std::vector<Vec2>& points) {
  for (const Vec2& point : points) cairo_line_to(cr, point.x(), point.y());
}

void fill(cairo_t* cr, const Mark& mark) {
  set_colour(cr, mark.colour);
  if (!mark.edge) return cairo_fill(cr);
  cairo_fill_preserve(cr);
  set_colour(cr, *mark.edge);
  cairo_set_line_width(cr, mark.edge_width);
  cairo_stroke(cr);
}

void draw(cairo_t* cr, const Mark& mark) {
  switch (mark.kind) {
    case Mark::Kind::polygon:
      trace(cr, mark.points);
      cairo_close_path(cr);
      fill(cr, mark);
      break;
    case Mark::Kind::disk:
      cairo_arc(cr, mark.points[0].x(), mark.points[0].y(), mark.size, 0.0, 2.0 * std::numbers::pi);
      cairo_close_path(cr);
      fill(cr, mark);
      break;
    case Mark::Kind::line: {
      const double dashes[] = {6.0, 5.0};
      cairo_set_dash(cr, dashes, mark.dashed ? 2 : 0, 0.0);
      set_colour(cr, mark.colour);
      cairo_set_line_width(cr, mark.size);
      trace(cr, mark.points);
      cairo_stroke(cr);
      cairo_set_dash(cr, nullptr, 0, 0.0);
      break;
    }
    case Mark::Kind::text: {
      cairo_set_font_size(cr, mark.size);
      cairo_text_extents_t extents;
      cairo_text_extents(cr, mark.text.c_str(), &extents);
      const double before = mark.anchor == Anchor::start ? 0.0 : mark.anchor == Anchor::middle ? 0.5 : 1.0;
      set_colour(cr, mark.colour);
      cairo_move_to(cr, mark.points[0].x() - before * extents.x_advance, mark.points[0].y());
      cairo_show_text(cr, mark.text.c_str());
      cairo_new_path(cr);
      break;
    }
  }
}

}  // namespace

void require_png() {}

std::string png(const Picture& picture) {
  static const FontCaches caches;
  const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(picture.width),
                                                   static_cast<int>(picture.height)));
  const Context context(cairo_create(surface.get()));
  cairo_t* cr = context.get();
  cairo_set_source_rgb(cr, 1.0, 1.0, 1.0);
  cairo_paint(cr);
  cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
  cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
  for (const Mark& mark : picture.marks) draw(cr, mark);
  std::string bytes;
  const auto append = [](void* to, const unsigned char* data, unsigned int size) {
    static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), size);
    return CAIRO_STATUS_SUCCESS;
  };
  if (const auto status = cairo_surface_write_to_png_stream(surface.get(), append, &bytes);
      status != CAIRO_STATUS_SUCCESS) {
    throw IoError(fmt::format("cannot draw a picture of {} x {} pixels: {}", picture.width, picture.height,
                              cairo_status_to_string(status)));
  }
  return bytes;
}

}  // namespace scree::app
