// One thread, where there is no other: in a browser's Worker (web/).

#include "parallel/threads.hpp"

namespace scree {

class Threads::Team {};

Threads::Threads(int) {}
Threads::~Threads() = default;

int Threads::count() const {
  return 1;
}

bool Threads::are_several() {
  return false;
}

void Threads::run(const std::function<void()>& work) const {
  work();
}

void Threads::run_alone(const std::function<void()>& work) {
  work();
}

void Threads::share(std::size_t n, std::size_t, const std::function<void(std::size_t, std::size_t)>& body) {
  body(0, n);
}

void Threads::share_by_turns(std::size_t n, std::size_t, const std::function<void(std::size_t, std::size_t)>& body) {
  body(0, n);
}

}  // namespace scree
