// An operation: one pass of a primitive, described by one type. Test data, checks, result rows and experiments follow
// from it. An operation `Op` has
//
//   using Problem = ...;                                   its sizes (size_table.hpp), name, count, validate()
//   static constexpr std::string_view primitive, pass;     "conv", "forward"
//   static std::vector<TensorInfo> inputs(const Problem&), outputs(const Problem&);
//   static constexpr std::int64_t Problem::*images;        its minibatch, or nullptr if it has none
//   static constexpr bool sum_of_products;                 outputs are sums of products of inputs, followed by simple
//                                                          steps (an epilogue): exact on small integers
//   static std::int64_t terms(const Problem&);             the number of products that one output sums
//   static double flops(const Problem&);                   the number of operations, counted as the literature does
//   static void reference(const Problem&, const PlainTensors& in, PlainTensors& out);   the definition, all in f64
//
// An operation that is no sum of products also has static double bound(const Problem&): the largest absolute error
// allowed on inputs from [-1, 1). An output may add an `error` of its own. Optional members:
//
//   static double least_flops(const Problem&);   flops() without the operations that can be left out
//   static double bytes(const Problem&);         the bytes that it moves, if not every input and output once
//   static double values_between(const Problem&);   the number of values that it keeps between layers or steps, outside
//                                                its tensors
//   static Rereads rereads(const Problem&);      the inputs that it must read more than once
//   static void settle(const Problem&, PlainTensors& in);   turns random f64 inputs into valid ones, stops
//                                                gradients where rounding would decide the result
//   static void check_taken(const Problem&);     throws std::invalid_argument with one sentence if it does not take
//                                                this valid problem
//   static constexpr bool sum_over_images = true;    each output is per image, or a sum over the images
//   static constexpr bool mean_over_images = true;   each output is per image, or a mean over the images: repeating the
//                                                minibatch does not change it
//   static constexpr bool bound_of_whole = true;     bound() holds for each output as a whole (compare.hpp)
//   static constexpr bool bandwidth_bound = true;    memory bounds it: bytes_of() per second are judged against the
//                                                memory's bandwidth
//   static bool curved(const Problem&);          whether a curve (a sigmoid) follows the sums: the answer is then right
//                                                up to a small tolerance
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

// Throws std::invalid_argument if the operation does not take the problem.
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

// The bytes of all inputs and outputs.
template <Operation Op>
double tensor_bytes(const typename Op::Problem& p) {
  return bytes_of_tensors(Op::inputs(p)) + bytes_of_tensors(Op::outputs(p));
}

// The compulsory traffic: every input and output moved once, or Op::bytes().
template <Operation Op>
double bytes_of(const typename Op::Problem& p) {
  if constexpr (requires { Op::bytes(p); }) return Op::bytes(p);
  return tensor_bytes<Op>(p);
}

// Input bytes that are read `times` more after the first read, which bytes_of() counts: the weights of a recurrence, at
// each step.
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

// The part of bytes_of() that is written: every output once. Values that are written for another pass count as read.
template <Operation Op>
double bytes_written(const typename Op::Problem& p) {
  return std::min(bytes_of<Op>(p), bytes_of_tensors(Op::outputs(p)));
}

}  // namespace brickwork
