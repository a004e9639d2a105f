#include "app/live_server.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <httplib.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <thread>

#include <fmt/format.h>

#include "app/live_run.hpp"
#include "app/run_control.hpp"
#include "io/replay/live_page.hpp"
#include "io/text/errors.hpp"
#include "io/text/number_text.hpp"

namespace scree::app {

namespace {

using namespace std::chrono_literals;
using httplib::Request;
using httplib::Response;

constexpr const char* kHost = "127.0.0.1";
constexpr std::size_t kThreads = 8;       // one keeps a viewer waiting no longer than an answer takes
constexpr std::size_t kMostBytes = 1024;  // that a viewer may send
constexpr int kLeastUrgent = 10;          // niceness: the run comes first

std::string new_token() {
  std::array<unsigned char, 16> bytes;
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw IoError("cannot make a token for the address of the view: the system gives no random numbers");
  }
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

/// Takes as long for any text of that length.
bool is_same(const std::string& text, const std::string& token) {
  unsigned different = text.size() == token.size() ? 0U : 1U;
  for (std::size_t k = 0; k < std::min(text.size(), token.size()); ++k) {
    different |= static_cast<unsigned>(text[k] ^ token[k]);
  }
  return different == 0;
}

void refuse(Response& response, int status, const std::string& why) {
  response.status = status;
  response.set_content(why + "\n", "text/plain; charset=utf-8");
}

/// Not SO_REUSEPORT, with which two programs could have one port.
void set_options(int socket) {
  const int yes = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
}

template <class Number>
Number number_of(const Request& request, const char* name) {
  return parse_number<Number>(request.get_param_value(name)).value_or(Number{});
}

}  // namespace

void require_live_server() {}

struct LiveServer::Inside {
  LiveRun& run;
  std::string token = new_token();
  int port = 0;
  std::string address = {};
  httplib::Server server = {};
  std::thread thread = {};

  explicit Inside(LiveRun& shown) : run(shown) {}

  bool is_ours(const std::string& host) const {
    return host == fmt::format("{}:{}", kHost, port) || host == fmt::format("localhost:{}", port);
  }

  /// Whether an answer is due; else it is refused.
  bool admit(const Request& request, Response& response) const {
    if (!is_ours(request.get_header_value("Host")) || request.get_header_value_count("Host") != 1) {
      refuse(response, 403, fmt::format("this host is not served, only {}:{} and localhost:{}", kHost, port, port));
      return false;
    }
    for (std::size_t k = 0; k < request.get_header_value_count("Origin"); ++k) {
      const std::string origin = request.get_header_value("Origin", k);
      if (origin.starts_with("http://") && is_ours(origin.substr(7))) continue;
      refuse(response, 403, "pages of other origins are not served, only the page of this address");
      return false;
    }
    if (is_same(request.path.substr(0, token.size() + 2), '/' + token + '/')) return true;
    refuse(response, 403, "the address lacks its token; needed: the whole address that scree has printed");
    return false;
  }

  void act(const Request& request, Response& response) const {
    RunControl* const control = run.control();
    if (control == nullptr)
      return refuse(response, 409, "this run can be watched only; scree run --view can be paused");
    const std::string what = request.get_param_value("do");
    if (what == "pause") {
      control->pause();
    } else if (what == "go_on") {
      control->go_on();
    } else if (what == "step") {
      control->step();
    } else if (what == "stop") {
      control->stop();
    } else {
      return refuse(response, 400, "'do' must be pause, go_on, step or stop");
    }
    response.status = 204;
  }

  void answer_by_these() {
    server.set_pre_routing_handler([this](const Request& request, Response& response) {
      response.set_header("Cache-Control", "no-store");
      response.set_header("Referrer-Policy", "no-referrer");
      response.set_header("X-Content-Type-Options", "nosniff");
      response.set_header("Content-Security-Policy", "frame-ancestors 'none'");
      response.set_header("Cross-Origin-Resource-Policy", "same-origin");
      using Handled = httplib::Server::HandlerResponse;
      return admit(request, response) ? Handled::Unhandled : Handled::Handled;
    });
    const std::string root = '/' + token + '/';
    server.Get(root, [](const Request&, Response& response) {
      response.set_content(live_page(), "text/html; charset=utf-8");
    });
    server.Get(root + "open",
               [this](const Request&, Response& response) { response.set_content(run.open(), "application/json"); });
    server.Get(root + "news", [this](const Request& request, Response& response) {
      response.set_content(
          run.news(number_of<std::uint64_t>(request, "viewer"), number_of<std::size_t>(request, "from")),
          "application/octet-stream");
    });
    server.Post(root + "run", [this](const Request& request, Response& response) { act(request, response); });
  }

  void bind(std::optional<int> wanted) {
    server.set_socket_options(set_options);
    if (wanted && server.bind_to_port(kHost, *wanted)) {
      port = *wanted;
    } else {
      port = server.bind_to_any_port(kHost);
    }
    if (port <= 0) throw IoError(fmt::format("cannot serve a view: {} has no free port", kHost));
    address = fmt::format("http://{}:{}/{}/", kHost, port, token);
  }

  void listen() {
    // No viewer keeps a thread between its questions.
    server.set_keep_alive_max_count(1);
    server.set_keep_alive_timeout(1);
    server.set_read_timeout(2);
    server.set_write_timeout(2);
    server.set_payload_max_length(kMostBytes);
    server.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    // Signals are for the run.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread = std::thread([this] {
#ifdef __linux__
      setpriority(PRIO_PROCESS, 0, kLeastUrgent);  // of this thread and those that it starts
#endif
      server.listen_after_bind();
    });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    while (!server.is_running()) std::this_thread::sleep_for(1ms);
  }
};

LiveServer::LiveServer(LiveRun& run, std::optional<int> port) : inside_(std::make_unique<Inside>(run)) {
  inside_->bind(port);
  inside_->answer_by_these();
  inside_->listen();
}

LiveServer::~LiveServer() {
  inside_->server.stop();
  inside_->thread.join();
}

int LiveServer::port() const {
  return inside_->port;
}

const std::string& LiveServer::address() const {
  return inside_->address;
}

}  // namespace scree::app
