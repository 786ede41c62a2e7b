// Where recurrent layers run, and where what they compute with lies: the host (rnn_on_host.hpp) or a device
// (rnn_on_cuda.hpp).
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "aligned_buffer.hpp"
#include "result.hpp"
#include "rnn/rnn_backward_body.hpp"
#include "rnn/rnn_forward_body.hpp"

namespace brickwork {

// One way of one layer, made for its geometry. Tensors lie where the place computes.
class RnnForwardPass {
 public:
  virtual ~RnnForwardPass() = default;
  virtual void run(const RnnForwardData&) const = 0;
  virtual std::string_view isa() const = 0;
};

class RnnBackwardPass {
 public:
  virtual ~RnnBackwardPass() = default;
  virtual void run_data(const RnnBackwardData&) const = 0;
  virtual void run_x(const RnnBackwardData&, float* dx, bool accumulate) const = 0;
  virtual void run_update(const RnnBackwardData&) const = 0;
};

// Of a device; zeros when it is made.
class MemoryElsewhere {
 public:
  virtual ~MemoryElsewhere() = default;
  virtual void* data() = 0;
  virtual void copy_from(const void* host) = 0;
  virtual void copy_to(void* host) const = 0;
};

// How large calls and tasks are, going back.
struct RnnBackwardSizes {
  std::int64_t bn;                          // sequences of a task
  std::int64_t shares;                      // of a step's product, at most
  std::int64_t bytes_of_weights;            // of a call of a product, at most
  std::int64_t rows_of_dx, rows_of_update;  // of a call, sequences of all steps counted through, at most
  std::int64_t tasks_of_update;             // that run at a time where fewer may be cut into parts
};

class RnnPlace {
 public:
  virtual ~RnnPlace() = default;
  virtual bool apart() const = 0;              // as RnnForwardGeometry's
  virtual std::int64_t rows_of_x() const = 0;  // of a call forward, at most
  virtual RnnBackwardSizes backward_sizes(const RnnForwardGeometry&) const = 0;
  // Refused where there is no brick.
  virtual Result<std::shared_ptr<const RnnForwardPass>> forward(const RnnForwardGeometry&) const = 0;
  virtual Result<std::shared_ptr<const RnnBackwardPass>> backward(const RnnBackwardGeometry&) const = 0;
  // Who has a tile of their own while so many tasks run.
  virtual std::int64_t workers(std::int64_t tasks) const = 0;
  virtual std::unique_ptr<MemoryElsewhere> memory(std::size_t bytes) const = 0;  // null: it is the host's
};

// An array where a place computes, of zeros; and on the host from the first time that it is asked for there.
template <class T>
class Placed {
 public:
  Placed() = default;
  Placed(std::int64_t size, const RnnPlace& place) : size_(static_cast<std::size_t>(size)) {
    if (size > 0) elsewhere_ = place.memory(size_ * sizeof(T));
    if (!elsewhere_) host_ = AlignedBuffer<T>(size_);
  }

  std::size_t size() const { return size_; }
  // Null of none.
  T* data() const {
    if (size_ == 0) return nullptr;
    return elsewhere_ ? static_cast<T*>(elsewhere_->data()) : host_.data();
  }

  // To write there and send() it; or, fetched, to read.
  T* host() {
    on_host();
    return host_.data();
  }
  void send() {
    if (elsewhere_) elsewhere_->copy_from(host());
  }
  const T* fetched() const {
    on_host();
    if (elsewhere_) elsewhere_->copy_to(host_.data());
    return host_.data();
  }

 private:
  void on_host() const {
    if (host_.size() < size_) host_ = AlignedBuffer<T>(size_);
  }

  std::size_t size_ = 0;
  std::unique_ptr<MemoryElsewhere> elsewhere_;
  mutable AlignedBuffer<T> host_;
};

}  // namespace brickwork
