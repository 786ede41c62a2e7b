// A cell over a forest with random inputs, and what its definition makes of them, for tests.
#pragma once
#include <cmath>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "primitives/op/compare.hpp"
#include "primitives/op/test_values.hpp"
#include "primitives/recursive/op/recursive_definition.hpp"
#include "primitives/recursive/op/recursive_tensors.hpp"

namespace brickwork {

using ChildrenLists = std::vector<std::vector<std::int32_t>>;  // the children of each node of a structure

inline Forest forest_with(StructureKind kind, const std::vector<ChildrenLists>& structures) {
  Forest forest{.kind = kind};
  for (const ChildrenLists& structure : structures) forest.add(structure);
  return forest;
}

struct CellCase {
  const Cell& cell;
  std::int64_t H;
  Forest forest;
  PlainTensors in;  // sources and upstream gradients, f64

  CellCase(const Cell& of, std::int64_t features, Forest over) : cell(of), H(features), forest(std::move(over)) {
    auto infos = recursive_ops::sources(cell, H, forest);
    std::ranges::copy(recursive_ops::upstream(cell, H, forest), std::back_inserter(infos));
    in = PlainTensors(with_dtype(std::move(infos), DType::f64));
    TestValues values(Fill::floats, 1, cell.name());
    for (std::size_t i = 0; i < in.infos().size(); ++i) values.fill(in.values<double>(i));
    for (const std::string& weight : cell.weights()) {
      for (double& x : in.values<double>(weight)) x /= std::sqrt(static_cast<double>(H));
    }
  }

  PlainTensors forward() const {
    PlainTensors out(with_dtype(recursive_ops::results(cell, H, forest), DType::f64));
    poison(out);
    define_recursive_forward(cell, H, forest, in, out);
    return out;
  }
  PlainTensors backward() const {
    PlainTensors out(with_dtype(recursive_ops::gradients(cell, H, forest), DType::f64));
    poison(out);
    define_recursive_backward(cell, H, forest, in, out);
    return out;
  }

  double* row(const std::string& input, std::int64_t node) { return in.at<double>(input) + node * H; }
};

}  // namespace brickwork
