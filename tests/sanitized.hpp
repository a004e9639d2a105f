#pragma once

namespace scree::test {

/// Under sanitizers, ten to forty times slower, tests may do less.
#ifdef SCREE_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace scree::test
