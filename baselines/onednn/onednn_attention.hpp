// Attention as links of a chain of oneDNN's primitives.
#pragma once
#include <map>
#include <string>

#include "baselines/onednn/onednn_chain.hpp"
#include "primitives/attention/op/attention_problem.hpp"

namespace brickwork::onednn {

// Queries and context are [N][T][K], keys and values [N][S][K], in any layout; weights are [N][T][S]. The mask
// [N][1][S], if there is one, is added to the scores: -1e30 beyond the end of a sequence.
struct AttentionLinks {
  AttentionProblem problem;
  dnnl::memory queries, keys, values, mask, weights, context;
};

// The library's implementations of the products, and how often each is used.
using Implementations = std::map<std::string, int>;

void add_attention(Chain&, const AttentionLinks&, Implementations&);

// Gradients have the layouts of their tensors.
struct AttentionGradients {
  dnnl::memory dcontext, dqueries, dkeys, dvalues;
};
void add_attention_backward(Chain&, const AttentionLinks&, const AttentionGradients&, Implementations&);

}  // namespace brickwork::onednn
