// Opens the file that a task learns from.
#pragma once
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace brickwork {

// Throws std::invalid_argument with one sentence if the file cannot be read.
inline std::ifstream open_data(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (std::filesystem::is_directory(path)) throw std::invalid_argument(fmt::format("{} is a directory", path));
  if (!in) throw std::invalid_argument(fmt::format("{} cannot be read: {}", path, std::strerror(errno)));
  return in;
}

}  // namespace brickwork
