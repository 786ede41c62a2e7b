#ifdef BRICKWORK_HAS_ONEDNN
#include "baselines/onednn/recursive_backward.hpp"

#include <algorithm>
#include <functional>
#include <ranges>
#include <set>

#include "primitives/recursive/op/recursive_tensors.hpp"

namespace brickwork::onednn {
RecursiveBackward::RecursiveBackward(const Context& context, const RecursiveSetting& setting,
                                     const RecursiveForward& forward, const PlainTensors& in)
    : context_(context), setting_(setting), forward_(forward), in_(in) {
  const Cell& cell = setting.cell;
  const std::int64_t H = setting.H, nodes = setting.levels->nodes;
  for (const Cell::Input& input : cell.inputs()) {
    const std::int64_t rows = input.of_leaves ? setting.all[kLeaves].nodes : nodes;
    d_inputs_.emplace_back(to_size(rows * setting.size(input.matrix)));
  }
  const std::int64_t most = std::max(setting.largest[kLeaves].nodes, setting.largest[kInner].nodes);
  for (const Cell::StateOf& state : cell.states()) {
    upstream_.push_back(in.at<float>(recursive_ops::gradient_of_values(state.name)));
    d_states_.emplace_back(to_size(most * setting.size(state.matrix)));
    d_children_.emplace_back(to_size(setting.all[kInner].edges * setting.size(state.matrix)));
  }
  std::set<int> inputs;  // of all nodes, that elements read
  for (const Part part : kParts) {
    for (const int input : read_by_elements(setting.programs[part], Place::input)) {
      if (!cell.inputs()[to_size(input)].of_leaves) inputs.insert(input);
    }
  }
  for (const Part part : kParts) make(part, {inputs.begin(), inputs.end()});
  for (const ProductGroup& product : setting.outside) {
    const int input = product.operands.front();
    outside_matmuls_.emplace_back(context, sizes(product, inputs.contains(input)), std::set{nodes});
    d_outside_.emplace_back(to_size(nodes * H) * product.sums.size());
    updates_.emplace_back(context, product, H, nodes, in.at<float>(cell.inputs()[to_size(input)].name),
                          d_outside_.back().data());
  }
}

LevelMatmul::Sizes RecursiveBackward::sizes(const ProductGroup& product, bool adds) const {
  return {.K = std::ssize(product.sums) * setting_.H,
          .N = std::ssize(product.operands) * setting_.H,
          .transposed = true,
          .adds = adds};
}

void RecursiveBackward::make(Part part, const std::vector<int>& inputs) {
  const LevelProgram& program = setting_.programs[part];
  const std::int64_t H = setting_.H;
  const Items& all = setting_.all[part];
  steps_[part] = level_gradients(program, inputs);
  memory_[part] = {
      program,         H, LevelMemory::Holds::all_products, setting_.largest[part], all, setting_.most_children,
      setting_.threads};
  for (const int bias : read_by_elements(program, Place::bias)) {
    biases_[part].push_back({bias, Buffer(to_size(all.nodes * H)), Buffer(to_size(H))});
  }
  std::vector<bool> adds(program.products.size());
  for (const GradientStep& step : steps_[part]) {
    for (const auto& of : step.products) adds[to_size(of.product)] = of.adds;
  }
  const Items first = setting_.first_of(part);
  const Level all_levels{static_cast<std::int32_t>(first.nodes), static_cast<std::int32_t>(first.nodes)};
  for (std::size_t p = 0; p < program.products.size(); ++p) {
    const ProductGroup& product = program.products[p];
    matmuls_[part].emplace_back(context_, sizes(product, adds[p]), setting_.rows_of(part, product));
    const std::int64_t rows = all.of(product.over) * (product.matrix ? H : 1);
    if (rows == 0 || product.operands.empty()) continue;
    const auto ref = [&](Place place) { return Ref{place, static_cast<int>(p), 0, product.over, product.matrix}; };
    updates_.emplace_back(context_, product, H, rows,
                          first_row(forward_.at(part, ref(Place::operand), all_levels), first),
                          first_row(at(part, ref(Place::product), all_levels), first));
  }
}

void RecursiveBackward::pack() {
  const auto pack_all = [&](const std::vector<ProductGroup>& products, std::vector<LevelMatmul>& matmuls) {
    for (std::size_t p = 0; p < products.size(); ++p) {
      matmuls[p].pack(packed_product(setting_.cell, setting_.H, products[p], in_).weights.data());
    }
  };
  pack_all(setting_.outside, outside_matmuls_);
  for (const Part part : kParts) pack_all(setting_.programs[part].products, matmuls_[part]);
}

void RecursiveBackward::run() {
  for (Buffer& gradients : d_outside_) std::ranges::fill(gradients, 0.0F);  // leaves may need fewer columns
  for (const Level& level : setting_.levels->levels | std::views::reverse) run(setting_.part_of(level), level);
  for (std::size_t p = 0; p < d_outside_.size(); ++p) {
    const auto input = to_size(setting_.outside[p].operands.front());
    outside_matmuls_[p].run(setting_.levels->nodes, d_outside_[p].data(), d_inputs_[input].data());
  }
  for (LevelUpdate& update : updates_) update.run(setting_.threads);
  for (const Part part : kParts) {
    for (BiasRows& bias : biases_[part]) {
      sum_rows(bias.rows.data(), setting_.all[part].nodes, setting_.H, setting_.threads, bias.sum.data());
    }
  }
}

void RecursiveBackward::run(Part part, const Level& level) {
  begin(level);
  const Items first = setting_.first_of(level), count = setting_.items_of(level);
  for (const GradientStep& step : steps_[part]) {
    for (const auto& [p, adds] : step.products) {
      const ProductGroup& product = setting_.programs[part].products[to_size(p)];
      const auto memory_of = [&](Place place) {
        return first_row(at(part, {place, p, 0, product.over, product.matrix}, level), first);
      };
      matmuls_[part][to_size(p)].run(count.of(product.over) * (product.matrix ? setting_.H : 1),
                                     memory_of(Place::product), memory_of(Place::operand));
    }
    elements_.clear();
    for (const GradientElement& e : step.elements) {
      BoundGradient bound{&e, at(part, e.to, level), at(part, e.from, level), forward_.at(part, e.value, level)};
      if (e.times_matrix != nullptr) {
        bound.row = forward_.at(part, e.times_matrix->a, level);
        bound.d_matrix = at(part, e.times_matrix->b, level);
      }
      elements_.push_back(bound);
    }
    const std::int64_t work = count.nodes * std::ssize(elements_) * setting_.H;
    for_nodes(*setting_.levels, level, work, setting_.threads, [&](const NodeAt& node) {
      for (const BoundGradient& e : elements_) run(e, node);
    });
  }
}

// The gradients of the level's states: from outside, and from all parents.
void RecursiveBackward::begin(const Level& level) {
  const Levels& levels = *setting_.levels;
  std::int64_t row = 0;
  for (const Cell::StateOf& state : setting_.cell.states()) row += setting_.size(state.matrix);
  for_nodes(levels, level, 2 * row * level.size(), setting_.threads, [&](const NodeAt& node) {
    const auto place = to_size(node.place);
    for (std::size_t s = 0; s < d_states_.size(); ++s) {
      const std::int64_t one = setting_.size(setting_.cell.states()[s].matrix);
      float* const to = d_states_[s].data() + (node.place - level.begin) * one;
      std::copy_n(upstream_[s] + levels.node[place] * one, one, to);
      for (std::int32_t use = levels.first_use[place]; use < levels.first_use[place + 1]; ++use) {
        const float* const from = d_children_[s].data() + levels.uses[to_size(use)] * one;
        gradient_row(GradientOp::add, Curve::none, /*adds=*/true, from, nullptr, one, to);
      }
      std::fill(d_children_[s].data() + node.first_edge * one, d_children_[s].data() + node.last_edge * one, 0.0F);
    }
  });
}

RowsAt RecursiveBackward::at(Part part, const Ref& ref, const Level& level) const {
  const auto which = to_size(ref.which);
  const Levels& levels = *setting_.levels;
  RowsAt rows{.item = setting_.size(ref.matrix), .ld = setting_.H, .edge = ref.over == Over::edge};
  const auto in_memory = [&](const Buffer& buffer) { rows.base = const_cast<float*>(buffer.data()); };
  switch (ref.place) {
    case Place::input:
      in_memory(d_inputs_[which]);
      if (setting_.cell.inputs()[which].of_leaves) {
        rows.origin = levels.first_leaf;
      } else {
        rows.list = levels.node.data();
      }
      return rows;
    case Place::bias:
      in_memory(std::ranges::find(biases_[part], ref.which, &BiasRows::bias)->rows);
      rows.origin = setting_.first_of(part).nodes;
      return rows;
    case Place::state:
      in_memory(d_states_[which]);
      rows.origin = level.begin;
      return rows;
    case Place::each:
      in_memory(d_children_[which]);
      return rows;
    case Place::child:
      in_memory(d_children_[which]);
      rows.base += ref.position * rows.item;
      rows.list = levels.first_edge.data();
      return rows;
    case Place::outside:
      in_memory(d_outside_[which]);
      rows.base += ref.position * setting_.H;
      rows.item *= std::ssize(setting_.outside[which].sums);
      rows.list = levels.node.data();
      return rows;
    default:
      return memory_[part].at(ref, setting_.first_of(level), setting_.first_of(part));
  }
}

void RecursiveBackward::run(const BoundGradient& e, const NodeAt& node) const {
  if (e.element->over != Over::edge) return run(e, node, node.first_edge);
  for (std::int64_t edge = node.first_edge; edge < node.last_edge; ++edge) run(e, node, edge);
}

void RecursiveBackward::run(const BoundGradient& e, const NodeAt& node, std::int64_t edge) const {
  const GradientElement& element = *e.element;
  const auto exists = [&](const Ref& ref) {
    return ref.place != Place::child || ref.position < node.last_edge - node.first_edge;
  };
  // A value of a node gets the sum over its edges.
  const bool adds = element.adds || (element.over == Over::edge && !e.to.edge && edge > node.first_edge);
  float* const to = exists(element.to) ? row_at(e.to, node, edge) : nullptr;
  const float *const from = row_at(e.from, node, edge), *const value = row_at(e.value, node, edge);
  if (element.times_matrix != nullptr) {
    float* const d_matrix = exists(element.times_matrix->b) ? row_at(e.d_matrix, node, edge) : nullptr;
    return row_times_matrix_gradients(row_at(e.row, node, edge), value, e.value.ld, setting_.H, from, adds, to,
                                      d_matrix);
  }
  for (std::int64_t r = 0; to != nullptr && r < (element.matrix ? setting_.H : 1); ++r) {
    gradient_row(element.op, element.curve, adds, from + r * e.from.ld, value + r * e.value.ld, setting_.H,
                 to + r * e.to.ld);
  }
}

void RecursiveBackward::unpack(PlainTensors& gradients) const {
  const Cell& cell = setting_.cell;
  for (const TensorInfo& info : gradients.infos()) std::ranges::fill(gradients.values<float>(info.name), 0.0F);
  for (std::size_t i = 0; i < d_inputs_.size(); ++i) {
    std::ranges::copy(d_inputs_[i], gradients.at<float>(recursive_ops::gradient_of_values(cell.inputs()[i].name)));
  }
  for (const LevelUpdate& update : updates_) update.add_to(cell, gradients);
  for (const Part part : kParts) {
    for (const BiasRows& of : biases_[part]) {
      const std::string name = recursive_ops::gradient_of_parameter(cell.biases()[to_size(of.bias)]);
      std::ranges::transform(of.sum, gradients.values<float>(name), gradients.at<float>(name), std::plus());
    }
  }
}

}  // namespace brickwork::onednn
#endif
