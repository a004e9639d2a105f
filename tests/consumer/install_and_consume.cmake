# Run by ctest through cmake -P: installs scree into a temporary prefix, then configures, builds and runs the consumer
# against it. Wanted: build (of scree), work (a folder to use up), generator, compiler, build_type, flags.
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${work})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${build} --prefix ${work}/prefix OUTPUT_QUIET COMMAND_ERROR_IS_FATAL
                                                                                             ANY)
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${work}/build -G ${generator} -D CMAKE_CXX_COMPILER=${compiler} -D
    CMAKE_BUILD_TYPE=${build_type} -D CMAKE_CXX_FLAGS=${flags} -D CMAKE_PREFIX_PATH=${work}/prefix)
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/consumer)
if(EXISTS ${work}/prefix/bin/scree)
  run(${work}/prefix/bin/scree --version)
endif()
