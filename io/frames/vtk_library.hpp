#pragma once

#include <iosfwd>

#include "io/frames/vtk_data.hpp"

namespace scree {

/// Writes one piece, appended raw data, zlib, by VTK (SCREE_VTK=ON).
/// @param to  can go back to what was written
/// @return VTK's error code; 0: none. What the system refuses is for the caller to find
unsigned long write_by_vtk(const VtkDataSet& data, int compression_level, std::ostream& to);

}  // namespace scree
