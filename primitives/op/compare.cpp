#include "primitives/op/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "primitives/op/repetition.hpp"

namespace brickwork {
namespace {

template <class T>
struct Output {
  const TensorInfo &info, &right_info;
  std::span<const T> actual;
  std::span<const double> right;

  // with(i, error, right) for every element. The right value is rounded to the output's type first, so that an exact
  // contender has error 0 in every type.
  template <class With>
  void for_each_error(const With& with) const {
    for_each_repeated(info, right_info, [&](std::size_t i, std::size_t r) {
      with(i, static_cast<double>(actual[i]) - static_cast<double>(static_cast<T>(right[r])), right[r]);
    });
  }
};

template <class T>
Verdict compare_elements(const Output<T>& output, double tolerance) {
  Verdict verdict;
  std::size_t wrong = 0, first_wrong = 0;
  double first_right = 0;
  output.for_each_error([&](std::size_t i, double difference, double right) {
    const double error = std::abs(difference);
    if (!(error <= tolerance) && wrong++ == 0) {
      first_wrong = i;
      first_right = right;
    }
    if (!(error <= verdict.max_error)) verdict.max_error = std::isnan(error) ? HUGE_VAL : error;
  });
  if (wrong > 0) {
    verdict.status = Status::failed;
    verdict.reason = fmt::format(
        "{} of {} outputs in {} are wrong, the first at element {}: {} instead of {} +- {:.3g}", wrong,
        output.actual.size(), output.info.name, first_wrong, +output.actual[first_wrong], first_right, tolerance);
  }
  return verdict;
}

template <class T>
Verdict compare_whole(const Output<T>& output, double tolerance) {
  double errors = 0, right = 0;
  output.for_each_error([&](std::size_t, double error, double value) {
    errors += error * error;
    right += value * value;
  });
  const bool absolute = right == 0;
  Verdict verdict{.max_error = std::sqrt(errors / (absolute ? static_cast<double>(output.actual.size()) : right))};
  if (!(verdict.max_error <= tolerance)) {
    verdict.status = Status::failed;
    verdict.reason =
        fmt::format("the outputs in {} are wrong: off by {:.3g}{}, but only {:.3g} is allowed", output.info.name,
                    verdict.max_error, absolute ? "" : " of the right values", tolerance);
  }
  if (std::isnan(verdict.max_error)) verdict.max_error = HUGE_VAL;
  return verdict;
}

template <class T>
Verdict compare_tensor(const PlainTensors& actual, const PlainTensors& expected, std::size_t i, Tolerance tolerance) {
  const Output<T> output{actual.infos()[i], expected.infos()[i], actual.values<T>(i), expected.values<double>(i)};
  return (tolerance.whole ? compare_whole<T> : compare_elements<T>)(output, tolerance.value + output.info.error);
}

template <class T>
std::size_t count_untouched(const PlainTensors& actual, const PlainTensors& of_nan, std::size_t i) {
  const auto values = actual.values<T>(i);
  const auto defined = of_nan.values<double>(i);
  std::size_t untouched = 0;
  for_each_repeated(actual.infos()[i], of_nan.infos()[i], [&](std::size_t a, std::size_t d) {
    if (std::isnan(defined[d]) && static_cast<double>(values[a]) == 0) ++untouched;
  });
  return untouched;
}

}  // namespace

Verdict compare(const PlainTensors& actual, const PlainTensors& expected, Tolerance tolerance) {
  Verdict worst;
  std::size_t compared = 0;
  for (std::size_t i = 0; i < expected.infos().size(); ++i) {
    const TensorInfo& info = actual.infos().at(i);
    if ((info.size() == 0) != (expected.infos()[i].size() == 0)) {
      throw std::logic_error(fmt::format("only one of the two sides has output {}", info.name));
    }
    if (info.size() == 0) continue;
    ++compared;
    const Verdict verdict =
        with_type(info.dtype, [&]<class T>(T) { return compare_tensor<T>(actual, expected, i, tolerance); });
    const double max_error = std::max(worst.max_error, verdict.max_error);
    if (worst.status == Status::ok) worst = verdict;
    worst.max_error = max_error;
  }
  if (compared == 0) throw std::logic_error("there is no output to compare");
  return worst;
}

bool is_zeros(std::span<const double> right) {
  return !right.empty() && std::ranges::all_of(right, [](double x) { return x == 0; });
}

bool has_output_of_zeros(const PlainTensors& expected) {
  for (std::size_t i = 0; i < expected.infos().size(); ++i) {
    if (is_zeros(expected.values<double>(i))) return true;
  }
  return false;
}

Verdict compare_written(const PlainTensors& actual, const PlainTensors& of_nan, const PlainTensors& expected) {
  for (std::size_t i = 0; i < expected.infos().size(); ++i) {
    if (!is_zeros(expected.values<double>(i))) continue;
    const TensorInfo& info = actual.infos().at(i);
    const std::size_t untouched =
        with_type(info.dtype, [&]<class T>(T) { return count_untouched<T>(actual, of_nan, i); });
    if (untouched == 0) continue;
    return {.status = Status::failed,
            .reason = fmt::format("{} of {} outputs in {} are still 0 for inputs of NaN: no run has written them",
                                  untouched, info.size(), info.name),
            .max_error = HUGE_VAL};
  }
  return {};
}

double largest(const PlainTensors& tensors) {
  double largest = 0;
  for (std::size_t i = 0; i < tensors.infos().size(); ++i) {
    for (const double value : tensors.values<double>(i)) largest = std::max(largest, std::abs(value));
  }
  return largest;
}

void fill_with_zeros(PlainTensors& tensors) {
  for (std::size_t i = 0; i < tensors.infos().size(); ++i) std::ranges::fill(tensors.values<double>(i), 0.0);
}

void poison(PlainTensors& outputs) {
  for (std::size_t i = 0; i < outputs.infos().size(); ++i) {
    with_type(outputs.infos()[i].dtype, [&]<class T>(T) {
      if constexpr (!std::is_integral_v<T>) {
        std::ranges::fill(outputs.values<T>(i), T(std::numeric_limits<float>::quiet_NaN()));
      }
    });
  }
}

}  // namespace brickwork
