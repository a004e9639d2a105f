#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>

#include "io/frames/vtk_data.hpp"

/// VTK's XML files without VTK, where it is missing (SCREE_VTK=OFF).
namespace scree {

/// Blanks before and in the tag `<AppendedData encoding="raw">`, with which every ParaView reads the file.
///
/// VTK's reader gives its XML parser what is before the raw data and ends the document by itself. Since expat 2.6 (and
/// Debian's 2.5.0-1+deb12u2) the parser may put off a tag that came in pieces, until twice as much is there; then VTK
/// hands it the raw data, too, and the file "is not well-formed". ParaView 5.11 and 5.12 have this (VTK's issue 19258).
/// The tag comes in pieces of which the parser tries those of 14, 28, 56 ... bytes if the reader's buffer ends behind
/// `<AppendedData`: with some 45 bytes in all, the end of the document is what makes it twice 28.
struct AppendedDataTag {
  static constexpr std::string_view kTag = "<AppendedData";
  static constexpr std::string_view kBlanksIn = "                 ";
  static constexpr std::size_t kBuffer = 4096;  ///< of VTK's reader
  /// @param at  where in the file the tag would begin
  static std::string blanks_before(std::size_t at) {
    return std::string((kBuffer - (at + kTag.size()) % kBuffer) % kBuffer, ' ');
  }
};

/// Writes one piece, appended raw data, zlib: the bytes that VTK 9.1 writes.
/// @param to  can go back to what was written. It fails if the system refuses; nothing is thrown
void write_vtk_xml(const VtkDataSet& data, int compression_level, std::ostream& to);

}  // namespace scree
