#include "primitives/recursive/testing/recursive_check.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "primitives/op/rounding.hpp"
#include "primitives/op/test_values.hpp"
#include "primitives/recursive/op/recursive_definition.hpp"
#include "primitives/recursive/op/recursive_tensors.hpp"
#include "primitives/recursive/structures/structures.hpp"

namespace brickwork {
namespace {

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
std::vector<std::string> input_names(const Cell& cell) {
  return names_of(cell.inputs(), [](const Cell::Input& input) { return input.name; });
}

std::vector<TensorInfo> all_inputs(const Cell& cell, std::int64_t H, const Forest& forest) {
  auto infos = recursive_ops::sources(cell, H, forest);
  std::ranges::copy(recursive_ops::upstream(cell, H, forest), std::back_inserter(infos));
  return infos;
}

// The worst of the errors, each of an output as a whole.
std::string mistake(const char* what, const PlainTensors& found, const PlainTensors& expected, double bound) {
  const Verdict verdict = compare(found, expected, {bound, /*of_whole=*/true});
  return verdict.status == Status::ok ? "" : std::string(what) + ": " + verdict.reason;
}

}  // namespace

PlainTensors random_tensors(const RecursiveCase& c, const std::string& seed) {
  PlainTensors in(with_dtype(all_inputs(*c.cell, c.H, c.forest), DType::f64));
  TestValues values(Fill::floats, c.H, seed);
  for (std::size_t i = 0; i < in.infos().size(); ++i) values.fill(in.values<double>(i));
  recursive_ops::settle(*c.cell, c.H, in);
  for (std::size_t i = 0; i < in.infos().size(); ++i) {
    for (double& x : in.values<double>(i)) x = static_cast<double>(static_cast<float>(x));
  }
  return in;
}

RecursiveResults defined(const RecursiveCase& c, const PlainTensors& in) {
  RecursiveResults results{PlainTensors(with_dtype(recursive_ops::results(*c.cell, c.H, c.forest), DType::f64)),
                           PlainTensors(with_dtype(recursive_ops::gradients(*c.cell, c.H, c.forest), DType::f64))};
  define_recursive_forward(*c.cell, c.H, c.forest, in, results.states);
  if (c.use == RecursiveUse::training) define_recursive_backward(*c.cell, c.H, c.forest, in, results.gradients);
  return results;
}

RecursiveResults driven(const RecursiveCase& c, const PlainTensors& in, Recursive& driver, const Forest& before) {
  const Cell& cell = *c.cell;
  const auto inputs = input_names(cell);
  const auto states = names_of(cell.states(), [](const Cell::StateOf& state) { return state.name; });
  const auto upstream =
      names_of(cell.states(), [](const auto& s) { return recursive_ops::gradient_of_values(s.name); });
  const auto input_gradients = names_of(inputs, recursive_ops::gradient_of_values);
  driver.set_parameters(pointers(in, cell.weights()), pointers(in, cell.biases()));

  PlainTensors other(all_inputs(cell, c.H, before)), other_gradients(recursive_ops::gradients(cell, c.H, before));
  poison(other);
  driver.run(before, pointers(std::as_const(other), inputs));
  if (c.use == RecursiveUse::training) {
    driver.run_backward(pointers(std::as_const(other), inputs), pointers(std::as_const(other), upstream),
                        pointers(other_gradients, input_gradients));
  }

  RecursiveResults results{PlainTensors(recursive_ops::results(cell, c.H, c.forest)),
                           PlainTensors(recursive_ops::gradients(cell, c.H, c.forest))};
  poison(results.states);
  poison(results.gradients);
  for (int turn = 0; turn < 2; ++turn) {  // a run that adds to what the first one left shows
    driver.run(c.forest, pointers(in, inputs));
    if (c.use == RecursiveUse::training) {
      driver.run_backward(pointers(in, inputs), pointers(in, upstream), pointers(results.gradients, input_gradients));
    }
  }
  for (std::size_t s = 0; s < states.size(); ++s) {
    driver.get_state(static_cast<int>(s), results.states.at<float>(states[s]));
  }
  if (c.use == RecursiveUse::training) {
    driver.get_gradients(pointers(results.gradients, names_of(cell.weights(), recursive_ops::gradient_of_parameter)),
                         pointers(results.gradients, names_of(cell.biases(), recursive_ops::gradient_of_parameter)));
  }
  return results;
}

std::string recursive_mistake(const RecursiveCase& c, const RecursivePlan& plan, Backend backend, Isa isa) {
  std::int64_t most = 1;
  for (std::int32_t n = 0; n < c.forest.nodes(); ++n) {
    most = std::max(most, static_cast<std::int64_t>(c.forest.children_of(n).size()));
  }
  auto driver = Recursive::make({c.cell, c.H, c.use, most}, plan, backend, isa);
  if (!driver) return driver.reason();
  const PlainTensors in = random_tensors(c, "recursive");
  PlainTensors f32(all_inputs(*c.cell, c.H, c.forest));
  for (std::size_t i = 0; i < in.infos().size(); ++i) {
    std::ranges::transform(in.values<double>(i), f32.values<float>(i).begin(),
                           [](double x) { return static_cast<float>(x); });
  }
  Forest before = sequences(2, 3);  // fits every cell
  before.kind = c.forest.kind;
  const RecursiveResults right = defined(c, in), found = driven(c, f32, *driver, before);
  const double bound = 16 * rounding(static_cast<double>(2 * c.H));
  std::string why = mistake("states", found.states, right.states, bound);
  if (why.empty() && c.use == RecursiveUse::training) {
    why = mistake("gradients", found.gradients, right.gradients, bound);
  }
  return why;
}

}  // namespace brickwork
