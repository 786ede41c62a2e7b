#include "primitives/planning/variants/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "primitives/analysis/fusion.hpp"
#include "primitives/analysis/rankings/measured.hpp"

namespace brickwork {
namespace {

constexpr const char* kPlaceNames[] = {"L1", "L2", "L3", "memory"};
constexpr std::size_t kRunnerUps = 5;

std::string size_text(double bytes) {
  if (bytes < 1e3) return fmt::format("{:.0f} B", bytes);
  if (bytes < 1e6) return fmt::format("{:.1f} KB", 1e-3 * bytes);
  return fmt::format("{:.1f} MB", 1e-6 * bytes);
}

std::string_view holder(double bytes, const CacheHierarchy& caches) {
  for (std::size_t place = 0; place + 1 < kPlaces; ++place) {
    if (bytes <= static_cast<double>(caches.bytes[place])) return kPlaceNames[place];
  }
  return kPlaceNames[kPlaces - 1];
}

// A row for each level: what one of its iterations touches, which is what lies between two touches of the same element.
std::string working_sets(const ScheduledNest& nest, const CacheHierarchy& caches) {
  std::string text = fmt::format("  {:<12}{:>8}  {:>10}  {:<8}", "loop", "times", "touches", "fits in");
  for (const TouchedTensor& tensor : nest.touches.tensors) text += fmt::format("{:>12}", tensor.name);
  text += '\n';
  const auto touched = touched_bytes(nest);
  const auto row = [&](const std::string& name, const std::string& times, const std::vector<double>& bytes) {
    const double all = std::accumulate(bytes.begin(), bytes.end(), 0.0);
    text += fmt::format("  {:<12}{:>8}  {:>10}  {:<8}", name, times, size_text(all), holder(all, caches));
    for (const double of_tensor : bytes) text += fmt::format("{:>12}", size_text(of_tensor));
    text += '\n';
  };
  row("all", "", touched.front());
  for (std::size_t l = 0; l < nest.levels.size(); ++l) {
    const ScheduledLevel& level = nest.levels[l];
    if (level.trips == 1) continue;
    const std::string name(nest.touches.loops[static_cast<std::size_t>(level.loop)].name);
    row(level.step == 1 ? name : fmt::format("{}:{}", name, level.step), fmt::format("{}", level.trips),
        touched[l + 1]);
  }
  return text;
}

std::string data_come_from(const Variant& variant, const CacheHierarchy& caches) {
  const Traffic moved = traffic(variant.nest, caches, variant.tile);
  std::string text = fmt::format("  {:<12}{:>12}", "tensor", "once");
  for (const char* place : kPlaceNames) text += fmt::format("{:>12}", place);
  text += '\n';
  for (std::size_t t = 0; t < moved.of.size(); ++t) {
    const TouchedTensor& tensor = variant.nest.touches.tensors[t];
    const auto& from = tensor.touch == Touch::write ? moved.of[t].written : moved.of[t].read;
    text += fmt::format("  {:<12}{:>12}", tensor.name, size_text(moved.of[t].once));
    for (const double bytes : from) text += fmt::format("{:>12}", bytes < 1 ? "-" : size_text(bytes));
    text += '\n';
  }
  return text;
}

// What may run on the outputs while they are in a cache.
std::string consumers(const ScheduledNest& nest, const CacheHierarchy& caches) {
  std::string text;
  for (std::size_t t = 0; t < nest.touches.tensors.size(); ++t) {
    const TouchedTensor& tensor = nest.touches.tensors[t];
    if (tensor.touch == Touch::read) continue;
    const Fusion fusion = fuse_element_wise(nest, static_cast<int>(t), caches);
    text += fusion.refusal.empty()
                ? fmt::format("  {:<12}{}, on {} in {}; after the nest its {} are in {}\n", tensor.name, fusion.when,
                              size_text(fusion.block_bytes), kPlaceNames[static_cast<std::size_t>(fusion.fused)],
                              size_text(fusion.all_bytes), kPlaceNames[static_cast<std::size_t>(fusion.apart)])
                : fmt::format("  {:<12}not inside the nest: {}\n", tensor.name, fusion.refusal);
  }
  return text;
}

std::string cost_in_parts(const MeasuredCost& cost) {
  std::string text = fmt::format("  {:.1f} us = multiply-adds {:.1f} + calls {:.1f}", 1e-3 * cost.all(),
                                 1e-3 * cost.multiply_adds, 1e-3 * cost.calls);
  for (std::size_t place = 0; place < kPlaces; ++place) {
    text += fmt::format(" + {} {:.1f}", kPlaceNames[place], 1e-3 * cost.moving[place]);
  }
  return text + '\n';
}

}  // namespace

std::string explanation(const std::vector<ExplainedVariant>& variants, std::size_t of_all, const CacheHierarchy& caches,
                        std::string_view ranking) {
  const ExplainedVariant& pick = variants.front();
  std::string text = fmt::format("{}\n", pick.plan);
  text += fmt::format(
      "\nWhat one iteration of each loop of a thread touches, and the smallest cache that holds it "
      "(L1 {}, L2 {}, L3 {})\n{}",
      size_text(static_cast<double>(caches.bytes[0])), size_text(static_cast<double>(caches.bytes[1])),
      size_text(static_cast<double>(caches.bytes[2])), working_sets(pick.variant->nest, caches));
  text += fmt::format("\nFrom where the calls of a thread get their data\n{}", data_come_from(*pick.variant, caches));
  text += fmt::format("\nWhen an element-wise consumer may run\n{}", consumers(pick.variant->nest, caches));
  text += fmt::format("\nEstimated time of a thread\n{}", cost_in_parts(measured_cost(pick.variant->facts, caches)));
  text += fmt::format("\nThe next of {} variants, by the ranking {}\n", of_all, ranking);
  for (std::size_t i = 1; i < std::min(variants.size(), kRunnerUps + 1); ++i) {
    text += fmt::format("  {:.1f} us  {}\n", 1e-3 * measured_cost(variants[i].variant->facts, caches).all(),
                        variants[i].plan);
  }
  return text;
}

}  // namespace brickwork
