#include "experiments/harness/process/program.hpp"

#include <fmt/format.h>

#include <exception>
#include <new>

#include "experiments/harness/terminal/screen.hpp"

namespace brickwork {
namespace {

ExitCode guarded(const std::function<ExitCode()>& work) {
  try {
    return work();
  } catch (const UsageError& e) {
    complain(e.message);
    return exit_usage;
  } catch (const std::bad_alloc&) {
    complain("there is not enough memory");
  } catch (const std::exception& e) {
    complain(e.what());
  }
  return exit_failed;
}

}  // namespace

ExitCode run_program(const std::function<ExitCode()>& work) {
  open_screen();
  const ExitCode code = guarded(work);
  const std::string error = screen_error();
  if (error.empty()) return code;
  if (reader_left()) return code == exit_ok ? exit_broken_pipe : code;  // as for "| head": nothing to complain of
  complain(fmt::format("standard output cannot be written: {}", error));
  return code == exit_ok ? exit_failed : code;
}

}  // namespace brickwork
