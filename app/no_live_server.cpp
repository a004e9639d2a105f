// In place of live_server.cpp where the library cpp-httplib is missing.

#include "app/errors.hpp"
#include "app/live_server.hpp"

namespace scree::app {

struct LiveServer::Inside {
  std::string address;
};

void require_live_server() {
  throw UsageError(
      "this scree was built without views: the library cpp-httplib was missing; allowed: scree watch and scree replay, "
      "or scree built again where the package libcpp-httplib-dev is installed");
}

LiveServer::LiveServer(LiveRun&, std::optional<int>) {
  require_live_server();
}

LiveServer::~LiveServer() = default;

int LiveServer::port() const {
  return 0;
}

const std::string& LiveServer::address() const {
  return inside_->address;
}

}  // namespace scree::app
