#include <filesystem>
#include <string>

#include "dem/scene.hpp"
#include "dem/soft/checks/step_limits.hpp"
#include "io/scene/kinds.hpp"
#include "io/scene/sections.hpp"

namespace scree::keys {

namespace {

constexpr double kMostFrames = 1e6;

bool has_stages(const Context<Scene>& at) {
  const Mistakes& mistakes = at.reading.mistakes;
  return !at.value.soft.stages.empty() || !mistakes.readable("stages") || !mistakes.sound("stages");
}

bool end_is_known(const Context<Scene>& at) {
  return at.reading.mistakes.sound("time.end") && at.reading.mistakes.sound("stages");
}

std::optional<Numbers> steps(const Context<Scene>& at) {
  if (!end_is_known(at) || !at.reading.mistakes.sound("output.every")) return {};
  return Numbers{
      .least = at.value.end / soft::kMostSteps, .greatest = at.value.output_every, .reason = "up to output.every"};
}

std::optional<Numbers> moments(const Context<Scene>& at) {
  if (!end_is_known(at)) return {};
  return Numbers{.least = 0.0, .greatest = at.value.end, .without_least = true, .reason = "up to time.end"};
}

std::optional<Numbers> frame_intervals(const Context<Scene>& at) {
  if (!end_is_known(at)) return {};
  return Numbers{.least = at.value.end / kMostFrames,
                 .greatest = at.value.end,
                 .reason = "up to time.end, at most a million frames"};
}

std::string default_directory(const std::string& file) {
  const std::string stem = std::filesystem::path(file).stem().string();
  return "out/" + (stem.empty() ? "scene" : stem);
}

}  // namespace

const Section<Scene>& time_section() {
  static const Section<Scene> section =
      Section<Scene>(
          "time",
          {
              key("end", &Scene::end, number(Numbers::positive("s")))
                  .required_unless("stages", [](const auto& at) { return !has_stages(at); })
                  .written_if([](const Scene& scene) { return scene.soft.stages.empty(); })
                  .says("when the run ends")
                  .example("4.0"),
              key("until", &Scene::soft, &SoftOptions::until_unbalanced, until_rest())
                  .only_in(Mode::soft)
                  .says("the run ends before, as soon as the grains are at rest")
                  .details("([below](#until))")
                  .otherwise("none")
                  .example("{unbalanced: 1e-5}"),
              key("step", &Scene::soft, &SoftOptions::step, number_or("auto", Numbers::positive("s")))
                  .means_something_in(Mode::soft)
                  .limited(steps)
                  .read_last()
                  .says("the step: from 1e-15 of time.end to output.every")
                  .example("2e-6"),
              key("integrator", &Scene::soft, &SoftOptions::integrator, member_of<Integrator>(kIntegratorNames))
                  .means_something_in(Mode::soft)
                  .says("Gear's predictor-corrector, by its number of values, or velocity Verlet")
                  .details("([theory](theory.md#1-equations-of-motion-and-the-integrator))")
                  .example("velocity_verlet"),
              key("reverse", &Scene::hard, &HardOptions::reverse, maybe(number(Numbers::positive("s"))))
                  .only_in(Mode::hard)
                  .limited(moments)
                  .says("when all velocities and spins are reversed, up to time.end")
                  .details("([below](#hard-mode))")
                  .otherwise("never")
                  .example("2.0"),
          })
          .with_defaults()
          .after([](const Context<Scene>& at) {
            for (const char* key : {"end", "until", "reverse"}) {
              if (has_stages(at) && at.given(key)) at.keys[key].refuse("left out beside stages, which have their own");
            }
          })
          .with_table_below("time-and-output");
  return section;
}

const Section<Scene>& output_section() {
  static const Section<Scene> section =
      Section<Scene>("output",
                     {
                         key("every", &Scene::output_every, number(Numbers::positive("s")))
                             .required()
                             .limited(frame_intervals)
                             .says("between two frames: from a millionth of time.end to time.end")
                             .example("0.02"),
                         key("directory", &Scene::output_directory, name_of("a directory's name"))
                             .says("where to write, relative to where the program runs")
                             .otherwise("`out/` and the file's name without its ending")
                             .example("out/heap"),
                         key("replay", &Scene::output_replay, yes_or_no())
                             .written_if([](const Scene& scene) { return scene.output_replay; })
                             .says("whether the run writes replay.html when it ends or is interrupted")
                             .details("([looking at runs](showing.md))")
                             .otherwise("`false`")
                             .example("true"),
                         key("stress", &Scene::soft, &SoftOptions::output_stress, yes_or_no())
                             .only_in(Mode::soft)
                             .written_if([](const Scene& scene) { return scene.soft.output_stress; })
                             .says("whether frames have the stress of each grain")
                             .details("([definition](theory.md#15-texture))")
                             .otherwise("`false`")
                             .example("true"),
                     })
          .before([](const Context<Scene>& at) { at.value.output_directory = default_directory(at.reading.file); })
          .with_table_below("time-and-output");
  return section;
}

const Section<Scene>& checkpoint_section() {
  static const Section<Scene> section =
      Section<Scene>("checkpoint",
                     {
                         key("every", &Scene::checkpoint_every, number_or("auto", Numbers::positive("s")))
                             .says("wall time between two saves of the state; auto: 1 s, or so much more that saving "
                                   "takes at most a fiftieth of the time")
                             .details("([below](#interruption))")
                             .example("600"),
                     })
          .with_defaults()
          .with_table_below("time-and-output");
  return section;
}

}  // namespace scree::keys
