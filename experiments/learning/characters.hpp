// Predicting a text's next character from all before it.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "experiments/learning/learning_task.hpp"

namespace brickwork {

// A text in N equal streams, which are read side by side; what is left over from the last whole character of each is
// left out. The last tenth of each stream is for the test. Throws std::invalid_argument with one sentence where a part
// holds no window of T characters.
class TextStreams {
 public:
  enum class Part { train, test };

  TextStreams(std::string_view text, std::int64_t N, std::int64_t T);

  std::int64_t N() const { return N_; }
  std::int64_t classes() const { return classes_; }  // different bytes in the text; each is a character here
  std::int64_t windows(Part) const;                  // whole ones of T steps behind each other
  // The characters of a window, and those that follow them: [T][N].
  void window(Part, std::int64_t index, std::int32_t* characters, std::int32_t* next) const;

 private:
  // Of each stream, the characters of a part, the last of which has none to follow.
  std::int64_t begin(Part part) const { return part == Part::train ? 0 : trained_; }
  std::int64_t length(Part part) const { return part == Part::train ? trained_ : length_ - trained_; }

  std::vector<std::int32_t> text_;  // [N][length]
  std::int64_t N_, T_, length_, trained_, classes_;
};

// Bits a character, on the windows of the test, of a model of pairs that knows those of training: how often b follows
// a, and for what did not, how often b is there at all, in the shares of Witten and Bell (1991).
double bits_of_bigrams(const TextStreams&, std::int64_t T);

// An LSTM whose states go on from one window to the next, through which training does not go back.
LearningTask learn_characters();

}  // namespace brickwork
