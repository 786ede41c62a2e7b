// Whether something could be made or done, in one word and one sentence.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace brickwork {

// The words of a result row.
enum class Status {
  ok,
  unsupported,  // this problem, on this machine
  absent,       // a library that this build lacks
  misfit,       // a plan that does not fit the problem
  failed,       // wrong, or refused in the middle
};
std::string_view to_string(Status);

// A value, or why there is none. Used where "unsupported" is an ordinary answer (a backend that lacks a shape) and must
// reach a result row; wrong user input throws std::invalid_argument.
template <class T>
class Result {
 public:
  // Conversion is the point. By two references, as nvcc would copy a variable that is returned as a value.
  Result(const T& value) : value_(value) {}        // NOLINT
  Result(T&& value) : value_(std::move(value)) {}  // NOLINT
  Result(Status why, std::string reason) : status_(why), reason_(std::move(reason)) {}
  static Result unsupported(std::string reason) { return {Status::unsupported, std::move(reason)}; }
  static Result absent(std::string reason) { return {Status::absent, std::move(reason)}; }
  static Result misfit(std::string reason) { return {Status::misfit, std::move(reason)}; }

  explicit operator bool() const { return value_.has_value(); }
  const T& operator*() const& { return *value_; }
  T& operator*() & { return *value_; }
  T&& operator*() && { return *std::move(value_); }
  const T* operator->() const { return &*value_; }
  Status status() const { return status_; }              // ok when there is a value
  const std::string& reason() const { return reason_; }  // empty when there is a value

 private:
  std::optional<T> value_;
  Status status_ = Status::ok;
  std::string reason_;
};

}  // namespace brickwork
