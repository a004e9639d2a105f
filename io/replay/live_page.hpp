#pragma once

#include <string>

namespace scree {

/// The page that plays a run while it goes on: it asks its server for frames (io/replay/live.js).
std::string live_page();

}  // namespace scree
