// The classes of the module, a file each. Their methods take arrays for the results, too: the Python code makes these.
#pragma once
#include <nanobind/nanobind.h>

namespace brickwork::python {

// An argument that is an array. None reaches the function, too, which then says what it expects.
inline auto array(const char* name) { return nanobind::arg(name).none(); }

void define_brgemm(nanobind::module_& m);
void define_layer(nanobind::module_& m);
void define_lstm(nanobind::module_& m);

}  // namespace brickwork::python
