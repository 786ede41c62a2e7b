// Arrays of a Python caller as addresses: NumPy's, PyTorch's on the CPU, and any other that speaks DLPack. Nothing is
// copied: an array that the library cannot use where it lies is refused, in a sentence that names the argument.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <vector>

namespace brickwork::python {

namespace nb = nanobind;

using Shape = std::vector<std::int64_t>;

// The shape of any array of so many dimensions, whatever it holds.
Shape shape_of(nb::handle object, const char* name, int dimensions);

// Floats in C order that the library reads. They live as long as this object.
class Input {
 public:
  Input() = default;  // no array: a null address
  Input(nb::handle object, const char* name, const Shape& shape);
  const float* data() const;
  const char* name() const { return name_; }
  std::int64_t size() const { return static_cast<std::int64_t>(array_.size()); }

 private:
  nb::ndarray<nb::ro> array_;
  const char* name_ = "";
};

// Floats in C order that the library writes, and that overlap with no input.
class Output {
 public:
  Output() = default;
  Output(nb::handle object, const char* name, const Shape& shape, std::initializer_list<const Input*> inputs = {});
  float* data() const { return static_cast<float*>(array_.data()); }

 private:
  nb::ndarray<> array_;
};

// An argument that must be there where it is wanted, and None where it is not.
template <class Array>
Array array_if(bool wanted, nb::handle object, const char* name, const Shape& shape);

}  // namespace brickwork::python
