#include "io/tables/mean_table.hpp"

#include <string>

#include <doctest/doctest.h>

namespace scree::mean_table_test {

using scree::mean_table;

TEST_CASE("rows that belong together are one with a mean and a standard error") {
  const std::string one = "time [s],particles,energy [J]\n0,4,1\n0.1,4,2\n0.2,3,4\n";
  const std::string two = "time [s],particles,energy [J]\n0,4,3\n0.102,2,4\n";
  CHECK(mean_table({one, two}) ==
        "time [s],runs,particles,particles_error,energy [J],energy_error [J]\n"
        "0,2,4,0,2,1\n"
        "0.101,2,3,1,3,1\n"
        "0.2,1,3,nan,4,nan\n");
}

TEST_CASE("rows that are far apart do not belong together") {
  const std::string one = "time [s],n\n0,1\n0.1,1\n0.2,1\n";
  const std::string two = "time [s],n\n0,3\n0.13,3\n";
  CHECK(mean_table({one, two}) == "time [s],runs,n,n_error\n0,2,2,1\n0.1,1,1,nan\n0.2,1,1,nan\n");
}

TEST_CASE("single rows belong together") {
  CHECK(mean_table({"time [s],n\n0.5,1\n", "time [s],n\n0.7,3\n"}) == "time [s],runs,n,n_error\n0.6,2,2,1\n");
}

TEST_CASE("several walls at one time stay apart, and their names stand") {
  const std::string one = "time [s],id,force [N],side\n0,1,1,\n0,0,5,left\n1,1,1,\n1,0,5,left\n";
  const std::string two = "time [s],id,force [N],side\n0,1,3,\n0,0,7,left\n1,1,1,\n1,0,5,left\n";
  CHECK(mean_table({one, two}) ==
        "time [s],runs,id,force [N],force_error [N],side\n"
        "0,2,1,2,1,\n0,2,0,6,1,left\n1,2,1,1,0,\n1,2,0,5,0,left\n");
}

TEST_CASE("what is no finite number is left out, and tables without rows are none") {
  CHECK(mean_table({"time [s],n\n0,nan\n", "time [s],n\n0,2\n"}) == "time [s],runs,n,n_error\n0,2,2,nan\n");
  CHECK(mean_table({"time [s],n\n", "time [s],n\n0,2\n0.1,"}) == "time [s],runs,n,n_error\n0,1,2,nan\n");
  CHECK(mean_table({"time [s],n\n", ""}).empty());
  CHECK(mean_table({}).empty());
}

}  // namespace scree::mean_table_test
