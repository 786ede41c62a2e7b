// brickwork._native: the C API for Python. The package's Python code makes the results' arrays and names the choices.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/arrays.hpp"
#include "python/call.hpp"
#include "python/classes.hpp"

namespace brickwork::python {

NB_MODULE(_native, m) {
  define_exceptions(m);
  m.def("version", [] { return std::string(brickwork_version()); });
  m.def(
      "threads", [] { return brickwork_threads(); }, "How many threads the layers use.");
  m.def(
      "set_threads", [](int threads) { call([&] { api::check(brickwork_set_threads(threads)); }); }, nb::arg("threads"),
      "Sets how many threads the layers use. Call it before the first layer is made and before tune().");
  m.def(
      "tune", [](const std::string& text) { call([&] { api::check(brickwork_tune(text.c_str())); }); },
      nb::arg("text") = "",
      "Takes the tuning that an earlier calibration of this processor found, or calibrates in some seconds; applies to "
      "layers that are made later.");
  m.def("shape_of", &shape_of, array("array"), nb::arg("name"), nb::arg("dimensions"));
  define_brgemm(m);
  define_layer(m);
  define_lstm(m);
}

}  // namespace brickwork::python
