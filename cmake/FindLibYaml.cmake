# Finds LibYAML, a fast reader of YAML, which ships no CMake package. Target: LibYaml::yaml.
find_path(LibYaml_INCLUDE_DIR yaml.h)
find_library(LibYaml_LIBRARY yaml)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibYaml REQUIRED_VARS LibYaml_LIBRARY LibYaml_INCLUDE_DIR)
if(LibYaml_FOUND AND NOT TARGET LibYaml::yaml)
  add_library(LibYaml::yaml UNKNOWN IMPORTED)
  set_target_properties(LibYaml::yaml PROPERTIES IMPORTED_LOCATION ${LibYaml_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES
                                                                                      ${LibYaml_INCLUDE_DIR})
endif()
mark_as_advanced(LibYaml_INCLUDE_DIR LibYaml_LIBRARY)
