// A table from any bytes, by each of those who read tables: it is read, or refused in one line with a place.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "io/formats/csv_reader.hpp"
#include "io/pages/run_report.hpp"
#include "io/tables/hash_table.hpp"
#include "io/tables/number_table.hpp"
#include "io/text/errors.hpp"
#include "io/yaml/scene_error.hpp"
#include "tests/fuzz/require.hpp"

using scree::test::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string_view view = text;
  try {
    const scree::CsvInput table = scree::read_csv(view, "table", 1000);
    require(table.rows.size() <= 1000, "too many rows", std::to_string(table.rows.size()));
    for (const auto& row : table.rows) {
      for (const auto& cell : row.cells) (void)scree::number_in(cell, row.line, "table", "key", 0.0);
    }
  } catch (const scree::SceneError& error) {
    scree::test::require_readable(error, 500);
  }
  const scree::NumberTable numbers = scree::read_number_table(text);
  for (const auto& column : numbers.columns) require(column.size() == numbers.rows(), "columns differ", text);
  (void)scree::report_page(scree::RunReport{"{}", text, text, {}});
  try {
    (void)scree::parse_hash_table(view, "hashes.csv");
  } catch (const scree::IoError& error) {
    const std::string told = error.what();
    require(scree::is_printable(std::string_view(told)) && told.size() < 500, "not readable", told);
  }
  return 0;
}
