// One matmul for the rows of a level, whose number differs from level to level.
#pragma once
#include <map>
#include <set>
#include <string>

#include "baselines/onednn/onednn_tensor.hpp"

namespace brickwork::onednn {

// to [rows][N] = from [rows][K] * weights [K][N] + bias [N]
class LevelMatmul {
 public:
  struct Sizes {
    std::int64_t K, N;
    bool bias = false;
    bool transposed = false;  // pack() gets weights [N][K]
    bool adds = false;        // to what `to` holds
  };

  // A primitive for each number of rows: sizes that it learns at run time cost it speed. All read one packed copy of
  // the weights, in the layout that the matmul of most rows likes best.
  LevelMatmul(const Context&, const Sizes&, const std::set<std::int64_t>& rows);

  void pack(const float* weights, const float* bias = nullptr);
  void run(std::int64_t rows, const float* from, float* to) const;

  const std::string& implementation() const { return implementation_; }

 private:
  struct OfRows {
    dnnl::primitive primitive;
    dnnl::memory from, to, scratchpad;
  };

  Context context_;
  Sizes sizes_;
  std::map<std::int64_t, OfRows> of_rows_;
  Tensor weights_, bias_, scratchpad_;
  std::string implementation_;
};

}  // namespace brickwork::onednn
