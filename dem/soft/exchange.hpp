#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dem/insertion.hpp"
#include "dem/soft/accounts.hpp"
#include "dem/soft/rooms.hpp"

/// Bodies that come and go between two steps. The population lists them; here all rooms follow.
namespace scree::soft {

/// Room that a grain needs around itself. Boxes are those of the prediction; bodies have moved on by the correction,
/// which is far less than this [radii].
inline constexpr double kRoomAround = 0.05;
bool is_free(const Rooms& rooms, const ShapeView& shape, const Pose& pose);

/// A grain is born, without boxes yet. @return its place
/// @throws InvalidScene if it moves along what the scene fixes
std::uint32_t add(const InitialState& birth, int group, Rooms& rooms);
/// Gives boxes to bodies from `first` on, which have none.
void give_boxes(std::uint32_t first, Rooms& rooms);

ParticleEnergy energy_of(const Rooms& rooms, std::uint32_t body);
/// A particle leaves with its energy; it stays in the arrays yet.
void depart(std::uint32_t body, Rooms& rooms, Accounts& accounts);
/// Bodies that leave have no boxes and no pairs any more. @param leaving one flag a body
std::span<const EndedContact> end_contacts_of(const std::vector<char>& leaving, Rooms& rooms);
/// The arrays without bodies that left. @return see Bodies::remove
std::vector<std::uint32_t> compact(const std::vector<char>& leaving, Rooms& rooms);

/// What a contact leaves behind whose boxes parted. @pre its bodies are in the arrays still
Tally::Ended ended_with_boxes(const Rooms& rooms, const EndedContact& contact);

/// Bodies that left through an open side in the last step and walls whose time is over go; walls whose time has come
/// and grains that are due and find room come. @throws PhysicsError for a wall that is put in where a grain is
void exchange(Rooms& rooms, Accounts& accounts);

}  // namespace scree::soft
