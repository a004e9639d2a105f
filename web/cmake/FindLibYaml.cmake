# Compiled by web/CMakeLists.txt.
if(NOT TARGET LibYaml::yaml)
  add_library(LibYaml::yaml ALIAS yaml)
endif()
set(LibYaml_FOUND TRUE)
