#include "dem/hard/exact/reflection.hpp"

namespace scree::hard::exact {

NormalFrame::NormalFrame(Vector r) {
  if (r[0] < 0 || (r[0] == 0 && r[1] < 0)) r = -r;
  const auto length = static_cast<Int128>(whole_root(static_cast<UInt128>(squared(r))));
  const Int128 y = static_cast<Int128>(r[1]) * (Int128{1} << kFraction);
  minus_tangent_of_half_ = static_cast<std::int64_t>(-y / (length + r[0]));
  sine_ = static_cast<std::int64_t>(y / length);
}

Vector mirrored(const Vector& r, const Vector& v) {
  const NormalFrame frame(r);
  const Vector n = frame.into(half(v));
  return doubled(frame.out_of({n[0], -n[1]}), v);
}

}  // namespace scree::hard::exact
