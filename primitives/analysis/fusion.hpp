// Which consumers of a nest's output may run inside the nest, and whether its elements are still in a cache then: the
// last-write analysis of PolyDL (arXiv 2006.02230, section 5).
//
// An element is final after its last write. An element-wise consumer (bias, batch norm in inference, residual, ReLU)
// reads one element at a time and may run on a call's tile right after the call that writes its elements last. A
// row-wise consumer (the next fully connected layer, softmax) reads all features of a row, so that it may run when a
// block of rows is final.
#pragma once
#include <string>

#include "primitives/analysis/cache_hierarchy.hpp"
#include "primitives/analysis/scheduled_nest.hpp"

namespace brickwork {

struct Fusion {
  std::string refusal;                    // why the consumer may not run inside the nest; empty if it may
  std::string when;                       // "after the last iteration of cb", "after each iteration of oi"
  double block_bytes = 0;                 // of the output that is final then and was not before
  CachePlace fused = CachePlace::memory;  // where these bytes are then
  CachePlace apart = CachePlace::memory;  // where they are if the consumer runs after the nest
  double all_bytes = 0;                   // of the output
};

// For the tensor of the declaration with this index, which calls write or reduce.
Fusion fuse_element_wise(const ScheduledNest&, int tensor, const CacheHierarchy&);

// `rows` is the axis that counts the rows.
Fusion fuse_row_wise(const ScheduledNest&, int tensor, int rows, const CacheHierarchy&);

}  // namespace brickwork
