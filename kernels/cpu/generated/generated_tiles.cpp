#include "kernels/cpu/generated/generated_tiles.hpp"

#include <fmt/format.h>

#ifdef BRICKWORK_HAS_XBYAK
#include <xbyak/xbyak.h>

#include <array>
#include <atomic>
#include <limits>
#include <memory>
#include <mutex>

#include "kernels/cpu/generated/band_code.hpp"
#endif

namespace brickwork {

#ifdef BRICKWORK_HAS_XBYAK
namespace {

// Whether all distances within a tile and to the next one fit the 31 bits of an instruction.
bool fits(const BrgemmShape& s, const SimdTuning& tuning, int lanes) {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max() / kFloat;
  return std::max(s.row_of_a(), s.ldc) <= kMost / (2 * kMostTileRows) &&
         std::max(s.step_of_a(), s.ldb) <=
             kMost / (std::max(fmas_unrolled(lanes), kMostSums) + std::max(2 * tuning.ahead, tuning.few) + 1);
}

class TilesOfPanel final : public GeneratedTiles {
 public:
  TilesOfPanel(const BrgemmShape& shape, const BrgemmHints& hints, const Panel& panel, int lanes)
      : shape_(shape), hints_(hints), vecs_(panel.vecs), lanes_(lanes), last_lanes_(panel.last_lanes) {}

  void prepare(int rows) const override { band_of(rows); }

  void run(const BrgemmCall& call, const Band& band) const override {
    const Batch& batch = call.batch;
    const TileEpilogue& epilogue = call.epilogue;
    float* const c = static_cast<float*>(call.c) + band.row * shape_.ldc + band.column;
    // The band's first element in a tensor with rows and columns like C's.
    const auto beside = [&](const void* tensor, std::int64_t ld) {
      return tensor == nullptr ? nullptr : static_cast<const float*>(tensor) + band.row * ld + band.column;
    };
    const bool relu = epilogue.activation == Activation::relu;
    const bool stream = band.access.streams(c, shape_, epilogue, lanes_);
    const NextRows next = call.read_next.share(band.tiles_before, band.tiles_before + band.tiles, band.tiles_of_call);
    const std::int64_t turns = std::max<std::int64_t>(1, band.tiles * batch.size * (shape_.k / kTurn));
    const auto* const first_next = static_cast<const char*>(next.first);
    BandArguments arguments{
        .a = reinterpret_cast<const float*>(batch.base_a) + band.row * shape_.row_of_a(),
        .b = reinterpret_cast<const float*>(batch.base_b) + band.column,
        .c = c,
        .bias = epilogue.bias == nullptr ? nullptr : epilogue.bias + band.column,
        .residual = beside(epilogue.residual, epilogue.ldr),
        .relu_at = relu ? beside(epilogue.at, epilogue.ldat) : nullptr,
        .offsets_a = batch.offsets_a,
        .offsets_b = batch.offsets_b,
        .members = batch.size,
        .tiles = band.tiles,
        .ldr = epilogue.ldr * kFloat,
        .ldat = epilogue.ldat * kFloat,
        .next_a = call.next_a * kFloat,
        .live = band.period == 0 ? nullptr : band.live_rows.data(),
        .next_line = first_next,
        .next_row_end = first_next + next.bytes,
        .next_lines_end = first_next + (next.count > 0 ? (next.count - 1) * next.ld + next.bytes : 0),
        .next_row = next.bytes,
        .ld_next = std::max(next.ld, next.bytes),
        .next_lines_a_turn = (next.lines() + turns - 1) / turns,
        .first_asks_for_b = band.access.asks_for_b(shape_, batch.size, band.tile_rows, true),
        .others_ask_for_b = band.access.asks_for_b(shape_, batch.size, band.tile_rows, false),
        .relu = relu && epilogue.at == nullptr,
        .stream = stream,
    };
    band_of(band.tile_rows)(&arguments);
  }

 private:
  BandCode::Run band_of(int rows) const {
    std::atomic<BandCode::Run>& kept = bands_[static_cast<std::size_t>(rows - 1)];
    BandCode::Run band = kept.load(std::memory_order_acquire);
    return band != nullptr ? band : generated(rows, kept);
  }

  BandCode::Run generated(int rows, std::atomic<BandCode::Run>& kept) const {
    const std::lock_guard lock(generating_);
    if (const BandCode::Run others = kept.load(std::memory_order_relaxed)) return others;
    memory_.push_back(generate_band(shape_, hints_, {rows, vecs_, lanes_, last_lanes_}));
    kept.store(memory_.back().run, std::memory_order_release);
    return memory_.back().run;
  }

  const BrgemmShape shape_;
  const BrgemmHints hints_;
  const int vecs_, lanes_, last_lanes_;
  mutable std::array<std::atomic<BandCode::Run>, kMostTileRows> bands_{};  // [r - 1]: tiles of r rows
  mutable std::mutex generating_;
  mutable std::vector<BandCode> memory_;
};

// Tries it: generates and runs a function that only returns.
bool can_write_code() {
  try {
    Xbyak::CodeGenerator code(64, Xbyak::AutoGrow);
    code.ret();
    code.ready(Xbyak::CodeGenerator::PROTECT_RE);
    code.getCode<void (*)()>()();
    return true;
  } catch (const Xbyak::Error&) {
    return false;
  }
}

}  // namespace

std::shared_ptr<const GeneratedTiles> generate_tiles(const BrgemmShape& shape, const BrgemmHints& hints,
                                                     const Panel& panel, int lanes) {
  if (tile_generator_version().empty() || !fits(shape, hints.tuning, lanes)) return nullptr;
  return std::make_shared<TilesOfPanel>(shape, hints, panel, lanes);
}

const std::string& tile_generator_version() {
  static const std::string version =
      can_write_code() ? fmt::format("Xbyak {:x}.{:02x}", Xbyak::VERSION >> 12, Xbyak::VERSION >> 4 & 0xff) : "";
  return version;
}

#else

std::shared_ptr<const GeneratedTiles> generate_tiles(const BrgemmShape&, const BrgemmHints&, const Panel&, int) {
  return nullptr;
}

const std::string& tile_generator_version() {
  static const std::string none;
  return none;
}
#endif

}  // namespace brickwork
