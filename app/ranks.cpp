#include "app/ranks.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <dlfcn.h>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/exit_code.hpp"
#include "app/interrupt.hpp"
#include "app/say.hpp"
#include "dem/errors.hpp"
#include "dem/scene.hpp"
#include "dem/soft/ranks/rank_messages.hpp"
#include "dem/soft/ranks/subdomain.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/scene/scene_writer.hpp"
#include "io/text/errors.hpp"
#include "io/text/message_text.hpp"

namespace scree::app {

namespace {

namespace fs = std::filesystem;

/// A number that mpirun leaves in the environment; 1 if it does not.
int number_from(const char* name) {
  const char* text = std::getenv(name);
  int number = 1;
  if (text != nullptr) std::from_chars(text, text + std::string(text).size(), number);
  return std::max(number, 1);
}

constexpr const char* kModule = "scree_mpi.so";

/// Beside the program where it was built; in lib/scree/modules where it is installed.
std::vector<fs::path> places_of_module() {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  std::vector<fs::path> places = {folder / kModule};
#ifdef SCREE_LIBRARY_FOLDER
  places.push_back(folder.parent_path() / SCREE_LIBRARY_FOLDER / "scree" / "modules" / kModule);
#endif
  return places;
}

}  // namespace

std::unique_ptr<Ranks> ranks_of_this_run() {
  const int size = number_from("OMPI_COMM_WORLD_SIZE");
  if (size < 2) return nullptr;
  for (const fs::path& place : places_of_module()) {
    std::error_code error;
    if (!fs::exists(place, error)) continue;
    void* const module = dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (module == nullptr) throw IoError(fmt::format("cannot load {}: {}", place.string(), dlerror()));
    using Make = Ranks* (*)();
    const auto make = reinterpret_cast<Make>(dlsym(module, "scree_mpi_ranks"));
    if (make == nullptr) throw IoError(fmt::format("cannot use {}: {}", place.string(), dlerror()));
    return std::unique_ptr<Ranks>(make());
  }
  throw IoError(fmt::format(
      "mpirun has started {} processes, but this scree was built without MPI ({} is not there); allowed: scree without "
      "mpirun, the package scree-mpi, or a build where libopenmpi-dev is installed",
      size, kModule));
}

bool is_one_too_many() {
  const int size = number_from("OMPI_COMM_WORLD_SIZE");
  if (size < 2) return false;
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (rank == nullptr || std::string_view(rank) == "0") {
    say(stderr,
        "scree: mpirun has started {} processes, and this command needs one; allowed with mpirun: run, resume\n", size);
  }
  return true;
}

bool have_same_arguments(Ranks& ranks, std::span<const char* const> arguments) {
  static constexpr char kEnd = '\0';  // of an argument
  std::string own;
  for (const char* argument : arguments) own.append(argument) += kEnd;
  const std::vector<Ranks::Bytes> all = gather(ranks, own);
  const auto other = std::ranges::find_if(all, [&](const Ranks::Bytes& of_rank) { return of_rank != own; });
  Ranks::Bytes verdict = other == all.end() ? "same" : "different";  // of rank 0
  broadcast(ranks, verdict);
  if (other != all.end()) {
    const auto text = [](std::string line) {
      if (!line.empty()) line.pop_back();
      std::ranges::replace(line, kEnd, ' ');
      return shortened(line, 200);
    };
    say(stderr,
        "scree: mpirun has started rank 0 with '{}' and rank {} with '{}'; allowed: the same arguments for all "
        "(mpirun -n {} scree ...)\n",
        text(own), other - all.begin(), text(*other), ranks.size());
  }
  return verdict == "same";
}

void Crew::begin(const Scene& scene, const std::string& scene_name) {
  const std::string yaml = to_yaml(scene);
  Ranks::Bytes message = soft::to_bytes(std::vector<char>(scene_name.begin(), scene_name.end()),
                                        std::vector<char>(yaml.begin(), yaml.end()));
  broadcast(ranks_, message);
  has_begun_ = true;
}

Crew::~Crew() {
  if (has_begun_) {
    soft::Subdomain::end(ranks_);
  } else {
    Ranks::Bytes nothing;
    broadcast(ranks_, nothing);
  }
}

int serve(Ranks& ranks, int threads) {
  const InterruptGuard guard;  // rank 0 ends a run
  try {
    Ranks::Bytes message;
    broadcast(ranks, message);
    if (message.empty()) return kOk;  // nothing can run; rank 0 prints why
    std::vector<char> name;
    std::vector<char> yaml;
    soft::from_bytes(std::move(message), name, yaml);
    const Scene scene = parse_saved_scene({yaml.begin(), yaml.end()}, {name.begin(), name.end()});
    soft::Subdomain(scene, {.threads = threads_of_rank(threads)}, ranks, {}, nullptr).serve();
    return kOk;
  } catch (const InvalidScene&) {  // rank 0 finds the same, and prints it
    return kBadInput;
  } catch (const std::bad_alloc&) {
    say(stderr, "scree: rank {}: out of memory; try fewer grains, or more machines\n", ranks.rank());
  } catch (const std::exception& error) {
    say(stderr, "scree: rank {}: {}\n", ranks.rank(), error.what());
  }
  ranks.give_up(kInputOutput);
  return kInputOutput;
}

int threads_of_rank(int asked_for) {
  if (asked_for > 0) return asked_for;
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::max(cores / number_from("OMPI_COMM_WORLD_LOCAL_SIZE"), 1);
}

}  // namespace scree::app
