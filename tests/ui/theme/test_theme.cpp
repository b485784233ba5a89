#include <QCheckBox>
#include <QFontInfo>
#include <QFontMetricsF>
#include <QImage>
#include <QObject>
#include <QPixmap>
#include <QRegularExpression>
#include <QSlider>
#include <array>
#include <cmath>
#include <set>

#include "support/test_main.h"
#include "theme/appearance.h"
#include "theme/elided_label.h"
#include "theme/icon.h"
#include "theme/theme.h"

using nest::Theme;

namespace {
double luminance(const QColor& c) {
  const auto linear = [](double v) { return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
  return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
}
double contrast(const QColor& a, const QColor& b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}
/// Distance in CIELAB (CIE 1976), white point D65.
double labDistance(const QColor& a, const QColor& b) {
  const auto lab = [](const QColor& c) {
    const auto linear = [](double v) {
      return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    const double r = linear(c.redF()), g = linear(c.greenF()), bl = linear(c.blueF());
    const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
    const double x = f((0.4124 * r + 0.3576 * g + 0.1805 * bl) / 0.9505),
                 y = f(0.2126 * r + 0.7152 * g + 0.0722 * bl),
                 z = f((0.0193 * r + 0.1192 * g + 0.9505 * bl) / 1.089);
    return std::array{116 * y - 16, 500 * (x - y), 200 * (y - z)};
  };
  const auto p = lab(a), q = lab(b);
  return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

}  // namespace

class TestTheme : public QObject {
  Q_OBJECT
private Q_SLOTS:
  /// The name of a scenario may hold line breaks; its label does not push the window's views away.
  void aLabelOfOneLineStaysOne() {
    nest::ElidedLabel one, many;
    one.setText(QStringLiteral("one line"));
    many.setText(QString(60, u'\n').prepend(QStringLiteral("a")).append(u'b'));
    QVERIFY2(many.sizeHint().height() <= one.sizeHint().height(),
             qPrintable(QString::number(many.sizeHint().height())));
    QVERIFY(many.minimumSizeHint().height() <= one.sizeHint().height());
  }
  void textReadsOnEveryGround_data() {
    QTest::addColumn<int>("kind");
    QTest::newRow("light") << static_cast<int>(Theme::Kind::Light);
    QTest::newRow("dark") << static_cast<int>(Theme::Kind::Dark);
    QTest::newRow("print") << static_cast<int>(Theme::Kind::Print);
  }
  void textReadsOnEveryGround() {
    QFETCH(int, kind);
    const Theme& t = Theme::of(static_cast<Theme::Kind>(kind));
    using Role = Theme::Role;
    for (const auto ground : {Role::Canvas, Role::Panel})
      for (const auto ink : {Role::Text, Role::MutedText, Role::Accent, Role::Warning, Role::Error})
        QVERIFY2(contrast(t.color(ink), t.color(ground)) >= 4.5,
                 qPrintable(QStringLiteral("role %1").arg(static_cast<int>(ink))));
    QVERIFY(contrast(t.color(Role::AccentText), t.color(Role::Accent)) >= 4.5);
    for (int s = 0; s < 8; ++s) QVERIFY(contrast(t.textOn(t.stage(s)), t.stage(s)) >= 4.5);
    for (int i = 0; i <= 20; ++i) {
      const QColor c = t.magnitude(i / 20.0);
      QVERIFY(contrast(t.textOn(c), c) >= 4.5);
    }
  }
  void stagesAreTellableApart() {
    std::set<std::pair<QRgb, int>> seen;
    const Theme& t = Theme::of(Theme::Kind::Light);
    for (int s = 0; s < 128; ++s) seen.insert({t.stage(s).rgb(), t.stageHatch(s)});
    QCOMPARE(seen.size(), std::size_t{128});
    // By colour alone where a box is too small for a hatch: units of CIELAB that the eye tells without
    // effort.
    for (const auto kind : {Theme::Kind::Light, Theme::Kind::Dark, Theme::Kind::Print})
      for (int a = 0; a < 32; ++a) {
        const Theme& theme = Theme::of(kind);
        for (int b = a + 1; b < 32; ++b)
          QVERIFY2(labDistance(theme.stage(a), theme.stage(b)) > 8,
                   qPrintable(QStringLiteral("stages %1 and %2").arg(a + 1).arg(b + 1)));
        QVERIFY2(labDistance(theme.stage(a), theme.color(Theme::Role::Idle)) > 8,
                 qPrintable(QStringLiteral("stage %1 and idle").arg(a + 1)));
        QVERIFY(contrast(theme.textOn(theme.stage(a)), theme.stage(a)) >= 4.5);
      }
  }
  /// Much stands out from the canvas: dark on white, light on black.
  void magnitudeGrowsAwayFromTheCanvas() {
    double before = 2;
    for (int i = 0; i <= 100; ++i) {
      const double l = luminance(Theme::of(Theme::Kind::Light).magnitude(i / 100.0));
      QVERIFY(l < before);
      before = l;
    }
    const auto far = [](Theme::Kind kind) {
      const Theme& t = Theme::of(kind);
      return contrast(t.magnitude(1), t.color(Theme::Role::Canvas));
    };
    for (const auto kind : {Theme::Kind::Light, Theme::Kind::Dark, Theme::Kind::Print})
      QVERIFY(far(kind) > 7);
    QCOMPARE(Theme::of(Theme::Kind::Dark).magnitude(-3), Theme::of(Theme::Kind::Dark).magnitude(0));
    QCOMPARE(Theme::of(Theme::Kind::Dark).magnitude(std::nan("")), Theme::of(Theme::Kind::Dark).magnitude(0));
  }
  /// Boxes and handles stand out from the ground, checked or not: the style's own do not in the dark.
  void controlsCanBeSeen_data() { textReadsOnEveryGround_data(); }
  void controlsCanBeSeen() {
    QFETCH(int, kind);
    if (kind == static_cast<int>(Theme::Kind::Print)) return;
    const auto before = nest::dressedAs();
    nest::dress(static_cast<Theme::Kind>(kind));
    const QColor ground = Theme::of(static_cast<Theme::Kind>(kind)).color(Theme::Role::Panel);
    const auto strongest = [&](QWidget& w) {
      w.resize(w.sizeHint());
      w.ensurePolished();
      const QImage image = w.grab().toImage();
      double most = 1;
      for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
          most = std::max(most, contrast(image.pixelColor(x, y), ground));
      return most;
    };
    QCheckBox off, on;
    on.setChecked(true);
    QSlider slider(Qt::Horizontal);
    QVERIFY2(strongest(off) >= 3, qPrintable(QString::number(strongest(off))));
    QVERIFY2(strongest(on) >= 3, qPrintable(QString::number(strongest(on))));
    QVERIFY2(strongest(slider) >= 3, qPrintable(QString::number(strongest(slider))));
    nest::dress(before);
  }
  /// A button that has been squeezed to nothing asks for one.
  void anIconWithoutASizeIsNone() {
    QTest::failOnWarning(QRegularExpression(QStringLiteral("QPainter")));
    const QIcon icon = nest::themedIcon(QStringLiteral("close"));
    QVERIFY(icon.pixmap(QSize(0, 16)).isNull());
    QVERIFY(!icon.pixmap(QSize(16, 16)).isNull());
  }

  void figureFontIsBundledWithTabularDigits() {
    const QFont f = Theme::font(13);
    QCOMPARE(QFontInfo(f).family(), QStringLiteral("Roboto"));
    const QFontMetricsF m(f);
    for (const char c : {'1', '4', '8', '9'})
      QCOMPARE(m.horizontalAdvance(QLatin1Char(c)), m.horizontalAdvance(QLatin1Char('0')));
    QVERIFY(QFontMetricsF(Theme::font(13, true)).horizontalAdvance(QStringLiteral("00000000")) >
            m.horizontalAdvance(QStringLiteral("00000000")));
  }
};

NEST_TEST(TestTheme)
#include "test_theme.moc"
