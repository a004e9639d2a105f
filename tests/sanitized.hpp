#pragma once

namespace scree::test {

/// Under sanitizers, ten to forty times slower, tests may do less.
#ifdef SCREE_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
/// What the number of trials of a random search is divided by.
inline constexpr int kFewer = kSanitized ? 5 : 1;

}  // namespace scree::test
