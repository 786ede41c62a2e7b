// A scheduled nest as sets and relations of isl, written as isl's text: which iterations there are, and which elements
// each touches.
#pragma once
#include <isl/cpp.h>

#include <string>
#include <vector>

#include "primitives/analysis/scheduled_nest.hpp"

namespace brickwork {

// Errors of its functions are exceptions. It must outlive all sets and relations.
class IslContext {
 public:
  // Work beyond `most_operations` is an isl::exception_quota.
  explicit IslContext(unsigned long most_operations);
  ~IslContext() { isl_ctx_free(context_); }
  IslContext(const IslContext&) = delete;
  IslContext& operator=(const IslContext&) = delete;

  isl::set set(const std::string& text) const { return isl::set(isl::ctx(context_), text); }
  isl::map map(const std::string& text) const { return isl::map(isl::ctx(context_), text); }

 private:
  isl_ctx* context_;
};

// "[x0, x1, x2]" for a nest of three levels.
std::string isl_iteration(const ScheduledNest&, char name);

// The iterations in which the call exists.
isl::set isl_calls(const IslContext&, const ScheduledNest&);

// Iterations to the elements of a tensor that they touch.
isl::map isl_touches(const IslContext&, const ScheduledNest&, int tensor);

// Throws std::overflow_error beyond 64 bits.
std::int64_t isl_count(const isl::set&);

// The only point of a set.
std::vector<std::int64_t> isl_point(const isl::set&);

}  // namespace brickwork
