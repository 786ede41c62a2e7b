// Reads a whole JSON file back, for tests. A library of its own, as compiling the parser in each test takes long.
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>

namespace brickwork {

nlohmann::json read_json(const std::filesystem::path&);

}  // namespace brickwork
