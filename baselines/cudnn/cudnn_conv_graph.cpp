#ifdef BRICKWORK_HAS_CUDNN
#include <cudnn_frontend.h>

#include <optional>
#include <stdexcept>
#include <unordered_map>

#include "baselines/cudnn/cudnn.hpp"
#include "baselines/cudnn/cudnn_conv.hpp"

namespace cudnn_frontend {
void* cudnn_dlhandle = nullptr;  // the frontend's headers look here for the library's functions
}

namespace brickwork::cudnn {
namespace {

namespace fe = cudnn_frontend;

enum Uid : std::int64_t { kX = 1, kW, kY };

using Graph = fe::graph::Graph;
using GraphTensor = std::shared_ptr<fe::graph::Tensor_attributes>;

void require_good(fe::error_t error) {
  if (error.is_bad()) throw std::runtime_error("cuDNN's graph API: " + error.get_message());
}

template <class Attributes>
Attributes geometry(const ConvProblem& p) {
  Attributes attributes;
  attributes.set_padding({p.pad_h, p.pad_w}).set_stride({p.stride_h, p.stride_w}).set_dilation({1, 1});
  return attributes;
}

GraphTensor source(Graph& graph, const cuda::Tensor& tensor, Uid uid) {
  return graph.tensor(fe::graph::Tensor_attributes().set_uid(uid).set_dim(tensor.dims()).set_stride(tensor.strides()));
}

void set_result(const GraphTensor& result, const cuda::Tensor& tensor, Uid uid) {
  result->set_output(true).set_uid(uid).set_dim(tensor.dims()).set_stride(tensor.strides());
}

void add_pass(Graph& graph, const ConvTask& task) {
  const ConvProblem& p = task.problem;
  switch (task.pass) {
    case Pass::forward: {
      const auto x = source(graph, task.x, kX), w = source(graph, task.w, kW);
      return set_result(graph.conv_fprop(x, w, geometry<fe::graph::Conv_fprop_attributes>(p)), task.y, kY);
    }
    case Pass::backward_data: {
      const auto dy = source(graph, task.y, kY), w = source(graph, task.w, kW);
      return set_result(graph.conv_dgrad(dy, w, geometry<fe::graph::Conv_dgrad_attributes>(p)), task.x, kX);
    }
    case Pass::weight_update: {
      const auto dy = source(graph, task.y, kY), x = source(graph, task.x, kX);
      return set_result(graph.conv_wgrad(dy, x, geometry<fe::graph::Conv_wgrad_attributes>(p)), task.w, kW);
    }
  }
}

// `transform`: selects only plans that have this note.
std::shared_ptr<Graph> planned(const ConvTask& task, std::optional<fe::NumericalNote_t> transform) {
  using Note = fe::NumericalNote_t;
  const auto type = task.precision == Precision::bf16 ? fe::DataType_t::BFLOAT16 : fe::DataType_t::FLOAT;
  auto graph = std::make_shared<Graph>();
  graph->set_io_data_type(type)
      .set_intermediate_data_type(fe::DataType_t::FLOAT)
      .set_compute_data_type(fe::DataType_t::FLOAT);
  add_pass(*graph, task);
  require_good(graph->validate());
  require_good(graph->build_operation_graph(handle()));
  require_good(graph->create_execution_plans({fe::HeurMode_t::A, fe::HeurMode_t::B, fe::HeurMode_t::FALLBACK}));
  graph->deselect_numeric_notes({Note::REDUCED_PRECISION_REDUCTION});
  if (task.precision == Precision::f32) graph->deselect_numeric_notes({Note::TENSOR_CORE, Note::DOWN_CONVERT_INPUTS});
  if (transform) {
    graph->select_numeric_notes({*transform});
  } else {
    graph->deselect_numeric_notes(
        {Note::WINOGRAD, Note::WINOGRAD_TILE_4x4, Note::WINOGRAD_TILE_6x6, Note::WINOGRAD_TILE_13x13, Note::FFT});
  }
  return graph;
}

void add_plans(const std::shared_ptr<Graph>& graph, const ConvTask& task, std::vector<cuda::Way>& ways) {
  std::unordered_map<std::int64_t, void*> tensors{{kX, task.x.data()}, {kW, task.w.data()}, {kY, task.y.data()}};
  for (std::int64_t plan = 0; plan < graph->get_execution_plan_count(); ++plan) {
    std::int64_t workspace = 0;
    std::string name;
    if (graph->build_plan_at_index(plan).is_bad() ||
        graph->get_workspace_size_plan_at_index(plan, workspace).is_bad() ||
        graph->get_plan_name_at_index(plan, name).is_bad() ||
        static_cast<std::size_t>(workspace) > cuda::most_workspace()) {
      continue;  // a deselected plan, or one that this device does not accept
    }
    ways.push_back({.name = "graph " + name,
                    .workspace_bytes = static_cast<std::size_t>(workspace),
                    .run = [graph, plan, tensors](void* at) mutable {
                      require_good(graph->execute_plan_at_index(handle(), tensors, at, plan));
                    }});
  }
}

}  // namespace

std::vector<cuda::Way> graph_plans(const ConvTask& task) {
  cudnn_frontend::cudnn_dlhandle = library().handle();
  std::vector<cuda::Way> ways;
  if (task.algorithms == Algorithms::direct) {
    add_plans(planned(task, std::nullopt), task, ways);
  } else {
    add_plans(planned(task, fe::NumericalNote_t::WINOGRAD), task, ways);
    add_plans(planned(task, fe::NumericalNote_t::FFT), task, ways);
  }
  return ways;
}

}  // namespace brickwork::cudnn
#endif
