#include "experiments/harness/terminal/screen.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace brickwork {
namespace {

int first_error = 0;  // of standard output
bool output_is_for_rows = false;

void note_error(bool failed) {
  if (failed && first_error == 0) first_error = errno;
}

void put_on_output(std::string_view text) {
  note_error(std::fwrite(text.data(), 1, text.size(), stdout) < text.size());
  note_error(std::fflush(stdout) != 0);
}

}  // namespace

void open_screen() {
  int file = -1;
  do {
    file = open("/dev/null", O_RDWR);  // always takes the lowest number that is free
  } while (file >= 0 && file <= STDERR_FILENO);
  if (file >= 0) close(file);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void show(std::string_view text) {
  if (!output_is_for_rows) return put_on_output(text);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void complain(std::string_view sentence) {
  std::fputs(fmt::format("{}: {}\n", program_invocation_short_name, sentence).c_str(), stderr);
}

bool shown_on_terminal() { return isatty(output_is_for_rows ? STDERR_FILENO : STDOUT_FILENO) != 0; }

void keep_output_for_rows() { output_is_for_rows = true; }
void put_rows(std::string_view text) { put_on_output(text); }

bool reader_left() { return first_error == EPIPE; }

std::string screen_error() {
  note_error(std::fflush(stdout) != 0 || std::ferror(stdout) != 0);  // includes what CLI11 printed for --help
  return first_error == 0 ? "" : std::strerror(first_error);
}

}  // namespace brickwork
