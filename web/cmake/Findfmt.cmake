# Among the headers that web/CMakeLists.txt gathers.
if(NOT TARGET fmt::fmt)
  add_library(fmt::fmt INTERFACE IMPORTED GLOBAL)
endif()
set(fmt_FOUND TRUE)
