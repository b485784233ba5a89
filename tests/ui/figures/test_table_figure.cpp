#include "figures/paint/table_figure.h"

#include <QPainter>
#include <QStandardItemModel>
#include <algorithm>

#include "support/test_main.h"
#include "ui/figures/text_recorder.h"

using namespace nest;
using namespace nest::test;

class TestTableFigure : public QObject {
  Q_OBJECT
private Q_SLOTS:
  /// A page that is narrower than a row breaks its words; nothing is lost, and numbers stay whole.
  void aNarrowPageBreaksTheWordsOfATable() {
    QStandardItemModel model(2, 2);
    model.setHorizontalHeaderLabels({QStringLiteral("Time"), QStringLiteral("Why")});
    const QString why = QStringLiteral(
        "however it is cut, a stage lacks at least 12 GiB of memory, and then "
        "it would still be slower than the best plan by 12 %");
    for (int r = 0; r < 2; ++r) {
      model.setItem(r, 0, new QStandardItem(QStringLiteral("16.1 s")));
      model.setItem(r, 1, new QStandardItem(why));
    }
    model.item(0, 0)->setTextAlignment(Qt::AlignRight);
    const TableFigure figure(QStringLiteral("t"), QStringLiteral("T"), model);
    TextRecorder recorder({480, 340});
    QPainter painter(&recorder);
    figure.paint(painter, QRectF(0, 0, 480, 340), PlanContext{}, {});
    painter.end();
    QStringList words;
    for (const auto& w : recorder.words()) words << w.text.split(u' ');
    for (const QString& word : why.split(u' ')) QVERIFY2(words.count(word) >= 2, qPrintable(word));
    QVERIFY(std::any_of(recorder.words().begin(), recorder.words().end(),
                        [](const auto& w) { return w.text == QLatin1String("16.1 s"); }));
    QVERIFY(!words.join(QString()).contains(QStringLiteral("…")));
  }
};

NEST_TEST(TestTableFigure)
#include "test_table_figure.moc"
