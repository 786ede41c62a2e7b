// The program where environment variables ask for other threads or instructions than the command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "experiments/harness/testing/csv_table.hpp"
#include "experiments/harness/testing/run_program.hpp"

namespace brickwork {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

const std::string kConv = "--experiment conv-forward --check --problem 'N2 C16 K16 H8 R3 ph1'";
const std::string kBrick = "--experiment brgemm --check --problem 'm8 n16 k8 batch4'";
const std::string kOurs = "--contenders brickwork-simd,brickwork-libxsmm,brickwork-portable";

struct Row {
  std::string status, reason, isa;
};

// The rows of a run by contender.
std::map<std::string, Row> rows_of(const fs::path& folder) {
  const CsvTable table(folder / "samples.csv");
  std::map<std::string, Row> rows;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    rows[table.at(i, "contender")] = {table.at(i, "status"), table.at(i, "reason"), table.at(i, "isa")};
  }
  return rows;
}

std::map<std::string, Row> checked(const std::string& arguments, const std::string& surroundings) {
  const auto folder = fresh_folder();
  const auto [code, output] = brickwork(fmt::format("{} --out {}", arguments, folder.string()), surroundings);
  EXPECT_EQ(code, 0) << surroundings << "\n" << output;
  return rows_of(folder);
}

class ProgramOnTwoThreads : public testing::Test {
 protected:
  void SetUp() override {
    if (omp_get_num_procs() < 2) GTEST_SKIP() << "two threads need two hardware threads";
  }
};

// Otherwise im2col would wait in OpenBLAS for ever, and others would run on one thread and report two.
TEST_F(ProgramOnTwoThreads, RefusesAnEnvironmentThatTakesOneAway) {
  const std::pair<const char*, const char*> cases[] = {{"OMP_THREAD_LIMIT", "1"},
                                                       {"OMP_DYNAMIC", "true"},
                                                       {"OMP_MAX_ACTIVE_LEVELS", "0"},
                                                       {"KOKKOS_NUM_THREADS", "garbage"},
                                                       {"KOKKOS_NUM_THREADS", "1"}};
  for (const auto& [name, value] : cases) {
    const auto folder = fresh_folder();
    const auto [code, output] =
        brickwork(fmt::format("{} --threads 2 --contenders im2col --out {}", kConv, folder.string()),
                  fmt::format("{}={} timeout -s KILL 100", name, value));
    EXPECT_EQ(code, 2) << name << "\n" << output;
    EXPECT_THAT(output, HasSubstr(name));
    EXPECT_EQ(std::ranges::count(output, '\n'), 1) << output;
    EXPECT_FALSE(fs::exists(folder));
  }
}

TEST(ProgramOnOneThread, NeedsNoMore) {
  for (const char* variable : {"OMP_THREAD_LIMIT=1", "OMP_DYNAMIC=true", "OMP_MAX_ACTIVE_LEVELS=0"}) {
    const auto rows = checked(kConv + " --threads 1 --contenders brickwork-portable", variable);
    EXPECT_EQ(rows.at("brickwork-portable").status, "ok") << variable;
  }
}

TEST_F(ProgramOnTwoThreads, WarnsIfTheyShareACore) {
  cpu_set_t mine;
  sched_getaffinity(0, sizeof mine, &mine);
  int first = 0;
  while (!CPU_ISSET(first, &mine)) ++first;
  const auto folder = fresh_folder();
  const auto [code, output] =
      brickwork(fmt::format("{} --threads 2 --contenders brickwork-portable --out {}", kConv, folder.string()),
                fmt::format("OMP_PROC_BIND=true OMP_PLACES='{{{}}}'", first));
  EXPECT_EQ(code, 0) << output;
  EXPECT_THAT(output, HasSubstr("warning: 2 threads share 1 core:"));
  std::ifstream in(folder / "environment.json");
  EXPECT_THAT(std::string(std::istreambuf_iterator<char>(in), {}), HasSubstr("2 threads share 1 core:"));
}

TEST(Program, OneThreadGetsNoWarningOfASharedCore) {
  const auto [code, output] =
      brickwork(fmt::format("{} --threads 1 --contenders brickwork-portable --out {}", kConv, fresh_folder().string()));
  EXPECT_EQ(code, 0) << output;
  EXPECT_THAT(output, Not(HasSubstr("share")));
}

const char* const kLibxsmmConv[] = {"brickwork-libxsmm", "libxsmm-dnn", "small-gemm"};
const char* const kLibxsmmBrick[] = {"brickwork-libxsmm", "libxsmm-gemm"};

TEST(ProgramWithLibxsmmTarget, SaysWhichItCannotUse) {
  const std::pair<const char*, const char*> cases[] = {{"generic", "no code for its target 'generic'"},
                                                       {"x86", "no code for its target 'x86'"},
                                                       {"knm", "'knm' is more than this CPU"}};
  for (const auto& [target, reason] : cases) {
    const std::string variable = fmt::format("LIBXSMM_TARGET={}", target);
    const auto expect_refused = [why = reason](const auto& rows, const auto& names) {
      for (const char* name : names) {
        if (rows.at(name).status == "absent") continue;
        EXPECT_EQ(rows.at(name).status, "unsupported") << name;
        EXPECT_THAT(rows.at(name).reason, HasSubstr(why)) << name;
      }
    };
    expect_refused(checked(kConv, variable), kLibxsmmConv);
    expect_refused(checked(kBrick, variable), kLibxsmmBrick);
  }
}

// A target below the machine's is slow and right; LIBXSMM ignores a word that is no target.
TEST(ProgramWithLibxsmmTarget, UsesThoseThatRunHere) {
  for (const char* target : {"wsm", "snb", "hsw", "skx", "garbage"}) {
    const std::string variable = fmt::format("LIBXSMM_TARGET={}", target);
    const auto expect_right = [&](const auto& rows, const auto& names) {
      for (const char* name : names) {
        const Row& row = rows.at(name);
        if (row.status == "absent" || row.reason.find("is more than this CPU") != std::string::npos) continue;
        EXPECT_EQ(row.status, "ok") << name << " with " << variable << ": " << row.reason;
        EXPECT_TRUE(row.isa == target || std::string_view(target) == "garbage") << name << " ran " << row.isa;
      }
    };
    expect_right(checked(kConv, variable), kLibxsmmConv);
    expect_right(checked(kBrick, variable), kLibxsmmBrick);
  }
}

TEST(ProgramWithIsa, AffectsTheSimdBrickOnly) {
  for (const auto& experiment : {kConv, kBrick}) {
    const auto best = checked(experiment + " " + kOurs, ""), avx2 = checked(experiment + " --isa avx2 " + kOurs, "");
    for (const char* name : {"brickwork-libxsmm", "brickwork-portable"}) {
      EXPECT_EQ(avx2.at(name).status, best.at(name).status) << name << ": " << avx2.at(name).reason;
      EXPECT_EQ(avx2.at(name).isa, best.at(name).isa) << name;
    }
    const Row& simd = avx2.at("brickwork-simd");
    EXPECT_TRUE(simd.isa == "avx2" || simd.status == "unsupported") << simd.reason;
  }
}

}  // namespace
}  // namespace brickwork
