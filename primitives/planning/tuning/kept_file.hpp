// Files that one run keeps for later ones.
#pragma once
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

namespace brickwork {

// Writes a second file and renames it, so that no run reads half a file. Returns whether it succeeded.
inline bool replace_file(const std::filesystem::path& file, std::string_view content) {
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  const std::filesystem::path unfinished = file.string() + "." + std::to_string(getpid());
  std::ofstream out(unfinished);
  out << content;
  out.close();
  if (out) std::filesystem::rename(unfinished, file, error);
  if (out && !error) return true;
  std::filesystem::remove(unfinished, error);
  return false;
}

}  // namespace brickwork
