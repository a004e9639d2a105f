# Among the headers that web/CMakeLists.txt gathers.
if(NOT TARGET xxHash::xxHash)
  add_library(xxHash::xxHash INTERFACE IMPORTED GLOBAL)
endif()
set(xxHash_FOUND TRUE)
