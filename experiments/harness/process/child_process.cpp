#include "experiments/harness/process/child_process.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "experiments/harness/process/interrupt.hpp"

extern char** environ;

namespace brickwork {
namespace {

constexpr int kLookForInterrupts = 100;  // ms: a signal just before poll() does not end it

// Changes the calling thread's affinity while it lives: a program that posix_spawn() starts inherits it.
class Affinity {
 public:
  explicit Affinity(const std::vector<int>& cpus) : changed_(!cpus.empty()) {
    if (!changed_) return;
    cpu_set_t wanted;
    CPU_ZERO(&wanted);
    for (const int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &wanted);
    changed_ = sched_getaffinity(0, sizeof before_, &before_) == 0 && sched_setaffinity(0, sizeof wanted, &wanted) == 0;
  }
  ~Affinity() {
    if (changed_) sched_setaffinity(0, sizeof before_, &before_);
  }
  Affinity(const Affinity&) = delete;
  Affinity& operator=(const Affinity&) = delete;

 private:
  bool changed_;
  cpu_set_t before_{};
};

std::vector<std::string> environment(const Surroundings& surroundings) {
  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!surroundings.environment.contains(std::string(text.substr(0, text.find('='))))) variables.emplace_back(text);
  }
  for (const auto& [name, value] : surroundings.environment) {
    if (value) variables.push_back(name + "=" + *value);
  }
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::string last_line(std::FILE* file) {
  std::string line, last;
  std::rewind(file);
  for (int c = 0; (c = std::fgetc(file)) != EOF;) {
    if (c != '\n') line += static_cast<char>(c);
    if (c == '\n' && !line.empty()) last = std::exchange(line, {});
  }
  return line.empty() ? last : line;
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& argv, const Surroundings& surroundings)
    : errors_(std::tmpfile()) {
  int ends[2];
  if (!errors_ || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw std::runtime_error(fmt::format("{} cannot be started: {}", argv.front(), std::strerror(errno)));
  }
  socket_ = ends[0];
  auto arguments = argv, variables = environment(surroundings);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, fileno(errors_.get()), STDERR_FILENO);
  int error = 0;
  {
    const Affinity affinity(surroundings.cpus);
    error = posix_spawn(&id_, argv.front().c_str(), &files, nullptr, pointers(arguments).data(),
                        pointers(variables).data());
  }
  posix_spawn_file_actions_destroy(&files);
  close(ends[1]);
  if (error == 0) return;
  close(socket_);
  throw std::runtime_error(fmt::format("{} cannot be started: {}", argv.front(), std::strerror(error)));
}

ChildProcess::~ChildProcess() {
  if (id_ != -1) wait();
  close(socket_);
}

void ChildProcess::send(std::string_view line) {
  const std::string text = fmt::format("{}\n", line);
  ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
}

std::optional<std::string> ChildProcess::receive() {
  for (;;) {
    if (const auto end = received_.find('\n'); end != std::string::npos) {
      std::string line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return line;
    }
    if (interrupted() && !std::exchange(interrupt_sent_, true)) kill(id_, SIGTERM);
    pollfd ready{.fd = socket_, .events = POLLIN, .revents = 0};
    if (poll(&ready, 1, kLookForInterrupts) <= 0) continue;
    char buffer[4096];
    const ssize_t size = read(socket_, buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return std::nullopt;
    received_.append(buffer, static_cast<std::size_t>(size));
  }
}

ChildProcess::End ChildProcess::wait() {
  shutdown(socket_, SHUT_WR);
  while (receive()) {
  }
  int status = 0;
  while (waitpid(id_, &status, 0) < 0 && errno == EINTR) {
  }
  id_ = -1;
  End end{.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1, .last_words = last_line(errors_.get())};
  if (end.last_words.empty()) {
    end.last_words = WIFEXITED(status) ? fmt::format("exit code {}", end.exit_code)
                                       : fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  }
  return end;
}

}  // namespace brickwork
