// The kernel for one shape.
#include <limits>

#include "python/arrays.hpp"
#include "python/call.hpp"
#include "python/classes.hpp"

namespace brickwork::python {
namespace {

using Handle = Owned<brickwork_brgemm, brickwork_brgemm_destroy>;

int int_of(std::int64_t value, const char* name) {
  if (value > std::numeric_limits<int>::max()) {
    refuse("'" + std::string(name) + "' is " + std::to_string(value) + ": expected less than 2^31");
  }
  return static_cast<int>(value);
}

class Brgemm {
 public:
  Brgemm(std::int64_t m, std::int64_t n, std::int64_t k, bool beta, bool bias, int activation)
      : m_(m), n_(n), k_(k), bias_(bias) {
    const brickwork_brgemm_shape shape{.m = int_of(m, "m"),
                                       .n = int_of(n, "n"),
                                       .k = int_of(k, "k"),
                                       .lda = k,
                                       .ldb = n,
                                       .ldc = n,
                                       .stride_a = m * k,
                                       .stride_b = k * n,
                                       .beta = beta,
                                       .bias = bias,
                                       .activation = activation};
    handle_ = made<Handle>(brickwork_brgemm_create, shape);
  }

  void run(nb::handle a, nb::handle b, nb::handle bias, nb::handle c) const {
    const std::int64_t batch = shape_of(a, "a", 3)[0];
    const Input a_in(a, "a", {batch, m_, k_}), b_in(b, "b", {batch, k_, n_});
    const auto bias_in = array_if<Input>(bias_, bias, "bias", {n_});
    const Output c_out(c, "c", {m_, n_}, {&a_in, &b_in});
    call([&] {
      return brickwork_brgemm_run(handle_.get(), a_in.data(), b_in.data(), batch, bias_in.data(), c_out.data());
    });
  }

 private:
  std::int64_t m_, n_, k_;
  bool bias_;
  Handle handle_;
};

}  // namespace

void define_brgemm(nb::module_& m) {
  nb::class_<Brgemm>(m, "Brgemm")
      .def(nb::init<std::int64_t, std::int64_t, std::int64_t, bool, bool, int>(), nb::arg("m"), nb::arg("n"),
           nb::arg("k"), nb::arg("beta"), nb::arg("bias"), nb::arg("activation"))
      .def("run", &Brgemm::run, array("a"), array("b"), array("bias"), array("c"));
}

}  // namespace brickwork::python
