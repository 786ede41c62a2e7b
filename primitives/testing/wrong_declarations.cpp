#include "primitives/testing/wrong_declarations.hpp"

#include <fmt/format.h>

namespace brickwork {
namespace {

using Change = std::function<void(NestTouches&)>;
using Use = std::function<void(const std::string&, const Change&)>;

template <class T>
void erase(std::vector<T>& from, std::size_t i) {
  from.erase(from.begin() + static_cast<std::ptrdiff_t>(i));
}

void change_axis(const Axis& axis, std::size_t a, const Use& use) {
  use("size of " + axis.name, [=](NestTouches& n) { ++n.axes[a].size; });
  if (axis.loop == Axis::kNoLoop) return;
  use("block of " + axis.name, [=](NestTouches& n) { ++n.axes[a].block; });
  use("no loop of " + axis.name, [=](NestTouches& n) { n.axes[a].loop = Axis::kNoLoop; });
}

void change_index(const TouchedTensor& tensor, std::size_t t, std::size_t i, const Use& use) {
  const std::string name = fmt::format("{}[{}]", tensor.name, i);
  use("larger offset of " + name, [=](NestTouches& n) { ++n.tensors[t].index[i].offset; });
  use("smaller offset of " + name, [=](NestTouches& n) { --n.tensors[t].index[i].offset; });
  for (std::size_t term = 0; term < tensor.index[i].terms.size(); ++term) {
    use(fmt::format("larger factor {} of {}", term, name),
        [=](NestTouches& n) { ++n.tensors[t].index[i].terms[term].factor; });
    use(fmt::format("no term {} of {}", term, name), [=](NestTouches& n) { erase(n.tensors[t].index[i].terms, term); });
  }
}

void change_tensor(const TouchedTensor& tensor, std::size_t t, const Use& use) {
  use("no " + tensor.name, [=](NestTouches& n) { erase(n.tensors, t); });
  use("other at_last of " + tensor.name, [=](NestTouches& n) { n.tensors[t].at_last ^= true; });
  for (const auto& [touch, name] :
       {std::pair(Touch::read, "read"), {Touch::write, "written"}, {Touch::reduce, "reduced"}}) {
    if (touch == tensor.touch) continue;
    use(fmt::format("{} is {}", tensor.name, name), [=, other = touch](NestTouches& n) { n.tensors[t].touch = other; });
  }
  for (std::size_t i = 0; i < tensor.index.size(); ++i) change_index(tensor, t, i, use);
}

}  // namespace

std::vector<std::string> declarations_not_found(const NestTouches& right,
                                                const std::function<std::string(const NestTouches&)>& difference) {
  std::vector<std::string> not_found;
  const Use use = [&](const std::string& name, const Change& change) {
    NestTouches wrong = right;
    change(wrong);
    if (difference(wrong).empty()) not_found.push_back(name);
  };
  for (std::size_t a = 0; a < right.axes.size(); ++a) change_axis(right.axes[a], a, use);
  for (std::size_t t = 0; t < right.tensors.size(); ++t) change_tensor(right.tensors[t], t, use);
  return not_found;
}

}  // namespace brickwork
