// A library that is loaded when it is needed, so that a program starts without it.
#pragma once
#include <dlfcn.h>

#include <stdexcept>
#include <string>

namespace brickwork {

class SharedLibrary {
 public:
  // Searches as the loader does; the library stays loaded.
  explicit SharedLibrary(const char* name) : handle_(dlopen(name, RTLD_NOW | RTLD_GLOBAL)) {
    if (handle_ == nullptr) missing_ = dlerror();
  }

  void* handle() const { return handle_; }
  const std::string& missing() const { return missing_; }  // the loader's words; empty if it is there

  // Throws std::runtime_error if the library has no such function.
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
