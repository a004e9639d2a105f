# Finds xxHash, a fast non-cryptographic hash (used as a header). Target: xxHash::xxHash.
find_path(xxHash_INCLUDE_DIR xxhash.h)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(xxHash REQUIRED_VARS xxHash_INCLUDE_DIR)
if(xxHash_FOUND AND NOT TARGET xxHash::xxHash)
  add_library(xxHash::xxHash INTERFACE IMPORTED)
  target_include_directories(xxHash::xxHash SYSTEM INTERFACE ${xxHash_INCLUDE_DIR})
endif()
mark_as_advanced(xxHash_INCLUDE_DIR)
