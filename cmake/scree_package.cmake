# Installs scree as a CMake package: find_package(scree) in another project then gives scree::geometry,
# scree::parallel, scree::broadphase, scree::dem, scree::scene and scree::io. The libraries and headers are installed by scree_library.
include(CMakePackageConfigHelpers)

set(scree_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/scree)
install(EXPORT scree_targets NAMESPACE scree:: FILE scree-targets.cmake DESTINATION ${scree_package_dir})

configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/scree-config.cmake.in ${PROJECT_BINARY_DIR}/scree-config.cmake
  INSTALL_DESTINATION ${scree_package_dir})
# Before 1.0 a new minor version may change what a program sees.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/scree-config-version.cmake COMPATIBILITY SameMinorVersion)

install(
  FILES ${PROJECT_BINARY_DIR}/scree-config.cmake
        ${PROJECT_BINARY_DIR}/scree-config-version.cmake
        ${CMAKE_CURRENT_LIST_DIR}/FindRandom123.cmake
        ${CMAKE_CURRENT_LIST_DIR}/FindLibYaml.cmake
        ${CMAKE_CURRENT_LIST_DIR}/FindxxHash.cmake
  DESTINATION ${scree_package_dir})
