// Another program, spoken with line by line over its standard input and output.
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

// Where and how it runs.
struct Surroundings {
  std::vector<int> cpus;                                          // hardware threads that it may use; none: all of ours
  std::map<std::string, std::optional<std::string>> environment;  // set, or removed, beside what we have ourselves
};

class ChildProcess {
 public:
  // How it ended, in the words of a row.
  struct End {
    int exit_code = -1;      // -1: a signal ended it
    std::string last_words;  // the last line that it wrote on standard error; else the exit code or signal
  };

  // argv[0] is the program's path. Throws std::runtime_error with one sentence where it cannot be started.
  ChildProcess(const std::vector<std::string>& argv, const Surroundings&);
  ~ChildProcess();  // no more is sent, and it is waited for
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // To one that has ended it goes nowhere: receive() tells.
  void send(std::string_view line);
  // Its next line, without the end; nothing once it has closed its output, as it does when it ends. An interrupt of
  // ours is passed on to it, once, and the answer awaited.
  std::optional<std::string> receive();
  End wait();  // closes its input and waits until it has ended

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  int socket_ = -1;  // its standard input and output
  pid_t id_ = -1;    // -1: waited for
  std::unique_ptr<std::FILE, Close> errors_;
  std::string received_;  // and not yet handed out
  bool interrupt_sent_ = false;
};

}  // namespace brickwork
