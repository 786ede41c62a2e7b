// Calls of the C API from Python: without the GIL, and with a status that is not OK as an exception.
#pragma once
#include <brickwork/brickwork.h>
#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <type_traits>

namespace brickwork::python {

namespace nb = nanobind;

void define_exceptions(nb::module_& m);

// Throw a Python exception: the one of a status, or BadArgument.
[[noreturn]] void raise(brickwork_status status, const char* sentence);
[[noreturn]] void refuse(const std::string& sentence);

// Other Python threads run while the library computes. The last error belongs to this thread, so it can be read after.
template <class Function>
void call(const Function& function) {
  brickwork_status status = BRICKWORK_OK;
  {
    const nb::gil_scoped_release released;
    status = function();
  }
  if (status != BRICKWORK_OK) raise(status, brickwork_last_error());
}

// A handle that its owner destroys.
template <auto destroy>
struct Destroy {
  template <class Object>
  void operator()(Object* handle) const {
    destroy(handle);
  }
};
template <class Handle, auto destroy>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Destroy<destroy>>;

template <class Owner, class Create, class Sizes>
Owner made(Create create, const Sizes& sizes) {
  typename Owner::pointer handle = nullptr;
  call([&] { return create(&sizes, &handle); });
  return Owner(handle);
}

}  // namespace brickwork::python
