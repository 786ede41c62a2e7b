#include "python/arrays.hpp"

#include <functional>
#include <string>

#include "python/call.hpp"

namespace brickwork::python {
namespace {

using Array = nb::ndarray<nb::ro>;

std::string quoted(const char* name) { return "'" + std::string(name) + "'"; }

// Prints a shape as Python does: (2, 3); with one dimension (2,).
std::string tuple(const std::int64_t* values, std::size_t count) {
  std::string text = "(";
  for (std::size_t i = 0; i < count; ++i) text += (i > 0 ? ", " : "") + std::to_string(values[i]);
  return text + (count == 1 ? ",)" : ")");
}

std::string dtype_name(nb::dlpack::dtype type) {
  static constexpr const char* kKinds[] = {"int", "uint", "float", "opaque", "bfloat", "complex", "bool"};
  if (type.code >= std::size(kKinds)) return "of another kind";
  return kKinds[type.code] + std::to_string(type.bits);
}

Array array_of(nb::handle object, const char* name) {
  if (nb::hasattr(object, "requires_grad") && nb::cast<bool>(object.attr("requires_grad"))) {
    refuse(quoted(name) + " requires a gradient, which this function does not record: pass " + name +
           ".detach(), or use brickwork.torch");
  }
  Array array;
  if (!nb::try_cast(object, array, /*convert=*/false)) {
    refuse(quoted(name) + " is of type " + nb::type_name(object.type()).c_str() +
           ": expected a NumPy array or a CPU tensor of native byte order");
  }
  return array;
}

bool in_c_order(const Array& array) {
  std::int64_t step = 1;
  for (std::size_t i = array.ndim(); i-- > 0;) {
    if (array.shape(i) != 1 && array.stride(i) != step) return false;
    step *= static_cast<std::int64_t>(array.shape(i));
  }
  return true;
}

Array checked(nb::handle object, const char* name, const Shape& shape) {
  Array array = array_of(object, name);
  const int device = array.device_type();
  if (device != nb::device::cpu::value && device != nb::device::cuda_host::value) {
    refuse(quoted(name) + " lies on a " + (device == nb::device::cuda::value ? "CUDA" : "foreign") +
           " device: expected the CPU's memory");
  }
  if (array.dtype() != nb::dtype<float>()) {
    refuse(quoted(name) + " is " + dtype_name(array.dtype()) + ": expected float32");
  }
  const std::int64_t* const its = array.shape_ptr();
  if (!std::equal(shape.begin(), shape.end(), its, its + array.ndim())) {
    refuse(quoted(name) + " has shape " + tuple(its, array.ndim()) + ": expected " + tuple(shape.data(), shape.size()));
  }
  if (array.size() > 0 && !in_c_order(array)) {
    refuse(quoted(name) + " is not contiguous, its strides are " + tuple(array.stride_ptr(), array.ndim()) +
           " elements: expected an array in C order, as numpy.ascontiguousarray() or .contiguous() copies it");
  }
  return array;
}

}  // namespace

Shape shape_of(nb::handle object, const char* name, int dimensions) {
  const Array array = array_of(object, name);
  if (array.ndim() != static_cast<std::size_t>(dimensions)) {
    refuse(quoted(name) + " has shape " + tuple(array.shape_ptr(), array.ndim()) + ": expected " +
           std::to_string(dimensions) + " dimensions");
  }
  return {array.shape_ptr(), array.shape_ptr() + array.ndim()};
}

Input::Input(nb::handle object, const char* name, const Shape& shape)
    : array_(checked(object, name, shape)), name_(name) {}

const float* Input::data() const {
  // An empty tensor may have no address, which the library would take for a missing argument.
  static constexpr float kNothing = 0;
  if (array_.is_valid() && array_.size() == 0) return &kNothing;
  return static_cast<const float*>(array_.data());
}

Output::Output(nb::handle object, const char* name, const Shape& shape, std::initializer_list<const Input*> inputs) {
  checked(object, name, shape);
  if (!nb::try_cast(object, array_, /*convert=*/false)) {
    refuse(quoted(name) + " is read-only: expected an array that can be written");
  }
  const std::less<const float*> before;
  for (const Input* input : inputs) {
    const float *first = input->data(), *end = first + input->size();
    if (before(data(), end) && before(first, data() + array_.size())) {
      refuse(quoted(name) + " shares memory with " + quoted(input->name()) + ": expected arrays apart");
    }
  }
}

template <class Wanted>
Wanted array_if(bool wanted, nb::handle object, const char* name, const Shape& shape) {
  if (wanted) return Wanted(object, name, shape);
  if (!object.is_none()) refuse(quoted(name) + " is given, but the layer was made without it: expected None");
  return {};
}
template Input array_if<Input>(bool, nb::handle, const char*, const Shape&);
template Output array_if<Output>(bool, nb::handle, const char*, const Shape&);

}  // namespace brickwork::python
