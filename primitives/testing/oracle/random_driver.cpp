#include "primitives/testing/oracle/random_driver.hpp"

#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace brickwork::oracle {

std::string to_string(const Brick& brick) {
  return fmt::format("{} on {}", brickwork::to_string(brick.backend), brickwork::to_string(brick.isa));
}

Brick random_brick() {
  static const std::vector<Brick> bricks = [] {
    std::vector<Brick> all;
    for (const BackendInfo& info : brgemm_backends()) {
      if (!info.absent_reason.empty()) continue;
      all.push_back({info.backend, Isa::best});
      for (const Isa isa : info.isas) all.push_back({info.backend, isa});
    }
    return all;
  }();
  return *rc::gen::elementOf(bricks);
}

MachineModel random_machine() {
  return {.threads = *rc::gen::inRange(1, 5),
          .l2_bytes = *rc::gen::element(1 << 12, 1 << 16, 1 << 20),
          .l3_bytes = *rc::gen::element(1 << 12, 16 << 20)};
}

Sweep random_sweep() { return *rc::gen::element(Sweep::cached, Sweep::stream, Sweep::stream_l2); }

std::int64_t up_to(std::int64_t most) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::int64_t>(1, most + 1));
}

std::int64_t random_size(std::initializer_list<std::int64_t> sizes) {
  if (up_to(3) == 1) return up_to(12);
  return *rc::gen::elementOf(std::vector<std::int64_t>(sizes)) + up_to(3) - 2;
}

AlignedBuffer<float> unwritten_floats(std::int64_t size) {
  AlignedBuffer<float> floats(static_cast<std::size_t>(size));
  std::ranges::fill(floats, std::numeric_limits<float>::quiet_NaN());
  return floats;
}

void require_none(const std::string& difference, const std::string& problem, Sown sown) {
  if (!difference.empty()) RC_FAIL(fmt::format("{}, {} sown: {}", problem, to_string(sown), difference));
}

}  // namespace brickwork::oracle
