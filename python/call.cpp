#include "python/call.hpp"

namespace brickwork::python {
namespace {

PyObject *bad_argument = nullptr, *unsupported = nullptr;  // live as long as the process

PyObject* exception_of(brickwork_status status) {
  switch (status) {
    case BRICKWORK_BAD_ARGUMENT:
      return bad_argument;
    case BRICKWORK_UNSUPPORTED:
      return unsupported;
    case BRICKWORK_OUT_OF_MEMORY:
      return PyExc_MemoryError;
    default:
      return PyExc_RuntimeError;
  }
}

}  // namespace

void define_exceptions(nb::module_& m) {
  bad_argument = PyErr_NewExceptionWithDoc("brickwork.BadArgument", "An argument is wrong; the sentence says which.",
                                           PyExc_ValueError, nullptr);
  unsupported = PyErr_NewExceptionWithDoc("brickwork.Unsupported", "Right, but not on this machine or in this build.",
                                          PyExc_NotImplementedError, nullptr);
  if (bad_argument == nullptr || unsupported == nullptr) throw nb::python_error();
  m.attr("BadArgument") = nb::handle(bad_argument);
  m.attr("Unsupported") = nb::handle(unsupported);
}

void raise(brickwork_status status, const char* sentence) {
  PyErr_SetString(exception_of(status), sentence);
  throw nb::python_error();
}

void refuse(const std::string& sentence) { raise(BRICKWORK_BAD_ARGUMENT, sentence.c_str()); }

}  // namespace brickwork::python
