// Compares what the calls of a driver's body touch with what the driver declares, call by call.
//
// A recording brick takes the place of the driver's brick. It computes nothing: it notes each element that the call
// would read, write or add to. After the call the checker works out from the declaration which elements the call may
// touch, and both sets must be equal.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kernels/base/aligned_buffer.hpp"
#include "kernels/brgemm/brgemm.hpp"
#include "kernels/portable/brgemm_portable.hpp"
#include "primitives/nest/touches.hpp"

namespace brickwork {

// All that one call does to an element. A call that reads what it has written itself only writes; `add` reads first.
enum class Access { read, write, add };

// The iterations of one call.
struct CallAt {
  std::vector<LoopRange> loops;
  bool last = true;       // has the last iterations of all reductions
  std::int64_t copy = 0;  // of the output, if a reduction runs in copies
};
CallAt call_at(const std::vector<Loop>&, const LoopIndex&);

class TouchChecker {
 public:
  // Where the element of a tensor with this index lies.
  using Place = std::function<const float*(const std::int64_t* index, std::int64_t copy)>;
  // Whether the call leaves out this element although it is declared.
  using LeavesOut = std::function<bool(const std::string& tensor, const std::int64_t* index, const CallAt&)>;

  // Needs a place for each declared tensor. Tensors may share memory.
  TouchChecker(NestTouches declared, std::map<std::string, Place> places, LeavesOut leaves_out = {});

  const NestTouches& declared() const { return declared_; }

  // What the current call touches: `count` elements; A and B of a brick's call; all elements of a brick's call.
  void touch(Access, const float* first, std::int64_t count = 1);
  void touch_operands(const BrgemmShape&, const BrgemmCall&);
  void touch(const BrgemmShape&, int beta, const BrgemmCall&);

  // Compares what the call has touched with the declaration.
  void end_call(const CallAt&);

  std::int64_t calls() const { return calls_; }
  // The first difference, or an empty string.
  const std::string& wrong() const { return wrong_; }

 private:
  struct Element {
    const float* at;
    Access access;
    auto operator<=>(const Element&) const = default;
  };
  static std::vector<Element> once_each(std::vector<Element>);

  // Calls use(index, element) for each element of the tensor that is declared for a call.
  template <class Use>
  void for_each_declared(const TouchedTensor&, const CallAt&, const Use& use) const;
  Access access_of(const TouchedTensor&, const float* element) const;
  std::string untouched(const Element&, const CallAt&) const;

  NestTouches declared_;
  std::map<std::string, Place> places_;
  LeavesOut leaves_out_;
  std::vector<Element> touched_;      // by the current call, in order
  std::set<const float*> has_value_;  // elements to which a call has written
  std::int64_t calls_ = 0;
  std::string wrong_;
};

// Takes the place of a brick: see tile_brick.hpp.
struct RecordingBrick {
  BrgemmShape shape;
  TouchChecker* checker;

  std::int64_t scratch_bytes() const { return 0; }

  template <class Team>
  void operator()(const Team&, int beta, const BrgemmCall& call, void*) const {
    checker->touch(shape, beta, call);
  }
};

// A driver's body, each call of which is checked.
template <class Body>
struct CheckedBody {
  Body body;
  TouchChecker* checker;

  template <class Team>
  void operator()(const Team& team, const LoopIndex& at) const {
    body(team, at);
    checker->end_call(call_at(checker->declared().loops, at));
  }
};

// A space that runs the tasks in ascending order on the calling thread.
struct InOrder {};

template <class Functor>
void parallel_league(const InOrder&, std::int64_t tasks, int, std::int64_t scratch_bytes, const Functor& functor) {
  AlignedBuffer<char> scratch(static_cast<std::size_t>(scratch_bytes));
  for (std::int64_t task = 0; task < tasks; ++task) functor(OneThread(), task, scratch.data());
}

}  // namespace brickwork
