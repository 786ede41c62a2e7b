// Stands in for a baseline whose library this build lacks, so that its rows say why there is no number.
#pragma once
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "contender.hpp"

namespace brickwork {

template <class Problem, class Tensors>
class MissingLibrary final : public Contender<Problem, Tensors> {
 public:
  MissingLibrary(std::string name, std::string library)
      : name_(std::move(name)),
        library_(std::move(library)),
        reason_("built without " + library_ +
                ": run scripts/setup, or put its package on CMAKE_PREFIX_PATH, and configure anew") {}

  std::string name() const override { return name_; }
  std::string backend() const override { return library_; }
  std::string version() const override { return {}; }
  std::optional<std::string> unsupported(const Problem&, const Resources&) const override { return reason_; }
  std::unique_ptr<Prepared> prepare(const Problem&, const Tensors&, const Resources&) const override {
    throw std::runtime_error(reason_);
  }

 private:
  std::string name_, library_, reason_;
};

using MissingConv = MissingLibrary<ConvProblem, ConvTensors>;
using MissingBrgemm = MissingLibrary<BrgemmProblem, BrgemmTensors>;

}  // namespace brickwork
