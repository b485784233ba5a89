#include <QBuffer>
#include <QComboBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFile>
#include <QImageReader>
#include <QPainter>
#include <QProcess>
#include <QPushButton>
#include <QRawFont>
#include <QRegularExpression>
#include <QSettings>
#include <QStandardPaths>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <cmath>
#include <map>
#include <thread>

#include "../figures/plan_contexts.h"
#include "catalogue/export_all.h"
#include "catalogue/registry.h"
#include "export/export_dialog.h"
#include "export/figure_export.h"
#include "export/launch_dialog.h"
#include "export/svg_device.h"
#include "formats/results/plan_json.h"
#include "formats/results/report_page.h"
#include "support/desk.h"
#include "support/test_main.h"

using namespace nest;

namespace {

QByteArray read(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

template <class Draw>
QByteArray svgOf(const QSize& size, Draw draw) {
  SvgDevice device(size, QStringLiteral("t"), {});
  QPainter painter(&device);
  draw(painter);
  painter.end();
  return device.svg();
}

/// Draws with a lambda and returns the SVG's picture as another renderer sees it.
template <class Draw>
QImage throughSvg(const QSize& size, Draw draw) {
  QSvgRenderer renderer(svgOf(size, draw));
  QImage image(size, QImage::Format_RGB32);
  image.fill(Qt::white);
  QPainter onto(&image);
  renderer.render(&onto);
  return image;
}

template <class Widget>
Widget* named(const QWidget& in, const char* name) {
  for (auto* w : in.findChildren<Widget*>())
    if (w->accessibleName() == QLatin1String(name)) return w;
  return nullptr;
}

}  // namespace

class TestFigureExport : public QObject {
  Q_OBJECT
private slots:
  void launchFilesShowWhatIsWritten() {
    LaunchDialog dialog(test::contextOf({}));
    dialog.choose(*findLaunchTarget("megatron"));
    QVERIFY(dialog.text().contains(QStringLiteral("--tensor-model-parallel-size")));
    dialog.choose(*findLaunchTarget("slurm-hostfile"));
    QVERIFY(!dialog.text().isEmpty() && !dialog.text().contains(QStringLiteral("--")));
    QCOMPARE(LaunchDialog(test::contextOf({})).text(), dialog.text());  // remembered
    QCOMPARE(QSettings().value(QStringLiteral("launch/target")).toString(), QStringLiteral("slurm-hostfile"));
    QSettings().setValue(QStringLiteral("launch/target"), 1);  // as earlier versions wrote it
    const QString first = LaunchDialog(test::contextOf({})).text();
    dialog.choose(*findLaunchTarget("megatron"));
    QCOMPARE(first, dialog.text());
    LaunchDialog none{PlanContext{}};
    QVERIFY(none.text().isEmpty());
    QVERIFY(!none.notes().isEmpty());
  }
  /// The unit is how a size is written; changing it there and back changes no size.
  void theUnitChangesNoSize() {
    const PlanContext c = test::contextOf({});
    for (const auto& figure : planFigures()) {
      ExportDialog dialog(*figure, c);
      const QSizeF size = paperSizeOf(*figure, c);
      QCOMPARE(dialog.options().size, size);
      auto* unit = named<QComboBox>(dialog, "Unit of length");
      auto *width = named<QDoubleSpinBox>(dialog, "Width"), *height = named<QDoubleSpinBox>(dialog, "Height");
      unit->setCurrentIndex(1);
      QCOMPARE(dialog.options().size, size);
      QVERIFY(std::abs(width->value() - size.width() * 25.4 / 96) < 0.06);
      unit->setCurrentIndex(0);
      QCOMPARE(dialog.options().size, size);
      QCOMPARE(width->value(), std::round(size.width()));
      unit->setCurrentIndex(1);
      width->setValue(85);
      // As the figure is wide and high, but not so low that its type shrinks further.
      const double high = std::max(85 * size.height() / size.width(), 85 * 340.0 / 480);
      QVERIFY2(std::abs(height->value() - high) < 0.06, qPrintable(figure->id()));
      height->setValue(60);
      width->setValue(90);
      QCOMPARE(height->value(), 60.0);  // chosen
      width->setValue(85);
      QVERIFY(std::abs(dialog.options().size.width() - 85 * 96 / 25.4) < 1e-9);
      unit->setCurrentIndex(0);
      width->setValue(20);  // five millimetres stay five
      unit->setCurrentIndex(1);
      QVERIFY(std::abs(width->value() - 5.3) < 1e-9);
    }
  }

  void tabGoesThroughTheDialogAsItIsSeen() {
    const PlanContext c = test::contextOf({});
    const auto figures = planFigures();
    ExportDialog dialog(*figures.front(), c);
    dialog.show();
    dialog.findChild<QComboBox*>()->setCurrentIndex(2);
    QPoint last(-1, -1);
    for (QWidget* w = dialog.nextInFocusChain(); w != &dialog; w = w->nextInFocusChain()) {
      const bool editor = qobject_cast<QComboBox*>(w) || qobject_cast<QDoubleSpinBox*>(w);
      if (!editor || !(w->focusPolicy() & Qt::TabFocus)) continue;
      const QPoint at = w->mapTo(&dialog, w->rect().center());
      QVERIFY2(at.y() > last.y() + 4 || at.x() > last.x(), qPrintable(w->accessibleName()));
      last = at;
    }
    QVERIFY(last.y() > 0);
  }

  /// Instead of an empty file.
  void whatIsTooLargeIsNotWritten() {
    const PlanContext c = test::contextOf({});
    const auto figures = planFigures();
    ExportDialog dialog(*figures.front(), c);
    const auto button = [&](const QString& text) {
      for (auto* b : dialog.findChildren<QPushButton*>())
        if (b->text() == text) return b;
      return static_cast<QPushButton*>(nullptr);
    };
    dialog.findChild<QComboBox*>()->setCurrentIndex(2);
    named<QDoubleSpinBox>(dialog, "Width")->setValue(20);
    named<QDoubleSpinBox>(dialog, "Height")->setValue(8000);
    QVERIFY(!button(QStringLiteral("Save…"))->isEnabled());
    QVERIFY(!button(QStringLiteral("Copy"))->isEnabled());
    dialog.findChild<QComboBox*>()->setCurrentIndex(0);
    QVERIFY(button(QStringLiteral("Save…"))->isEnabled());
    named<QDoubleSpinBox>(dialog, "Height")->setValue(40);
    dialog.findChild<QComboBox*>()->setCurrentIndex(2);
    QVERIFY(button(QStringLiteral("Save…"))->isEnabled());
    QVERIFY(!renderFigure(*figures.front(), c, dialog.format(), dialog.options()).isEmpty());
  }

  /// What is painted here and written elsewhere is what would have been written here.
  void aPaintedFigureIsTheFigure() {
    const PlanContext c = test::contextOf({});
    ExportOptions options;
    options.pixelWidth = 500;
    for (const auto& figure : planFigures()) {
      for (const auto format : {ExportFormat::Svg, ExportFormat::Png}) {
        const QByteArray direct = renderFigure(*figure, c, format, options);
        QByteArray there;
        const PaintedFigure painted = paintedFigure(*figure, c, format, options);
        std::thread([&] { there = painted.content(); }).join();
        QVERIFY2(there == direct, qPrintable(figure->id() + u' ' + suffixOf(format)));
      }
      QVERIFY(paintedFigure(*figure, c, ExportFormat::Pdf, options).content().startsWith("%PDF"));
    }
  }

  void writesEverything() {
    QTemporaryDir dir;
    const PlanContext c = test::contextOf({});
    QVERIFY(c.plan);
    const ExportReport report = exportAll(dir.filePath(QStringLiteral("made/here")), c);
    QVERIFY2(report.ok(), qPrintable(report.problems.join(u'\n')));
    const QDir out(dir.filePath(QStringLiteral("made/here")));
    for (const char* name : {"topology", "stages", "memory", "communication", "timeline"})
      for (const char* suffix : {"svg", "png", "pdf"}) {
        const QString path =
            out.filePath(QStringLiteral("%1.%2").arg(QLatin1String(name), QLatin1String(suffix)));
        const QByteArray content = read(path);
        QVERIFY2(content.size() > 2000, qPrintable(path));
        QVERIFY2(content.size() < 5'000'000, qPrintable(path));
        if (QByteArray(suffix) == "png") QVERIFY(QImageReader(path).size().width() >= 1600);
        if (QByteArray(suffix) == "pdf") QVERIFY(content.startsWith("%PDF"));
        if (QByteArray(suffix) == "svg") {
          QXmlStreamReader xml(content);
          while (!xml.atEnd()) xml.readNext();
          QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        }
      }
    const auto plan = readPlan(read(out.filePath(QStringLiteral("plan.json"))).toStdString(), "plan.json");
    QVERIFY(plan);
    QVERIFY(*plan == c.plan->plan);
    QVERIFY(read(out.filePath(QStringLiteral("summary.txt"))).size() > 200);
  }

  void nothingFitsStillShowsTheNearestMiss() {
    QTemporaryDir dir;
    test::ContextShape shape;
    shape.memoryGiB = 20;
    const PlanContext c = test::contextOf(shape);
    QVERIFY(c.isNearestMiss());
    const ExportReport report = exportAll(dir.path(), c);
    QVERIFY(report.ok());
    QVERIFY(QFile::exists(dir.filePath(QStringLiteral("memory.svg"))));
    QVERIFY(QFile::exists(dir.filePath(QStringLiteral("topology.pdf"))));
    // Each figure is written, or named with the reason.
    QCOMPARE((report.written.size() - 2) / 3 + report.leftOut.size(), qsizetype(21));
    for (const QString& line : report.leftOut) {
      static const QRegularExpression form(QStringLiteral("^[A-Z].* is left out: \\S.{5,}"));
      QVERIFY2(form.match(line).hasMatch(), qPrintable(line));
    }
  }

  void oneViewIsExportedAsItIsChosen() {
    QTemporaryDir dir;
    ExportChoice choice{QStringLiteral("stages"), {}, {}};
    choice.options.theme = Theme::Kind::Dark;
    choice.options.size = QSizeF(700, 500);
    choice.options.pixelWidth = 700;
    const PlanContext c = test::contextOf({});
    const ExportReport report = exportAll(dir.path(), c, choice);
    QVERIFY(report.ok());
    QCOMPARE(report.written.filter(QStringLiteral(".svg")),
             QStringList{dir.filePath(QStringLiteral("stages.svg"))});
    const QImage png(dir.filePath(QStringLiteral("stages.png")));
    QCOMPARE(png.size(), QSize(700, 500));
    QCOMPARE(png.pixelColor(1, 1), Theme::of(Theme::Kind::Dark).color(Theme::Role::Canvas));
    // A mode of a view is one, too.
    const test::Desk desk;
    QVERIFY(exportAll(dir.path(), desk.context, {QStringLiteral("network"), {}, {}})
                .written.contains(dir.filePath(QStringLiteral("network.svg"))));
    const ExportReport none = exportAll(dir.path(), c, {QStringLiteral("whatif"), {}, {}});
    QVERIFY2(none.leftOut.join(u' ').contains(QStringLiteral("has no figure of one plan alone")),
             qPrintable(none.leftOut.join(u' ')));
  }

  /// What was chosen in a window before is no part of the scenario.
  void settingsOfAWindowDoNotCount() {
    const PlanContext c = test::contextOf({});
    QSettings().clear();
    const auto exported = [&](const char* view) {
      QTemporaryDir dir;
      const ExportReport report = exportAll(dir.path(), c, {QLatin1String(view), {}, {}});
      return read(report.written.filter(QStringLiteral(".svg")).value(0));
    };
    const std::map<const char*, std::map<QString, QString>> chosen = {
        {"timeline",
         {{QStringLiteral("schedule"), QStringLiteral("gpipe")},
          {QStringLiteral("memory"), QStringLiteral("off")}}},
        {"communication", {{QStringLiteral("value"), QStringLiteral("time")}}}};
    for (const auto& [view, settings] : chosen) {
      const QByteArray usual = exported(view);
      QVERIFY2(usual.size() > 1000, view);
      for (const auto& [key, value] : settings)
        QSettings().setValue(QStringLiteral("views/%1/%2").arg(QLatin1String(view), key), value);
      QVERIFY2(exported(view) == usual, view);
    }
    QSettings().clear();
  }

  /// Every view that has a figure to show, each figure once.
  void everyFigureIsEvery() {
    const test::Desk desk;
    QTemporaryDir dir;
    const ExportReport report = exportAll(dir.path(), desk.context);
    QVERIFY2(report.ok(), qPrintable(report.problems.join(u'\n')));
    for (const char* name :
         {"topology", "network", "stages", "memory", "communication", "exchange", "timeline", "placement",
          "cuts", "front", "dp-table", "compare", "difference", "plans", "study", "accuracy"})
      for (const char* suffix : {"svg", "png", "pdf"}) {
        const QString path =
            dir.filePath(QStringLiteral("%1.%2").arg(QLatin1String(name), QLatin1String(suffix)));
        QVERIFY2(report.written.count(path) == 1 && read(path).size() > 1000, qPrintable(path));
      }
    QCOMPARE(report.written.size(), 18 * 3 + 2);
    // The sample describes no run and no purchase.
    const QString leftOut = report.leftOut.join(u'\n');
    QCOMPARE(report.leftOut.size(), 3);
    for (const char* name : {"Run is left out", "Spare hosts is left out", "Purchase is left out"})
      QVERIFY2(leftOut.contains(QLatin1String(name)), qPrintable(leftOut));
    // No view is left out but those that have nothing to say without being asked.
    QSet<QString> silent;
    for (const ViewEntry& view : viewRegistry())
      if (!QFile::exists(dir.filePath(view.id + QStringLiteral(".svg")))) silent += view.id;
    QCOMPARE(silent, (QSet<QString>{QStringLiteral("whatif"), QStringLiteral("search"), QStringLiteral("run"),
                                    QStringLiteral("purchase")}));
    for (const char* part : {"failures", "improvements"})
      QVERIFY(QFile::exists(dir.filePath(QLatin1String(part) + QStringLiteral(".svg"))));
  }

  void withoutAPlanOnlyTheClusterIsDrawn() {
    QTemporaryDir dir;
    PlanContext c = test::contextOf({});
    c.plan.reset();
    c.outcome.reset();
    QVERIFY(exportAll(dir.path(), c).ok());
    QVERIFY(QFile::exists(dir.filePath(QStringLiteral("topology.svg"))));
    QVERIFY(!QFile::exists(dir.filePath(QStringLiteral("stages.svg"))));
  }

  void anUnwritableFolderIsReported() {
    QTemporaryDir dir;
    QFile blocker(dir.filePath(QStringLiteral("file")));
    QVERIFY(blocker.open(QIODevice::WriteOnly));
    const ExportReport report = exportAll(dir.filePath(QStringLiteral("file/below")), test::contextOf({}));
    QVERIFY(!report.ok());
    QVERIFY(report.written.isEmpty());
  }

  void sizesStaySmall_data() {
    QTest::addColumn<int>("racks");
    QTest::newRow("1,024") << 32;
    QTest::newRow("16,384") << 512;
    QTest::newRow("131,072") << 4096;
  }
  void sizesStaySmall() {
    QFETCH(int, racks);
    test::ContextShape shape;
    shape.fanouts = {8, 4, racks};
    shape.stages = 64;
    shape.blocks = 126;
    const PlanContext c = test::contextOf(shape);
    for (const auto& figure : planFigures())
      for (const auto format : {ExportFormat::Svg, ExportFormat::Pdf, ExportFormat::Png}) {
        const auto size = renderFigure(*figure, c, format).size();
        QVERIFY2(size > 1000 && size < 5'000'000,
                 qPrintable(QStringLiteral("%1.%2: %3 bytes").arg(figure->id(), suffixOf(format)).arg(size)));
      }
  }

  /// Text can be searched and copied, and the font inside has each character, as wide as here.
  void textStaysText() {
    const PlanContext c = test::contextOf({});
    for (const auto& figure : planFigures()) {
      const QByteArray svg = renderFigure(*figure, c, ExportFormat::Svg);
      std::map<int, QRawFont> fonts;
      static const QRegularExpression face(
          QStringLiteral("@font-face [^}]*font-weight: (\\d+)[^}]*base64,([^)]*)"));
      for (auto it = face.globalMatch(QString::fromLatin1(svg)); it.hasNext();) {
        const auto m = it.next();
        const QByteArray data = QByteArray::fromBase64(m.captured(2).toLatin1());
        QVERIFY2(data.size() > 1000 && data.size() < 40'000, QByteArray::number(data.size()));
        fonts[m.captured(1).toInt()] = QRawFont(data, 100);
      }
      QVERIFY(!fonts.empty());
      QXmlStreamReader xml(svg);
      QString all;
      while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement || xml.name() != u"text") continue;
        const int weight = xml.attributes().hasAttribute(u"font-weight"_qs)
                               ? xml.attributes().value(u"font-weight"_qs).toInt()
                               : 400;
        const double size = xml.attributes().value(u"font-size"_qs).toDouble(),
                     length = xml.attributes().value(u"textLength"_qs).toDouble();
        const QString text = xml.readElementText();
        const QRawFont& font = fonts.at(weight);
        double wide = 0;
        for (const auto letter : text.toUcs4()) {
          const char32_t one[] = {letter};
          QVERIFY2(font.supportsCharacter(letter), qPrintable(text));
          wide +=
              font.advancesForGlyphIndexes(font.glyphIndexesForString(QString::fromUcs4(one, 1))).front().x();
        }
        // Kerning and hinting move letters by less than a pixel each.
        QVERIFY2(std::abs(wide * size / 100 - length) < 0.08 * length + 2, qPrintable(text));
        all += text + u'\n';
      }
      QVERIFY2(all.contains(figure->title()), qPrintable(figure->id()));
      ExportOptions outlined;
      outlined.isOutlined = true;
      const QByteArray drawn = renderFigure(*figure, c, ExportFormat::Svg, outlined);
      QVERIFY(!drawn.contains("<text") && !drawn.contains("@font-face"));
    }
  }

  /// Below the figure, which is as large as without.
  void aFooterSaysWhatAFigureIs() {
    const PlanContext c = test::contextOf({});
    const auto figures = planFigures();
    ExportOptions options;
    const double without =
        QSvgRenderer(renderFigure(*figures.front(), c, ExportFormat::Svg)).viewBoxF().height();
    options.hasFooter = true;
    const QByteArray svg = renderFigure(*figures.front(), c, ExportFormat::Svg, options);
    QCOMPARE(QSvgRenderer(svg).viewBoxF().height(), without + 20);
    QVERIFY(svg.contains(" · NEST Explorer "));
    QVERIFY(svg.contains(shortHashOf(*c.scenario).c_str()));
    Scenario other = *c.scenario;
    other.job.globalBatch *= 2;
    QVERIFY(shortHashOf(other) != shortHashOf(*c.scenario));
  }

  void clipsSurvive() {
    const QString tool = QStandardPaths::findExecutable(QStringLiteral("rsvg-convert"));
    if (tool.isEmpty()) QSKIP("rsvg-convert is not installed");  // Qt's own renderer ignores clips
    const QByteArray svg = svgOf({100, 100}, [](QPainter& p) {
      p.fillRect(0, 0, 100, 100, Qt::white);
      p.save();
      p.setClipRect(QRectF(20, 20, 30, 30));
      p.translate(10, 10);
      p.setClipRect(QRectF(0, 0, 25, 90), Qt::IntersectClip);
      p.fillRect(-50, -50, 200, 200, Qt::red);
      p.restore();
      p.fillRect(80, 80, 10, 10, Qt::blue);
    });
    QProcess convert;
    convert.start(tool, {});
    QVERIFY(convert.waitForStarted());
    convert.write(svg);
    convert.closeWriteChannel();
    QVERIFY(convert.waitForFinished());
    const QImage image = QImage::fromData(convert.readAllStandardOutput());
    QCOMPARE(image.pixelColor(25, 25), QColor(Qt::red));
    QCOMPARE(image.pixelColor(40, 40), QColor(Qt::white));
    QCOMPARE(image.pixelColor(15, 25), QColor(Qt::white));
    QCOMPARE(image.pixelColor(85, 85), QColor(Qt::blue));
  }

  void textStandsWhereItIsOnScreen() {
    const auto draw = [](QPainter& p) {
      p.fillRect(0, 0, 200, 60, Qt::white);
      p.setPen(Qt::black);
      p.setFont(Theme::font(20));
      p.drawText(QPointF(20, 40), QStringLiteral("Hg 108"));
    };
    QImage direct(200, 60, QImage::Format_RGB32);
    QPainter p(&direct);
    draw(p);
    p.end();
    const auto inkBox = [](const QImage& image) {
      QRect box;
      for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
          if (qGray(image.pixel(x, y)) < 100) box |= QRect(x, y, 1, 1);
      return box;
    };
    const QRect a = inkBox(direct), b = inkBox(throughSvg({200, 60}, draw));
    QVERIFY(a.width() > 40);
    QVERIFY(std::abs(a.left() - b.left()) <= 2 && std::abs(a.right() - b.right()) <= 4);
    QVERIFY(std::abs(a.top() - b.top()) <= 2 && std::abs(a.bottom() - b.bottom()) <= 2);
  }

  void anotherProgramDrawsTheSame() {
    const QString tool = QStandardPaths::findExecutable(QStringLiteral("rsvg-convert"));
    if (tool.isEmpty()) QSKIP("rsvg-convert is not installed");
    QTemporaryDir dir;
    const PlanContext c = test::contextOf({});
    for (const auto& figure : planFigures()) {
      ExportOptions options;
      options.pixelWidth = static_cast<int>(paperSizeOf(*figure, c).width());
      options.isOutlined = true;  // it takes no fonts from inside
      const QString svg = dir.filePath(figure->id() + QStringLiteral(".svg")),
                    png = dir.filePath(figure->id() + QStringLiteral(".png"));
      QFile file(svg);
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write(renderFigure(*figure, c, ExportFormat::Svg, options));
      file.close();
      QCOMPARE(QProcess::execute(tool, {svg, QStringLiteral("-o"), png}), 0);
      const QImage theirs = QImage(png).convertToFormat(QImage::Format_RGB32);
      const QImage ours = imageOf(*figure, c, options);
      QCOMPARE(theirs.size(), ours.size());
      // Edges are smoothed differently; areas must agree.
      long long different = 0;
      for (int y = 0; y < ours.height(); ++y)
        for (int x = 0; x < ours.width(); ++x)
          different += std::abs(qGray(ours.pixel(x, y)) - qGray(theirs.pixel(x, y))) > 64;
      const double share =
          static_cast<double>(different) / (static_cast<double>(ours.width()) * ours.height());
      QVERIFY2(share < 0.02,
               qPrintable(QStringLiteral("%1: %2 of the pixels differ").arg(figure->id()).arg(share)));
    }
  }
};
NEST_TEST(TestFigureExport)
#include "test_figure_export.moc"
