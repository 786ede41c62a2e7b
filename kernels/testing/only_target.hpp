// Highway's run-time dispatch, narrowed to one instruction set at a time.
#pragma once
#include <hwy/targets.h>

#include <cstdint>

namespace brickwork {

// Highway takes the best of the targets that it believes to be supported.
class OnlyTarget {
 public:
  explicit OnlyTarget(std::int64_t target) { believe(target); }
  ~OnlyTarget() { believe(0); }

 private:
  static void believe(std::int64_t targets) {
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

template <class Test>
void for_every_target(const Test& test) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const OnlyTarget only(target);
    test(hwy::TargetName(target));
  }
}

}  // namespace brickwork
