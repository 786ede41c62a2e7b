// LSTMs. D is the number of directions.
#include <nanobind/stl/vector.h>

#include "python/arrays.hpp"
#include "python/call.hpp"
#include "python/classes.hpp"

namespace brickwork::python {
namespace {

class Lstm {
 public:
  explicit Lstm(const brickwork_lstm_sizes& s)
      : s_(s),
        D_(s.bidirectional + 1),
        x_{s.T, s.N, s.C},
        y_{s.T, s.N, D_ * s.K},
        states_{s.L * D_, s.N, s.K},
        lstm_(call([&] { return api::Lstm(s); })) {}

  Shape x_shape() const { return x_; }
  Shape y_shape() const { return y_; }
  Shape states_shape() const { return states_; }
  Shape input_shape(std::int64_t layer) const { return {D_, layer == 0 ? s_.C : D_ * s_.K, 4, s_.K}; }
  Shape state_shape() const { return {D_, s_.K, 4, s_.K}; }
  Shape bias_shape() const { return {D_, 4, s_.K}; }

  void set_weights(std::int64_t layer, nb::handle input, nb::handle state, nb::handle bias) {
    const Input i(input, "input", input_shape(layer)), s(state, "state", state_shape()), b(bias, "bias", bias_shape());
    call([&] { lstm_.set_weights(layer, i.data(), s.data(), b.data()); });
  }

  void forward(nb::handle x, nb::handle h0, nb::handle c0, nb::handle y, nb::handle hT, nb::handle cT) {
    const Input x_in(x, "x", x_), h0_in(h0, "h0", states_), c0_in(c0, "c0", states_);
    const Output y_out(y, "y", y_), hT_out(hT, "hT", states_), cT_out(cT, "cT", states_);
    call([&] { lstm_.forward(x_in.data(), h0_in.data(), c0_in.data(), y_out.data(), hT_out.data(), cT_out.data()); });
  }

  void backward(nb::handle dy, nb::handle dhT, nb::handle dcT, nb::handle dx, nb::handle dh0, nb::handle dc0) {
    const Input dy_in(dy, "dy", y_), dhT_in(dhT, "dhT", states_), dcT_in(dcT, "dcT", states_);
    const Output dx_out(dx, "dx", x_), dh0_out(dh0, "dh0", states_), dc0_out(dc0, "dc0", states_);
    call([&] {
      lstm_.backward(dy_in.data(), dhT_in.data(), dcT_in.data(), dx_out.data(), dh0_out.data(), dc0_out.data());
    });
  }

  void weight_gradients(std::int64_t layer, nb::handle input, nb::handle state, nb::handle bias) const {
    const Output i(input, "input", input_shape(layer)), s(state, "state", state_shape()), b(bias, "bias", bias_shape());
    call([&] { lstm_.weight_gradients(layer, i.data(), s.data(), b.data()); });
  }

 private:
  brickwork_lstm_sizes s_;
  std::int64_t D_;
  Shape x_, y_, states_;
  api::Lstm lstm_;
};

}  // namespace

void define_lstm(nb::module_& m) {
  using Size = std::int64_t;
  nb::class_<Lstm>(m, "Lstm")
      .def(
          "__init__",
          [](Lstm* self, Size T, Size N, Size C, Size K, Size L, bool bidirectional, bool training) {
            new (self) Lstm(brickwork_lstm_sizes{T, N, C, K, L, bidirectional, training});
          },
          nb::arg("T"), nb::arg("N"), nb::arg("C"), nb::arg("K"), nb::arg("L"), nb::arg("bidirectional"),
          nb::arg("training"))
      .def("x_shape", &Lstm::x_shape)
      .def("y_shape", &Lstm::y_shape)
      .def("states_shape", &Lstm::states_shape)
      .def("input_shape", &Lstm::input_shape, nb::arg("layer"))
      .def("state_shape", &Lstm::state_shape)
      .def("bias_shape", &Lstm::bias_shape)
      .def("set_weights", &Lstm::set_weights, nb::arg("layer"), array("input"), array("state"), array("bias"))
      .def("forward", &Lstm::forward, array("x"), array("h0"), array("c0"), array("y"), array("hT"), array("cT"))
      .def("backward", &Lstm::backward, array("dy"), array("dhT"), array("dcT"), array("dx"), array("dh0"),
           array("dc0"))
      .def("weight_gradients", &Lstm::weight_gradients, nb::arg("layer"), array("input"), array("state"),
           array("bias"));
}

}  // namespace brickwork::python
