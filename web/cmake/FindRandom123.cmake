# Among the headers that web/CMakeLists.txt gathers.
if(NOT TARGET Random123::Random123)
  add_library(Random123::Random123 INTERFACE IMPORTED GLOBAL)
endif()
set(Random123_FOUND TRUE)
