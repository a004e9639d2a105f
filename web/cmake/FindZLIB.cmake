# Compiled by web/CMakeLists.txt.
if(NOT TARGET ZLIB::ZLIB)
  add_library(ZLIB::ZLIB ALIAS zlib)
endif()
set(ZLIB_FOUND TRUE)
