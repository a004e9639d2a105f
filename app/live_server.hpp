#pragma once

#include <memory>
#include <optional>
#include <string>

namespace scree::app {

class LiveRun;

/// Throws UsageError if this program was built without the library that serves pages.
void require_live_server();

/// Serves the page of a run, and what is new in it, on 127.0.0.1 and nowhere else, in threads of its own, as long as it
/// lives. It answers requests with the token of its address, and no page of another origin.
class LiveServer {
 public:
  /// @param port  of its address; none, or one that is taken: any that is free
  /// Throws IoError if there is none, UsageError as require_live_server.
  LiveServer(LiveRun& run, std::optional<int> port);
  ~LiveServer();
  LiveServer(const LiveServer&) = delete;
  LiveServer& operator=(const LiveServer&) = delete;

  int port() const;
  const std::string& address() const;

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace scree::app
