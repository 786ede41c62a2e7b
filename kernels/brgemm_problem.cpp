#include "brgemm_problem.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "size_words.hpp"

namespace brickwork {
namespace {

constexpr std::int64_t max_size = std::int64_t{1} << 20;
constexpr std::int64_t max_elements = std::int64_t{1} << 30;

}  // namespace

BrgemmShape BrgemmProblem::shape() const {
  return {.m = static_cast<int>(m),
          .n = static_cast<int>(n),
          .k = static_cast<int>(k),
          .lda = k,
          .ldb = n,
          .ldc = n,
          .beta = 0,
          .batch_kind = BatchKind::strides,
          .stride_a = m * k,
          .stride_b = k * n};
}

void BrgemmProblem::validate() const {
  for (const auto& [key, size] : {std::pair{"m", m}, {"n", n}, {"k", k}, {"batch", batch}}) {
    if (size < 1 || size > max_size) {
      throw std::invalid_argument(fmt::format("{} is {}: it must be from 1 to 2^20", key, size));
    }
  }
  // m * k <= 2^40 and batch <= 2^20, so no product of three overflows.
  for (const auto& [tensor, elements] : {std::pair{"A", batch * m * k}, {"B", batch * k * n}, {"C", m * n}}) {
    if (elements > max_elements) {
      throw std::invalid_argument(fmt::format("{} has {} elements: at most 2^30 are allowed", tensor, elements));
    }
  }
  if (count < 1) throw std::invalid_argument(fmt::format("count is {}: it must be at least 1", count));
}

std::string to_string(const BrgemmProblem& p) { return fmt::format("m{}_n{}_k{}_batch{}", p.m, p.n, p.k, p.batch); }

BrgemmProblem parse_brgemm_problem(std::string_view text) {
  static constexpr std::string_view keys[] = {"m", "n", "k", "batch"};
  SizeWords words(keys);
  for (const auto word : split_words(text, " ,_")) words.add(word);
  BrgemmProblem p;
  p.m = words.get("m", text);
  p.n = words.get("n", text);
  p.k = words.get("k", text);
  p.batch = words.get_or("batch", 1);
  p.validate();
  return p;
}

std::vector<std::pair<std::string, std::string>> size_columns(const BrgemmProblem& p) {
  return {{"m", std::to_string(p.m)},
          {"n", std::to_string(p.n)},
          {"k", std::to_string(p.k)},
          {"batch", std::to_string(p.batch)}};
}

}  // namespace brickwork
