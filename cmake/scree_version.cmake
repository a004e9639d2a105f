# scree_version_source(TARGET) adds the generated version.cpp to a target: version, commit and compiler of this build.
# It is written anew when a source file or git's HEAD changes (the script tells the build tool which files those are),
# without configuring again.
set(scree_write_version ${CMAKE_CURRENT_LIST_DIR}/write_version.cmake)

function(scree_version_source target)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" config)
  string(REGEX REPLACE " +" " " flags "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${config}} -std=c++20")
  string(STRIP "${flags}" flags)
  string(APPEND flags " $<JOIN:$<REMOVE_DUPLICATES:$<FILTER:$<TARGET_PROPERTY:${target},COMPILE_OPTIONS>,EXCLUDE,^-W>>, >")

  set(template ${scree_SOURCE_DIR}/io/text/version.cpp.in)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/version.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND
      ${CMAKE_COMMAND} -D source=${scree_SOURCE_DIR} -D template=${template} -D output=${output} -D
      version=${scree_VERSION} -D "compiler=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} ${flags}" -P
      ${scree_write_version}
    DEPENDS ${template} ${scree_write_version}
    DEPFILE ${output}.d
    COMMENT "Writing version.cpp"
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
  set_source_files_properties(${output} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON) # it is written by the build
endfunction()
