#include "primitives/recursive/lowering/temporaries.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace brickwork {
namespace {

int share(Tape& tape) {
  std::map<int, std::size_t> last_use;
  for (std::size_t i = 0; i < tape.size(); ++i) {
    for (const Ref& ref : {tape[i].to, tape[i].a, tape[i].b, tape[i].c}) {
      if (ref.place == Place::temporary) last_use[ref.index] = i;
    }
  }
  std::map<int, int> number;  // of those in use
  std::vector<int> free;
  int count = 0;
  for (std::size_t i = 0; i < tape.size(); ++i) {
    Instruction& now = tape[i];
    // The result never takes the place of an argument: a sum over children reads rows after it has written others.
    if (now.to.place == Place::temporary && !number.contains(now.to.index)) {
      if (free.empty()) free.push_back(count++);
      number[now.to.index] = free.back();
      free.pop_back();
    }
    std::vector<int> ends;
    for (Ref* const ref : {&now.to, &now.a, &now.b, &now.c}) {
      if (ref->place != Place::temporary) continue;
      if (last_use.at(ref->index) == i) ends.push_back(ref->index);
      ref->index = number.at(ref->index);
    }
    std::ranges::sort(ends);
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    for (const int end : ends) free.push_back(number.at(end));
  }
  return count;
}

}  // namespace

int share_temporaries(Stage& stage) {
  int most = share(stage.tape);
  for (Operand& operand : stage.operands) most = std::max(most, share(operand.tape));
  return most;
}

}  // namespace brickwork
