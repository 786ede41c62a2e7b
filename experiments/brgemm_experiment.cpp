#include <vector>

#include "baselines.hpp"
#include "brgemm_contender.hpp"
#include "experiment_of.hpp"
#include "experiments.hpp"
#include "test_values.hpp"

namespace brickwork {
namespace {

// Every contender of brgemm; a new one is a line here.
ContenderTable<BrgemmProblem, BrgemmTensors> brgemm_table(const Options& o) {
  ContenderTable<BrgemmProblem, BrgemmTensors> table;
  table.push_back(make_brgemm_contender(Backend::simd, o.isa));
  table.push_back(make_brgemm_contender(Backend::libxsmm, o.isa));
  table.push_back(make_brgemm_contender(Backend::portable, o.isa));
  table.push_back(make_libxsmm_small_gemm());
  table.push_back(make_openblas_small_gemm());
  table.push_back(make_onednn_batched_matmul());
  return table;
}

class BrgemmExperiment : public ExperimentOf<BrgemmProblem, BrgemmTensors> {
 public:
  using ExperimentOf::ExperimentOf;
  std::string primitive() const override { return "brgemm"; }
  std::string pass() const override { return "gemm"; }

 protected:
  TestData<BrgemmTensors> empty_data(const BrgemmProblem& p) const override {
    TestData<BrgemmTensors> data;
    data.tensors.a = data.buffers.emplace_back(static_cast<std::size_t>(p.batch * p.m * p.k)).data();
    data.tensors.b = data.buffers.emplace_back(static_cast<std::size_t>(p.batch * p.k * p.n)).data();
    data.output_size = static_cast<std::size_t>(p.m * p.n);
    return data;
  }

  TestData<BrgemmTensors> make_data(const BrgemmProblem& p, Fill fill, const std::string& seed) const override {
    TestData<BrgemmTensors> data = empty_data(p);
    TestValues values(fill, p.batch * p.k, seed);
    for (auto& buffer : data.buffers) values.fill({buffer.data(), buffer.size()});
    data.tolerance = values.tolerance();

    const auto n = static_cast<std::size_t>(p.n), k = static_cast<std::size_t>(p.k);
    data.expected = AlignedBuffer<float>(data.output_size);
    std::vector<double> row(n);
    for (std::size_t im = 0; im < static_cast<std::size_t>(p.m); ++im) {
      row.assign(n, 0.0);
      for (std::size_t i = 0; i < static_cast<std::size_t>(p.batch); ++i) {
        const float* a = data.tensors.a + (i * static_cast<std::size_t>(p.m) + im) * k;
        const float* b = data.tensors.b + i * k * n;
        for (std::size_t ik = 0; ik < k; ++ik) {
          for (std::size_t in = 0; in < n; ++in) row[in] += static_cast<double>(a[ik]) * b[ik * n + in];
        }
      }
      for (std::size_t in = 0; in < n; ++in) data.expected[im * n + in] = static_cast<float>(row[in]);
    }
    return data;
  }
};

}  // namespace

std::unique_ptr<Experiment> make_brgemm_experiment(const Options& o) {
  auto problems = choose_problems(
      o, "brgemm", [](std::istream& in, const std::string& file) { return read_brgemm_shapes(in, file); },
      parse_brgemm_problem);
  return std::make_unique<BrgemmExperiment>(std::move(problems), choose_contenders(brgemm_table(o), o.contenders),
                                            Resources{1});
}

std::vector<std::pair<std::string, std::string>> brgemm_availability(const Options& o) {
  return availability(brgemm_table(o), parse_brgemm_problem("m8 n16 k64 batch4"));
}

}  // namespace brickwork
