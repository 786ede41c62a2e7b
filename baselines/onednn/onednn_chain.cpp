#ifdef BRICKWORK_HAS_ONEDNN
#include "baselines/onednn/onednn_chain.hpp"

#include <algorithm>
#include <utility>

#include "baselines/onednn/onednn_primitive.hpp"

namespace brickwork::onednn {

using dnnl::memory;

memory Chain::keep(const memory::desc& desc) { return kept_.emplace_back(context_, desc).memory(); }

// The smallest free block that is large enough; if none is, the largest one, which then grows.
Chain::Block& Chain::free_block(std::size_t bytes) {
  Block* best = nullptr;
  for (Block& block : blocks_) {
    if (block.lent) continue;
    const bool better = best == nullptr || (best->bytes < bytes ? block.bytes > best->bytes
                                                                : block.bytes >= bytes && block.bytes < best->bytes);
    if (better) best = &block;
  }
  return best != nullptr ? *best : blocks_.emplace_back();
}

Loan Chain::lend(const memory::desc& desc) {
  Block& block = free_block(desc.get_size());
  block.bytes = std::max(block.bytes, desc.get_size());
  block.lent = true;
  block.users.emplace_back(desc, context_.engine, nullptr);
  return {new memory(block.users.back()), [&block](const memory* m) {
            delete m;
            block.lent = false;
          }};
}

void Chain::allocate() {
  for (Block& block : blocks_) {
    block.buffer = AlignedBuffer<std::byte>(block.bytes);
    for (memory& user : block.users) user.set_data_handle(block.buffer.data());
  }
}

void Chain::add(const dnnl::primitive_desc_base& desc, Arguments arguments) {
  const memory::desc scratchpad = desc.scratchpad_desc();
  if (scratchpad.get_size() > 0) arguments.emplace(DNNL_ARG_SCRATCHPAD, *lend(scratchpad));
  links_.push_back({dnnl::primitive(desc.get()), std::move(arguments)});
}

void Chain::reorder(const memory& from, const memory& to) {
  add(dnnl::reorder::primitive_desc(from, to, user_scratchpad()), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
}

memory Chain::kept_in(const memory::desc& wanted, const memory& from) {
  if (from.get_desc() == wanted) return from;
  memory to = keep(wanted);
  reorder(from, to);
  return to;
}

Loan Chain::lent_in(const memory::desc& wanted, const Loan& from) {
  if (from->get_desc() == wanted) return from;
  Loan to = lend(wanted);
  reorder(*from, *to);
  return to;
}

Loan Chain::lent_in(const memory::desc& wanted, const memory& kept) {
  return lent_in(wanted, std::make_shared<const memory>(kept));
}

void Chain::add_to(const memory& sum, const memory& more, const dnnl::post_ops& post_ops) {
  dnnl::primitive_attr attributes = user_scratchpad();
  attributes.set_post_ops(post_ops);
  const dnnl::binary::primitive_desc desc(context_.engine, dnnl::algorithm::binary_add, sum.get_desc(), more.get_desc(),
                                          sum.get_desc(), attributes);
  add(desc, {{DNNL_ARG_SRC_0, sum}, {DNNL_ARG_SRC_1, more}, {DNNL_ARG_DST, sum}});
}

void Chain::run(std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) links_[i].primitive.execute(context_.stream, links_[i].arguments);
  context_.stream.wait();
}

}  // namespace brickwork::onednn
#endif
