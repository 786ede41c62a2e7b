#include "experiments/harness/rows/csv_writer.hpp"

#include <csv.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

namespace brickwork {

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw std::runtime_error(fmt::format("the folder {} cannot be made: {}", folder.string(), error.message()));
  }
}

void refuse_to_overwrite(const std::filesystem::path& path) {
  throw std::runtime_error(fmt::format("{} already holds a run's {}: name another folder", path.parent_path().string(),
                                       path.filename().string()));
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const auto& text : cells) {
    if (&text != cells.data()) line += ',';
    if (text.find_first_of(",\"\r\n") == std::string::npos) {
      line += text;
    } else {
      std::string quoted(2 * text.size() + 2, '\0');
      quoted.resize(csv_write(quoted.data(), quoted.size(), text.data(), text.size()));
      line += quoted;
    }
  }
  return line += '\n';
}

CsvWriter::CsvWriter(const std::filesystem::path& path, const std::vector<std::string>& header)
    : path_(path), file_(std::fopen(path.c_str(), "wx")) {
  if (!file_ && errno == EEXIST) {
    if (std::filesystem::is_regular_file(path)) refuse_to_overwrite(path);
    file_.reset(std::fopen(path.c_str(), "w"));  // a device
  }
  if (!file_) cannot_write();
  write_line(header);
  flush();
}

void CsvWriter::write_line(const std::vector<std::string>& cells) {
  const std::string line = csv_line(cells);
  std::fwrite(line.data(), 1, line.size(), file_.get());
  if (std::ferror(file_.get())) cannot_write();
}

void CsvWriter::flush() {
  if (std::fflush(file_.get()) != 0) cannot_write();
  if (fsync(fileno(file_.get())) != 0 && errno != EINVAL && errno != EROFS) cannot_write();  // EINVAL: not on a disk
}

void CsvWriter::cannot_write() const {
  throw std::runtime_error(fmt::format("{} cannot be written: {}", path_.string(), std::strerror(errno)));
}

}  // namespace brickwork
