#pragma once

#include <cstdint>

/// Loops over partners that take several at once, one a lane: compiled for lanes of 1, 2 and 4 numbers from the same
/// templates (predictions.hpp, cells.hpp; one.cpp, two.cpp, four.cpp). The processor decides which are used. All give
/// the bits of prediction.hpp. What passes in and out are plain pointers and structs, since code for wide registers
/// must not share inline functions with other code.
namespace scree::hard::lanes {

/// Disks as the kernels read them.
struct DisksIn {
  const double* disks;         ///< FlyingDisk: eight numbers each
  const double* period;        ///< along x and y; 0 along axes that are not periodic [m]
  const double* acceleration;  ///< of all disks [m/s^2]; not read without gravity
};

/// A partner with which a disk may collide next.
struct Candidate {
  double time;          ///< [s], if it is certain
  std::uint32_t place;  ///< in the list of partners
  bool is_certain;      ///< else digits are lost, and the general code must predict
};

/// The partner with which a disk collides first.
struct Soonest {
  double time;          ///< [s]
  std::uint32_t place;  ///< in the list of partners, or one of these
};
constexpr std::uint32_t kNoPartner = 0xffffffff;
constexpr std::uint32_t kUnclear = 0xfffffffe;  ///< digits are lost, or two times are equal: Candidates tell

constexpr std::uint32_t kInBlock = 8;
constexpr std::uint32_t kNobody = 0;
constexpr std::uint32_t kInLine = 10;  ///< partners of a disk that are in its line

// Cells measure in whole units, a small part of a cell's side each.
constexpr std::int32_t kUnits = 4096;           ///< of the longer side, at most
constexpr std::int32_t kMostReach = 10000;      ///< of a circle, which may be wider than a domain
constexpr std::int32_t kFarAbove = 32767;       ///< two circles do not reach as far
constexpr std::int32_t kFarBelow = -32768;      ///< likewise
constexpr std::uint32_t kNowhere = 0x7fff7fff;  ///< the centre where there is no disk: kFarAbove along both axes
constexpr std::uint32_t kSizes = 15;            ///< of circles
constexpr std::uint32_t kSizePlace = 1 << 28;   ///< in the number that has a disk's index below that
constexpr int kFraction = 5;                    ///< binary digits of radii behind units

/// Up to eight disks of a cell, in one line of the cache: the boxes are circles.
struct alignas(64) CellBlock {
  /// Along x in the lower half, along y in the upper one, each a signed number: from the cell's lower corner [units].
  /// Or kNowhere.
  std::uint32_t centre[kInBlock];
  std::uint32_t disk[kInBlock];  ///< its index, and from 1 to kSizes how large its circle is; or kNobody

  static constexpr std::uint32_t index(std::uint32_t disk) { return disk % kSizePlace; }
};

/// How far a circle reaches, in 2^-kFraction units, with what rounding may add.
struct Reach {
  std::int32_t own;       ///< its radius
  std::int32_t per_size;  ///< radius of others over their size
};

/// The cells around a point, three rows of three.
struct Around {
  struct Line {
    std::uint32_t first;  ///< block of a row of cells, or its place in a row
    std::uint32_t image;  ///< its share of the image in codes of Partner
    std::uint32_t at;     ///< its share of the point, as a CellBlock has it; kFarBelow if there are no such cells
  };
  Line row[3];
  Line column[3];
  Reach reach;
};
constexpr std::uint32_t kMostAround = 9 * kInBlock;  ///< in cells of one block
constexpr std::uint32_t kMostBefore = 32;

/// A block as seen from the cell around which disks are searched.
struct CellView {
  std::uint32_t block;
  std::uint32_t image;  ///< of its disks, as codes of Partner have it
  std::uint32_t at;     ///< the point around which they are searched, as a CellBlock has it
};

/// How the partners of a disk change.
struct Changes {
  std::uint32_t found;      ///< how many there are
  std::uint32_t newcomers;  ///< how many of them are new
  std::uint32_t leavers;    ///< places of those that are no longer there, as bits
};

struct Kernels {
  int width;

  /// Which of the partners (`count` codes of Partner) a disk collides with first, before `latest`, among those that
  /// have nothing earlier.
  using First = Soonest (*)(const DisksIn&, std::uint32_t disk, const std::uint32_t* partners, std::uint32_t count,
                            double latest);
  First first;          ///< without a field
  First first_falling;  ///< in gravity

  /// Finds the partners with which a disk collides by `latest`, while they have nothing
  /// earlier, and before the candidates found so far; those at the same time, too.
  /// @param found has room for all @return how many
  using Predict = std::uint32_t (*)(const DisksIn&, std::uint32_t disk, const std::uint32_t* partners,
                                    std::uint32_t count, double latest, Candidate* found);
  Predict predict;          ///< without a field
  Predict predict_falling;  ///< in gravity

  /// The disks in these blocks whose circles overlap one: codes of Partner. @return how many
  using FindAround = std::uint32_t (*)(const CellBlock* blocks, const CellView* views, std::uint32_t count,
                                       const Reach&, std::uint32_t* found);
  FindAround find_around;

  /// The same around a point, where cells have one block each.
  /// @param before codes of Partner, at most kMostBefore
  /// @param found, newcomers  have room for kMostAround
  using FindChanges = Changes (*)(const CellBlock* blocks, const Around&, const std::uint32_t* before,
                                  std::uint32_t count_before, std::uint32_t* found, std::uint32_t* newcomers);
  FindChanges find_changes;

  /// The first place of a code in a list that has it. @param room of the list: kInLine or a multiple of eight
  using PlaceOf = std::uint32_t (*)(std::uint32_t code, const std::uint32_t* list, std::uint32_t room);
  PlaceOf place_of;
};

extern const Kernels kOne;
extern const Kernels kTwo;
extern const Kernels kFour;

/// The kernels of lane_width().
const Kernels& kernels();
/// Chooses other kernels from now on, for tests. @return false if the processor has not got them
bool use_lanes(int width);

}  // namespace scree::hard::lanes
