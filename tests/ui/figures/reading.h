#pragma once

#include <QPainter>
#include <QRegularExpression>
#include <algorithm>

#include "figures/paint/figure.h"
#include "plan_contexts.h"
#include "text_recorder.h"

/// What can be read in a figure.
namespace nest::test {

using Words = std::vector<TextRecorder::Word>;

inline Words wordsOf(const Figure& f, const PlanContext& c, const QSize& size) {
  TextRecorder page(size);
  QPainter painter(&page);
  f.paint(painter, QRectF(QPointF(0, 0), size), c, {});
  painter.end();
  return page.words();
}

inline PlanContext planOn(int stages, std::vector<int> fanouts, int tensor = 8) {
  ContextShape s;
  s.stages = stages, s.tensor = tensor, s.fanouts = std::move(fanouts);
  s.blocks = std::max(30, stages * 2 - 2);
  return contextOf(s);
}

inline QStringList matching(const Words& words, const char* pattern) {
  const QRegularExpression form{QLatin1String(pattern)};
  QStringList out;
  for (const auto& w : words)
    if (form.match(w.text).hasMatch()) out << w.text;
  return out;
}

}  // namespace nest::test
