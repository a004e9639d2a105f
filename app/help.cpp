#include "app/help.hpp"

#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "app/errors.hpp"
#include "app/faq.hpp"  // docs/faq.md as kFaq, written by CMake
#include "app/run.hpp"
#include "app/say.hpp"
#include "io/text/message_text.hpp"
#include "io/yaml/yaml_value.hpp"

namespace scree::app {

namespace {

struct Topic {
  std::string name;
  std::string_view question;
  std::string_view answer;
};

/// Each begins with a line "## name: question".
std::vector<Topic> topics() {
  constexpr std::string_view kHead = "\n## ";
  std::vector<Topic> all;
  for (std::size_t at = kFaq.find(kHead); at != std::string_view::npos;) {
    const std::size_t next = kFaq.find(kHead, at + 1);
    const std::string_view part = kFaq.substr(at + kHead.size(), next - at - kHead.size());
    const std::size_t colon = part.find(": ");
    const std::size_t end = part.find('\n');
    std::string_view answer = part.substr(end + 2);
    while (answer.ends_with('\n')) answer.remove_suffix(1);
    all.push_back({std::string(part.substr(0, colon)), part.substr(colon + 2, end - colon - 2), answer});
    at = next;
  }
  return all;
}

}  // namespace

int help(const std::string& topic) {
  std::vector<std::string> names;
  for (const Topic& each : topics()) {
    names.push_back(each.name);
    if (each.name != topic) continue;
    say("{}\n\n{}\n", each.question, each.answer);
    return kOk;
  }
  if (!topic.empty()) {
    throw UsageError(fmt::format("'{}' is not a topic{}, must be {}", shortened(topic), did_you_mean(topic, names),
                                 one_of_text(names)));
  }
  for (const Topic& each : topics()) say("  {:<12} {}\n", each.name, each.question);
  say("scree help TOPIC prints one; scree COMMAND --help says how a command is used\n");
  return kOk;
}

}  // namespace scree::app
