# Run by cmake -P at build time; see scree_version.cmake. Fills the template and lists in output.d what its content
# depends on. Wanted: source, template, output, version, compiler.
set(parts CMakeLists.txt cmake geometry parallel broadphase dem io app) # what the program is made of
set(commit unknown)
set(inputs "")

function(git result)
  execute_process(
    COMMAND git --no-optional-locks -C ${source} ${ARGN}
    RESULT_VARIABLE status
    OUTPUT_VARIABLE text
    ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    set(text "")
  endif()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# Only scree's own repository counts, not one that holds scree as a vendored folder.
git(head rev-parse --verify --short=12 HEAD)
git(prefix rev-parse --show-prefix)
if(head AND prefix STREQUAL "")
  git(changed status --porcelain --untracked-files=no -- ${parts})
  set(commit ${head})
  if(changed)
    string(APPEND commit "-dirty")
  endif()

  git(branch symbolic-ref --quiet HEAD)
  foreach(name IN ITEMS HEAD logs/HEAD packed-refs ${branch})
    git(file rev-parse --path-format=absolute --git-path ${name})
    if(EXISTS "${file}")
      list(APPEND inputs "${file}")
    endif()
  endforeach()
  git(files ls-files -- ${parts})
  string(REPLACE "\n" ";" files "${files}")
  foreach(file IN LISTS files)
    if(EXISTS "${source}/${file}")
      list(APPEND inputs "${source}/${file}")
    endif()
  endforeach()
endif()

string(REPLACE "\\" "\\\\" compiler "${compiler}")
string(REPLACE "\"" "\\\"" compiler "${compiler}")
configure_file(${template} ${output} @ONLY)

string(REPLACE " " "\\ " inputs "${inputs}")
string(REPLACE " " "\\ " target "${output}")
list(JOIN inputs " \\\n  " inputs)
file(WRITE ${output}.d "${target}: ${inputs}\n")
