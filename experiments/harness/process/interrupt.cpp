#include "experiments/harness/process/interrupt.hpp"

#include <csignal>

namespace brickwork {
namespace {

volatile std::sig_atomic_t flag = 0;

void on_signal(int number) {
  flag = 1;
  std::signal(number, SIG_DFL);
}

}  // namespace

void catch_interrupts() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

bool interrupted() { return flag != 0; }

}  // namespace brickwork
