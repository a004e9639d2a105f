#pragma once

namespace scree::test {

/// Under sanitizers, ten to forty times slower, tests may do less.
#ifdef SCREE_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
/// Under the thread sanitizer cases on one thread have nothing to find.
#ifdef __SANITIZE_THREAD__
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif
/// What the number of trials of a random search is divided by.
inline constexpr int kFewer = kSanitized ? 5 : 1;

}  // namespace scree::test
