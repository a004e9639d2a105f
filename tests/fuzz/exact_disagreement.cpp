#include "tests/fuzz/exact_disagreement.hpp"

#ifdef SCREE_HAVE_CGAL

#include "tests/geometry/exact_comparison.hpp"

namespace scree::test {

std::string exact_disagreement(Outline a, Outline b, const Pose& b_in_a, const ClosestFeatures& closest,
                               const Overlap& overlap) {
  const ExactPair exact = exact_pair(a, b, b_in_a);
  if (!exact.convex) return {};
  const Deviation off = deviation(exact, closest, overlap);
  if (off.small()) return {};
  return "exactly: relation " + std::to_string(static_cast<int>(exact.relation)) + ", distance " +
         std::to_string(exact.distance) + " m, area " + std::to_string(CGAL::to_double(exact.area)) +
         " m^2; off by, in roundings: area " + std::to_string(off.area) + ", centroid " + std::to_string(off.centroid) +
         ", chord " + std::to_string(off.chord) + ", distance " + std::to_string(off.distance);
}

}  // namespace scree::test

#else

std::string scree::test::exact_disagreement(Outline, Outline, const Pose&, const ClosestFeatures&, const Overlap&) {
  return {};
}

#endif
