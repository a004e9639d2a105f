#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace scree {

/// What a page that plays a run is made of. It holds all that it needs.
struct PageParts {
  std::string title;
  std::string policy;       ///< its Content-Security-Policy beyond that of all pages
  std::string head = {};    ///< elements of its head
  std::string styles = {};  ///< behind the player's
  std::string data = {};    ///< elements that scripts read
  std::initializer_list<std::string_view> scripts;
};

/// The page as HTML, with the player's body.
std::string page_text(const PageParts& parts);

}  // namespace scree
