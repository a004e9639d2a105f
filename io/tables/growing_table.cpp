#include "io/tables/growing_table.hpp"

#include <cerrno>
#include <cstddef>
#include <fstream>
#include <system_error>

#include "io/files/atomic_file.hpp"

namespace scree {

void GrowingTable::read_on() {
  std::error_code none;
  const std::uintmax_t size = std::filesystem::file_size(file_, none);
  if (none || size < taken_) {
    header_.clear();
    taken_ = 0;
    table_ = {};
  }
  if (none || size == taken_) return;
  std::ifstream in(file_, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(taken_));
  std::string text(size - taken_, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!in) throw_io_error("cannot read", file_, errno);
  text.resize(text.rfind('\n') + 1);  // nothing if there is no whole row
  taken_ += text.size();
  if (header_.empty()) header_ = text.substr(0, text.find('\n') + 1);
  const bool is_first = table_.names.empty();
  NumberTable more = read_number_table(is_first ? text : header_ + text);
  if (is_first) {
    table_ = std::move(more);
    return;
  }
  for (std::size_t k = 0; k < table_.columns.size(); ++k) {
    table_.columns[k].insert(table_.columns[k].end(), more.columns[k].begin(), more.columns[k].end());
  }
}

}  // namespace scree
