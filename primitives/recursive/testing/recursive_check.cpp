#include "primitives/recursive/testing/recursive_check.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "primitives/op/test_values.hpp"
#include "primitives/recursive/op/recursive_bounds.hpp"
#include "primitives/recursive/op/recursive_definition.hpp"
#include "primitives/recursive/op/recursive_tensors.hpp"
#include "primitives/recursive/structures/structures.hpp"

namespace brickwork {
namespace {

using recursive_ops::gradient_of_parameter;
using recursive_ops::gradient_of_values;

std::vector<const float*> pointers(const PlainTensors& of, const std::vector<std::string>& names) {
  std::vector<const float*> all;
  for (const std::string& name : names) all.push_back(of.at<float>(name));
  return all;
}
std::vector<float*> pointers(PlainTensors& of, const std::vector<std::string>& names) {
  std::vector<float*> all;
  for (const std::string& name : names) all.push_back(of.at<float>(name));
  return all;
}

template <class Named, class Name>
std::vector<std::string> names_of(const std::vector<Named>& all, const Name& name) {
  std::vector<std::string> names;
  for (const Named& one : all) names.push_back(name(one));
  return names;
}

std::vector<TensorInfo> all_inputs(const Cell& cell, std::int64_t H, const Forest& forest) {
  auto infos = recursive_ops::sources(cell, H, forest);
  std::ranges::copy(recursive_ops::upstream(cell, H, forest), std::back_inserter(infos));
  return infos;
}

// Random values in f64 that are exact in f32.
PlainTensors random_inputs(const RecursiveCase& c, const std::string& seed) {
  PlainTensors in(with_dtype(recursive_inputs(c), DType::f64));
  TestValues values(Fill::floats, c.H, seed);
  for (std::size_t i = 0; i < in.infos().size(); ++i) values.fill(in.values<double>(i));
  recursive_ops::settle(*c.cell, c.H, in);
  for (std::size_t i = 0; i < in.infos().size(); ++i) {
    for (double& x : in.values<double>(i)) x = static_cast<double>(static_cast<float>(x));
  }
  return in;
}

PlainTensors as_floats(const PlainTensors& in) {
  PlainTensors floats(with_dtype(in.infos(), DType::f32));
  for (std::size_t i = 0; i < in.infos().size(); ++i) {
    std::ranges::transform(in.values<double>(i), floats.values<float>(i).begin(),
                           [](double x) { return static_cast<float>(x); });
  }
  return floats;
}

double states_bound(const RecursiveCase& c) { return recursive_ops::forward_bound(c.H); }
double gradients_bound(const RecursiveCase& c) { return recursive_ops::backward_bound(*c.cell, c.H, c.forest); }

RecursiveResults unwritten_results(const RecursiveCase& c, DType dtype) {
  using namespace recursive_ops;
  const auto made = [&](std::vector<TensorInfo> infos, double bound) {
    PlainTensors tensors(with_dtype(allowing_for_few(std::move(infos), bound), dtype));
    poison(tensors);
    return tensors;
  };
  return {made(results(*c.cell, c.H, c.forest), states_bound(c)),
          made(gradients(*c.cell, c.H, c.forest), gradients_bound(c))};
}

RecursiveResults defined(const RecursiveCase& c, const PlainTensors& in) {
  RecursiveResults results = unwritten_results(c, DType::f64);
  define_recursive_forward(*c.cell, c.H, c.forest, in, results.states);
  if (c.use == RecursiveUse::training) define_recursive_backward(*c.cell, c.H, c.forest, in, results.gradients);
  return results;
}

std::string difference_of(const char* what, const PlainTensors& found, const PlainTensors& right, double bound) {
  const Verdict verdict = compare(found, right, {bound, /*of_whole=*/true});
  return verdict.status == Status::ok ? "" : std::string(what) + ": " + verdict.reason;
}

RecursiveWork work(const RecursiveCase& c) {
  return {c.cell, c.H, c.use, std::max<std::int64_t>(1, c.forest.most_children())};
}

}  // namespace

std::vector<TensorInfo> recursive_inputs(const RecursiveCase& c) { return all_inputs(*c.cell, c.H, c.forest); }

Recursive recursive_driver(const RecursiveCase& c, const RecursivePlan& plan, Backend backend, Isa isa) {
  auto driver = Recursive::make(work(c), plan, backend, isa);
  if (!driver) throw std::logic_error(driver.reason());
  return *std::move(driver);
}

RecursiveResults driven(const RecursiveCase& c, const PlainTensors& in, Recursive& driver, const Forest& before) {
  const Cell& cell = *c.cell;
  const auto inputs = names_of(cell.inputs(), [](const Cell::Input& input) { return input.name; });
  const auto states = names_of(cell.states(), [](const Cell::StateOf& state) { return state.name; });
  const auto upstream = names_of(states, gradient_of_values), input_gradients = names_of(inputs, gradient_of_values);
  driver.set_parameters(pointers(in, cell.weights()), pointers(in, cell.biases()));
  const auto run = [&](const Forest& forest, const PlainTensors& from, PlainTensors& gradients) {
    driver.run(forest, pointers(from, inputs));
    if (c.use != RecursiveUse::training) return;
    driver.run_backward(pointers(from, inputs), pointers(from, upstream), pointers(gradients, input_gradients));
  };

  PlainTensors nan(all_inputs(cell, c.H, before)), nan_gradients(recursive_ops::gradients(cell, c.H, before));
  poison(nan);
  run(before, nan, nan_gradients);
  RecursiveResults found = unwritten_results(c, DType::f32);
  for (int turn = 0; turn < 2; ++turn) run(c.forest, in, found.gradients);

  for (std::size_t s = 0; s < states.size(); ++s) {
    driver.get_state(static_cast<int>(s), found.states.at<float>(states[s]));
  }
  if (c.use == RecursiveUse::training) {
    driver.get_gradients(pointers(found.gradients, names_of(cell.weights(), gradient_of_parameter)),
                         pointers(found.gradients, names_of(cell.biases(), gradient_of_parameter)));
  }
  return found;
}

RecursiveResults driven(const RecursiveCase& c, const PlainTensors& in, Recursive& driver) {
  Forest before = sequences(2, 3);  // every cell takes them
  before.kind = c.forest.kind;
  return driven(c, in, driver, before);
}

RecursiveCheck::RecursiveCheck(const RecursiveCase& c, const std::string& seed) : case_(c) {
  const PlainTensors in = random_inputs(c, seed);
  in_ = as_floats(in);
  right_ = defined(c, in);
}

std::string RecursiveCheck::difference(const RecursiveResults& found) const {
  std::string wrong = difference_of("states", found.states, right_.states, states_bound(case_));
  if (!wrong.empty() || case_.use == RecursiveUse::inference) return wrong;
  return difference_of("gradients", found.gradients, right_.gradients, gradients_bound(case_));
}

std::string RecursiveCheck::mistake(const RecursivePlan& plan, Backend backend, Isa isa) const {
  Recursive driver = recursive_driver(case_, plan, backend, isa);
  return difference(driven(case_, in_, driver));
}

std::string recursive_mistake(const RecursiveCase& c, const RecursivePlan& plan, Backend backend, Isa isa) {
  return RecursiveCheck(c).mistake(plan, backend, isa);
}

std::string recursive_mistake(const RecursiveCase& c, const RecursivePlan& plan, const RecursiveTarget& target) {
  auto driver = Recursive::make(work(c), plan, target);
  if (!driver) return driver.reason();
  const RecursiveCheck check(c);
  return check.difference(driven(c, check.in(), *driver));
}

}  // namespace brickwork
