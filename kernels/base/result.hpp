// A value, or the reason why there is none.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace brickwork {

// The status column of a result row.
enum class Status {
  ok,
  unsupported,  // this problem cannot run on this machine
  absent,       // this build lacks the library
  misfit,       // the plan does not fit the problem
  failed,       // wrong result, or an error while running
};
std::string_view to_string(Status);

// For calls where "unsupported" is an ordinary answer (a backend lacks a shape) that must reach a result row. Wrong
// user input throws std::invalid_argument instead.
template <class T>
class Result {
 public:
  // Implicit on purpose. Two overloads, because with one by-value parameter nvcc copies a returned variable.
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
  Status status() const { return status_; }              // ok if there is a value
  const std::string& reason() const { return reason_; }  // empty if there is a value

 private:
  std::optional<T> value_;
  Status status_ = Status::ok;
  std::string reason_;
};

}  // namespace brickwork
