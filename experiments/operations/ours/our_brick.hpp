// One backend of our brick, the batch-reduce GEMM kernel, with the settings of the command line. All contenders around
// it share this part.
#pragma once
#include <fmt/format.h>

#include <vector>

#include "baselines/contender/contender.hpp"
#include "experiments/harness/terminal/options.hpp"
#include "kernels/brgemm/brgemm.hpp"

namespace brickwork {

class OurBrick {
 public:
  // The options must outlive this object: the tuning is known only when a run begins.
  OurBrick(Backend backend, const Options& options) : backend_(backend), options_(&options) {}

  Backend backend() const { return backend_; }
  Isa isa() const { return is_simd() ? options_->isa : Isa::best; }  // other backends choose their own
  // The simd brick alone has a tuning. With LIBXSMM's brick, plans with Zen 4's choice (src=lines) were 15 % slower.
  const SimdTuning& tuning() const {
    static const SimdTuning usual;
    return is_simd() ? options_->tuning : usual;
  }
  std::string tuning_text() const { return is_simd() ? options_->tuning_text : ""; }

  // Has a name and a library; the caller sets `prepare`.
  template <Operation Op>
  Contender<Op> contender() const {
    const BackendInfo info = brgemm_backend(backend_);
    return {.name = fmt::format("brickwork-{}", to_string(backend_)),
            .library = {std::string(to_string(backend_)), info.version, info.absent_reason},
            .ours = true,
            .tuned = is_simd(),
            .slow = backend_ == Backend::portable};
  }

 private:
  bool is_simd() const { return backend_ == Backend::simd; }

  Backend backend_;
  const Options* options_;
};

// Our contender around each backend, then the libraries.
template <Operation Op>
std::vector<Contender<Op>> all_backends_and(Contender<Op> (*ours)(Backend, const Options&),
                                            const std::vector<Contender<Op>>& libraries, const Options& options) {
  std::vector<Contender<Op>> contenders;
  for (const Backend backend : {Backend::simd, Backend::libxsmm, Backend::portable}) {
    contenders.push_back(ours(backend, options));
  }
  contenders.insert(contenders.end(), libraries.begin(), libraries.end());
  return contenders;
}

}  // namespace brickwork
