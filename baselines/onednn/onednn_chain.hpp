// A chain of oneDNN's primitives, each in the layouts that it likes best for what earlier ones gave.
#pragma once
#include <cstddef>
#include <list>
#include <memory>
#include <vector>

#include "baselines/onednn/onednn_tensor.hpp"
#include "kernels/base/aligned_buffer.hpp"

namespace brickwork::onednn {

// Memory that later links of the chain may reuse once nobody holds the loan.
using Loan = std::shared_ptr<const dnnl::memory>;

// Built link by link; then allocate() gives its loans memory; then it, or a part of it, runs any number of times.
class Chain {
 public:
  explicit Chain(const Context& context) : context_(context) {}
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;

  const Context& context() const { return context_; }

  // keep() gives memory for as long as the chain exists, lend() for as long as somebody holds the loan.
  dnnl::memory keep(const dnnl::memory::desc&);
  Loan lend(const dnnl::memory::desc&);

  // `desc` must have a user's scratchpad.
  void add(const dnnl::primitive_desc_base& desc, Arguments);
  // Reorder, as part of the chain, a tensor that is not in the wanted layout.
  dnnl::memory kept_in(const dnnl::memory::desc& wanted, const dnnl::memory& from);
  Loan lent_in(const dnnl::memory::desc& wanted, const Loan& from);
  Loan lent_in(const dnnl::memory::desc& wanted, const dnnl::memory& kept);
  void reorder(const dnnl::memory& from, const dnnl::memory& to);
  // sum = post_ops(sum + more)
  void add_to(const dnnl::memory& sum, const dnnl::memory& more, const dnnl::post_ops& = {});

  void allocate();

  std::size_t size() const { return links_.size(); }
  void run(std::size_t first, std::size_t last);

 private:
  struct Link {
    dnnl::primitive primitive;
    Arguments arguments;
  };
  struct Block {
    std::size_t bytes = 0;
    bool lent = false;
    std::vector<dnnl::memory> users;
    AlignedBuffer<std::byte> buffer;
  };

  Block& free_block(std::size_t bytes);

  Context context_;
  std::vector<Link> links_;
  std::vector<Tensor> kept_;
  std::list<Block> blocks_;
};

}  // namespace brickwork::onednn
