// How the C API answers: a function's exceptions become its status and this thread's last error.
#pragma once
#include <brickwork/brickwork.h>

#include <initializer_list>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/base/result.hpp"

namespace brickwork::library {

// Right, but not on this machine or in this build.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void set_last_error(std::string sentence) noexcept;

template <class Call>
brickwork_status answer(const Call& call) noexcept {
  const auto failed = [](brickwork_status status, const char* sentence) {
    set_last_error(sentence);
    return status;
  };
  try {
    call();
    return BRICKWORK_OK;
  } catch (const std::bad_alloc&) {
    return failed(BRICKWORK_OUT_OF_MEMORY, "there is not enough memory for this call");
  } catch (const Unsupported& error) {
    return failed(BRICKWORK_UNSUPPORTED, error.what());
  } catch (const std::invalid_argument& error) {
    return failed(BRICKWORK_BAD_ARGUMENT, error.what());
  } catch (const std::exception& error) {
    return failed(BRICKWORK_FAILED, error.what());
  } catch (...) {
    return failed(BRICKWORK_FAILED, "an unknown error");
  }
}

// Throw std::invalid_argument where an argument, given with its name, is null.
void require(const void* pointer, const char* name);
void require(std::initializer_list<std::pair<const void*, const char*>> arguments);

// Throws std::invalid_argument where a switch is neither 0 nor 1.
bool flag(int value, const char* name);

// The value, or its reason as an exception.
template <class T>
T take(Result<T> result) {
  if (!result) throw Unsupported(result.reason());
  return *std::move(result);
}

}  // namespace brickwork::library
