#include "primitives/recursive/recursive.hpp"

#include "primitives/recursive/host/recursive_on_host.hpp"
#include "primitives/recursive/recursive_driver.hpp"

namespace brickwork {

Recursive::Recursive(std::unique_ptr<RecursiveDriver> driver) : driver_(std::move(driver)) {}
Recursive::Recursive(Recursive&&) noexcept = default;
Recursive& Recursive::operator=(Recursive&&) noexcept = default;
Recursive::~Recursive() = default;

Result<Recursive> Recursive::make(const RecursiveWork& work, const RecursivePlan& plan, const RecursiveTarget& target) {
  if (std::string why = misfit(work.H, plan); !why.empty()) return Result<Recursive>::misfit(std::move(why));
  auto driver = std::make_unique<RecursiveDriver>(work, plan, target);
  if (std::string why = driver->make_passes(); !why.empty()) return Result<Recursive>::unsupported(std::move(why));
  return Result<Recursive>(Recursive(std::move(driver)));
}

Result<Recursive> Recursive::make(const RecursiveWork& work, const RecursivePlan& plan, Backend backend, Isa isa,
                                  const SimdTuning& tuning) {
  auto host = std::make_unique<RecursiveOnHost>(backend, isa, tuning);
  auto made = make(work, plan, *host);
  if (!made) return made;
  made->driver_->keep(std::move(host));
  if (work.use == RecursiveUse::training) made->driver_->make_updates(backend, isa, tuning);
  return made;
}

void Recursive::set_parameters(const std::vector<const float*>& weights, const std::vector<const float*>& biases) {
  driver_->set_parameters(weights, biases);
}
void Recursive::linearize(const Forest& forest) { driver_->linearize(forest); }
void Recursive::run(const std::vector<const float*>& inputs) { driver_->run(inputs); }
void Recursive::run(const Forest& forest, const std::vector<const float*>& inputs) {
  linearize(forest);
  run(inputs);
}
void Recursive::get_state(int state, float* plain) const { driver_->get_state(state, plain); }
void Recursive::run_backward(const std::vector<const float*>& inputs, const std::vector<const float*>& upstream,
                             const std::vector<float*>& input_gradients) {
  driver_->run_backward(inputs, upstream, input_gradients);
}
void Recursive::get_gradients(const std::vector<float*>& weights, const std::vector<float*>& biases) const {
  driver_->get_gradients(weights, biases);
}
const RecursivePlan& Recursive::plan() const { return driver_->plan(); }
std::string_view Recursive::isa() const { return driver_->isa(); }
std::string Recursive::program() const { return driver_->program(); }
std::int64_t Recursive::bytes() const { return driver_->bytes(); }

}  // namespace brickwork
