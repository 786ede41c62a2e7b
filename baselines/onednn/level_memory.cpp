#include "baselines/onednn/level_memory.hpp"

#include <algorithm>

namespace brickwork::onednn {

LevelMemory::LevelMemory(const LevelProgram& program, std::int64_t H, Holds holds, const Items& largest_level,
                         const Items& all, std::int64_t most_children, int threads)
    : H_(H), holds_(holds) {
  const auto values = [&](const Items& items, Over over, bool matrix, std::size_t columns) {
    return Values{AlignedBuffer<float>(static_cast<std::size_t>(items.of(over) * size(matrix)) * columns),
                  static_cast<std::int64_t>(columns)};
  };
  const Items& of_products = holds == Holds::one_level ? largest_level : all;
  const Items& of_rest = holds == Holds::everything ? all : largest_level;
  for (const ProductGroup& product : program.products) {
    const bool product_exists = !product.operands.empty();
    products_.push_back(values(of_products, product.over, product.matrix, product_exists ? product.sums.size() : 0));
    operands_.push_back(values(of_rest, product.over, product.matrix, product.operands.size()));
  }
  for (const Value& value : program.level) level_.push_back(values(of_rest, value.over, value.matrix, 1));
  for (const Value& value : program.scratch) {
    scratch_offsets_.push_back(scratch_size_);
    scratch_size_ += (value.over == Over::edge ? most_children : 1) * size(value.matrix);
  }
  scratch_ = AlignedBuffer<float>(static_cast<std::size_t>(scratch_size_ * threads));
}

RowsAt LevelMemory::at(const Ref& ref, const Items& level, const Items& first) const {
  RowsAt rows{.item = size(ref.matrix), .ld = H_, .edge = ref.over == Over::edge};
  const auto which = static_cast<std::size_t>(ref.which);
  if (ref.place == Place::scratch) {
    rows.base = const_cast<float*>(scratch_.data()) + scratch_offsets_[which];
    rows.of_thread = scratch_size_;
    return rows;
  }
  const bool product = ref.place == Place::product, columns = product || ref.place == Place::operand;
  const Values& values = product ? products_[which] : columns ? operands_[which] : level_[which];
  rows.base = const_cast<float*>(values.buffer.data()) + (columns ? ref.position * H_ : 0);
  rows.ld *= values.columns;
  rows.item *= values.columns;
  const bool all = holds_ == Holds::everything || (product && holds_ == Holds::all_products);
  rows.origin = (all ? first : level).of(ref.over);
  return rows;
}

}  // namespace brickwork::onednn
