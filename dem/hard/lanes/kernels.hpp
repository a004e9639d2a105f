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

constexpr std::uint32_t kInBlock = 8;
constexpr std::uint32_t kNobody = 0xffffffff;
constexpr std::uint32_t kInLine = 10;  ///< partners of a disk that are in its line

/// Up to eight disks of a cell: the centres of their boxes, which are circles, seen from the cell's lower corner.
struct alignas(64) CellBlock {
  float x[kInBlock];  ///< very far where there is no disk
  float y[kInBlock];
  float reach[kInBlock];  ///< radius of the circle
  std::uint32_t id[kInBlock];
};

/// A block as seen from the cell around which disks are searched.
struct CellView {
  std::uint32_t block;
  std::uint32_t image;  ///< of its disks, as codes of Partner have it
  float x;              ///< the point around which they are searched, seen from the block's cell
  float y;
};

struct Kernels {
  int width;

  /// Finds the partners (`count` codes of Partner) with which a disk collides by `latest`, while they have nothing
  /// earlier, and before the candidates found so far; those at the same time, too.
  /// @param found has room for all @return how many
  using Predict = std::uint32_t (*)(const DisksIn&, std::uint32_t disk, const std::uint32_t* partners,
                                    std::uint32_t count, double latest, Candidate* found);
  Predict predict;          ///< without a field
  Predict predict_falling;  ///< in gravity

  /// The disks in these blocks, but for one, whose circles overlap one of radius `reach`: codes of Partner.
  /// @return how many
  using FindAround = std::uint32_t (*)(const CellBlock* blocks, const CellView* views, std::uint32_t count, float reach,
                                       std::uint32_t self, std::uint32_t* found);
  FindAround find_around;

  /// Places of what is in one of two lists only, as bits. @param a has room for kInLine, and no more in it
  /// @param count_b at most 64
  using Compare = void (*)(const std::uint32_t* a, std::uint32_t count_a, const std::uint32_t* b, std::uint32_t count_b,
                           std::uint64_t* only_a, std::uint64_t* only_b);
  Compare compare;
};

extern const Kernels kOne;
extern const Kernels kTwo;
extern const Kernels kFour;

/// The kernels of lane_width().
const Kernels& kernels();
/// Chooses other kernels from now on, for tests. @return false if the processor has not got them
bool use_lanes(int width);

}  // namespace scree::hard::lanes
