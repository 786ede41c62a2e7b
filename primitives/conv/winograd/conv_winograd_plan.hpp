// How a convolution by Winograd's minimal filtering is blocked, ordered and spread over threads, and where it pays.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "primitives/conv/conv_plan.hpp"

namespace brickwork {

// The loops are those of conv_winograd.cpp, or of conv_winograd_update.cpp.
struct WinogradPlan {
  static const SizeTable<WinogradPlan>& table();  // of all but the loops

  std::int64_t bc = 0, bk = 0;  // input and output features of a block
  std::int64_t tile = 0;        // pixels of dst along an axis of a tile (winograd_tiles.hpp)
  std::int64_t tiles = 0;       // m of a brick call: so many tiles, of any images
  LoopSchedule loops;

  friend bool operator==(const WinogradPlan&, const WinogradPlan&) = default;
};

// "bc=64 bk=64 tile=4 tiles=56 loops={g} kb"
std::string to_string(const WinogradPlan&);

// Inverse of to_string. Throws std::invalid_argument naming the offending word.
WinogradPlan parse_winograd_plan(std::string_view text);

// Whether a text is about tiles, which no other convolution's plan has.
bool is_winograd_plan(std::string_view text);

// Tiles of dst along its height and width.
struct WinogradGrid {
  std::int64_t images, rows, cols;
  std::int64_t of_image() const { return rows * cols; }
  std::int64_t all() const { return images * of_image(); }
};
WinogradGrid winograd_grid(const ConvView&, std::int64_t tile);

// Why it is for other convolutions than this, or nothing.
std::string winograd_lacks(const ConvView&);

// Whose transform a run has to do: its own, as in training, or nobody's any more, as in inference.
enum class WinogradWeights { of_run, of_all_runs };

// The analytic choices: of forward and of backward by data, and of the weight update.
WinogradPlan plan_winograd(const ConvView&, const MachineModel&, WinogradWeights, FeatureBlocks = {});
WinogradPlan plan_winograd_update(const ConvView&, const MachineModel&, FeatureBlocks = {});

// Whether it takes less time than the direct algorithm in training: fewer multiplications, but transforms of src, dst
// and the weights besides, and tiles that hang over the edge of dst.
bool winograd_pays(const ConvView&, const MachineModel&);

}  // namespace brickwork
