#include <cmath>
#include <set>

#include "figures/plan/kinds.h"
#include "figures/topology/rank_colours.h"
#include "plan_contexts.h"
#include "support/test_main.h"

using namespace nest;

namespace {

double linear(double v) {
  return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}
double luminance(const QColor& c) {
  return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
}
double contrast(const QColor& a, const QColor& b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

/// CIE 1976 difference; 10 is another colour at a glance.
double difference(const QColor& a, const QColor& b) {
  const auto lab = [](const QColor& c) {
    const double r = linear(c.redF()), g = linear(c.greenF()), u = linear(c.blueF());
    const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
    const double x = f((0.4124 * r + 0.3576 * g + 0.1805 * u) / 0.9505),
                 y = f(0.2126 * r + 0.7152 * g + 0.0722 * u),
                 z = f((0.0193 * r + 0.1192 * g + 0.9505 * u) / 1.089);
    return std::array{116 * y - 16, 500 * (x - y), 200 * (y - z)};
  };
  const auto p = lab(a), q = lab(b);
  return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

struct Part {
  QString name;
  QColor colour;
  int hatch;
};
template <class Kind>
std::vector<Part> partsOf(int count, const Theme& theme) {
  std::vector<Part> out;
  for (int i = 0; i < count; ++i) {
    const auto part = static_cast<Kind>(i);
    out.push_back({nameOf(part), colorOf(part, theme), hatchOf(part)});
  }
  return out;
}

}  // namespace

/// A colour means one thing: a stage, or a part of time, or a part of memory.
class TestColours : public QObject {
  Q_OBJECT
private slots:
  void partsAreNoStages_data() {
    QTest::addColumn<int>("kind");
    QTest::newRow("light") << static_cast<int>(Theme::Kind::Light);
    QTest::newRow("dark") << static_cast<int>(Theme::Kind::Dark);
    QTest::newRow("print") << static_cast<int>(Theme::Kind::Print);
  }
  void partsAreNoStages() {
    QFETCH(int, kind);
    const Theme& theme = Theme::of(static_cast<Theme::Kind>(kind));
    auto all = partsOf<LoadPart>(kLoadPartCount, theme);
    const auto memory = partsOf<MemoryPart>(kMemoryPartCount, theme);
    all.insert(all.end(), memory.begin(), memory.end());
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (int s = 0; s < 8; ++s)
        QVERIFY2(difference(all[i].colour, theme.stage(s)) > 10, qPrintable(all[i].name));
      for (std::size_t j = i + 1; j < all.size(); ++j)
        QVERIFY2(difference(all[i].colour, all[j].colour) > 8 || all[i].hatch != all[j].hatch,
                 qPrintable(all[i].name + u' ' + all[j].name));
    }
  }

  /// Devices beside and below each other, drawn a host in a row: another group is another colour or hatch.
  void groupsThatTouchDiffer() {
    const Theme& theme = Theme::of(Theme::Kind::Light);
    int boundaries = 0;
    for (const int tensor : {1, 2, 4, 8})
      for (const int stages : {2, 4, 8})
        for (const int inner : {1, 2, 4}) {
          test::ContextShape shape;
          shape.tensor = tensor, shape.stages = stages, shape.inner = inner, shape.zero = 1;
          const PlanContext c = test::contextOf(shape);
          const Plan& plan = *c.shownPlan();
          const int devices = c.problem->cluster->deviceCount();
          const SeatMap seats(plan, devices);
          for (const Together by : kTogether)
            for (int d = 0; d < devices; ++d)
              for (const int other : {d + 1, d + 8}) {
                if (other >= devices || shownBy(&plan, by) != by) continue;
                const RankKind a = kindOf(seats.at(d), &plan, by), b = kindOf(seats.at(other), &plan, by);
                if (a == b || a.idle() || b.idle()) continue;
                ++boundaries;
                QVERIFY2(theme.stage(a.colour()) != theme.stage(b.colour()) ||
                             theme.stageHatch(a.colour()) != theme.stageHatch(b.colour()),
                         qPrintable(QStringLiteral("TP %1 PP %2, by %3: devices %4 and %5")
                                        .arg(tensor)
                                        .arg(stages)
                                        .arg(QLatin1String(nameOf(by)))
                                        .arg(d)
                                        .arg(other)));
              }
        }
    QVERIFY(boundaries > 1000);
  }

  /// In grey, parts of one bar differ by lightness or hatch.
  void partsStayApartInGrey() {
    const Theme& print = Theme::of(Theme::Kind::Print);
    for (const auto& bar :
         {partsOf<LoadPart>(kLoadPartCount, print), partsOf<MemoryPart>(kMemoryPartCount, print)})
      for (std::size_t i = 0; i < bar.size(); ++i)
        for (std::size_t j = i + 1; j < bar.size(); ++j)
          QVERIFY2(bar[i].hatch != bar[j].hatch || contrast(bar[i].colour, bar[j].colour) >= 1.25,
                   qPrintable(bar[i].name + u' ' + bar[j].name));
  }

  /// A share of the batch has the colour of the part of the load that it is made of.
  void sharesHaveTheColoursOfParts() {
    std::set<LoadPart> seen;
    for (int b = 0; b < kTimePartCount; ++b) {
      const auto part = partOf(static_cast<TimePart>(b));
      QCOMPARE(part.has_value(), static_cast<TimePart>(b) != TimePart::Idle);
      if (part) QVERIFY(seen.insert(*part).second);
    }
    QVERIFY(seen.contains(LoadPart::Tensor) && seen.contains(LoadPart::Data));
  }
};
NEST_TEST(TestColours)
#include "test_colours.moc"
