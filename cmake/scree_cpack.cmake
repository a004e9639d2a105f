# `cpack` in the build directory makes a Debian package and an archive of the program with all that belongs to it: pages,
# examples, schema, man page, completions; and, where MPI is found, a package scree-mpi with the module for several ranks,
# which the archive has in it. (The libraries are for `cmake --install`.)
set(program_files COMPONENT program)
set(doc_dir ${CMAKE_INSTALL_DATAROOTDIR}/doc/scree)

# A project without an address of its own: this one is reserved, and nobody's.
set(SCREE_PACKAGE_MAINTAINER "The scree developers <noreply@example.org>" CACHE STRING "Who maintains the package, with address")

# As Debian wants them: a gzipped man page and change log, its own change log, and the licence as `copyright`.
set(package_dir ${PROJECT_BINARY_DIR}/package)
file(MAKE_DIRECTORY ${package_dir})
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS CHANGELOG.md cmake/package/scree.1)
file(STRINGS CHANGELOG.md releases REGEX "^## .* - ")
string(REGEX MATCH "[0-9]+-[0-9]+-[0-9]+" date "${releases}")
execute_process(COMMAND date -uRd "${date}" OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${package_dir}/debian
     "scree (${PROJECT_VERSION}-1) unstable; urgency=medium\n\n  * changelog.gz has what is new.\n\n -- ${SCREE_PACKAGE_MAINTAINER}  ${date}\n")
foreach(pair IN ITEMS cmake/package/scree.1=scree.1.gz CHANGELOG.md=changelog.gz ${package_dir}/debian=changelog.Debian.gz)
  string(REPLACE "=" ";" pair ${pair})
  list(GET pair 0 from)
  list(GET pair 1 to)
  execute_process(COMMAND gzip -9nc ${from} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_FILE ${package_dir}/${to}
                  COMMAND_ERROR_IS_FATAL ANY)
endforeach()

install(FILES ${package_dir}/scree.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 ${program_files})
install(FILES ${package_dir}/changelog.gz ${package_dir}/changelog.Debian.gz DESTINATION ${doc_dir} ${program_files})
install(FILES LICENSE DESTINATION ${doc_dir} RENAME copyright ${program_files})
install(FILES README.md CITATION.cff DESTINATION ${doc_dir} ${program_files})
install(DIRECTORY examples DESTINATION ${doc_dir} ${program_files} PATTERN "*.py" EXCLUDE)
install(DIRECTORY docs DESTINATION ${doc_dir} ${program_files} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png"
        PATTERN "*.json" PATTERN "keys" EXCLUDE)
install(FILES cmake/package/scree.bash DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions RENAME scree
        ${program_files})
install(FILES cmake/package/_scree DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/zsh/vendor-completions ${program_files})

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/package/generators.cmake)
set(CPACK_PACKAGE_NAME scree)
set(CPACK_PACKAGE_CONTACT ${SCREE_PACKAGE_MAINTAINER})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "simulates granular matter of convex polygons and disks")
set(CPACK_PACKAGE_DESCRIPTION
    "Two-dimensional granular matter in two modes: soft grains that advance in time
steps (the discrete element method), and hard disks that advance from collision
to collision. A scene is one YAML file; a run can be looked at in any browser
or in ParaView. Results are the same to the last bit for any number of threads.")
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME scree)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}")
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON) # needs dpkg-dev
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "paraview, ffmpeg, python3-matplotlib, python3-pandas")
if(TARGET scree_python)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "python3 (>= 3.11), python3 (<< 3.12), python3-numpy")
endif()
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS OFF)
if(TARGET scree_mpi)
  install(FILES ${package_dir}/changelog.gz ${package_dir}/changelog.Debian.gz
          DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/scree-mpi COMPONENT mpi)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/scree-mpi RENAME copyright COMPONENT mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_NAME scree-mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "scree (= ${PROJECT_VERSION}-1), openmpi-bin")
  set(CPACK_DEBIAN_MPI_DESCRIPTION
      "With this module, mpirun -n 4 scree run scene.yaml shares a run in soft mode
among processes, on one machine or many. Results are the same to the last bit
for any number of them.")
endif()
include(CPack)
