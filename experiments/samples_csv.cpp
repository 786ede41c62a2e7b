#include "samples_csv.hpp"

#include <csv.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace brickwork {
namespace {

template <class Number>
std::string cell(std::optional<Number> value) {
  return value && !std::isnan(static_cast<double>(*value)) ? fmt::format("{}", *value) : "";
}

}  // namespace

SamplesCsv::SamplesCsv(const std::filesystem::path& path, RunInfo info, std::vector<std::string> size_columns)
    : path_(path),
      info_(std::move(info)),
      size_columns_(std::move(size_columns)),
      file_(std::fopen(path.c_str(), "wx")) {
  if (!file_ && errno == EEXIST && !std::filesystem::is_regular_file(path)) file_.reset(std::fopen(path.c_str(), "w"));
  if (!file_) cannot_write();
  std::vector<std::string> header{"run", "experiment", "problem", "name", "count"};
  header.insert(header.end(), size_columns_.begin(), size_columns_.end());
  for (const char* name : {"primitive", "pass",      "contender", "backend", "version", "implementation", "device",
                           "isa",       "dtype",     "threads",   "cache",   "phase",   "plan",           "status",
                           "reason",    "max_error", "sample",    "seconds", "flop",    "least_flop",     "bytes"}) {
    header.emplace_back(name);
  }
  write_line(header);
  flush();
}

void SamplesCsv::append(const Row& row) {
  std::vector<std::string> cells{info_.run, info_.experiment, row.problem, row.name, std::to_string(row.count)};
  for (const auto& column : size_columns_) {
    std::string value;
    for (const auto& [name, size] : row.sizes) {
      if (name == column) value = size;
    }
    cells.push_back(value);
  }
  for (const auto& text :
       {row.primitive,       row.pass,           row.contender,     row.backend,        row.version,
        row.implementation,  std::string("cpu"), row.isa,           std::string("f32"), std::to_string(info_.threads),
        info_.cache,         row.phase,          row.plan,          row.status,         row.reason,
        cell(row.max_error), cell(row.sample),   cell(row.seconds), cell(row.flop),     cell(row.least_flop),
        cell(row.bytes)}) {
    cells.push_back(text);
  }
  write_line(cells);
}

void SamplesCsv::flush() {
  if (std::fflush(file_.get()) != 0) cannot_write();
  if (fsync(fileno(file_.get())) != 0 && errno != EINVAL && errno != EROFS) cannot_write();  // EINVAL: not on a disk
}

void SamplesCsv::write_line(const std::vector<std::string>& cells) {
  const char* separator = "";
  for (const auto& text : cells) {
    std::fputs(separator, file_.get());
    separator = ",";
    if (text.find_first_of(",\"\r\n") == std::string::npos) {
      std::fputs(text.c_str(), file_.get());
    } else {
      csv_fwrite(file_.get(), text.data(), text.size());
    }
  }
  std::fputc('\n', file_.get());
  if (std::ferror(file_.get())) cannot_write();
}

void SamplesCsv::cannot_write() const {
  throw std::runtime_error(fmt::format("{} cannot be written: {}", path_.string(), std::strerror(errno)));
}

}  // namespace brickwork
