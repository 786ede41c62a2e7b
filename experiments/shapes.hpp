// Shape files: a CSV line is one problem. The header names the columns; their order is free.
//   convolution: name,C,K,H,W,R,S,stride_h,stride_w,pad_h,pad_w,count     (N is the command line's --minibatch)
//   brgemm:      name,m,n,k,batch,count
#pragma once
#include <filesystem>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "brgemm_problem.hpp"
#include "conv/conv_problem.hpp"

namespace brickwork {

// All of them throw std::invalid_argument with one sentence: file, line, column, what is wrong and what would be right.
std::vector<ConvProblem> read_conv_shapes(std::istream&, std::string_view file, std::int64_t minibatch,
                                          const ConvEpilogue&);
std::vector<BrgemmProblem> read_brgemm_shapes(std::istream&, std::string_view file);

// The folder of the shape sets that come with the project.
std::filesystem::path shapes_folder();
std::vector<std::string> shape_set_names();

// A path, or the name of a shape set. Throws std::invalid_argument where there is neither.
std::filesystem::path find_shapes(const std::string& file_or_name);

}  // namespace brickwork
