#pragma once

#include <QComboBox>
#include <QListWidget>

#include "slides/slides_pane.h"
#include "window_bench.h"

namespace nest::test {

/// A window with slides.
struct SlideBench : WindowBench {
  explicit SlideBench(const QString& path = teachingSample()) : WindowBench(path) {}
  SlidesPane* pane() { return window.findChild<SlidesPane*>(); }
  QListWidget* strip() { return pane()->findChild<QListWidget*>(); }
  /// Three slides: two views of the plan, one of a what-if.
  void keepThree() {
    window.views().reveal(QStringLiteral("stages"));
    window.selection().setSelected(SelectionItem{ItemKind::Stage, 1});
    QTest::keyClick(&window, Qt::Key_M, Qt::ControlModifier);
    window.selection().setSelected(std::nullopt);
    window.views().reveal(QStringLiteral("communication"));
    window.views()
        .view(QStringLiteral("communication"))
        ->findChild<QComboBox*>(QStringLiteral("value"))
        ->setCurrentIndex(2);
    QTest::keyClick(&window, Qt::Key_M, Qt::ControlModifier);
    window.document().edit({}, QStringLiteral("Double the batch"),
                           [](Scenario& s) { s.job.globalBatch *= 2; });
    QTRY_VERIFY(solved());
    window.views().reveal(QStringLiteral("memory"));
    QTest::keyClick(&window, Qt::Key_M, Qt::ControlModifier);
    window.document().history().undo();  // the slide, its plan
    window.document().history().redo();
  }
};

}  // namespace nest::test
