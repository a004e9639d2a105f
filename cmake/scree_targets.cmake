# How every target of scree is compiled: C++20, warnings, sanitizers, and floating point that gives the same bits
# everywhere (no contraction to fused multiply-add; -ffast-math is never used).

# scree_library(NAME source...) adds the library scree_NAME, known to others as scree::NAME.
function(scree_library name)
  add_library(scree_${name} ${ARGN})
  add_library(scree::${name} ALIAS scree_${name})
  set_target_properties(scree_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  target_include_directories(
    scree_${name} PUBLIC $<BUILD_INTERFACE:${scree_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/scree>)
  # Public: inline functions in our headers must round alike in the code of those who include them.
  target_compile_options(scree_${name} PUBLIC -ffp-contract=off)
  scree_compile_options(scree_${name})
  if(SCREE_INSTALL)
    install(TARGETS scree_${name} EXPORT scree_targets)
    get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
    install(
      DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/
      DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/scree/${folder}
      FILES_MATCHING
      PATTERN "*.hpp")
  endif()
endfunction()

function(scree_compile_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  # clang counts sign conversions among -Wconversion, g++ does not: here neither does.
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Wshadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU) # version 12 sees them in every copy of a std::variant
    target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
  endif()
  if(SCREE_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(SCREE_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${SCREE_SANITIZE} -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${SCREE_SANITIZE})
  endif()
  if(SCREE_PRECOMPILED_HEADERS AND NOT target STREQUAL scree_precompiled)
    target_precompile_headers(${target} REUSE_FROM scree_precompiled)
    get_target_property(is_independent ${target} POSITION_INDEPENDENT_CODE)
    if(NOT is_independent)
      target_compile_options(${target} PRIVATE -fPIC) # as what is precompiled
    endif()
  endif()
endfunction()

# What nearly every file reads, read once: a fifth less to compile. The build by g++ does without, so that an #include
# that somebody forgot is missed.
function(scree_add_precompiled_headers)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled.cpp CONTENT "")
  add_library(scree_precompiled OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
  scree_compile_options(scree_precompiled)
  set_target_properties(scree_precompiled PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(scree_precompiled PRIVATE -ffp-contract=off)
  target_link_libraries(scree_precompiled PRIVATE Eigen3::Eigen)
  target_precompile_headers(
    scree_precompiled
    PRIVATE
    <algorithm>
    <array>
    <cmath>
    <filesystem>
    <functional>
    <map>
    <memory>
    <numbers>
    <optional>
    <ranges>
    <span>
    <sstream>
    <string>
    <variant>
    <vector>
    <Eigen/Core>)
endfunction()
