#pragma once

#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "dem/errors.hpp"
#include "dem/soft/contact/laws/area.hpp"
#include "dem/soft/contact/laws/area_potential.hpp"
#include "dem/soft/contact/laws/hertz.hpp"
#include "dem/soft/contact/laws/linear.hpp"

/// The laws that a scene can name. To add one, write its file and put it on its list (docs/architecture.md); loops over
/// contacts are compiled once for each.
namespace scree::soft {

/// Polygon against polygon (contact.law in a scene).
using PolygonLaws = std::tuple<AreaLaw, AreaPotential<4>, AreaPotential<3>>;
/// Contacts with a disk (contact.disks).
using DiskLaws = std::tuple<LinearLaw, UnclippedLinearLaw, HertzLaw>;

template <class Law, class Laws>
struct IsOneOf;
template <class Law, class... Laws>
struct IsOneOf<Law, std::tuple<Laws...>> : std::disjunction<std::is_same<Law, Laws>...> {};

/// The names on a list.
template <class Laws>
std::vector<std::string> law_names() {
  return std::apply([](const auto&... law) { return std::vector<std::string>{law.kName...}; }, Laws{});
}

/// Calls do_it with the law of this name. @throws InvalidScene if the list has none
template <class Laws, class Do>
void with_law(const std::string& name, const char* key, const Do& do_it) {
  const bool found =
      std::apply([&](const auto&... law) { return ((name == law.kName && (do_it(law), true)) || ...); }, Laws{});
  if (!found) throw InvalidScene(key, fmt::format("there is no law '{}'", name));
}

}  // namespace scree::soft
