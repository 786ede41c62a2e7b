// What everyone outside a primitive learns of one of its passes, from one type. An operation `Op` has
//
//   using Problem = ...;                                   its sizes (size_table.hpp), name, count, validate()
//   static constexpr std::string_view primitive, pass;     "conv", "forward"
//   static std::vector<TensorInfo> inputs(const Problem&), outputs(const Problem&);
//   static constexpr std::int64_t Problem::*images;        its minibatch, or nullptr where there is none
//   static constexpr bool sum_of_products;                 outputs are sums of products of inputs, and simple steps on
//                                                          them (an epilogue): exact on small integers
//   static std::int64_t terms(const Problem&);             so many products an output sums
//   static double flops(const Problem&);                   so many operations, as everyone counts them
//   static void reference(const Problem&, const PlainTensors& in, PlainTensors& out);   the definition, all in f64
//
// and where it is no sum of products: static double bound(const Problem&), the largest absolute error allowed on inputs
// from [-1, 1), to which an output may add an `error` of its own. Where it has them it may say, too:
//
//   static double least_flops(const Problem&); without those that can be left out, where there are any
//   static double bytes(const Problem&);       what it moves, where that is not every input and output once
//   static double values_between(const Problem&);   so many values of its layers or steps are kept that are no tensors
//   static Rereads rereads(const Problem&);    of its inputs, what it has to read more than once
//   static void settle(const Problem&, PlainTensors& in);   makes random inputs, in f64, such as the operation takes,
//                                              and no gradient pass where rounding would decide what comes out
//   static void check_taken(const Problem&);   throws std::invalid_argument with one sentence where a valid problem is
//                                              none of this operation's
//   static constexpr bool sum_over_images = true;   its outputs are each image's, or sums over them
//   static constexpr bool mean_over_images = true;   its outputs are each image's, or means over them: what comes
//                                              out of a minibatch that repeats itself is what comes out of it once
//   static constexpr bool bound_of_whole = true;     bound() is of each output as a whole (compare.hpp)
//   static constexpr bool bandwidth_bound = true;   so few operations a byte that only the memory holds it up: it is
//                                              judged by bytes_of() a second, beside what the memory gives
//   static bool curved(const Problem&);        whether the last step on the sums is a curve (a sigmoid): then the
//                                              answer is right up to a small tolerance
//
// Test data, checking, rows and experiments follow from it.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <vector>

#include "primitives/op/plain_tensors.hpp"
#include "primitives/op/size_table.hpp"

namespace brickwork {

template <class Op>
concept Operation = HasSizes<typename Op::Problem> &&
    requires(const typename Op::Problem& p, const PlainTensors& in, PlainTensors& out) {
  { Op::primitive } -> std::convertible_to<std::string_view>;
  { Op::pass } -> std::convertible_to<std::string_view>;
  { Op::inputs(p) } -> std::same_as<std::vector<TensorInfo>>;
  { Op::outputs(p) } -> std::same_as<std::vector<TensorInfo>>;
  { Op::sum_of_products } -> std::convertible_to<bool>;
  { Op::terms(p) } -> std::same_as<std::int64_t>;
  { Op::flops(p) } -> std::same_as<double>;
  Op::images;
  Op::reference(p, in, out);
};

// Throws std::invalid_argument where the operation does not take the problem.
template <Operation Op>
void check_taken(const typename Op::Problem& p) {
  if constexpr (requires { Op::check_taken(p); }) Op::check_taken(p);
}

template <Operation Op>
bool curved(const typename Op::Problem& p) {
  if constexpr (requires { Op::curved(p); }) return Op::curved(p);
  return false;
}

template <Operation Op>
constexpr bool bounds_whole() {
  return requires { Op::bound_of_whole; };
}

template <Operation Op>
constexpr bool bandwidth_bound() {
  return requires { Op::bandwidth_bound; };
}

template <Operation Op>
double least_flops(const typename Op::Problem& p) {
  if constexpr (requires { Op::least_flops(p); }) return Op::least_flops(p);
  return Op::flops(p);
}

inline double bytes_of_tensors(const std::vector<TensorInfo>& tensors) {
  double bytes = 0;
  for (const TensorInfo& t : tensors) bytes += static_cast<double>(t.size()) * static_cast<double>(size_of(t.dtype));
  return bytes;
}

// All inputs and outputs together.
template <Operation Op>
double tensor_bytes(const typename Op::Problem& p) {
  return bytes_of_tensors(Op::inputs(p)) + bytes_of_tensors(Op::outputs(p));
}

// The compulsory traffic: every input and output moved once, or what the operation says.
template <Operation Op>
double bytes_of(const typename Op::Problem& p) {
  if constexpr (requires { Op::bytes(p); }) return Op::bytes(p);
  return tensor_bytes<Op>(p);
}

// So many bytes of the inputs, once in bytes_of(), and so many times besides: the weights of a recurrence, at each
// step.
struct Rereads {
  double bytes = 0;
  std::int64_t times = 0;

  double all() const { return bytes * static_cast<double>(times); }
};

template <Operation Op>
Rereads rereads_of(const typename Op::Problem& p) {
  if constexpr (requires { Op::rereads(p); }) return Op::rereads(p);
  return {};
}

// What of it is written: every output once. What is written besides, for another pass to read, counts as read.
template <Operation Op>
double bytes_written(const typename Op::Problem& p) {
  return std::min(bytes_of<Op>(p), bytes_of_tensors(Op::outputs(p)));
}

}  // namespace brickwork
