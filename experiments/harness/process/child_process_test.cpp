#include "experiments/harness/process/child_process.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>

#include "experiments/harness/process/interrupt.hpp"

namespace brickwork {
namespace {

ChildProcess shell(const std::string& script, const Surroundings& surroundings = {}) {
  return {{"/bin/sh", "-c", script}, surroundings};
}

TEST(ChildProcess, AnswersLineByLine) {
  auto child = shell("while read line; do echo \"got $line\"; echo; done; echo end");
  child.send("one");
  EXPECT_EQ(child.receive(), "got one");
  EXPECT_EQ(child.receive(), "");
  child.send("two words");
  EXPECT_EQ(child.receive(), "got two words");
  EXPECT_EQ(child.wait().exit_code, 0);
}

TEST(ChildProcess, SaysHowItEnded) {
  const std::tuple<std::string, int, std::string> cases[] = {
      {"echo first >&2; echo last words >&2; echo >&2; exit 3", 3, "last words"},
      {"printf unfinished >&2; exit 1", 1, "unfinished"},
      {"exit 4", 4, "exit code 4"},
      {"kill -SEGV $$", -1, "signal 11 (Segmentation fault)"}};
  for (const auto& [script, code, words] : cases) {
    auto child = shell(script);
    EXPECT_EQ(child.receive(), std::nullopt);
    const auto end = child.wait();
    EXPECT_EQ(end.exit_code, code) << script;
    EXPECT_EQ(end.last_words, words);
  }
}

TEST(ChildProcess, SendingToAnEndedProgramDoesNothing) {
  auto child = shell("exit 0");
  EXPECT_EQ(child.receive(), std::nullopt);
  child.send("are you there?");
  EXPECT_EQ(child.wait().exit_code, 0);
}

TEST(ChildProcess, IsWaitedForByTheDestructor) {
  const auto file = testing::TempDir() + "child_process_test_end";
  std::remove(file.c_str());
  { const auto child = shell("read line; sleep 0.05; : > " + file); }
  EXPECT_NE(std::fopen(file.c_str(), "r"), nullptr);
}

TEST(ChildProcess, AProgramThatCannotBeStartedIsOneSentence) {
  try {
    const ChildProcess child({"/no/such/program"}, {});
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "/no/such/program cannot be started: No such file or directory");
  }
}

TEST(ChildProcess, HasOurEnvironmentWithTheRequestedChanges) {
  setenv("BRICKWORK_TEST_KEPT", "kept", 1);
  setenv("BRICKWORK_TEST_REMOVED", "removed", 1);
  setenv("BRICKWORK_TEST_SET", "old", 1);
  auto child =
      shell(R"(echo "$BRICKWORK_TEST_KEPT,$BRICKWORK_TEST_REMOVED,$BRICKWORK_TEST_SET")",
            {.cpus = {}, .environment = {{"BRICKWORK_TEST_REMOVED", std::nullopt}, {"BRICKWORK_TEST_SET", "new"}}});
  EXPECT_EQ(child.receive(), "kept,,new");
}

TEST(ChildProcess, RunsOnTheRequestedHardwareThreads) {
  cpu_set_t before, after;
  sched_getaffinity(0, sizeof before, &before);
  int last = CPU_SETSIZE - 1;
  while (!CPU_ISSET(last, &before)) --last;
  auto child = shell("grep Cpus_allowed_list /proc/self/status", {.cpus = {last}, .environment = {}});
  EXPECT_EQ(child.receive(), fmt::format("Cpus_allowed_list:\t{}", last));
  sched_getaffinity(0, sizeof after, &after);
  EXPECT_TRUE(CPU_EQUAL(&before, &after)) << "we ourselves do not stay there";
}

// Runs in a process of its own: an interrupt cannot be undone.
TEST(ChildProcess, PassesAnInterruptOn) {
  EXPECT_EXIT(
      {
        catch_interrupts();
        auto child = shell("trap 'echo stopped; exit 5' TERM; echo started; while :; do sleep 0.02; done");
        const bool started = child.receive() == "started";
        std::thread([] {
          std::this_thread::sleep_for(std::chrono::milliseconds(50));
          kill(getpid(), SIGINT);
        }).detach();
        const bool stopped = child.receive() == "stopped";
        std::_Exit(started && stopped && child.wait().exit_code == 5 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace brickwork
