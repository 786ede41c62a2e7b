// A thread block on the host, for the GPU bricks: its warps run one after the other between two barriers, and their
// instructions do what the PTX ISA says. A mistake that a device would show only now and then shows every time, or
// throws std::logic_error: reading a copy before it was waited for, or reading and writing a place between two
// barriers.
#pragma once
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/base/bf16.hpp"
#include "kernels/base/tf32.hpp"
#include "kernels/gpu/mma/mma_fragments.hpp"

namespace brickwork {

// When asynchronous copies are done: at once, or only after somebody has waited for them.
enum class Copies { early, late };

class HostWarps;

class HostWarp {
 public:
  template <class S>
  struct Lanes {
    S all[mma::kLanes];
    S& operator[](int lane) { return all[lane]; }
    const S& operator[](int lane) const { return all[lane]; }
  };

  explicit HostWarp(HostWarps& block) : block_(block) {}

  template <class F>
  void each_lane(const F& f) const {
    for (int lane = 0; lane < mma::kLanes; ++lane) f(lane);
  }
  template <bool transposed, class Address>
  void load_matrices(Lanes<mma::Registers>& to, const Address& address) const;
  std::uint32_t to_tf32(float x) const { return __builtin_bit_cast(std::uint32_t, rounded_to_tf32(x)); }
  template <class T>
  void multiply_add(Lanes<mma::Sums>& sums, const Lanes<mma::Registers>& a, const Lanes<mma::Registers>& b,
                    int which) const;
  // wgmma: products are done at once, but their operands may be written only after a wait for the products.
  template <int n>
  void keep(Lanes<mma::Sums> (&)[n]) const {}
  void begin_products() const {}
  template <class Tile>
  void multiply_add(Lanes<mma::Sums> (&sums)[Tile::kN / 8], int number, int a, int b) const;

 private:
  HostWarps& block_;
};

class HostWarps {
 public:
  using Warp = HostWarp;
  template <class S>
  class PerWarp {
   public:
    S& operator[](int number) {
      if (static_cast<std::size_t>(number) >= all_.size()) all_.resize(static_cast<std::size_t>(number) + 1);
      return all_[static_cast<std::size_t>(number)];
    }

   private:
    std::vector<S> all_;
  };
  template <class S>
  using PerThread = PerWarp<S>;

  HostWarps(int threads, int scratch_bytes, Copies copies)
      : threads_(threads), copies_(copies), memory_(static_cast<std::size_t>(scratch_bytes), kPoison) {
    read_.resize(memory_.size() / mma::kCopied), written_.resize(read_.size());
    products_of_.resize(read_.size()), unpublished_.resize(read_.size());
  }

  template <class F>
  void each_thread(const F& f) {
    for (int thread = 0; thread < threads_; ++thread) f(thread);
  }
  template <class F>
  void each_warp(const F& f) {
    HostWarp warp(*this);
    for (int number = 0; number < threads_ / mma::kLanes; ++number) f(warp, number);
  }

  // A copy that was waited for is visible to other threads only after a barrier.
  void barrier() {
    std::size_t kept = 0;
    for (const Copy& copy : under_way_) {
      if (copy.group < waited_for_) {
        std::memcpy(&memory_[static_cast<std::size_t>(copy.to)], copy.data, copy.size);
      } else {
        under_way_[kept++] = copy;
      }
    }
    under_way_.resize(kept);
    ++between_barriers_;
    finished_products_ = waited_products_, published_for_all_ = published_;
  }

  template <bool all = false>
  void copy_async(int to, const void* from, bool live) {
    copy_async_of(mma::kCopied, to, from, live);
  }
  template <bool all = false>
  void copy_element_async(int to, const void* from, bool live) {
    copy_async_of(4, to, from, live);
  }
  void commit() { ++group_; }
  template <int unfinished>
  void wait() {
    for (const Copy& copy : under_way_) {
      if (copy.group < group_ - unfinished) unpublished_[static_cast<std::size_t>(copy.to) / mma::kCopied] = published_;
    }
    waited_for_ = group_ - unfinished;
  }

  void publish() { ++published_; }
  void commit_products() { ++product_group_; }
  template <int unfinished>
  void wait_products() {
    waited_products_ = product_group_ - unfinished;
  }
  // Reads as a product does: only what was published before the last barrier.
  bf16 read_by_product(int from) {
    const std::size_t chunk = chunk_of(from, sizeof(bf16));
    require(unpublished_[chunk] < published_for_all_, "a product reads what was not published");
    products_of_[chunk] = product_group_;
    bf16 x;
    read(from, sizeof(x), &x);
    return x;
  }

  template <class T>
  T load(int from) {
    T x;
    read(from, sizeof(T), &x);
    return x;
  }
  void load_four(int from, float (&x)[4]) { read(from, mma::kCopied, x); }
  template <class T>
  void store(int to, T x) {
    write(to, sizeof(T));
    std::memcpy(&memory_[static_cast<std::size_t>(to)], &x, sizeof(T));
  }

  void store_two(int to, float x, float next) {
    require(to % 8 == 0, "a pair is stored at a misaligned place");
    store(to, x), store(to + 4, next);
  }

  void read(int from, int bytes, void* to) {
    const std::size_t chunk = chunk_of(from, bytes);
    require(written_[chunk] != between_barriers_, "a place is read that was written since the last barrier");
    read_[chunk] = between_barriers_;
    std::memcpy(to, &memory_[static_cast<std::size_t>(from)], static_cast<std::size_t>(bytes));
  }

 private:
  static constexpr unsigned char kPoison = 0xFF;  // NaN in every type
  struct Copy {
    int to;
    std::int64_t group;
    std::size_t size;
    unsigned char data[mma::kCopied];
  };

  void copy_async_of(std::int64_t bytes, int to, const void* from, bool live) {
    const auto size = static_cast<std::size_t>(bytes);
    require(!live || reinterpret_cast<std::uintptr_t>(from) % size == 0, "a copy reads from a misaligned address");
    require(to % bytes == 0, "a copy goes to a misaligned place");
    write(to, static_cast<int>(bytes));
    Copy copy{to, group_, size, {}};
    if (live) std::memcpy(copy.data, from, size);
    unsigned char* const place = &memory_[static_cast<std::size_t>(to)];
    if (copies_ == Copies::early) {
      std::memcpy(place, copy.data, size);
    } else {
      std::memset(place, kPoison, size);
      under_way_.push_back(copy);
    }
  }
  static void require(bool holds, const char* what) {
    if (!holds) throw std::logic_error(std::string("HostWarps: ") + what);
  }
  std::size_t chunk_of(int at, int bytes) const {
    require(
        at >= 0 && at % bytes == 0 && static_cast<std::size_t>(at) + static_cast<std::size_t>(bytes) <= memory_.size(),
        "an access is misaligned or outside the scratch");
    return static_cast<std::size_t>(at) / mma::kCopied;
  }
  void write(int to, int bytes) {
    const std::size_t chunk = chunk_of(to, bytes);
    require(read_[chunk] != between_barriers_, "a place is written that was read since the last barrier");
    require(products_of_[chunk] < finished_products_, "a place is written that products may still read");
    written_[chunk] = between_barriers_, unpublished_[chunk] = published_;
  }

  int threads_;
  Copies copies_;
  std::vector<unsigned char> memory_;
  std::vector<std::int64_t> read_, written_;             // of each 16 bytes: the number of barriers before the last
                                                         // access
  std::vector<std::int64_t> products_of_, unpublished_;  // of each 16 bytes: the last group of products that reads
                                                         // them; the publication that they still need
  std::int64_t product_group_ = 1, waited_products_ = 1, finished_products_ = 1, published_ = 1, published_for_all_ = 1;
  std::int64_t between_barriers_ = 1, group_ = 0, waited_for_ = 0;
  std::vector<Copy> under_way_;
};

// Lanes 8 i .. 8 i + 7 name the rows of matrix i, 16 bytes each. Register i of a lane gets two neighbours of matrix i,
// in row lane / 4, or, transposed, in column lane / 4.
template <bool transposed, class Address>
void HostWarp::load_matrices(Lanes<mma::Registers>& to, const Address& address) const {
  std::uint16_t matrix[4][8][8];
  for (int lane = 0; lane < mma::kLanes; ++lane) block_.read(address(lane), mma::kCopied, matrix[lane / 8][lane % 8]);
  for (int lane = 0; lane < mma::kLanes; ++lane) {
    for (int i = 0; i < 4; ++i) {
      const int major = lane / 4, minor = lane % 4 * 2;
      const auto at = [&](int next) {
        return std::uint32_t{transposed ? matrix[i][minor + next][major] : matrix[i][major][minor + next]};
      };
      to[lane].of[i] = at(0) | at(1) << 16;
    }
  }
}

// Place of element (x, k) of an operand: wgmma adds the distances in the descriptor, then swizzles the address.
template <class Operand, bool k_inside>
int place_of_product(int at, int x, int k) {
  const int row = k_inside ? x : k, col = k_inside ? k : x;
  const int plain =
      at + row / 8 * Operand::kAtom + row % 8 * Operand::kLine + col / 64 * Operand::kNextColumns + col % 64 * 2;
  return plain ^ (plain / Operand::kLine % 8 * mma::kCopied);
}

template <class Tile>
void HostWarp::multiply_add(Lanes<mma::Sums> (&sums)[Tile::kN / 8], int number, int a, int b) const {
  using F = mma::Fragments<bf16>;
  const int first_row = number % Tile::kWarpsOfGroup * F::kM;
  float of_a[F::kM][F::kK], of_b[F::kK][Tile::kN];
  for (int k = 0; k < F::kK; ++k) {
    for (int i = 0; i < F::kM; ++i) {
      of_a[i][k] = static_cast<float>(
          block_.read_by_product(place_of_product<typename Tile::A, !Tile::kATransposed>(a, first_row + i, k)));
    }
    for (int j = 0; j < Tile::kN; ++j) {
      of_b[k][j] = static_cast<float>(block_.read_by_product(place_of_product<typename Tile::B, false>(b, j, k)));
    }
  }
  for (int j = 0; j < Tile::kN / F::kN; ++j) {
    for (int lane = 0; lane < mma::kLanes; ++lane) {
      for (int r = 0; r < 4; ++r) {
        const mma::RowAndColumn at = mma::sum_at(lane, r);
        float& sum = sums[j][lane].of[r];
        for (int k = 0; k < F::kK; ++k) sum += of_a[at.row][k] * of_b[k][j * F::kN + at.col];
      }
    }
  }
}

template <class T>
void HostWarp::multiply_add(Lanes<mma::Sums>& sums, const Lanes<mma::Registers>& a, const Lanes<mma::Registers>& b,
                            int which) const {
  using F = mma::Fragments<T>;
  float a_of[F::kM][F::kK], b_of[F::kK][2 * F::kN];
  for (int lane = 0; lane < mma::kLanes; ++lane) {
    for (int r = 0; r < 4; ++r) {
      T of_a[F::kOfRegister], of_b[F::kOfRegister];
      std::memcpy(of_a, &a[lane].of[r], sizeof(of_a));
      std::memcpy(of_b, &b[lane].of[r], sizeof(of_b));
      for (int e = 0; e < F::kOfRegister; ++e) {
        a_of[F::a(lane, r, e).x][F::a(lane, r, e).k] = of_a[e];
        b_of[F::b(lane, r, e).k][F::b(lane, r, e).x] = of_b[e];
      }
    }
  }
  for (int lane = 0; lane < mma::kLanes; ++lane) {
    for (int r = 0; r < 4; ++r) {
      const mma::RowAndColumn at = mma::sum_at(lane, r);
      float& sum = sums[lane].of[r];
      for (int k = 0; k < F::kK; ++k) sum += a_of[at.row][k] * b_of[k][which * F::kN + at.col];
    }
  }
}

}  // namespace brickwork
