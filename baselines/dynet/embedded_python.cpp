// Before all other headers, as Python's documentation demands.
#define PY_SSIZE_T_CLEAN
#include "baselines/dynet/embedded_python.hpp"

#include <Python.h>

#include <algorithm>
#include <stdexcept>

#include "dynet_sources.hpp"

namespace brickwork::dynet {
namespace {

[[noreturn]] void throw_error() {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  PyObject* const text = value == nullptr ? nullptr : PyObject_Str(value);
  const char* const message = text == nullptr ? nullptr : PyUnicode_AsUTF8(text);
  std::string why = std::string("Python: ") + (message == nullptr ? "an error without a message" : message);
  for (PyObject* const object : {type, value, trace, text}) Py_XDECREF(object);
  std::ranges::replace(why, '\n', ' ');
  throw std::runtime_error(why);
}

PyObject* checked(PyObject* object) {
  if (object == nullptr) throw_error();
  return object;
}

// Starts the interpreter that scripts/setup installed: it finds numpy by itself. DyNet lies in a folder of its own.
void start_python() {
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  config.install_signal_handlers = 0;
  PyConfig_SetBytesString(&config, &config.executable, kPython);
  const PyStatus status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  if (PyStatus_Exception(status) != 0) {
    throw std::runtime_error(std::string("Python does not start: ") +
                             (status.err_msg == nullptr ? "" : status.err_msg));
  }
  PyObject* const path = PySys_GetObject("path");  // borrowed
  PyObject* const name = checked(PyUnicode_FromString(kDynetFolder));
  if (PyList_Insert(path, 0, name) != 0) throw_error();
  Py_DECREF(name);
}

}  // namespace

PythonObject::PythonObject(void* owned)
    : object_(owned, [](void* object) { Py_XDECREF(static_cast<PyObject*>(object)); }) {}

PythonObject PythonObject::call(const char* name, const std::string& argument) const {
  return PythonObject(checked(PyObject_CallMethod(static_cast<PyObject*>(object_.get()), name, "s", argument.c_str())));
}

PythonObject PythonObject::call(const char* name) const {
  return PythonObject(checked(PyObject_CallMethod(static_cast<PyObject*>(object_.get()), name, nullptr)));
}

std::string PythonObject::text() const {
  const char* const text = PyUnicode_AsUTF8(static_cast<PyObject*>(object_.get()));
  if (text == nullptr) throw_error();
  return text;
}

const PythonObject& dynet_recursive() {
  static const PythonObject module = [] {
    start_python();
    PyObject* const code = checked(Py_CompileString(kDynetRecursive, "dynet_recursive.py", Py_file_input));
    PyObject* const imported = PyImport_ExecCodeModule("dynet_recursive", code);
    Py_DECREF(code);
    return PythonObject(checked(imported));
  }();
  return module;
}

}  // namespace brickwork::dynet
