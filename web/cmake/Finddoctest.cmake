# Among the headers that web/CMakeLists.txt gathers.
if(NOT TARGET doctest::doctest)
  add_library(doctest::doctest INTERFACE IMPORTED GLOBAL)
endif()
set(doctest_FOUND TRUE)
