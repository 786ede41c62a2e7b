// Our driver of a recursive model on one problem: it has the problem's structures and finds tensors by their names.
#pragma once
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "primitives/recursive/op/recursive_ops.hpp"
#include "primitives/recursive/recursive.hpp"

namespace brickwork {

struct RecursivePassWork {
  RecursiveProblem problem;
  RecursiveUse use = RecursiveUse::inference;
};

class RecursiveOnProblem {
 public:
  static Result<RecursiveOnProblem> make(const RecursivePassWork& work, const RecursivePlan& plan, Backend backend,
                                         Isa isa, const SimdTuning& tuning) {
    const RecursiveProblem& p = work.problem;
    auto driver = Recursive::make({&p.cell(), p.H, work.use, std::max<std::int64_t>(1, p.forest()->most_children())},
                                  plan, backend, isa, tuning);
    if (!driver) return {driver.status(), driver.reason()};
    return RecursiveOnProblem(work, *std::move(driver));
  }

  void set_parameters(const PlainTensors& in) {
    driver_.set_parameters(all(in, cell_->weights()), all(in, cell_->biases()));
  }
  void run(const PlainTensors& in) { driver_.run(*forest_, all(in, inputs_)); }
  void run_linearized(const PlainTensors& in) { driver_.run(all(in, inputs_)); }  // on the structures of the last run
  void get_states(PlainTensors& out) const {
    for (std::size_t s = 0; s < states_.size(); ++s) driver_.get_state(static_cast<int>(s), out.at<float>(states_[s]));
  }

  void run_backward(const PlainTensors& in) {
    driver_.run_backward(all(in, inputs_), all(in, names(states_, recursive_ops::gradient_of_values)),
                         all(input_gradients_, names(inputs_, recursive_ops::gradient_of_values)));
  }
  void get_gradients(PlainTensors& out) const {
    for (std::size_t i = 0; i < input_gradients_.infos().size(); ++i) {
      std::ranges::copy(input_gradients_.values<float>(i), out.at<float>(input_gradients_.infos()[i].name));
    }
    driver_.get_gradients(all(out, names(cell_->weights(), recursive_ops::gradient_of_parameter)),
                          all(out, names(cell_->biases(), recursive_ops::gradient_of_parameter)));
  }

  const RecursivePlan& plan() const { return driver_.plan(); }
  std::string_view isa() const { return driver_.isa(); }
  std::string program() const { return driver_.program(); }

 private:
  using Names = std::vector<std::string>;

  RecursiveOnProblem(const RecursivePassWork& work, Recursive driver)
      : RecursiveOnProblem(work.problem, std::move(driver)) {
    if (work.use == RecursiveUse::inference) return;
    auto gradients = recursive_ops::gradients(work.problem);
    gradients.resize(inputs_.size());  // the parameters' follow
    input_gradients_ = PlainTensors(std::move(gradients));
  }
  RecursiveOnProblem(const RecursiveProblem& p, Recursive driver)
      : cell_(&p.cell()),
        forest_(p.forest()),
        inputs_(names(cell_->inputs(), [](const Cell::Input& input) { return input.name; })),
        states_(names(cell_->states(), [](const Cell::StateOf& state) { return state.name; })),
        driver_(std::move(driver)) {}

  template <class Of, class Name>
  static Names names(const std::vector<Of>& of, const Name& name) {
    Names names;
    for (const Of& one : of) names.push_back(name(one));
    return names;
  }

  template <class Tensors>
  static auto all(Tensors& of, const Names& names) -> std::vector<decltype(of.template at<float>(""))> {
    std::vector<decltype(of.template at<float>(""))> all;
    for (const std::string& name : names) all.push_back(of.template at<float>(name));
    return all;
  }

  const Cell* cell_;
  std::shared_ptr<const Forest> forest_;
  Names inputs_, states_;
  Recursive driver_;
  PlainTensors input_gradients_;  // training only
};

}  // namespace brickwork
