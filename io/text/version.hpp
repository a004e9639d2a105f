#pragma once

namespace scree {

/// Which scree this is: what a run writes beside its results, so that it can be repeated.
const char* version();   ///< "major.minor.patch"
const char* commit();    ///< 12 digits, "-dirty" behind them if sources were changed; "unknown" if not built from git
const char* compiler();  ///< name, version and flags

}  // namespace scree
