#ifdef BRICKWORK_HAS_ONEDNN
#include "baselines/onednn/recursive_forward.hpp"

#include <algorithm>

namespace brickwork::onednn {
namespace {

std::int32_t most_children_of(const Forest& forest) {
  std::int32_t most = 1;
  for (std::int32_t n = 0; n < forest.nodes(); ++n) {
    most = std::max(most, static_cast<std::int32_t>(forest.children_of(n).size()));
  }
  return most;
}

}  // namespace

RecursiveSetting::RecursiveSetting(const Cell& of, std::int64_t features, const Forest& forest, int on_threads,
                                   bool trains)
    : cell(of),
      H(features),
      threads(on_threads),
      training(trains),
      most_children(most_children_of(forest)),
      linearizer(most_children_of(forest), of.positions()),
      levels(&linearizer(forest)) {
  for (const Part part : kParts) programs[part] = level_program(cell, part == kLeaves, /*keeps=*/training);
  for (const OutsideProduct& product : outside_products(cell)) {
    ProductGroup& group = outside.emplace_back(ProductGroup{.operands = {product.input}});
    for (const int weight : product.weights) group.sums.push_back({.weights = {weight}});
  }
  for (const Level& level : levels->levels) {
    const Items items = items_of(level);
    Items& most = largest[part_of(level)];
    most = {std::max(most.nodes, items.nodes), std::max(most.edges, items.edges)};
  }
  all[kInner] = {levels->first_leaf, levels->edges};
  all[kLeaves] = {levels->nodes - levels->first_leaf, 0};
}

Items RecursiveSetting::first_of(const Level& level) const {
  return {level.begin, levels->first_edge[to_size(level.begin)]};
}

Items RecursiveSetting::items_of(const Level& level) const {
  return {level.size(), levels->first_edge[to_size(level.end)] - first_of(level).edges};
}

std::set<std::int64_t> RecursiveSetting::rows_of(Part part, const ProductGroup& product) const {
  std::set<std::int64_t> rows;
  for (const Level& level : levels->levels) {
    if (part_of(level) != part || product.operands.empty()) continue;
    rows.insert(items_of(level).of(product.over) * (product.matrix ? H : 1));
  }
  return rows;
}

PackedProduct packed_product(const Cell& cell, std::int64_t H, const ProductGroup& product, const PlainTensors& in) {
  const std::int64_t K = std::ssize(product.operands) * H, N = std::ssize(product.sums) * H;
  PackedProduct packed{AlignedBuffer<float>(to_size(K * N)), AlignedBuffer<float>(to_size(N))};
  std::int64_t first = 0;
  for (const ProductGroup::Sum& sum : product.sums) {
    for (std::int64_t k = 0; k < K; ++k) {
      const std::string& name = cell.weights()[to_size(sum.weights[to_size(k / H)])];
      std::copy_n(in.at<float>(name) + k % H * H, H, packed.weights.data() + k * N + first);
    }
    if (sum.bias >= 0) std::copy_n(in.at<float>(cell.biases()[to_size(sum.bias)]), H, packed.bias.data() + first);
    first += H;
  }
  return packed;
}

RecursiveForward::RecursiveForward(const Context& context, RecursiveSetting& setting, const PlainTensors& in)
    : setting_(setting), in_(in) {
  const Cell& cell = setting.cell;
  const std::int64_t H = setting.H, nodes = setting.levels->nodes;
  for (const Cell::Input& input : cell.inputs()) inputs_.push_back(in.at<float>(input.name));
  for (const std::string& bias : cell.biases()) biases_.push_back(in.at<float>(bias));
  const auto sizes = [&](const ProductGroup& product) {
    return LevelMatmul::Sizes{
        .K = std::ssize(product.operands) * H, .N = std::ssize(product.sums) * H, .bias = product.has_bias()};
  };
  for (const ProductGroup& product : setting.outside) {
    outside_matmuls_.emplace_back(context, sizes(product), std::set{nodes});
    outside_sums_.emplace_back(to_size(nodes * H) * product.sums.size());
  }
  const auto holds = setting.training ? LevelMemory::Holds::everything : LevelMemory::Holds::one_level;
  for (const Part part : kParts) {
    const LevelProgram& program = setting.programs[part];
    memory_[part] = {program,        H, holds, setting.largest[part], setting.all[part], setting.most_children,
                     setting.threads};
    for (const ProductGroup& product : program.products) {
      matmuls_[part].emplace_back(context, sizes(product), setting.rows_of(part, product));
    }
  }
  // Before the first place: zeros, for a child that does not exist.
  for (const auto& state : cell.states()) states_.emplace_back(to_size((nodes + 1) * setting.size(state.matrix)));
  zeros_ = AlignedBuffer<float>(to_size(setting.size(std::ranges::any_of(cell.states(), &Cell::StateOf::matrix))));
}

void RecursiveForward::pack() {
  pack(setting_.outside, outside_matmuls_);
  for (const Part part : kParts) pack(setting_.programs[part].products, matmuls_[part]);
}

void RecursiveForward::pack(const std::vector<ProductGroup>& products, std::vector<LevelMatmul>& matmuls) const {
  for (std::size_t p = 0; p < products.size(); ++p) {
    const PackedProduct packed = packed_product(setting_.cell, setting_.H, products[p], in_);
    matmuls[p].pack(packed.weights.data(), packed.bias.data());
  }
}

void RecursiveForward::run(const Forest& forest) {
  setting_.levels = &setting_.linearizer(forest);
  for (std::size_t p = 0; p < setting_.outside.size(); ++p) {
    outside_matmuls_[p].run(setting_.levels->nodes, inputs_[to_size(setting_.outside[p].operands.front())],
                            outside_sums_[p].data());
  }
  for (const Level& level : setting_.levels->levels) run(level);
}

void RecursiveForward::run(const Level& level) {
  const Part part = setting_.part_of(level);
  const LevelProgram& program = setting_.programs[part];
  for (const Step& step : program.steps) {
    elements_.clear();
    for (const Element& e : step.elements) {
      elements_.push_back({&e, at(part, e.to, level), at(part, e.a, level), at(part, e.b, level)});
    }
    const std::int64_t work = level.size() * std::ssize(elements_) * setting_.H;
    for_nodes(*setting_.levels, level, work, setting_.threads, [&](const NodeAt& node) {
      for (const BoundElement& e : elements_) run_at(e, node);
    });
    for (const int p : step.products) {
      const ProductGroup& product = program.products[to_size(p)];
      const std::int64_t rows = setting_.items_of(level).of(product.over) * (product.matrix ? setting_.H : 1);
      const auto memory = [&](Place place) {
        return first_row(at(part, {place, p, 0, product.over, product.matrix}, level), setting_.first_of(level));
      };
      matmuls_[part][to_size(p)].run(rows, memory(Place::operand), memory(Place::product));
    }
  }
}

RowsAt RecursiveForward::at(Part part, const Ref& ref, const Level& level) const {
  const auto which = to_size(ref.which);
  const Levels& levels = *setting_.levels;
  RowsAt rows{.item = setting_.size(ref.matrix), .ld = setting_.H, .edge = ref.over == Over::edge};
  const auto in_memory = [&](const float* base) { rows.base = const_cast<float*>(base); };
  switch (ref.place) {
    case Place::zero:
      in_memory(zeros_.data());
      rows.item = 0;
      return rows;
    case Place::input:
      in_memory(inputs_[which]);
      if (setting_.cell.inputs()[which].of_leaves) {
        rows.origin = levels.first_leaf;  // leaves keep their order
      } else {
        rows.list = levels.node.data();
      }
      return rows;
    case Place::bias:
      in_memory(biases_[which]);
      rows.item = 0;
      return rows;
    case Place::child:
    case Place::each:
    case Place::state:
      in_memory(states_[which].data() + rows.item);
      static_assert(kNoChild == -1);  // the zeros
      if (ref.place == Place::child) rows.list = levels.child_at.data() + std::int64_t{ref.position} * levels.nodes;
      if (ref.place == Place::each) rows.list = levels.child.data();
      return rows;
    case Place::outside:
      in_memory(outside_sums_[which].data() + ref.position * setting_.H);
      rows.item *= std::ssize(setting_.outside[which].sums);
      rows.list = levels.node.data();
      return rows;
    default:
      return memory_[part].at(ref, setting_.first_of(level), setting_.first_of(part));
  }
}

void RecursiveForward::run_at(const BoundElement& e, const NodeAt& node) const {
  if (e.element->over != Over::edge) return run(e, node, node.first_edge);
  for (std::int64_t edge = node.first_edge; edge < node.last_edge; ++edge) run(e, node, edge);
}

void RecursiveForward::run(const BoundElement& e, const NodeAt& node, std::int64_t edge) const {
  const Element& element = *e.element;
  const std::int64_t H = setting_.H;
  const float* const a = row_at(e.a, node, edge);
  float* const to = row_at(e.to, node, edge);
  if (element.kind == Element::Kind::times_matrix) {
    return row_times_matrix(a, row_at(e.b, node, edge), e.b.ld, H, to);
  }
  const bool sum = element.kind == Element::Kind::sum_of_children;
  const float* const b = row_at(e.b, node, edge);
  for (std::int64_t r = 0; r < (element.matrix ? H : 1); ++r) {
    float* const row = to + r * e.to.ld;
    element_row(element.op, element.curve, a + r * e.a.ld, b + r * e.b.ld, H, row);
    for (std::int64_t more = edge + 1; sum && more < node.last_edge; ++more) {
      element_row(ElementOp::add, Curve::none, row, row_at(e.a, node, more) + r * e.a.ld, H, row);
    }
  }
}

void RecursiveForward::unpack(PlainTensors& states) const {
  for (std::size_t s = 0; s < states_.size(); ++s) {
    const Cell::StateOf& state = setting_.cell.states()[s];
    const std::int64_t one = setting_.size(state.matrix);
    float* const to = states.at<float>(state.name);
    for (std::int64_t place = 0; place < setting_.levels->nodes; ++place) {
      std::copy_n(states_[s].data() + (1 + place) * one, one, to + setting_.levels->node[to_size(place)] * one);
    }
  }
}

std::string RecursiveForward::implementation() const {
  for (const auto* matmuls : {&matmuls_[kInner], &outside_matmuls_}) {
    for (const LevelMatmul& matmul : *matmuls) {
      if (!matmul.implementation().empty()) return matmul.implementation();
    }
  }
  return "loops";
}

}  // namespace brickwork::onednn
#endif
