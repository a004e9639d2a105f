# Which Python the package is for: the first that has its own headers and numpy. Of several on a machine the
# distribution's is the one that its packages are for. PYTHON_EXECUTABLE says it, where somebody knows.
set(pythons /usr/bin/python3 python3)
if(PYTHON_EXECUTABLE)
  set(pythons ${PYTHON_EXECUTABLE})
endif()
set(needed "os, sysconfig, numpy")
if(PYTHON_EXECUTABLE) # it may get numpy later
  set(needed "os, sysconfig")
endif()
foreach(python IN LISTS pythons)
  execute_process(
    COMMAND ${python} -c "import ${needed}; assert os.path.exists(sysconfig.get_path('include') + '/Python.h')"
    RESULT_VARIABLE status
    OUTPUT_QUIET ERROR_QUIET)
  if(status EQUAL 0)
    find_program(scree_python_program ${python} NO_CACHE)
    set(PYTHON_EXECUTABLE ${scree_python_program} CACHE FILEPATH "Python that the package scree is for")
    break()
  endif()
endforeach()
if(PYTHON_EXECUTABLE)
  find_package(pybind11 2.10 CONFIG)
endif()
if(pybind11_FOUND)
  add_subdirectory(python)
else()
  message(STATUS "pybind11 (pybind11-dev), numpy or Python's headers are not there: the Python package is left out")
endif()
