# scree_embed(TARGET FILE HEADER CONSTANT) lets the sources of a target include HEADER (a path from the top of the tree),
# in which CONSTANT is the text of FILE. The header is written when cmake runs, which it does again when FILE changes.
set(scree_embedded_text ${CMAKE_CURRENT_LIST_DIR}/embedded_text.hpp.in)

function(scree_embed target source header constant)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(READ ${source} text)
  if(text MATCHES "\\)embedded\"")
    message(FATAL_ERROR "${source} holds the characters that end a raw string")
  endif()
  file(RELATIVE_PATH file ${scree_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  configure_file(${scree_embedded_text} ${scree_BINARY_DIR}/embedded/${header} @ONLY)
  target_include_directories(${target} PRIVATE ${scree_BINARY_DIR}/embedded)
endfunction()
