#include "kernels/base/result.hpp"

namespace brickwork {

std::string_view to_string(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::unsupported:
      return "unsupported";
    case Status::absent:
      return "absent";
    case Status::misfit:
      return "misfit";
    case Status::failed:
      return "failed";
  }
  return "unknown";
}

}  // namespace brickwork
