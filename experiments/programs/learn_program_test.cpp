// The program learn, as a user starts it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "experiments/harness/testing/csv_table.hpp"
#include "experiments/harness/testing/json_file.hpp"
#include "experiments/harness/testing/run_program.hpp"

namespace brickwork {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

// Images instead of digits: the label is the index of the bright row or column.
class Learn : public testing::Test {
 protected:
  Learn() {
    fs::create_directories(folder_);
    std::ofstream file(data_);
    file << "set,label";
    for (int i = 0; i < 64; ++i) file << ",pixel" << i;
    std::mt19937 random(1);
    for (int n = 0; n < 200; ++n) {
      const auto label = static_cast<int>(random() % 10);
      file << '\n' << (n < 160 ? "train" : "test") << ',' << label;
      for (int i = 0; i < 64; ++i) {
        const bool bright = label < 8 ? i / 8 == label : i % 8 == label - 8;
        file << ',' << random() % 8 + (bright ? 8 : 0);
      }
    }
    file << '\n';
  }

  // Made-up variants of plans: the time follows from two of the facts.
  fs::path write_variants() const {
    const fs::path path = folder_ / "variants.csv";
    std::ofstream file(path);
    file << "pass,problem,plan";
    for (const char* bytes : {"placed", "read", "written"}) {
      for (const char* place : {"l1", "l2", "l3", "memory"}) file << ',' << bytes << '_' << place;
    }
    file << ",fmas,calls,instructions_per_fma,seconds\n";
    std::mt19937 random(1);
    for (int line = 0; line < 240; ++line) {
      file << "forward,problem" << line % 8 << ",plan" << line;
      const auto in_l2 = random() % 1000000, in_memory = random() % 1000000;
      for (int i = 0; i < 12; ++i) file << ',' << (i == 5 ? in_l2 : i == 7 ? in_memory : 0);
      file << ",1e6,1000,1," << 1e-3 + 1e-10 * static_cast<double>(in_l2) + 1e-9 * static_cast<double>(in_memory)
           << '\n';
    }
    return path;
  }

  Ended learn(const std::string& arguments, const std::string& out) const {
    return brickwork(
        fmt::format("--data {} --tuning default --out {} {}", data_.string(), (folder_ / out).string(), arguments));
  }
  CsvTable table(const std::string& out) const { return CsvTable(folder_ / out / "learning.csv"); }

  const fs::path folder_ = fresh_folder(), data_ = folder_ / "rows.csv";
  const std::string own_cache_ = "XDG_CACHE_HOME=" + (folder_ / "cache").string();
};

TEST_F(Learn, EveryEpochIsARowOfTheTable) {
  const auto [code, output] = learn("--task digits-mlp --threads 1 --epochs 6", "out");
  EXPECT_EQ(code, 0) << output;
  EXPECT_THAT(output, HasSubstr("160 images to train on, 40 to test on; 1 thread, seed 1\n"));
  EXPECT_THAT(output, HasSubstr("epoch   6/6  loss "));
  const CsvTable rows = table("out");
  ASSERT_EQ(rows.rows(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(rows.at(i, "task"), "digits-mlp");
    EXPECT_EQ(rows.at(i, "threads") + rows.at(i, "seed") + rows.at(i, "epochs"), "116");
    EXPECT_EQ(rows.at(i, "epoch"), std::to_string(i + 1));
    EXPECT_GT(std::stod(rows.at(i, "seconds")), 0);
  }
  EXPECT_LT(std::stod(rows.at(5, "loss")), std::stod(rows.at(0, "loss")));
  EXPECT_EQ(read_json(folder_ / "out" / "environment.json").at("exit_code"), 0);
  EXPECT_EQ(read_json(folder_ / "out" / "environment.json").at("threads"), 1);
}

TEST_F(Learn, TheScreenShowsAFewOfManyEpochsOrOneLine) {
  const std::string task = "--task digits-mlp --threads 1 --epochs 20";
  const std::string screen = learn(task, "out").output;
  EXPECT_EQ(std::ranges::count(screen, '\n'), 1 + 6 + 1 + 1) << screen;
  EXPECT_THAT(screen, HasSubstr("\nepoch  20/20  loss "));
  EXPECT_EQ(table("out").rows(), 20U);
  const std::string brief = learn(task + " --brief", "brief").output;
  EXPECT_THAT(brief, testing::MatchesRegex("digits-mlp in 0:0[0-9]: .* on the test images .*\n"));
  EXPECT_EQ(std::ranges::count(brief, '\n'), 1);
}

TEST_F(Learn, TheCurveHasTheSameBitsOnAnyThreadsAndDiffersForAnotherSeed) {
  const fs::path text = folder_ / "text";
  std::ofstream(text) << read_file(data_).substr(0, 24000);
  const std::string digits = "--data " + data_.string(),
                    trainings[] = {"digits-mlp --epochs 2 " + digits,
                                   "digits-conv --epochs 2 " + digits,
                                   "adding-lstm --epochs 1",
                                   "adding-rnn --epochs 1",
                                   "listops-tree-lstm --epochs 1",
                                   "listops-lstm --epochs 1",
                                   "plan-ranking --epochs 2 --data " + write_variants().string(),
                                   "characters --epochs 2 --data " + text.string()};
  for (std::size_t i = 0; i < std::size(trainings); ++i) {
    const auto column = [&](const std::string& options, const std::string& name) {
      const std::string out = std::to_string(i) + name;
      const auto [code, output] = brickwork(
          fmt::format("--task {} --tuning default --out {} {}", trainings[i], (folder_ / out).string(), options),
          own_cache_);
      EXPECT_EQ(code, 0) << output;
      const CsvTable rows = table(out);
      std::vector<std::string> values;
      for (std::size_t row = 0; row < rows.rows(); ++row) {
        for (const char* measure : {"loss", "train_measure", "test_measure"}) values.push_back(rows.at(row, measure));
      }
      return values;
    };
    const auto one = column("--threads 1", "one");
    EXPECT_GE(one.size(), 3U);
    EXPECT_NE(column("--threads 1 --seed 2", "seed"), one);
    if (std::thread::hardware_concurrency() == 1) continue;
    EXPECT_EQ(column("--threads 2", "two"), one);
  }
}

// The file of images serves as a text, in which a whole line says much more than pairs of characters.
TEST_F(Learn, TheMeasureHasItsBaselineBeside) {
  const auto [code, output] = learn("--task characters --threads 1 --epochs 3", "text");
  EXPECT_EQ(code, 0) << output;
  EXPECT_THAT(output, HasSubstr("a model of pairs of characters has "));
  const CsvTable rows = table("text");
  ASSERT_EQ(rows.rows(), 3U);
  EXPECT_EQ(rows.at(0, "measure"), "bits a character");
  EXPECT_EQ(rows.at(0, "examples"), "characters");
  EXPECT_GT(std::stod(rows.at(0, "baseline_measure")), 1);
  EXPECT_LT(std::stod(rows.at(2, "test_measure")), std::stod(rows.at(0, "test_measure")));
}

TEST_F(Learn, WeightsOfARankingAreWrittenAndSaidToBeKeptOrNot) {
  const auto [code, output] =
      brickwork(fmt::format("--task plan-ranking --data {} --tuning default --threads 1 --epochs 5 --out {}",
                            write_variants().string(), (folder_ / "out").string()),
                own_cache_);
  EXPECT_EQ(code, 0) << output;
  EXPECT_THAT(output, HasSubstr("180 variants to train on, 60 to test on"));
  EXPECT_THAT(output, HasSubstr("on 2 held-out layers the network's first variant has "));
  EXPECT_EQ(fs::exists(folder_ / "cache" / "brickwork" / "plan-ranking.json"),
            output.find("kept for later runs on this processor") != std::string::npos)
      << output;
  EXPECT_EQ(read_json(folder_ / "out" / "network_weights.json").at("version"), 1);
  EXPECT_EQ(CsvTable(folder_ / "out" / "rank_efficiency.csv").rows(), 2U);
}

TEST_F(Learn, AFolderOfAnotherRunIsRefused) {
  ASSERT_EQ(learn("--task digits-mlp --epochs 1", "out").code, 0);
  const std::string before = read_file(folder_ / "out" / "learning.csv");
  const auto [code, output] = learn("--task digits-mlp --epochs 1", "out");
  EXPECT_EQ(code, 1);
  EXPECT_THAT(output, HasSubstr("already holds a run's learning.csv: name another folder\n"));
  EXPECT_EQ(read_file(folder_ / "out" / "learning.csv"), before);
}

TEST_F(Learn, WrongUsageIsOneSentence) {
  const std::string data = "--data " + data_.string();
  std::ofstream(folder_ / "short.csv") << "set,label,pixel0\ntrain,1,2\n";
  const std::pair<std::string, std::string> cases[] = {
      {data, "say what to learn: --task digits-mlp or --task digits-conv or --task adding-lstm or --task "},
      {data + " --task digits", "unknown task 'digits'; the closest is 'digits-"},
      {"--task digits-mlp",
       "digits-mlp learns from images, a CSV file that scripts/export_digits.py writes: --data FILE"},
      {"--task digits-mlp --data /nowhere.csv", "/nowhere.csv cannot be read: No such file or directory"},
      {"--task digits-mlp --data " + folder_.string(), "is a directory"},
      {"--task digits-mlp --data " + (folder_ / "short.csv").string(),
       "short.csv:1: column pixel1 is missing: images of"},
      {"--task characters", "characters learns from a text: --data FILE"},
      {data + " --task adding-lstm", "adding-lstm makes its sequences itself: leave --data out"},
      {data + " --task listops-lstm", "listops-lstm makes its expressions itself: leave --data out"},
      {"--task characters --data " + (folder_ / "short.csv").string(), "the text has 27 characters, but 32 streams"},
      {"--task plan-ranking",
       "plan-ranking learns from measured variants, the CSV file that brickwork --plan variants "},
      {"--task plan-ranking --data " + (folder_ / "short.csv").string(),
       "short.csv:1: column pass is missing: measured"},
      {data + " --task digits-mlp --threads 0", "--threads: 0 is no whole number from 1 to "},
      {data + " --task digits-mlp --epochs 0", "--epochs: 0 is no whole number from 1 to 100000"},
      {data + " --task digits-mlp --seed -1", "--seed: -1 is no whole number from 0 to 4294967295"},
      {data + " --task digits-mlp --isa sse", "sse"},
      {data + " --task digits-mlp --tuning loud", "loud"},
      {data + " --task digits-mlp --epoch 3", "unknown option '--epoch'; the closest is '--epochs'"},
      {data + " --task digits-mlp 3", "unexpected argument '3'"},
  };
  for (const auto& [arguments, message] : cases) {
    const auto [code, output] = brickwork(arguments + " --out " + (folder_ / "none").string());
    EXPECT_EQ(code, 2) << arguments;
    EXPECT_THAT(output, StartsWith("learn: ")) << arguments;
    EXPECT_THAT(output, HasSubstr(message)) << arguments;
    EXPECT_EQ(std::ranges::count(output, '\n'), 1) << output;
    EXPECT_FALSE(fs::exists(folder_ / "none")) << arguments;
  }
}

}  // namespace
}  // namespace brickwork
