#pragma once

#include <string>
#include <vector>

namespace scree {

/// Tables of several runs as one: means over the runs and their standard errors.
///
/// The text of a table whose first column is the mean of theirs, then `runs`, how many have the row, then NAME and
/// NAME_error for each column, with its unit. Columns that name something (id, wall, type, side, or words) stand as
/// they are. Rows of different runs belong together if they are the same in number and their first columns differ by
/// less than kRowSlack of the distance between rows (io/tables/table_expression.hpp); where a run has several rows for
/// one value of the first column, in their order; single rows always. What is not a finite number is left out; what no
/// run has, and the error of a single run, is nan.
/// @param tables  texts as scree run writes them; one without rows counts as none
/// @return empty if no table has rows
/// Cost: O(rows of all)
std::string mean_table(const std::vector<std::string>& tables);

}  // namespace scree
