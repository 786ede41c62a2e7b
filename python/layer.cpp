// Convolution and fully connected layers.
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "python/arrays.hpp"
#include "python/call.hpp"
#include "python/classes.hpp"

namespace brickwork::python {
namespace {

class Layer {
 public:
  explicit Layer(const brickwork_conv_sizes& s)
      : layer_(call([&] { return api::Layer(s); })),
        N_(s.N),
        src_{s.C, s.H, s.W},
        dst_{s.K, (s.H + 2 * s.pad_h - s.R) / s.stride_h + 1, (s.W + 2 * s.pad_w - s.S) / s.stride_w + 1},
        weights_{s.K, s.C, s.R, s.S},
        bias_(s.bias == 1),
        layout_(s.layout) {}
  explicit Layer(const brickwork_linear_sizes& s)
      : layer_(call([&] { return api::Layer(s); })),
        N_(s.N),
        src_{s.C},
        dst_{s.K},
        weights_{s.K, s.C},
        bias_(s.bias == 1),
        layout_(s.layout) {}

  // The shape in which the layer's functions take a tensor; `tensor` is a brickwork_tensor.
  Shape shape(int tensor) const {
    return layout_ == BRICKWORK_PACKED ? Shape{packed_size(tensor)} : plain_shape(tensor, layout_);
  }
  Shape plain_shape(int tensor, int layout) const {
    const bool of_dst = tensor == BRICKWORK_FORWARD_DST || tensor == BRICKWORK_BACKWARD_DATA_DDST ||
                        tensor == BRICKWORK_BACKWARD_WEIGHTS_DDST;
    Shape shape = of_dst ? dst_ : src_;
    if (layout == BRICKWORK_NHWC) std::rotate(shape.begin(), shape.begin() + 1, shape.end());
    shape.insert(shape.begin(), N_);
    return shape;
  }
  Shape weights_shape() const { return weights_; }
  bool bias() const { return bias_; }
  std::int64_t packed_size(int tensor) const {
    std::int64_t floats = 0;
    call([&] { api::check(brickwork_layer_packed_size(layer_.get(), tensor, &floats)); });
    return floats;
  }

  void set_weights(nb::handle weights, nb::handle bias) {
    const Input w(weights, "weights", weights_);
    const auto b = array_if<Input>(bias_, bias, "bias", bias_shape());
    call([&] { layer_.set_weights(w.data(), b.data()); });
  }

  void forward(nb::handle src, nb::handle dst) const {
    const Input in(src, "src", shape(BRICKWORK_FORWARD_SRC));
    const Output out(dst, "out", shape(BRICKWORK_FORWARD_DST), {&in});
    call([&] { layer_.forward(in.data(), out.data()); });
  }

  void backward_data(nb::handle ddst, nb::handle dsrc) const {
    const Input in(ddst, "ddst", shape(BRICKWORK_BACKWARD_DATA_DDST));
    const Output out(dsrc, "out", shape(BRICKWORK_BACKWARD_DATA_DSRC), {&in});
    call([&] { layer_.backward_data(in.data(), out.data()); });
  }

  void backward_weights(nb::handle src, nb::handle ddst, nb::handle dweights, nb::handle dbias) const {
    const Input s(src, "src", shape(BRICKWORK_BACKWARD_WEIGHTS_SRC));
    const Input d(ddst, "ddst", shape(BRICKWORK_BACKWARD_WEIGHTS_DDST));
    const Output dw(dweights, "dweights", weights_);
    const auto db = array_if<Output>(bias_, dbias, "dbias", bias_shape());
    call([&] { layer_.backward_weights(s.data(), d.data(), dw.data(), db.data()); });
  }

  void pack(int tensor, int from, nb::handle plain, nb::handle packed) const {
    const Input in(plain, "plain", plain_shape(tensor, from));
    const Output out(packed, "out", {packed_size(tensor)}, {&in});
    call([&] { api::check(brickwork_layer_pack(layer_.get(), tensor, from, in.data(), out.data())); });
  }

  void unpack(int tensor, int to, nb::handle packed, nb::handle plain) const {
    const Input in(packed, "packed", {packed_size(tensor)});
    const Output out(plain, "out", plain_shape(tensor, to), {&in});
    call([&] { api::check(brickwork_layer_unpack(layer_.get(), tensor, to, in.data(), out.data())); });
  }

 private:
  Shape bias_shape() const { return {weights_[0]}; }

  api::Layer layer_;
  std::int64_t N_;
  Shape src_, dst_;  // of one image: C H W and K P Q, or C and K
  Shape weights_;
  bool bias_;
  int layout_;
};

}  // namespace

void define_layer(nb::module_& m) {
  using Size = std::int64_t;
  m.def(
      "conv2d",
      [](Size N, Size C, Size K, Size H, Size W, Size R, Size S, Size stride_h, Size stride_w, Size pad_h, Size pad_w,
         bool bias, bool training, int activation, int layout) {
        return Layer(brickwork_conv_sizes{N, C, K, H, W, R, S, stride_h, stride_w, pad_h, pad_w, bias, training,
                                          activation, layout});
      },
      nb::arg("N"), nb::arg("C"), nb::arg("K"), nb::arg("H"), nb::arg("W"), nb::arg("R"), nb::arg("S"),
      nb::arg("stride_h"), nb::arg("stride_w"), nb::arg("pad_h"), nb::arg("pad_w"), nb::arg("bias"),
      nb::arg("training"), nb::arg("activation"), nb::arg("layout"));
  m.def(
      "linear",
      [](Size N, Size C, Size K, bool bias, bool training, int activation, int layout) {
        return Layer(brickwork_linear_sizes{N, C, K, bias, training, activation, layout});
      },
      nb::arg("N"), nb::arg("C"), nb::arg("K"), nb::arg("bias"), nb::arg("training"), nb::arg("activation"),
      nb::arg("layout"));
  nb::class_<Layer>(m, "Layer")
      .def("shape", &Layer::shape, nb::arg("tensor"))
      .def("plain_shape", &Layer::plain_shape, nb::arg("tensor"), nb::arg("layout"))
      .def("weights_shape", &Layer::weights_shape)
      .def_prop_ro("bias", &Layer::bias)
      .def("packed_size", &Layer::packed_size, nb::arg("tensor"))
      .def("set_weights", &Layer::set_weights, array("weights"), array("bias"))
      .def("forward", &Layer::forward, array("src"), array("dst"))
      .def("backward_data", &Layer::backward_data, array("ddst"), array("dsrc"))
      .def("backward_weights", &Layer::backward_weights, array("src"), array("ddst"), array("dweights"), array("dbias"))
      .def("pack", &Layer::pack, nb::arg("tensor"), nb::arg("layout"), array("plain"), array("packed"))
      .def("unpack", &Layer::unpack, nb::arg("tensor"), nb::arg("layout"), array("packed"), array("plain"));
}

}  // namespace brickwork::python
