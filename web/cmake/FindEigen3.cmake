# Among the headers that web/CMakeLists.txt gathers.
if(NOT TARGET Eigen3::Eigen)
  add_library(Eigen3::Eigen INTERFACE IMPORTED GLOBAL)
  target_include_directories(Eigen3::Eigen SYSTEM INTERFACE ${headers}/eigen3)
endif()
set(Eigen3_FOUND TRUE)
