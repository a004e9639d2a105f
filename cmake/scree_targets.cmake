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
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # Version 12 sees them in every copy of a std::variant. No function is to be replaced by another library's: as clang
    # does, those of one file may be inlined into others.
    target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized -fno-semantic-interposition)
  endif()
  if(SCREE_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(SCREE_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${SCREE_SANITIZE} -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${SCREE_SANITIZE})
  endif()
  if(SCREE_PRECOMPILED_HEADERS AND NOT target MATCHES "^scree_precompiled")
    set_target_properties(${target} PROPERTIES PRECOMPILE_HEADERS_REUSE_FROM scree_precompiled)
    get_target_property(is_independent ${target} POSITION_INDEPENDENT_CODE)
    if(NOT is_independent)
      target_compile_options(${target} PRIVATE ${CMAKE_CXX_COMPILE_OPTIONS_PIC}) # as what is precompiled
    endif()
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU) # for ccache
      target_compile_options(${target} PRIVATE -fpch-preprocess)
    endif()
  endif()
endfunction()

# What a file for lanes of 4 or 8 numbers is compiled with.
function(scree_lanes_of_four file)
  set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "-mavx2" SKIP_PRECOMPILE_HEADERS ON)
endfunction()
# Eigen wants -mfma, of which -ffp-contract=off makes no use. g++ takes what intrinsics leave undefined for an error (its
# bug 105593).
function(scree_lanes_of_eight file)
  set(options -mavx512dq -mavx512vl -mfma)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    list(APPEND options -Wno-maybe-uninitialized -Wno-uninitialized)
  endif()
  set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${options}" SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# Folders with the same templates for lanes of 1, 2, 4 and, some, 8 numbers: one.cpp, two.cpp ... (their kernels.hpp).
function(scree_lanes)
  foreach(folder IN LISTS ARGN)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
      scree_lanes_of_four(${folder}/four.cpp)
      scree_lanes_of_eight(${folder}/eight.cpp)
    endif()
    # Clang takes four times as long for kernels of several lanes with these checks of pointers, beside which the address
    # sanitizer looks at each access. Those of one lane have them.
    if(SCREE_SANITIZE MATCHES undefined AND CMAKE_CXX_COMPILER_ID MATCHES Clang)
      set_property(SOURCE ${folder}/two.cpp ${folder}/four.cpp ${folder}/eight.cpp APPEND
                   PROPERTY COMPILE_OPTIONS -fno-sanitize=pointer-overflow,null,alignment,object-size)
    endif()
  endforeach()
endfunction()

# What lets users wait is the engine, which is compiled with -O3. For the rest the time to compile it counts more: it gets
# -O1, for sanitizers -O0 (by clang it takes two fifths of the time of -O1 or -O2, which are alike). g++ compiles whatever
# reads a precompiled header as that was compiled: so there is one of these options.
function(scree_compile_quickly target)
  if(SCREE_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  else()
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  if(SCREE_PRECOMPILED_HEADERS AND NOT target MATCHES "^scree_precompiled")
    set_target_properties(${target} PROPERTIES PRECOMPILE_HEADERS_REUSE_FROM scree_precompiled_quickly)
  endif()
endfunction()

# scree_compile_together(TARGET N): N files at a time, which read their headers once. Those that include dem/scene.hpp
# are together, so that a change of it does not compile the others. A build of everything takes 0.6 of the time for tests if
# it has three times as many at a time (SCREE_TIMES_TOGETHER), and a change more. In the engine it decides what g++ inlines.
function(scree_compile_together target number)
  get_target_property(sources ${target} SOURCES)
  if(sources) # tests get theirs one by one
    set(readers)
    set(others)
    foreach(source IN LISTS sources)
      cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
      set(found)
      if(EXISTS ${path}) # the build makes some
        file(STRINGS ${path} found LIMIT_COUNT 1 REGEX "^#include \"dem/scene.hpp\"")
      endif()
      if(found)
        list(APPEND readers ${source})
      else()
        list(APPEND others ${source})
      endif()
    endforeach()
    set_property(TARGET ${target} PROPERTY SOURCES ${readers} ${others})
  endif()
  if(NOT target STREQUAL scree_dem)
    math(EXPR number "${number} * ${SCREE_TIMES_TOGETHER}")
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${SCREE_UNITY_BUILD} UNITY_BUILD_BATCH_SIZE ${number})
endfunction()

# scree_add_test(NAME name COMMAND program argument...), as add_test, prints what processor time the test took
# (tests/costs.py makes a table of it). Processes keep what memory they had: where the system has a page back only by an
# interrupt of all processors, a test of frames took thirty times as long.
function(scree_add_test)
  cmake_parse_arguments(arg "COMMAND_EXPAND_LISTS" "NAME" "COMMAND" ${ARGN})
  list(POP_FRONT arg_COMMAND program)
  if(TARGET ${program})
    set(program ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${program}>)
  endif()
  add_test(NAME ${arg_NAME} COMMAND bash -c "TIMEFORMAT='processor time %U + %S s'\nexport MALLOC_MMAP_THRESHOLD_=33554432 MALLOC_TRIM_THRESHOLD_=268435456\ntime \"$@\"" - ${program} ${arg_COMMAND}
           COMMAND_EXPAND_LISTS)
endfunction()

# What nearly every file reads, read once: a fifth less to compile. `./dev ci --full` builds without, so that an #include
# that somebody forgot is missed.
function(scree_add_precompiled_headers target)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${target}.cpp CONTENT "")
  add_library(${target} OBJECT ${PROJECT_BINARY_DIR}/${target}.cpp)
  scree_compile_options(${target})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE -ffp-contract=off)
  target_link_libraries(${target} PRIVATE Eigen3::Eigen)
  target_precompile_headers(${target} PRIVATE ${ARGN})
endfunction()

set(scree_headers
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
