// A library that is loaded when it is needed, so that a program starts without it.
#pragma once
#include <dlfcn.h>

#include <stdexcept>
#include <string>

namespace brickwork {

class SharedLibrary {
 public:
  // Loads the library; searches for `name` as the dynamic linker does. It stays loaded.
  explicit SharedLibrary(const char* name) : handle_(dlopen(name, RTLD_NOW | RTLD_GLOBAL)) {
    if (handle_ == nullptr) missing_ = dlerror();
  }

  void* handle() const { return handle_; }
  const std::string& missing() const { return missing_; }  // the dynamic linker's message; empty if it was loaded

  // Only if handle() is not null. Throws std::runtime_error if the library has no such function.
  template <class Function>
  Function* function(const char* name) const {
    void* const found = dlsym(handle_, name);
    if (found == nullptr) throw std::runtime_error(std::string(name) + " is missing from the loaded library");
    return reinterpret_cast<Function*>(found);
  }

 private:
  void* handle_;
  std::string missing_;
};

}  // namespace brickwork
