#pragma once

#include <string>

namespace scree::app {

/// Prints an answer of docs/faq.md, or the list of its topics if `topic` is empty. Returns the exit code.
/// Throws UsageError for a topic that is none.
int help(const std::string& topic);

}  // namespace scree::app
