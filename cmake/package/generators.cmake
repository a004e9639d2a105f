# cpack reads this once for each generator: an archive has one directory at its top and all in it, a Debian package of
# each component has none.
if(CPACK_GENERATOR STREQUAL "TGZ")
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
  set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
else()
  set(CPACK_COMPONENTS_GROUPING IGNORE)
endif()
