// Python inside this program, for a library that has no other interface.
#pragma once
#include <memory>
#include <string>

namespace brickwork::dynet {

// An object of Python. Functions throw std::runtime_error with Python's message, in one sentence.
class PythonObject {
 public:
  PythonObject() = default;
  explicit PythonObject(void* owned);  // a new reference

  // Calls a method, or a function of a module, with one text or with nothing.
  PythonObject call(const char* name, const std::string& argument) const;
  PythonObject call(const char* name) const;
  std::string text() const;

 private:
  std::shared_ptr<void> object_;
};

// The module dynet_recursive; the interpreter starts with the first call. Throws as above if the library does not load.
const PythonObject& dynet_recursive();

}  // namespace brickwork::dynet
