#include "baselines/recursive_baselines.hpp"
#ifdef BRICKWORK_HAS_ONEDNN
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>

#include "baselines/onednn/onednn_recursive.hpp"

namespace brickwork::onednn {
namespace {

std::size_t elements(std::int64_t n) { return static_cast<std::size_t>(n); }

std::int32_t most_children_of(const Forest& forest) {
  std::int32_t most = 1;
  for (std::int32_t n = 0; n < forest.nodes(); ++n) {
    most = std::max(most, static_cast<std::int32_t>(forest.children_of(n).size()));
  }
  return most;
}

std::int64_t edges_of(const Levels& levels, const Level& level) {
  return levels.first_edge[elements(level.end)] - levels.first_edge[elements(level.begin)];
}

std::int64_t largest(const std::set<std::int64_t>& sizes) { return sizes.empty() ? 0 : *sizes.rbegin(); }

}  // namespace

RecursiveForward::RecursiveForward(const Context& context, const Cell& cell, std::int64_t H, const Forest& forest,
                                   const PlainTensors& in, int threads)
    : context_(context),
      cell_(cell),
      H_(H),
      in_(in),
      threads_(threads),
      linearizer_(most_children_of(forest), cell.positions()),
      most_children_(most_children_of(forest)) {
  for (const Cell::Input& input : cell.inputs()) inputs_.push_back(in.at<float>(input.name));
  for (const std::string& bias : cell.biases()) biases_.push_back(in.at<float>(bias));
  inner_.program = level_program(cell, /*leaf=*/false);
  leaves_.program = level_program(cell, /*leaf=*/true);
  for (const OutsideProduct& product : outside_products(cell)) {
    ProductGroup& group = outside_.emplace_back(ProductGroup{.operands = {product.input}});
    for (const int weight : product.weights) group.sums.push_back({.weights = {weight}});
  }
  const Levels& levels = linearizer_(forest);
  std::set<std::int64_t> nodes, edges;
  for (std::size_t l = 1; l < levels.levels.size(); ++l) {
    nodes.insert(levels.levels[l].size());
    edges.insert(edges_of(levels, levels.levels[l]));
  }
  const std::int64_t leaves = levels.levels.front().size();
  const bool matrices = std::ranges::any_of(cell.states(), &Cell::StateOf::matrix);
  zeros_ = Buffer(elements(size(matrices)));
  outside_matmuls_ = matmuls(outside_, {levels.nodes}, {});
  inner_.matmuls = matmuls(inner_.program.products, nodes, edges);
  leaves_.matmuls = matmuls(leaves_.program.products, {leaves}, {});
  allocate(inner_, largest(nodes), largest(edges));
  allocate(leaves_, leaves, 0);
  for (const ProductGroup& product : outside_)
    outside_sums_.emplace_back(elements(levels.nodes * H) * product.sums.size());
  // Before the first place: zeros, for a child that does not exist.
  for (const auto& state : cell.states()) states_.emplace_back(elements((levels.nodes + 1) * size(state.matrix)));
  for (int t = 0; t < threads; ++t) scratch_.emplace_back(elements(scratch_size_));
}

std::vector<LevelMatmul> RecursiveForward::matmuls(const std::vector<ProductGroup>& products,
                                                   const std::set<std::int64_t>& nodes,
                                                   const std::set<std::int64_t>& edges) const {
  std::vector<LevelMatmul> matmuls;
  for (const ProductGroup& product : products) {
    std::set<std::int64_t> rows;
    for (const std::int64_t items : product.over == Over::edge ? edges : nodes) {
      if (!product.operands.empty()) rows.insert(items * (product.matrix ? H_ : 1));
    }
    matmuls.emplace_back(
        context_,
        LevelMatmul::Sizes{std::ssize(product.operands) * H_, std::ssize(product.sums) * H_, product.has_bias()}, rows);
  }
  return matmuls;
}

void RecursiveForward::allocate(Part& part, std::int64_t nodes, std::int64_t edges) {
  const auto items = [&](Over over) { return over == Over::edge ? edges : nodes; };
  for (const ProductGroup& product : part.program.products) {
    const std::int64_t column = items(product.over) * size(product.matrix);
    part.operands.emplace_back(elements(column) * product.operands.size());
    part.products.emplace_back(elements(column) * product.sums.size());
  }
  for (const auto& [over, matrix] : part.program.level) part.level.emplace_back(elements(items(over) * size(matrix)));
  std::int64_t end = 0;
  for (const auto& [over, matrix] : part.program.scratch) {
    part.scratch.push_back(end);
    end += (over == Over::edge ? most_children_ : 1) * size(matrix);
  }
  scratch_size_ = std::max(scratch_size_, end);
}

void RecursiveForward::pack() {
  pack(outside_, outside_matmuls_);
  pack(inner_.program.products, inner_.matmuls);
  pack(leaves_.program.products, leaves_.matmuls);
}

void RecursiveForward::pack(const std::vector<ProductGroup>& products, std::vector<LevelMatmul>& matmuls) const {
  for (std::size_t p = 0; p < products.size(); ++p) {
    const ProductGroup& product = products[p];
    const std::int64_t K = std::ssize(product.operands) * H_, N = std::ssize(product.sums) * H_;
    Buffer weights(elements(K * N)), bias(elements(N));
    for (std::size_t c = 0; c < product.sums.size(); ++c) {
      const ProductGroup::Sum& column = product.sums[c];
      const std::int64_t first = static_cast<std::int64_t>(c) * H_;
      for (std::int64_t k = 0; k < K; ++k) {
        const auto& name = cell_.weights()[elements(column.weights[elements(k / H_)])];
        std::copy_n(in_.at<float>(name) + k % H_ * H_, H_, weights.data() + k * N + first);
      }
      if (column.bias >= 0) {
        std::copy_n(biases_[elements(column.bias)], H_, bias.data() + first);
      }
    }
    matmuls[p].pack(weights.data(), bias.data());
  }
}

void RecursiveForward::run(const Forest& forest) {
  levels_ = &linearizer_(forest);
  for (std::size_t p = 0; p < outside_.size(); ++p) {
    outside_matmuls_[p].run(levels_->nodes, inputs_[elements(outside_[p].operands.front())], outside_sums_[p].data());
  }
  run_level(leaves_, levels_->levels.front());
  for (std::size_t l = 1; l < levels_->levels.size(); ++l) run_level(inner_, levels_->levels[l]);
}

void RecursiveForward::run_level(Part& part, const Level& level) {
  const std::int64_t edges = edges_of(*levels_, level);
  for (const Step& step : part.program.steps) {
    elements_.clear();
    for (const Element& e : step.elements) {
      elements_.push_back({&e, bound(part, e.to, level), bound(part, e.a, level), bound(part, e.b, level)});
    }
    run(elements_, level);
    for (const int p : step.products) {
      const ProductGroup& product = part.program.products[elements(p)];
      const std::int64_t rows = (product.over == Over::edge ? edges : level.size()) * (product.matrix ? H_ : 1);
      part.matmuls[elements(p)].run(rows, part.operands[elements(p)].data(), part.products[elements(p)].data());
    }
  }
}

RecursiveForward::Bound RecursiveForward::bound(const Part& part, const Ref& ref, const Level& level) const {
  const auto which = elements(ref.which);
  const bool edge = ref.over == Over::edge;
  Bound b{.item = size(ref.matrix), .ld = H_, .edge = edge};
  const auto in_columns = [&](const Buffer& buffer, std::size_t columns) {
    b.base = const_cast<float*>(buffer.data()) + ref.position * H_;
    b.ld = static_cast<std::int64_t>(columns) * H_;
    b.item *= static_cast<std::int64_t>(columns);
  };
  const auto in_memory = [&](const float* base) { b.base = const_cast<float*>(base); };
  const std::int64_t first = edge ? levels_->first_edge[elements(level.begin)] : level.begin;
  switch (ref.place) {
    case Place::zero:
      in_memory(zeros_.data());
      b.item = 0;
      break;
    case Place::input:
      in_memory(inputs_[which]);
      b.list = cell_.inputs()[which].of_leaves ? nullptr : levels_->node.data();
      b.origin = cell_.inputs()[which].of_leaves ? levels_->first_leaf : 0;  // leaves keep their order
      break;
    case Place::bias:
      in_memory(biases_[which]);
      b.item = 0;
      break;
    case Place::child:
      static_assert(kNoChild == -1);  // the zeros
      in_memory(states_[which].data() + b.item);
      b.list = levels_->child_at.data() + std::int64_t{ref.position} * levels_->nodes;
      break;
    case Place::each:
      in_memory(states_[which].data() + b.item);
      b.list = levels_->child.data();
      break;
    case Place::state:
      in_memory(states_[which].data() + b.item);
      break;
    case Place::outside:
      in_columns(outside_sums_[which], outside_[which].sums.size());
      b.list = levels_->node.data();
      break;
    case Place::product:
      in_columns(part.products[which], part.program.products[which].sums.size());
      b.origin = first;
      break;
    case Place::operand:
      in_columns(part.operands[which], part.program.products[which].operands.size());
      b.origin = first;
      break;
    case Place::level:
      in_memory(part.level[which].data());
      b.origin = first;
      break;
    case Place::scratch:
      b.origin = part.scratch[which];  // in the thread's scratch
      b.of_thread = true;
      break;
  }
  return b;
}

void RecursiveForward::run(const std::vector<BoundElement>& bound_elements, const Level& level) {
  constexpr std::int64_t kWorthThreads = 1 << 14;  // elements; less takes less time than to wake the threads
  const bool parallel = level.size() > 1 && level.size() * std::ssize(bound_elements) * H_ >= kWorthThreads;
#pragma omp parallel for num_threads(threads_) schedule(static) if (parallel)
  for (std::int64_t n = level.begin; n < level.end; ++n) {
    const auto at = elements(n);
    run(bound_elements,
        Node{n, levels_->first_edge[at], levels_->first_edge[at + 1], scratch_[elements(omp_get_thread_num())].data()});
  }
}

void RecursiveForward::run(const std::vector<BoundElement>& bound_elements, const Node& node) const {
  for (const BoundElement& e : bound_elements) {
    if (e.element->over == Over::edge) {
      for (std::int64_t edge = node.first_edge; edge < node.last_edge; ++edge) run(e, node, edge);
    } else {
      run(e, node, node.first_edge);
    }
  }
}

const float* RecursiveForward::row_of(const Bound& b, const Node& node, std::int64_t edge) const {
  if (b.of_thread) return node.scratch + b.origin + (b.edge ? edge - node.first_edge : 0) * b.item;
  const std::int64_t i = (b.edge ? edge : node.place) - b.origin;
  return b.base + (b.list == nullptr ? i : b.list[i]) * b.item;
}

void RecursiveForward::run(const BoundElement& e, const Node& node, std::int64_t edge) const {
  const Element& element = *e.element;
  const float* const a = row_of(e.a, node, edge);
  float* const to = const_cast<float*>(row_of(e.to, node, edge));
  if (element.kind == Element::Kind::times_matrix) {
    return row_times_matrix(a, row_of(e.b, node, edge), e.b.ld, H_, to);
  }
  const bool sum = element.kind == Element::Kind::sum_of_children, one = sum && edge + 1 == node.last_edge;
  const ElementOp op = one ? ElementOp::copy : sum ? ElementOp::add : element.op;
  const float* const b = row_of(sum && !one ? e.a : e.b, node, sum && !one ? edge + 1 : edge);
  for (std::int64_t r = 0; r < (element.matrix ? H_ : 1); ++r) {
    float* const row = to + r * e.to.ld;
    element_row(op, element.curve, a + r * e.a.ld, b + r * e.b.ld, H_, row);
    for (std::int64_t more = edge + 2; sum && more < node.last_edge; ++more) {
      element_row(ElementOp::add, Curve::none, row, row_of(e.a, node, more) + r * e.a.ld, H_, row);
    }
  }
}

void RecursiveForward::unpack(PlainTensors& states) const {
  for (std::size_t s = 0; s < states_.size(); ++s) {
    const Cell::StateOf& state = cell_.states()[s];
    const std::int64_t one = size(state.matrix);
    float* const to = states.at<float>(state.name);
    for (std::int64_t place = 0; place < levels_->nodes; ++place) {
      std::copy_n(states_[s].data() + (1 + place) * one, one, to + levels_->node[elements(place)] * one);
    }
  }
}

std::string RecursiveForward::implementation() const {
  for (const auto* matmuls : {&inner_.matmuls, &outside_matmuls_}) {
    for (const LevelMatmul& matmul : *matmuls) {
      if (!matmul.implementation().empty()) return matmul.implementation();
    }
  }
  return "loops";
}

namespace {

class PreparedRecursive final : public Prepared {
 public:
  PreparedRecursive(const RecursiveProblem& p, const PlainTensors& in, int threads)
      : forest_(p.forest()), forward_(context_, p.cell(), p.H, *forest_, in, threads) {}

  void pack() override { forward_.pack(); }
  void run() override { forward_.run(*forest_); }
  void unpack(PlainTensors& out) override { forward_.unpack(out); }
  std::string implementation() const override { return forward_.implementation(); }
  std::string isa() const override { return onednn::isa(); }

 private:
  Context context_;
  std::shared_ptr<const Forest> forest_;
  RecursiveForward forward_;
};

}  // namespace
}  // namespace brickwork::onednn

namespace brickwork {

Contender<RecursiveInferenceOp> onednn_recursive_inference() {
  return {.name = "onednn",
          .library = {"oneDNN", onednn::version()},
          .prepare = [](const RecursiveProblem& p, const PlainTensors& in, const Resources& r) -> Result<PreparedPtr> {
            return {std::make_unique<onednn::PreparedRecursive>(p, in, r.threads)};
          }};
}

}  // namespace brickwork

#else

brickwork::Contender<brickwork::RecursiveInferenceOp> brickwork::onednn_recursive_inference() {
  return absent_library<RecursiveInferenceOp>("onednn", "oneDNN");
}

#endif
