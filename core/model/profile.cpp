#include "model/profile.h"

#include <algorithm>

namespace nest {

Profile::Profile(std::vector<Strategy> strategies, std::vector<int> microbatches, int classCount,
                 int tensorCount)
    : m_strategies(std::move(strategies)), m_microbatches(std::move(microbatches)) {
  const std::size_t pairs = m_strategies.size() * m_microbatches.size();
  m_costs.resize(static_cast<std::size_t>(classCount) * pairs);
  m_tensors.resize(static_cast<std::size_t>(tensorCount) * pairs);
}

namespace {
template <class T>
int indexIn(const std::vector<T>& all, const T& one) {
  const auto it = std::find(all.begin(), all.end(), one);
  return it == all.end() ? -1 : static_cast<int>(it - all.begin());
}
}  // namespace

int Profile::strategyIndex(const Strategy& s) const {
  return indexIn(m_strategies, s);
}
int Profile::microbatchIndex(int microbatch) const {
  return indexIn(m_microbatches, microbatch);
}

}  // namespace nest
