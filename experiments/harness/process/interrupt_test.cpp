#include "experiments/harness/process/interrupt.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace brickwork {
namespace {

// Each part runs in a process of its own: an interrupt cannot be undone.
TEST(Interrupt, TheFirstIsRememberedAndTheSecondEndsTheProgramAtOnce) {
  for (const int number : {SIGINT, SIGTERM}) {
    EXPECT_EXIT(
        {
          catch_interrupts();
          const bool before = interrupted();
          std::raise(number);
          std::_Exit(!before && interrupted() ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
    EXPECT_EXIT(
        {
          catch_interrupts();
          std::raise(number);
          std::raise(number);
          std::_Exit(0);
        },
        testing::KilledBySignal(number), "");
  }
}

}  // namespace
}  // namespace brickwork
