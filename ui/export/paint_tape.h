#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "export/page_device.h"

class QPaintEngine;
class QPainter;

namespace nest {

/// What a painter does, to be done again on another device and on another thread: figures are painted on the
/// thread of the window, files are written on one of their own.
class PaintTape : public PageDevice {
public:
  explicit PaintTape(const QSizeF& size);
  ~PaintTape() override;
  PaintTape(PaintTape&&) noexcept;

  QPaintEngine* paintEngine() const override;
  /// Does it all again. The painter's own transform, clip and state count for nothing.
  void play(QPainter&) const;
  bool isEmpty() const { return m_steps->empty(); }

  using Step = std::function<void(QPainter&)>;

private:
  std::unique_ptr<std::vector<Step>> m_steps;  ///< the engine's, wherever this is moved to
  std::unique_ptr<QPaintEngine> m_engine;
};

}  // namespace nest
