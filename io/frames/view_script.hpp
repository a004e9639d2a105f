#pragma once

#include <filesystem>
#include <string>

#include "dem/scene/domain.hpp"

namespace scree {

/// Writes view.py into a run's directory: `paraview --script=view.py` shows the run, `pvbatch view.py` (or python3,
/// where paraview.simple can be imported) makes pictures of it; `pvbatch view.py --help` lists how. It finds its data
/// beside itself, so the directory may be moved.
///
/// @param title   shown in the picture; may be empty
/// @param domain  its reflecting and periodic sides are drawn; those of a cell that deforms where each frame has them
/// Throws IoError.
void write_view_script(const std::filesystem::path& directory, const std::string& title, const Domain& domain = {});

}  // namespace scree
