#pragma once
#include <optional>
#include <string>
#include <utility>

namespace brickwork {

// A value, or one sentence saying why there is none. Used where "unsupported" is an ordinary answer
// (a backend that lacks a shape) and must reach a result row; wrong user input throws std::invalid_argument.
template <class T>
class Result {
 public:
  Result(T value) : value_(std::move(value)) {}  // NOLINT: conversion is the point
  static Result unsupported(std::string reason) {
    Result r;
    r.reason_ = std::move(reason);
    return r;
  }

  explicit operator bool() const { return value_.has_value(); }
  const T& operator*() const { return *value_; }
  T& operator*() { return *value_; }
  const T* operator->() const { return &*value_; }
  const std::string& reason() const { return reason_; }  // empty when there is a value

 private:
  Result() = default;
  std::optional<T> value_;
  std::string reason_;
};

}  // namespace brickwork
