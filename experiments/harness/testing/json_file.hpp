// Reads a whole JSON file back, for tests: compiling the parser once is quicker than in each of them.
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>

namespace brickwork {

nlohmann::json read_json(const std::filesystem::path&);

}  // namespace brickwork
