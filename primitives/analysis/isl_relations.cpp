#include "primitives/analysis/isl_relations.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <isl/options.h>

#include <limits>
#include <stdexcept>

namespace brickwork {
namespace {

std::string all_of(const std::vector<std::string>& conditions) {
  return fmt::format("{}", fmt::join(conditions, " and "));
}

// The first iteration of the loop in call x, and the ends of its levels' iterations: the call ends at the least.
struct IslRange {
  std::string begin = "0";
  std::vector<std::string> ends;
};

IslRange range_of(const ScheduledNest& nest, int loop) {
  IslRange range;
  for (std::size_t l = 0; l < nest.levels.size(); ++l) {
    if (nest.levels[l].loop != loop) continue;
    range.begin += fmt::format(" + {}x{}", nest.levels[l].step, l);
    range.ends.push_back(fmt::format("{} + {}", range.begin, nest.levels[l].step));
  }
  return range;
}

std::vector<std::string> call_exists(const ScheduledNest& nest) {
  std::vector<std::string> conditions;
  for (std::size_t l = 0; l < nest.levels.size(); ++l) {
    conditions.push_back(fmt::format("0 <= x{} < {}", l, nest.levels[l].trips));
  }
  for (int loop = 0; loop < std::ssize(nest.touches.loops); ++loop) {
    const IslRange range = range_of(nest, loop);
    conditions.push_back(fmt::format("{} < {}", range.begin, nest.touches.loops[loop].extent));
    for (const std::string& end : range.ends) conditions.push_back(fmt::format("{} < {}", range.begin, end));
  }
  return conditions;
}

std::vector<std::string> call_is_last(const ScheduledNest& nest) {
  std::vector<std::string> conditions;
  for (int loop = 0; loop < std::ssize(nest.touches.loops); ++loop) {
    if (nest.touches.loops[loop].kind == LoopKind::independent) continue;
    for (const std::string& end : range_of(nest, loop).ends) {
      conditions.push_back(fmt::format("{} >= {}", end, nest.touches.loops[loop].extent));
    }
  }
  return conditions;
}

// That p<axis> is a point of the axis that call x covers.
std::vector<std::string> covers_point(const ScheduledNest& nest, int number) {
  const Axis& axis = nest.touches.axes[number];
  std::vector<std::string> conditions{fmt::format("0 <= p{} < {}", number, axis.size)};
  if (axis.loop == Axis::kNoLoop) return conditions;
  const IslRange range = range_of(nest, axis.loop);
  conditions.push_back(fmt::format("{} * ({}) <= p{}", axis.block, range.begin, number));
  for (const std::string& end : range.ends) {
    conditions.push_back(fmt::format("p{} < {} * ({})", number, axis.block, end));
  }
  return conditions;
}

void append(std::vector<std::string>& to, const std::vector<std::string>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

IslContext::IslContext(unsigned long most_operations) : context_(isl_ctx_alloc()) {
  isl_options_set_on_error(context_, ISL_ON_ERROR_CONTINUE);
  isl_ctx_set_max_operations(context_, most_operations);
}

std::string isl_iteration(const ScheduledNest& nest, char name) {
  std::vector<std::string> levels;
  for (std::size_t l = 0; l < nest.levels.size(); ++l) levels.push_back(fmt::format("{}{}", name, l));
  return fmt::format("[{}]", fmt::join(levels, ", "));
}

isl::set isl_calls(const IslContext& context, const ScheduledNest& nest) {
  return context.set(fmt::format("{{ {} : {} }}", isl_iteration(nest, 'x'), all_of(call_exists(nest))));
}

isl::map isl_touches(const IslContext& context, const ScheduledNest& nest, int number) {
  const TouchedTensor& tensor = nest.touches.tensors[number];
  std::vector<std::string> conditions = call_exists(nest), elements, points;
  if (tensor.at_last) append(conditions, call_is_last(nest));
  for (const TouchedIndex& index : tensor.index) {
    std::string sum = fmt::format("{}", index.offset);
    for (const auto& [axis, factor] : index.terms) {
      sum += fmt::format(" + {}p{}", factor, axis);
      points.push_back(fmt::format("p{}", axis));
      append(conditions, covers_point(nest, axis));
    }
    elements.push_back(fmt::format("e{}", elements.size()));
    conditions.push_back(fmt::format("{} = {}", elements.back(), sum));
    conditions.push_back(fmt::format("0 <= {} < {}", elements.back(), index.size));
  }
  const std::string exists = points.empty() ? "" : fmt::format("exists {} : ", fmt::join(points, ", "));
  return context.map(fmt::format("{{ {} -> [{}] : {}{} }}", isl_iteration(nest, 'x'), fmt::join(elements, ", "), exists,
                                 all_of(conditions)));
}

std::int64_t isl_count(const isl::set& set) {
  const isl::val count = isl::manage(isl_set_count_val(set.get()));
  if (count.is_null()) isl::exception::throw_last_error(set.ctx());
  if (isl_val_cmp_si(count.get(), std::numeric_limits<std::int64_t>::max()) > 0) {
    throw std::overflow_error("a working set exceeds 64 bits");
  }
  return count.num_si();
}

std::vector<std::int64_t> isl_point(const isl::set& set) {
  const isl::point point = set.sample_point();
  std::vector<std::int64_t> x;
  const auto size = static_cast<int>(isl_set_dim(set.get(), isl_dim_set));
  for (int i = 0; i < size; ++i) {
    x.push_back(isl::manage(isl_point_get_coordinate_val(point.get(), isl_dim_set, i)).num_si());
  }
  return x;
}

}  // namespace brickwork
