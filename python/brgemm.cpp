// The kernel for one shape.
#include <limits>

#include "python/arrays.hpp"
#include "python/call.hpp"
#include "python/classes.hpp"

namespace brickwork::python {
namespace {

int int_of(std::int64_t value, const char* name) {
  if (value > std::numeric_limits<int>::max()) {
    refuse("'" + std::string(name) + "' is " + std::to_string(value) + ": expected less than 2^31");
  }
  return static_cast<int>(value);
}

class Brgemm {
 public:
  explicit Brgemm(const brickwork_brgemm_shape& s)
      : m_(s.m), n_(s.n), k_(s.k), bias_(s.bias == 1), brgemm_(call([&] { return api::Brgemm(s); })) {}

  void run(nb::handle a, nb::handle b, nb::handle bias, nb::handle c) const {
    const std::int64_t batch = shape_of(a, "a", 3)[0];
    const Input a_in(a, "a", {batch, m_, k_}), b_in(b, "b", {batch, k_, n_});
    const auto bias_in = array_if<Input>(bias_, bias, "bias", {n_});
    const Output c_out(c, "c", {m_, n_}, {&a_in, &b_in});
    call([&] { brgemm_.run(a_in.data(), b_in.data(), batch, bias_in.data(), c_out.data()); });
  }

 private:
  std::int64_t m_, n_, k_;
  bool bias_;
  api::Brgemm brgemm_;
};

}  // namespace

void define_brgemm(nb::module_& module) {
  using Size = std::int64_t;
  nb::class_<Brgemm>(module, "Brgemm")
      .def(
          "__init__",
          [](Brgemm* self, Size m, Size n, Size k, bool beta, bool bias, int activation) {
            new (self) Brgemm({.m = int_of(m, "m"),
                               .n = int_of(n, "n"),
                               .k = int_of(k, "k"),
                               .lda = k,
                               .ldb = n,
                               .ldc = n,
                               .stride_a = m * k,
                               .stride_b = k * n,
                               .beta = beta,
                               .bias = bias,
                               .activation = activation});
          },
          nb::arg("m"), nb::arg("n"), nb::arg("k"), nb::arg("beta"), nb::arg("bias"), nb::arg("activation"))
      .def("run", &Brgemm::run, array("a"), array("b"), array("bias"), array("c"));
}

}  // namespace brickwork::python
