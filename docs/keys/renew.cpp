#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "io/scene/scene_schema.hpp"
#include "io/scene/scene_tables.hpp"

// Renews what is made from the tables of keys in io/scene: the tables in scene.md, and scene.schema.json.
//
// usage: renew_keys [--check] DOCS   the folder docs; --check only says what is out of date, exit status 1

namespace {

std::string content(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// @return whether it was up to date
bool renew(const std::filesystem::path& file, const std::string& text, bool only_check) {
  if (content(file) == text) return true;
  if (only_check) {
    std::fprintf(stderr, "%s is out of date: ./dev docs renews it\n", file.c_str());
  } else if (!(std::ofstream(file, std::ios::binary) << text).flush()) {
    throw std::runtime_error(file.string() + " cannot be written");
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const bool only_check = argc == 3 && std::string(argv[1]) == "--check";
  if (argc != 2 && !only_check) {
    std::fprintf(stderr, "usage: renew_keys [--check] DOCS\n");
    return 2;
  }
  const std::filesystem::path docs = argv[argc - 1];
  try {
    const bool page = renew(docs / "scene.md", scree::with_key_tables(content(docs / "scene.md")), only_check);
    const bool schema = renew(docs / "scene.schema.json", scree::scene_schema(), only_check);
    return only_check && !(page && schema) ? 1 : 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
