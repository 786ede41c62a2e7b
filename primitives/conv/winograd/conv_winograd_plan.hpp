// The plan of a convolution by Winograd's minimal filtering: its blocks, loop order and threads; and the rule that says
// for which problems the algorithm pays.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "primitives/conv/conv_plan.hpp"

namespace brickwork {

// The loops are those of conv_winograd.cpp, or of conv_winograd_update.cpp.
struct WinogradPlan {
  static const SizeTable<WinogradPlan>& table();  // everything except the loops

  std::int64_t bc = 0, bk = 0;  // input and output features per block
  std::int64_t tile = 0;        // a tile has tile x tile pixels of dst (winograd_tiles.hpp)
  std::int64_t tiles = 0;       // tiles of a group, of any images: m of a brick call
  LoopSchedule loops;

  friend bool operator==(const WinogradPlan&, const WinogradPlan&) = default;
};

// "bc=64 bk=64 tile=4 tiles=56 loops={g} kb"
std::string to_string(const WinogradPlan&);

// Inverse of to_string. Throws std::invalid_argument that names the offending word.
WinogradPlan parse_winograd_plan(std::string_view text);

// Whether a text is a Winograd plan: no other convolution's plan has "tiles=".
bool is_winograd_plan(std::string_view text);

// The tiles of dst: images, and tiles along the height and the width.
struct WinogradGrid {
  std::int64_t images, rows, cols;
  std::int64_t of_image() const { return rows * cols; }
  std::int64_t all() const { return images * of_image(); }
};
WinogradGrid winograd_grid(const ConvView&, std::int64_t tile);

// Why Winograd's algorithm cannot compute this convolution, or an empty string.
std::string winograd_lacks(const ConvView&);

// Whether each run transforms the weights, as in training, or they are transformed once for all runs, as in inference.
enum class WinogradWeights { of_run, of_all_runs };

// Choose a plan by rule: for forward and backward by data, and for the weight update.
WinogradPlan plan_winograd(const ConvView&, const MachineModel&, WinogradWeights, FeatureBlocks = {});
WinogradPlan plan_winograd_update(const ConvView&, const MachineModel&, FeatureBlocks = {});

// Whether the algorithm takes less time than the direct one in training: it has fewer multiplications, but also
// transforms of src, dst and the weights, and tiles that hang over the edge of dst.
bool winograd_pays(const ConvView&, const MachineModel&);

}  // namespace brickwork
