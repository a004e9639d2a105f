#include "app/pictures.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <fcntl.h>
#include <spawn.h>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "app/errors.hpp"
#include "app/interrupt.hpp"
#include "app/png.hpp"
#include "app/run.hpp"
#include "app/say.hpp"
#include "app/written_run.hpp"
#include "io/files/atomic_file.hpp"
#include "io/pages/svg_plot.hpp"
#include "io/text/errors.hpp"

extern char** environ;

namespace scree::app {

namespace {

namespace fs = std::filesystem;

bool ends_with(const fs::path& file, std::string_view ending) {
  return file.filename().string().ends_with(ending);
}

/// What ffmpeg reads: one PNG after the other.
class Ffmpeg {
 public:
  /// @param output  as the user has it  @param into  where the film is written to
  Ffmpeg(const fs::path& output, const fs::path& into, int frames_per_second) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw_io_error("cannot make a pipe for", output, errno);
    input_ = ends[1];
    std::vector<std::string> words = {"ffmpeg",     "-hide_banner", "-loglevel",
                                      "error",      "-y",           "-f",
                                      "image2pipe", "-framerate",   fmt::format("{}", frames_per_second),
                                      "-c:v",       "png",          "-i",
                                      "-"};
    const std::vector<std::string> rest =
        ends_with(output, ".gif")
            ? std::vector<std::string>{"-vf", "split[a][b];[a]palettegen[p];[b][p]paletteuse", "-f", "gif"}
            : std::vector<std::string>{"-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white", "-pix_fmt", "yuv420p", "-f",
                                       "mp4"};
    words.insert(words.end(), rest.begin(), rest.end());
    words.push_back(into.is_absolute() ? into.string() : (fs::path(".") / into).string());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    const int error = posix_spawnp(&child_, "ffmpeg", &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    if (error == 0) return;
    close(input_);
    if (error != ENOENT) throw_io_error("cannot start ffmpeg for", output, error);
    throw IoError(
        fmt::format("cannot write {}: there is no ffmpeg; needed: the package ffmpeg, or scree replay, which "
                    "needs a browser only",
                    output.string()));
  }
  ~Ffmpeg() {
    if (input_ >= 0) finish();
  }
  Ffmpeg(const Ffmpeg&) = delete;
  Ffmpeg& operator=(const Ffmpeg&) = delete;

  /// False if it reads no more.
  bool add(std::string_view frame) {
    while (!frame.empty()) {
      const ssize_t written = write(input_, frame.data(), frame.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return false;
      frame.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }

  /// Whether the film is there.
  bool finish() {
    close(input_);
    input_ = -1;
    int status = 0;
    while (waitpid(child_, &status, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

 private:
  int input_ = -1;
  pid_t child_ = 0;
};

/// How fast a film of all frames is, such as "0.1 x real time"; nothing if there is one frame.
std::string speed_text(const WrittenRun& run, int frames_per_second) {
  const double span = run.frames.back().time - run.frames.front().time;
  if (!(span > 0.0)) return {};
  const double between = span / static_cast<double>(run.frames.size() - 1);
  return fmt::format("{:.3g} x real time", between * frames_per_second);
}

}  // namespace

int picture(const fs::path& directory, const PictureCommand& command) {
  const bool as_svg = ends_with(command.output, ".svg");
  if (!as_svg && !ends_with(command.output, ".png")) {
    throw UsageError(fmt::format("--output: is '{}', must end with .svg or .png", command.output.string()));
  }
  if (!as_svg) require_png();
  const WrittenRun run = open_run(directory);
  const WrittenFrame& frame = command.time ? frame_at(run, *command.time) : run.frames.back();
  const State state = read_frame(directory, frame, *run.scene);
  PictureScales scales = scales_of(run, command.colour);
  scales.add(state);
  const Picture drawn = picture_of(state, *run.scene, scales, command.look);
  write_file_atomically(command.output, as_svg ? svg(drawn) : png(drawn));
  if (!command.quiet) {
    say("{}: t = {:.6g} s, {} grains, {} x {} pixels\n", command.output.string(), frame.time, state.particles.size(),
        drawn.width, drawn.height);
  }
  return kOk;
}

int film(const fs::path& directory, const FilmCommand& command) {
  if (!ends_with(command.output, ".mp4") && !ends_with(command.output, ".gif")) {
    throw UsageError(fmt::format("--output: is '{}', must end with .mp4 or .gif", command.output.string()));
  }
  require_png();
  const WrittenRun run = open_run(directory);
  const PictureScales scales = scales_of(run, command.colour);
  const std::string speed = speed_text(run, command.frames_per_second);
  PictureOptions look = command.look;
  if (!speed.empty()) look.note = ", " + speed;
  const InterruptGuard guard;
  NewFile file(command.output);
  Ffmpeg ffmpeg(command.output, file.temporary(), command.frames_per_second);
  std::size_t frames = 0;
  for (const WrittenFrame& frame : run.frames) {
    if (interrupted() ||
        !ffmpeg.add(png(picture_of(read_frame(directory, frame, *run.scene), *run.scene, scales, look))))
      break;
    ++frames;
  }
  const bool done = ffmpeg.finish();
  if (!done) throw IoError(fmt::format("cannot write {}: ffmpeg failed", command.output.string()));
  file.put_in_place();
  if (!command.quiet) {
    say("{}: {} frames, {:.3g} s{}{}\n", command.output.string(), frames,
        static_cast<double>(frames) / command.frames_per_second, speed.empty() ? "" : ", ", speed);
  }
  return interrupted() ? kInterrupted : kOk;
}

}  // namespace scree::app
