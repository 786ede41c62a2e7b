#include "primitives/op/plain_tensors.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace brickwork {
namespace {

const std::vector<TensorInfo> kInfos = {{.name = "src", .dims = {2, 3}, .per_image = true},
                                        {.name = "bias", .dims = {}},
                                        {.name = "index", .dims = {4}, .dtype = DType::f64}};

TEST(PlainTensors, AreFoundByNameAndZero) {
  PlainTensors tensors(kInfos);
  ASSERT_NE(tensors.at<float>("src"), nullptr);
  EXPECT_EQ(tensors.values<float>(0).size(), 6U);
  EXPECT_EQ(tensors.values<double>(2).size(), 4U);
  for (const float x : tensors.values<float>(0)) EXPECT_EQ(x, 0);
  tensors.at<float>("src")[5] = 7;
  EXPECT_EQ(std::as_const(tensors).values<float>(0)[5], 7);
}

TEST(PlainTensors, HaveElementsOfTheirTypesSize) {
  PlainTensors tensors({{.name = "a", .dims = {3}, .dtype = DType::bf16}, {.name = "b", .dims = {3}}});
  const auto a = tensors.values<bf16>(0);
  EXPECT_EQ(a.size_bytes(), 6U);
  EXPECT_EQ(tensors.values<float>(1).size_bytes(), 12U);
  for (const bf16 x : a) EXPECT_EQ(float(x), 0);
}

TEST(PlainTensors, AreNullIfTheProblemDoesNotHaveThem) {
  EXPECT_EQ(PlainTensors(kInfos).at<float>("bias"), nullptr);
  EXPECT_EQ(kInfos[1].size(), 0);
}

TEST(PlainTensors, TakeValuesOnlyFromTheSameTensors) {
  PlainTensors from(kInfos), to(kInfos);
  from.at<float>("src")[5] = 7;
  from.at<double>("index")[0] = 3;
  to.assign(from);
  EXPECT_EQ(to.at<float>("src")[5], 7);
  EXPECT_EQ(to.at<double>("index")[0], 3);
  EXPECT_THROW(to.assign(PlainTensors({kInfos[0]})), std::logic_error);
  EXPECT_THROW(to.assign(PlainTensors(with_dtype(kInfos, DType::f64))), std::logic_error);
}

TEST(PlainTensors, RefuseAnotherNameOrType) {
  const PlainTensors tensors(kInfos);
  EXPECT_THROW(tensors.at<float>("dst"), std::logic_error);
  EXPECT_THROW(tensors.at<double>("src"), std::logic_error);
}

}  // namespace
}  // namespace brickwork
