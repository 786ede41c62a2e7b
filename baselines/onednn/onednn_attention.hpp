// Attention as links of a chain of oneDNN's primitives.
#pragma once
#include <map>
#include <string>

#include "baselines/onednn/onednn_chain.hpp"
#include "primitives/attention/op/attention_problem.hpp"

namespace brickwork::onednn {

// Queries, context [N][T][K] and keys, values [N][S][K] in whatever order they lie; weights [N][T][S]. The mask
// [N][1][S] is added to the scores, where there is one: -1e30 beyond an end.
struct AttentionLinks {
  AttentionProblem problem;
  dnnl::memory queries, keys, values, mask, weights, context;
};

// Which implementations the library has for the products, and how often.
using Implementations = std::map<std::string, int>;

void add_attention(Chain&, const AttentionLinks&, Implementations&);

// In tensors that lie as those that they are gradients of.
struct AttentionGradients {
  dnnl::memory dcontext, dqueries, dkeys, dvalues;
};
void add_attention_backward(Chain&, const AttentionLinks&, const AttentionGradients&, Implementations&);

}  // namespace brickwork::onednn
