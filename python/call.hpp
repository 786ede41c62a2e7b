// Calls of the library from Python: without the GIL, and with what it refuses as a Python exception.
#pragma once
#include <nanobind/nanobind.h>

#include <brickwork/brickwork.hpp>
#include <string>

namespace brickwork::python {

namespace nb = nanobind;

void define_exceptions(nb::module_& m);

// Throw a Python exception: the one of a status, or BadArgument.
[[noreturn]] void raise(brickwork_status status, const char* sentence);
[[noreturn]] void refuse(const std::string& sentence);

// Returns what the function returns. Other Python threads run meanwhile.
template <class Function>
auto call(const Function& function) {
  try {
    const nb::gil_scoped_release released;
    return function();
  } catch (const api::Error& error) {
    raise(error.status(), error.what());
  }
}

}  // namespace brickwork::python
