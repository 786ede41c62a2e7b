#include "primitives/recursive/recursive.hpp"

#include "primitives/recursive/host/recursive_on_host.hpp"

namespace brickwork {

Recursive::Recursive(std::unique_ptr<RecursiveOnHost> host) : host_(std::move(host)) {}
Recursive::Recursive(Recursive&&) noexcept = default;
Recursive& Recursive::operator=(Recursive&&) noexcept = default;
Recursive::~Recursive() = default;

Result<Recursive> Recursive::make(const RecursiveWork& work, const RecursivePlan& plan, Backend backend, Isa isa,
                                  const SimdTuning& tuning) {
  auto host = RecursiveOnHost::make(work, plan, backend, isa, tuning);
  if (!host) return {host.status(), host.reason()};
  return Result<Recursive>(Recursive(*std::move(host)));
}

void Recursive::set_parameters(const std::vector<const float*>& weights, const std::vector<const float*>& biases) {
  host_->set_parameters(weights, biases);
}
void Recursive::linearize(const Forest& forest) { host_->linearize(forest); }
void Recursive::run(const std::vector<const float*>& inputs) { host_->run(inputs); }
void Recursive::run(const Forest& forest, const std::vector<const float*>& inputs) {
  linearize(forest);
  run(inputs);
}
void Recursive::get_state(int state, float* plain) const { host_->get_state(state, plain); }
void Recursive::run_backward(const std::vector<const float*>& inputs, const std::vector<const float*>& upstream,
                             const std::vector<float*>& input_gradients) {
  host_->run_backward(inputs, upstream, input_gradients);
}
void Recursive::get_gradients(const std::vector<float*>& weights, const std::vector<float*>& biases) const {
  host_->get_gradients(weights, biases);
}
const RecursivePlan& Recursive::plan() const { return host_->plan(); }
std::string_view Recursive::isa() const { return host_->isa(); }
std::string Recursive::program() const { return host_->program(); }
std::int64_t Recursive::bytes() const { return host_->bytes(); }

}  // namespace brickwork
