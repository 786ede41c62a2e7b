// Predicts the next character of a text from all characters before it.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "experiments/learning/learning_task.hpp"

namespace brickwork {

// A text cut into N streams of equal length, which are read side by side; characters left over at the end of the text
// are not used. The last tenth of each stream is for the test. Throws std::invalid_argument with one sentence if the
// text is too short for a window of T characters in each part.
class TextStreams {
 public:
  enum class Part { train, test };

  TextStreams(std::string_view text, std::int64_t N, std::int64_t T);

  std::int64_t N() const { return N_; }
  std::int64_t classes() const { return classes_; }  // number of different bytes; each byte counts as a character
  std::int64_t windows(Part) const;                  // number of whole windows of T steps, one after the other
  // Writes the characters of a window and the character that follows each of them, both [T][N].
  void window(Part, std::int64_t index, std::int32_t* characters, std::int32_t* next) const;

 private:
  // First character and length of a part in each stream. The part's last character has no successor in it.
  std::int64_t begin(Part part) const { return part == Part::train ? 0 : trained_; }
  std::int64_t length(Part part) const { return part == Part::train ? trained_ : length_ - trained_; }

  std::vector<std::int32_t> text_;  // [N][length]
  std::int64_t N_, T_, length_, trained_, classes_;
};

// Bits per character of a bigram model on the test windows. The model counts the pairs of the training windows and
// interpolates the frequency of b after a with the frequency of b alone, as Witten and Bell (1991) do.
double bits_of_bigrams(const TextStreams&, std::int64_t T);

// Trains an LSTM. Its states continue from one window to the next; gradients do not flow back to the window before.
LearningTask learn_characters();

}  // namespace brickwork
