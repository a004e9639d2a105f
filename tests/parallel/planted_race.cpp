// Two ranges of one loop add to one number: what the thread sanitizer must report, however the threads fall.
#include <cstdio>

#include "parallel/parallel_for.hpp"

int main() {
  int sum = 0;
  scree::Threads(2).run(
      [&] { scree::parallel_for(1000, [&](std::size_t i) { sum += i == 100 || i == 200 ? 1 : 0; }); });
  std::printf("%d\n", sum);
}
