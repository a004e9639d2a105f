# Compiled by web/CMakeLists.txt, as the target yaml-cpp.
set(yaml-cpp_FOUND TRUE)
