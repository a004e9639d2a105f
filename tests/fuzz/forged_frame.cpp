#include "tests/fuzz/forged_frame.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>
#include <zlib.h>

#include "dem/measure/contact_statistics.hpp"
#include "dem/scene.hpp"
#include "io/files/atomic_file.hpp"
#include "io/frames/vtk_writer.hpp"
#include "io/pages/picture.hpp"
#include "io/pages/svg_plot.hpp"
#include "io/replay/replay.hpp"
#include "tests/io/made_up_state.hpp"
#include "tests/io/scratch_directory.hpp"

using namespace scree;

namespace {

State state_of_frame() {
  State state = made_up_heap(6);
  state.particles.colour.assign(state.particles.size(), {200, 100, 50});
  ContactState across = state.contacts.front();
  across.image_shift = {1.0, 0.0};
  state.contacts.push_back(across);
  state.cell = CellState{.length = {0.1, 0.1}, .tilt = 0.01, .strain = {}, .rate = {}, .stress = {}, .work = 0.0};
  return state;
}

std::size_t size_of(std::string_view type) {
  if (type == "UInt8") return 1;
  return type.ends_with("64") ? 8 : 4;
}

std::string attribute(std::string_view element, std::string_view name) {
  const std::size_t at = element.find(std::string(" ") + std::string(name) + "=\"");
  if (at == std::string_view::npos) return {};
  const std::size_t begin = at + name.size() + 3;
  return std::string(element.substr(begin, element.find('"', begin) - begin));
}

std::size_t data_of(const std::string& file) {
  return file.find('_', file.find("<AppendedData")) + 1;
}

std::uint32_t word_at(const std::string& file, std::size_t at) {
  std::uint32_t word = 0;
  std::memcpy(&word, file.data() + at, sizeof word);
  return word;
}

std::string inflated(const std::string& file, std::size_t at) {
  const std::uint32_t blocks = word_at(file, at);
  const std::uint32_t size = word_at(file, at + 4);
  const std::uint32_t last = word_at(file, at + 8);
  std::size_t from = at + 12 + 4 * blocks;
  std::string raw;
  for (std::uint32_t k = 0; k < blocks; ++k) {
    const std::uint32_t deflated = word_at(file, at + 12 + 4 * k);
    std::string block(k + 1 == blocks && last != 0 ? last : size, '\0');
    uLongf count = block.size();
    uncompress(reinterpret_cast<Bytef*>(block.data()), &count, reinterpret_cast<const Bytef*>(file.data() + from),
               deflated);
    from += deflated;
    raw += block;
  }
  return raw;
}

}  // namespace

const FrameContents& sound_frame() {
  static const FrameContents frame = [] {
    const ScratchDirectory here;
    VtkSeries(here.path(), {}, {{"a", "b"}, {"c"}}).write(state_of_frame());
    FrameContents files;
    for (std::size_t k = 0; k < kSeries.size(); ++k) files[k] = read_file(here.path() / frame_file(kSeries[k], 0));
    return files;
  }();
  return frame;
}

const Scene& scene_of_frame() {
  static const Scene scene = [] {
    Scene made;
    made.domain.lo = {0.0, 0.0};
    made.domain.hi = {0.1, 0.1};
    made.materials.resize(4);
    made.particles.resize(4);
    return made;
  }();
  return scene;
}

std::vector<FrameArray> arrays_in(const std::string& file) {
  std::vector<FrameArray> arrays;
  const std::size_t data = data_of(file);
  constexpr std::string_view kElement = "<DataArray ";
  for (std::size_t at = file.find(kElement); at < data; at = file.find(kElement, at + 1)) {
    const std::string element = file.substr(at, file.find('>', at) - at);
    const std::size_t offset_at = at + element.find(" offset=\"") + 9;
    arrays.push_back({attribute(element, "Name"), attribute(element, "type"), offset_at,
                      inflated(file, data + std::stoul(attribute(element, "offset")))});
  }
  return arrays;
}

void replace(const FrameArray& array, const std::string& raw, std::string& file) {
  const std::size_t end = file.rfind("\n  </AppendedData>");
  if (end == std::string::npos) return;
  const std::string offset = std::to_string(end - data_of(file));
  std::string deflated(compressBound(raw.size()), '\0');
  uLongf size = deflated.size();
  compress(reinterpret_cast<Bytef*>(deflated.data()), &size, reinterpret_cast<const Bytef*>(raw.data()), raw.size());
  deflated.resize(size);
  const std::array<std::uint32_t, 4> header = {raw.empty() ? 0U : 1U, static_cast<std::uint32_t>(raw.size()), 0,
                                               static_cast<std::uint32_t>(size)};
  file.insert(end, std::string(reinterpret_cast<const char*>(header.data()), sizeof header) + deflated);
  file.replace(array.offset_at, file.find('"', array.offset_at) - array.offset_at, offset);
}

void forge(const FrameEdit& edit, FrameContents& frame) {
  std::string& file = frame[edit.file % frame.size()];
  if (file.empty()) return;
  if (edit.kind == FrameEdit::Kind::byte) {
    file[edit.place % file.size()] = static_cast<char>(edit.value);
    return;
  }
  if (edit.kind == FrameEdit::Kind::cut_off) {
    file.resize(edit.place % file.size());
    return;
  }
  if (file.find("<AppendedData") == std::string::npos) return;
  if (edit.kind == FrameEdit::Kind::header) {
    std::vector<std::size_t> numbers;  // in quotes
    for (std::size_t at = file.find('"'); at < data_of(file); at = file.find('"', at + 1)) {
      if (std::isdigit(static_cast<unsigned char>(file[at + 1])) != 0) numbers.push_back(at + 1);
    }
    const std::size_t at = numbers[edit.place % numbers.size()];
    file.replace(at, file.find('"', at) - at, std::to_string(static_cast<std::int64_t>(edit.value)));
    return;
  }
  const std::vector<FrameArray>& arrays = [&]() -> const std::vector<FrameArray>& {
    static const std::array<std::vector<FrameArray>, kSeries.size()> sound = [] {
      std::array<std::vector<FrameArray>, kSeries.size()> of;
      for (std::size_t k = 0; k < of.size(); ++k) of[k] = arrays_in(sound_frame()[k]);
      return of;
    }();
    return sound[edit.file % frame.size()];
  }();
  const FrameArray& array = arrays[edit.place % arrays.size()];
  if (file.compare(0, array.offset_at, sound_frame()[edit.file % frame.size()], 0, array.offset_at) != 0) return;
  std::string raw = array.raw;
  const std::size_t size = size_of(array.type);
  const std::size_t count = raw.size() / size;
  if (count == 0) return;
  const std::size_t k = edit.place / arrays.size() % count;
  if (edit.kind == FrameEdit::Kind::less) {
    raw.resize(k * size);
  } else {
    std::memcpy(raw.data() + k * size, &edit.value, size);
  }
  replace(array, raw, file);
}

void look_at(FrameContents frame) {
  const Scene& scene = scene_of_frame();
  const State state = parse_frame(std::move(frame), "forged", {.time = 0.0, .number = 0}, scene);
  PictureScales scales(scene);
  scales.add(state);
  (void)svg(picture_of(state, scene, scales));
  Replay replay(scene, {});
  replay.add(state);
  ReplayReport report;
  (void)replay.page("{}", {}, report);
  (void)grain_stress(state);
}
