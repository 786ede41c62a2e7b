// Starts another program and talks to it line by line over its standard input and output.
#pragma once
#include <sys/types.h>

#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace brickwork {

// The CPUs and the environment that the program gets.
struct Surroundings {
  std::vector<int> cpus;                                          // hardware threads to run on; empty: all of ours
  std::map<std::string, std::optional<std::string>> environment;  // changes to ours: set, or with nullopt removed
};

class ChildProcess {
 public:
  // How the program ended.
  struct End {
    int exit_code = -1;      // -1: a signal ended it
    std::string last_words;  // last line on its standard error, for a row; without one, its exit code or signal
  };

  // argv[0] is the program's path. Throws std::runtime_error with one sentence if it cannot be started.
  ChildProcess(const std::vector<std::string>& argv, const Surroundings&);
  ~ChildProcess();  // calls wait() if nobody did
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Does nothing if the program has ended; then receive() returns nullopt.
  void send(std::string_view line);
  // The program's next line without its newline; nullopt once it has closed its output or ended. If we are interrupted,
  // passes SIGTERM on to the program, once, and goes on waiting for its line.
  std::optional<std::string> receive();
  End wait();  // closes its input and waits until it has ended

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  int socket_ = -1;  // the program's standard input and output
  pid_t id_ = -1;    // -1 after wait()
  std::unique_ptr<std::FILE, Close> errors_;
  std::string received_;  // not yet returned by receive()
  bool interrupt_sent_ = false;
};

}  // namespace brickwork
