#include "primitives/testing/recorded_touches.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace brickwork {
namespace {

const char* to_string(Access access) {
  return access == Access::read ? "reads" : access == Access::write ? "writes" : "adds to";
}

std::string to_string(const NestTouches& nest, const CallAt& at) {
  std::string text;
  for (std::size_t l = 0; l < at.loops.size(); ++l) {
    text += fmt::format(" {}={}..{}", nest.loops[l].name, at.loops[l].begin, at.loops[l].end - 1);
  }
  return text;
}

// The values that an index has in a call, ascending.
std::vector<std::int64_t> values_of(const NestTouches& nest, const TouchedIndex& index, const CallAt& at) {
  std::vector<std::int64_t> values = {index.offset};
  for (const auto& [number, factor] : index.terms) {
    const Axis& axis = nest.axes[static_cast<std::size_t>(number)];
    const LoopRange points =
        points_of(axis, axis.loop == Axis::kNoLoop ? LoopRange{} : at.loops[static_cast<std::size_t>(axis.loop)]);
    std::vector<std::int64_t> sums;
    for (const std::int64_t value : values) {
      for (std::int64_t point = points.begin; point < points.end; ++point) sums.push_back(value + point * factor);
    }
    std::ranges::sort(sums);
    sums.erase(std::unique(sums.begin(), sums.end()), sums.end());
    values = std::move(sums);
  }
  std::erase_if(values, [&](std::int64_t value) { return value < 0 || value >= index.size; });
  return values;
}

// Calls use(index) for each element whose indices have these values.
template <class Use>
void for_each_element(const std::vector<std::vector<std::int64_t>>& values, const Use& use) {
  if (std::ranges::any_of(values, [](const auto& of_index) { return of_index.empty(); })) return;
  std::vector<std::size_t> at(values.size());
  std::vector<std::int64_t> index(values.size());
  for (bool done = false; !done;) {
    for (std::size_t i = 0; i < values.size(); ++i) index[i] = values[i][at[i]];
    use(index);
    done = true;
    for (std::size_t i = values.size(); i-- > 0 && done;) {
      done = ++at[i] == values[i].size();
      if (done) at[i] = 0;
    }
  }
}

}  // namespace

CallAt call_at(const std::vector<Loop>& loops, const LoopIndex& at) {
  CallAt call{.copy = at.copy()};
  for (int l = 0; l < std::ssize(loops); ++l) {
    call.loops.push_back(at[l]);
    if (loops[static_cast<std::size_t>(l)].kind != LoopKind::independent) call.last &= at.last(l);
  }
  return call;
}

TouchChecker::TouchChecker(NestTouches declared, std::map<std::string, Place> places, LeavesOut leaves_out)
    : declared_(std::move(declared)),
      places_(std::move(places)),
      leaves_out_(std::move(leaves_out)),
      wrong_(misdeclared(declared_)) {}

void TouchChecker::touch(Access access, const float* first, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) touched_.push_back({first + i, access});
}

void TouchChecker::touch_operands(const BrgemmShape& shape, const BrgemmCall& call) {
  const std::int64_t m = call.rows < 0 ? shape.m : call.rows, n = shape.n, k = shape.k;
  for (std::int64_t i = 0; i < call.batch.size; ++i) {
    for (std::int64_t x = 0; x < (shape.a_transposed ? k : m); ++x) {
      touch(Access::read, call.batch.a<float>(i) + x * shape.lda, shape.a_transposed ? m : k);
    }
    for (std::int64_t x = 0; x < k; ++x) touch(Access::read, call.batch.b<float>(i) + x * shape.ldb, n);
  }
}

void TouchChecker::touch(const BrgemmShape& shape, int beta, const BrgemmCall& call) {
  touch_operands(shape, call);
  const std::int64_t m = call.rows < 0 ? shape.m : call.rows, n = shape.n;
  const TileEpilogue& e = call.epilogue;
  if (e.bias != nullptr) touch(Access::read, e.bias, n);
  for (std::int64_t x = 0; x < m; ++x) {
    touch(beta == 0 ? Access::write : Access::add, static_cast<const float*>(call.c) + x * shape.ldc, n);
    if (e.residual != nullptr) touch(Access::read, static_cast<const float*>(e.residual) + x * e.ldr, n);
    if (e.at != nullptr) touch(Access::read, static_cast<const float*>(e.at) + x * e.ldat, n);
  }
}

Access TouchChecker::access_of(const TouchedTensor& tensor, const float* element) const {
  if (tensor.touch == Touch::read) return Access::read;
  return tensor.touch == Touch::reduce && has_value_.contains(element) ? Access::add : Access::write;
}

template <class Use>
void TouchChecker::for_each_declared(const TouchedTensor& tensor, const CallAt& at, const Use& use) const {
  if (tensor.at_last && !at.last) return;
  const auto place = places_.find(tensor.name);
  if (place == places_.end()) throw std::logic_error("the test does not say where tensor '" + tensor.name + "' lies");
  std::vector<std::vector<std::int64_t>> values;
  for (const TouchedIndex& index : tensor.index) values.push_back(values_of(declared_, index, at));
  for_each_element(values, [&](const std::vector<std::int64_t>& index) {
    if (leaves_out_ && leaves_out_(tensor.name, index.data(), at)) return;
    const float* const element = place->second(index.data(), at.copy);
    use(index, Element{element, access_of(tensor, element)});
  });
}

std::vector<TouchChecker::Element> TouchChecker::once_each(std::vector<Element> elements) {
  std::ranges::stable_sort(elements, {}, &Element::at);
  std::vector<Element> once;
  for (const Element& element : elements) {
    if (once.empty() || once.back().at != element.at) {
      once.push_back(element);
    } else if (once.back().access == Access::read && element.access != Access::read) {
      once.back().access = Access::add;
    }
  }
  return once;
}

std::string TouchChecker::untouched(const Element& missing, const CallAt& at) const {
  std::string name;
  for (const TouchedTensor& tensor : declared_.tensors) {
    for_each_declared(tensor, at, [&](const std::vector<std::int64_t>& index, const Element& element) {
      if (element.at == missing.at) name = fmt::format("{}[{}]", tensor.name, fmt::join(index, "]["));
    });
  }
  return fmt::format("the call{} {} {}, says the declaration, but it does not", to_string(declared_, at),
                     to_string(missing.access), name);
}

void TouchChecker::end_call(const CallAt& at) {
  ++calls_;
  const std::vector<Element> touched = once_each(std::exchange(touched_, {}));
  if (!wrong_.empty()) return;
  std::vector<Element> declared, more, less;
  for (const TouchedTensor& tensor : declared_.tensors) {
    for_each_declared(tensor, at, [&](const auto&, const Element& element) { declared.push_back(element); });
  }
  declared = once_each(std::move(declared));
  std::ranges::set_difference(touched, declared, std::back_inserter(more));
  std::ranges::set_difference(declared, touched, std::back_inserter(less));
  if (!less.empty()) {
    wrong_ = untouched(less.front(), at);
  } else if (!more.empty()) {
    wrong_ = fmt::format("the call{} {} {} elements that are not declared", to_string(declared_, at),
                         to_string(more.front().access), more.size());
  }
  for (const Element& element : declared) {
    if (element.access != Access::read) has_value_.insert(element.at);
  }
}

}  // namespace brickwork
