#include "dem/scene/wall.hpp"
#include "io/scene/kinds.hpp"
#include "io/scene/tables.hpp"
#include "io/scene/wall_parts.hpp"
#include "io/text/words.hpp"

namespace scree::keys {

const Section<Wall>& rotation_section() {
  static const Section<Wall> section =
      Section<Wall>("rotation", {
                                    key("rate", &Wall::angular_velocity, number(Numbers::any("rad/s")))
                                        .required()
                                        .says("angular velocity, counter-clockwise")
                                        .example("3.1"),
                                    key("about", &Wall::pivot, vector("m"))
                                        .says("centre of rotation at time 0, which moves with velocity")
                                        .otherwise("the centroid, of a ring its centre")
                                        .example("[0, 0]"),
                                });
  return section;
}

/// A direction of any length.
Kind<Vec2> direction() {
  Kind<Vec2> kind = vector("m");
  kind.form = in_words(list_form(number_form(Numbers::any("")), 2, 2), "`[x, y]`, of any length");
  kind.read = [](Reading&, const YamlValue& value, const Form&, Vec2& member) { member = value.vec2(""); };
  return kind;
}

namespace {

const Section<Servo>& servo_section() {
  static const Section<Servo> section =
      Section<Servo>(
          "servo",
          {
              key("towards", &Servo::towards, direction())
                  .required()
                  .says("direction in which it pushes")
                  .example("[0, -1]"),
              key("force", &Servo::force, maybe(number(Numbers::positive("N"))))
                  .says("that it pushes the grains with")
                  .otherwise("one of two")
                  .example("100"),
              key("stress", &Servo::stress, maybe(number(Numbers::positive("N/m"))))
                  .says("the same, over the loaded length")
                  .otherwise("one of two")
                  .example("1000"),
              key("length", &Servo::length, maybe(number(Numbers::positive("m"))))
                  .says("the loaded length")
                  .otherwise("the longest stretch of its front that other walls leave free, renewed in every step")
                  .example("0.1"),
              key("speed", &Servo::speed, number(Numbers::positive("m/s")))
                  .required()
                  .says("the greatest")
                  .example("0.05"),
              key("approach", &Servo::approach, maybe(number(Numbers::at_least(0.0, "m/s"))))
                  .says("its speed while it touches nothing")
                  .otherwise("`speed`")
                  .example("0.01"),
              key("gain", &Servo::gain, number({.least = 0.0, .greatest = 1.0, .without_least = true}))
                  .says("share of the missing force that one step makes up for where contacts have no dashpots")
                  .example("0.3"),
          })
          .exactly_one({"force", "stress"})
          .with_defaults()
          .after([](const Context<Servo>& at) {
            at.reading.mistakes.attempt([&] { has_direction("towards", &Servo::towards)(at); });
            if (at.sound("approach") && at.sound("speed") && at.value.approach.value_or(0.0) > at.value.speed) {
              at.keys["approach"].refuse("a number from 0 to speed [m/s]");
            }
            if (at.given("length") && at.given("force")) at.keys["length"].refuse("left out beside force");
          })
          .with_table_below("servo");
  return section;
}

const Section<FreeWall>& free_section() {
  static const Section<FreeWall> section =
      Section<FreeWall>(
          "free",
          {
              key("along", &FreeWall::along, direction())
                  .required()
                  .says("direction along which it is free")
                  .example("[0, 1]"),
              key("mass", &FreeWall::mass, number(Numbers::positive("kg"))).required().says("mass").example("50"),
              key("force", &FreeWall::force, number(Numbers::any("N")))
                  .says("on it along that direction, besides weight and grains")
                  .example("-100"),
          })
          .with_defaults()
          .after(has_direction("along", &FreeWall::along))
          .with_table_below("servo");
  return section;
}

const Section<TorqueDrive>& torque_section() {
  static const Section<TorqueDrive> section =
      Section<TorqueDrive>("torque",
                           {
                               key("torque", &TorqueDrive::torque, number(Numbers::any("N m")))
                                   .required()
                                   .says("on it, counter-clockwise")
                                   .example("2"),
                               key("inertia", &TorqueDrive::inertia, number(Numbers::positive("kg m^2")))
                                   .required()
                                   .says("moment of inertia about the centre of rotation")
                                   .example("0.5"),
                               key("drag", &TorqueDrive::drag, number(Numbers::at_least(0.0, "N m s")))
                                   .says("resisting torque over angular velocity")
                                   .example("0.1"),
                               key("about", &TorqueDrive::about, maybe(vector("m")))
                                   .says("centre of rotation")
                                   .otherwise("the centroid, of a ring its centre")
                                   .example("[0, 0]"),
                           })
          .with_defaults()
          .with_table_below("servo");
  return section;
}

}  // namespace

const std::vector<DriveKey>& drive_keys() {
  static const std::vector<DriveKey> drives = {
      {"servo", alternative<WallDrive>(mapping(servo_section())), "it moves so that it pushes with a force or a stress",
       "{towards: [0, -1], stress: 1000, speed: 0.05}"},
      {"free", alternative<WallDrive>(mapping(free_section())),
       "it has a mass and moves freely along one direction, a heavy lid", "{along: [0, 1], mass: 50}"},
      {"torque", alternative<WallDrive>(mapping(torque_section())), "a torque turns it", "{torque: 2, inertia: 0.5}",
       true},
  };
  return drives;
}

std::string names_of_drives() {
  std::vector<std::string> names;
  for (const DriveKey& drive : drive_keys()) names.push_back(drive.name);
  return one_of_text(names);
}

const Section<Oscillation>& oscillation_section() {
  static const Section<Oscillation> section =
      Section<Oscillation>(
          "oscillation",
          {
              key("amplitude", &Oscillation::amplitude, vector("m"))
                  .required()
                  .says("the displacement is amplitude times sin(2 pi frequency t + phase)")
                  .example("[0, 0.001]"),
              key("frequency", &Oscillation::frequency, number(Numbers::positive("1/s")))
                  .required()
                  .says("oscillations a second")
                  .example("50"),
              key("phase", &Oscillation::phase, number(Numbers::any("rad"))).says("at time 0").example("1.57"),
          })
          .with_defaults();
  return section;
}

}  // namespace scree::keys
