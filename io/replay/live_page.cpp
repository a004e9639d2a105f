#include "io/replay/live_page.hpp"

#include "io/replay/page_text.hpp"
// The files in io/replay/, written by CMake.
#include "io/replay/charts.js.hpp"
#include "io/replay/colours.js.hpp"
#include "io/replay/draw_2d.js.hpp"
#include "io/replay/draw_gl.js.hpp"
#include "io/replay/engine_source.js.hpp"
#include "io/replay/live.css.hpp"
#include "io/replay/live.js.hpp"
#include "io/replay/player.js.hpp"

namespace scree {

std::string live_page() {
  // Without an icon of its own the browser would ask for one.
  return page_text({.title = {},
                    .policy = "connect-src 'self'; ",
                    .head = "<link rel=\"icon\" href=\"data:,\">\n",
                    .styles = std::string(kReplayLiveStyle),
                    .scripts = {kReplayColours, kReplayDrawGl, kReplayDraw2d, kReplayCharts, kReplayPlayer,
                                kReplayEngineSource, kReplayLive}});
}

}  // namespace scree
