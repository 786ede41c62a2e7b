#include "experiments/harness/testing/json_file.hpp"

#include <fstream>

namespace brickwork {

nlohmann::json read_json(const std::filesystem::path& path) {
  std::ifstream in(path);
  return nlohmann::json::parse(in);
}

}  // namespace brickwork
