#include "primitives/analysis/rankings/lru_stack.hpp"

#include <algorithm>

namespace brickwork {
namespace {

// The slot at which the search for a block begins: multiplicative hashing (Knuth, volume 3, section 6.4).
std::size_t first_slot(std::uint64_t block, std::size_t slots) {
  return static_cast<std::size_t>((block * 0x9E3779B97F4A7C15U) >> 32) & (slots - 1);
}

}  // namespace

LruStack::LruStack(const std::array<std::int64_t, kPlaces - 1>& bytes) : capacity_(bytes), slots_(1024, kNone) {
  last_.fill(kNone);
  // A thread's part of L3 may be smaller than its L2; then it adds nothing.
  for (std::size_t cache = 1; cache < capacity_.size(); ++cache) {
    capacity_[cache] = std::max(capacity_[cache], capacity_[cache - 1]);
  }
}

CachePlace LruStack::use(std::uint64_t block, std::int64_t bytes) {
  const int used = node_of(block, bytes);
  Node& node = nodes_[static_cast<std::size_t>(used)];
  const std::size_t place = node.place;
  if (used == front_) return static_cast<CachePlace>(place);

  for (std::size_t cache = 0; cache < capacity_.size(); ++cache) {
    if (cache < place) used_[cache] += node.bytes;
    if (last_[cache] == used) last_[cache] = node.before;
  }
  move_to_front(used);
  node.place = 0;
  for (std::size_t cache = 0; cache < capacity_.size(); ++cache) {
    if (last_[cache] == kNone) last_[cache] = used;
    while (used_[cache] > capacity_[cache]) evict_from(cache);
  }
  return static_cast<CachePlace>(place);
}

int LruStack::node_of(std::uint64_t block, std::int64_t bytes) {
  if (nodes_.size() * 2 >= slots_.size()) grow();
  std::size_t slot = first_slot(block, slots_.size());
  for (; slots_[slot] != kNone; slot = (slot + 1) & (slots_.size() - 1)) {
    if (nodes_[static_cast<std::size_t>(slots_[slot])].block == block) return slots_[slot];
  }
  slots_[slot] = static_cast<int>(nodes_.size());
  nodes_.push_back({block, bytes});
  return slots_[slot];
}

void LruStack::grow() {
  slots_.assign(slots_.size() * 4, kNone);
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    std::size_t slot = first_slot(nodes_[n].block, slots_.size());
    while (slots_[slot] != kNone) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = static_cast<int>(n);
  }
}

void LruStack::move_to_front(int moved) {
  Node& node = nodes_[static_cast<std::size_t>(moved)];
  if (node.before != kNone) nodes_[static_cast<std::size_t>(node.before)].after = node.after;
  if (node.after != kNone) nodes_[static_cast<std::size_t>(node.after)].before = node.before;
  node.before = kNone, node.after = front_;
  if (front_ != kNone) nodes_[static_cast<std::size_t>(front_)].before = moved;
  front_ = moved;
}

void LruStack::evict_from(std::size_t cache) {
  Node& node = nodes_[static_cast<std::size_t>(last_[cache])];
  used_[cache] -= node.bytes;
  node.place = cache + 1;
  last_[cache] = node.before;
}

}  // namespace brickwork
