#include "app/new.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/errors.hpp"
#include "app/exit_code.hpp"
#include "app/say.hpp"
#include "app/templates/arch.hpp"
#include "app/templates/biaxial.hpp"
#include "app/templates/drum.hpp"
#include "app/templates/gas.hpp"
#include "app/templates/heap.hpp"
#include "app/templates/hopper.hpp"
#include "app/templates/shaker.hpp"
#include "app/templates/shear.hpp"
#include "app/templates/silo.hpp"
#include "io/files/atomic_file.hpp"
#include "io/text/message_text.hpp"
#include "io/text/words.hpp"

namespace scree::app {

namespace {

struct Template {
  std::string_view kind;
  std::string_view text;
};

const std::array kTemplates = {
    Template{"heap", kTemplateHeap},     Template{"hopper", kTemplateHopper},   Template{"drum", kTemplateDrum},
    Template{"shaker", kTemplateShaker}, Template{"silo", kTemplateSilo},       Template{"arch", kTemplateArch},
    Template{"gas", kTemplateGas},       Template{"biaxial", kTemplateBiaxial}, Template{"shear", kTemplateShear},
};

}  // namespace

const std::vector<std::string>& kinds_of_scenes() {
  static const std::vector<std::string> kinds = [] {
    std::vector<std::string> names;
    for (const Template& one : kTemplates) names.emplace_back(one.kind);
    return names;
  }();
  return kinds;
}

int write_new_scene(const std::string& kind, const std::filesystem::path& file) {
  const auto found = std::ranges::find(kTemplates, kind, &Template::kind);
  if (found == kTemplates.end()) {
    throw UsageError(fmt::format("'{}' is not a kind of scene{}, must be {}", shortened(kind),
                                 did_you_mean(kind, kinds_of_scenes()), one_of_text(kinds_of_scenes())));
  }
  std::error_code none;
  if (std::filesystem::exists(std::filesystem::symlink_status(file, none))) {
    throw UsageError(fmt::format("{} is there already, must be the name of a new file", shortened(file.string(), 200)));
  }
  write_file_atomically(file, std::string(found->text));
  say("{}: a scene of the kind {}; next: scree check {}\n", file.string(), kind, file.string());
  return kOk;
}

}  // namespace scree::app
