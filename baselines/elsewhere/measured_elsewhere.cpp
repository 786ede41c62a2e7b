#include "baselines/elsewhere/measured_elsewhere.hpp"

#include <filesystem>

namespace brickwork {

std::string program_beside(std::string_view name) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto program = self.parent_path() / name;
  return !error && std::filesystem::exists(program, error) ? program.string() : "";
}

}  // namespace brickwork
