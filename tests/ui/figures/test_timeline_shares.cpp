// What a timeline draws is what the simulation says: shares of time, idle time and memory.
#include <QImage>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

#include "figures/paint/figure_painter.h"
#include "figures/paint/phrases.h"
#include "figures/plan/kinds.h"
#include "figures/plan/timeline_figure.h"
#include "figures/plan/timeline_rows.h"
#include "measures/bubble.h"
#include "reading.h"
#include "support/desk.h"
#include "support/random_instance.h"
#include "support/test_main.h"
#include "words/metric_words.h"

using namespace nest;
using namespace nest::test;

namespace {

constexpr std::array kSamples{"teaching-6-layers-2x2.nest.json", "llama2-7b-h100-128.nest.json",
                              "gpt3-175b-h100-1024.nest.json",   "mixtral-8x7b-tpuv4-512.nest.json",
                              "llama3-70b-h100-1024.nest.json",  "llama3-70b-a100-16-too-small.nest.json"};

/// A plan of random shape, of even and uneven stages, of tasks that are drawn one by one and of those too
/// many for that.
PlanContext randomPlan(Dice& dice) {
  ContextShape s;
  s.stages = dice.between(1, 40);
  s.tensor = dice.chance(0.5) ? 8 : 4;
  s.fanouts = {8, 4, std::max(4, (s.stages * s.tensor + 31) / 32 * dice.between(1, 3))};
  s.blocks = std::max(4, s.stages * dice.between(1, 3) + dice.between(0, 3) - 2);
  s.microbatches = dice.chance(0.5) ? dice.between(1, 40) : dice.between(100, 700);
  s.memoryGiB = 2000;
  s.recompute = dice.chance(0.3) ? Recompute::Full : Recompute::None;
  return contextOf(s);
}

struct Painted {
  QImage image;
  double scale;
  QRgb at(double x, double y) const {
    return image.pixel(static_cast<int>(x * scale), static_cast<int>(y * scale));
  }
};

Painted paintedBy(const Figure& figure, const PlanContext& c, const QSize& size, double scale) {
  QImage image(size * scale, QImage::Format_RGB32);
  image.setDevicePixelRatio(scale);
  image.fill(Qt::white);
  QPainter painter(&image);
  figure.paint(painter, QRectF(QPointF(0, 0), size), c, {});
  painter.end();
  image.setDevicePixelRatio(1);
  return {image, scale};
}

double distance(QRgb a, const QColor& b) {
  return std::hypot(qRed(a) - b.red(), qGreen(a) - b.green(), qBlue(a) - b.blue());
}

/// Which part has the colour that is nearest; kLoadPartCount: none, the bubble.
class Parts {
public:
  Parts(std::vector<int> used, const Theme& theme) : m_used(std::move(used)) {
    // Ground and hatch lines of the bubble, and what lies between their colours.
    for (double t = 0; t <= 1; t += 0.125)
      m_colours.emplace_back(mixed(bubbleColor(theme), bubbleLineColor(theme), t), kLoadPartCount);
    for (const int k : m_used) m_colours.emplace_back(colorOf(static_cast<LoadPart>(k), theme), k);
  }
  const std::vector<int>& used() const { return m_used; }
  int at(QRgb pixel) const {
    const auto [known, fresh] = m_known.try_emplace(pixel, 0);
    if (fresh)
      known->second = std::min_element(m_colours.begin(), m_colours.end(), [&](const auto& x, const auto& y) {
                        return distance(pixel, x.first) < distance(pixel, y.first);
                      })->second;
    return known->second;
  }

private:
  std::vector<int> m_used;
  std::vector<std::pair<QColor, int>> m_colours;
  mutable std::unordered_map<QRgb, int> m_known;
};

/// Seconds of each part of a stage between two times.
PerLoadPart<double> secondsOf(const Schedule& s, int stage, double from, double to) {
  PerLoadPart<double> out{};
  const auto within = [&](double a, double b) { return std::max(0.0, std::min(b, to) - std::max(a, from)); };
  for (const ScheduleInterval& i : s.intervals) {
    if (i.stage != stage) continue;
    const double a = i.begin.value(), b = i.end.value(), again = a + i.recompute.value();
    out[LoadPart::Recompute] += within(a, again);
    out[partOf(i.kind)] += within(again, b);
  }
  return out;
}

std::vector<int> partsIn(const Schedule& s) {
  std::vector<int> out;
  for (int k = 0; k < kLoadPartCount; ++k)
    if (std::any_of(s.intervals.begin(), s.intervals.end(), [k](const ScheduleInterval& i) {
          return static_cast<int>(partOf(i.kind)) == k ||
                 (k == static_cast<int>(LoadPart::Recompute) && i.recompute > Seconds(0));
        }))
      out.push_back(k);
  return out;
}

Schedule runOf(const PlanContext& c, std::optional<ScheduleKind> kind = {}) {
  return simulate(*c.problem, *c.shownPlan(), *c.shownEvaluation(), kind.value_or(c.shownPlan()->schedule));
}

/// Empty, or what is drawn falsely: bands as high as their shares of the time, tasks where they begin and
/// end, each within a pixel.
QString falseShare(const PlanContext& c, const QSize& size, double scale) {
  TimelineFigure figure;
  figure.setOption("memory", FigureOption::kOff);
  const Painted picture = paintedBy(figure, c, size, scale);
  const Schedule run = runOf(c);
  const Theme& theme = Theme::of(Theme::Kind::Light);
  const Parts parts(partsIn(run), theme);
  const double total = run.total.value(), pixel = 1 / scale;
  const bool bands =
      figure.asText(c).isEmpty() || matching(wordsOf(figure, c, size), "bands: each part's share").size() > 0;
  for (int stage = 0; stage < c.shownPlan()->stageCount(); ++stage) {
    const QRectF row = figure.locate({ItemKind::Stage, stage}, QRectF(QPointF(0, 0), size), c)->area;
    const auto said = [&](const char* what, double drawn, double is) {
      return QStringLiteral("stage %1 of rows of %2: %3 drawn %4, is %5")
          .arg(stage)
          .arg(row.height())
          .arg(QLatin1String(what))
          .arg(drawn)
          .arg(is);
    };
    if (!bands) {
      for (const ScheduleInterval& i : run.intervals) {
        if (i.stage != stage) continue;
        const double a = row.left() + i.begin.value() / total * row.width(),
                     b = row.left() + i.end.value() / total * row.width();
        if (b - a < 4 || i.recompute > Seconds(0)) continue;
        for (const double x : {a + 1.1 * pixel, b - 0.7 - 1.1 * pixel}) {
          const double y = row.top() + (row.height() >= 24 ? 3 : 1.7);  // clear of the number
          if (parts.at(picture.at(x, y)) != static_cast<int>(partOf(i.kind)) && hatchOf(partOf(i.kind)) == 0)
            return said("task", x, a) + QStringLiteral(" %1–%2, ").arg(a).arg(b) + nameOf(partOf(i.kind)) +
                   QStringLiteral(" as #") + QString::number(picture.at(x, y), 16);
        }
      }
      continue;
    }
    // Lines of pixels that are no gap between rows, and what each part has of them.
    std::vector<int> lines;
    for (int y = static_cast<int>(std::lround(row.top() * scale)); y < std::lround(row.bottom() * scale);
         ++y) {
      int blank = 0, all = 0;  // ends of hatch lines touch a gap
      for (double x = row.left() + 1; x < row.right() - 1; x += 3, ++all)
        blank +=
            picture.image.pixel(static_cast<int>(x * scale), y) == theme.color(Theme::Role::Canvas).rgb();
      if (blank < all / 2) lines.push_back(y);
    }
    if (lines.empty()) return said("nothing", 0, row.height());
    const auto height = static_cast<double>(lines.size());
    std::map<int, double> drawn;
    const int first = static_cast<int>(std::ceil(row.left() * scale)),
              last = static_cast<int>(std::floor(row.right() * scale));
    for (int x = first; x < last; ++x) {
      std::vector<int> column;
      for (const int y : lines) column.push_back(parts.at(picture.image.pixel(x, y)));
      for (std::size_t y = 0; y < column.size(); ++y) {
        // A line that two bands share may look like any third one: half of it is of each.
        const bool ends = y == 0 || y + 1 == column.size() || column.size() < 6;
        const bool alone = !ends && column[y] != column[y - 1] && column[y] != column[y + 1];
        drawn[alone ? column[y - 1] : column[y]] += 0.5;
        drawn[alone ? column[y + 1] : column[y]] += 0.5;
      }
    }
    const PerLoadPart<double> seconds = secondsOf(run, stage, 0, total);
    // Bands lie upon each other: where each ends, from the top. Two may share a line.
    double is = 0, ends = 0;
    for (const int k : parts.used()) {
      if (k == static_cast<int>(LoadPart::Recompute)) break;  // as pale as the hatch of the bubble
      is += seconds[k] / total * height;
      ends += drawn[k] / (last - first);
      if (std::abs(ends - is) > scale) return said(qPrintable(nameOf(static_cast<LoadPart>(k))), ends, is);
    }
  }
  return {};
}

}  // namespace

class TestTimelineShares : public QObject {
  Q_OBJECT
private slots:
  void sharesAreTheSimulations() {
    Dice dice(20261126);
    int folded = 0;
    for (int k = 0; k < 30; ++k) {
      const PlanContext c = randomPlan(dice);
      const QSize size(dice.between(500, 1300), dice.between(180, 900));
      const double scale = dice.chance(0.3) ? 2 : 1;
      const QString said = falseShare(c, size, scale);
      QVERIFY2(said.isEmpty(),
               qPrintable(QStringLiteral("%1, %2×%3: ").arg(k).arg(size.width()).arg(size.height()) + said));
      folded += matching(wordsOf(TimelineFigure(), c, size), "bands:").size() > 0;
    }
    QVERIFY(folded > 5 && folded < 28);
  }

  void sharesOfSamplesAreTheSimulations() {
    for (const char* sample : kSamples) {
      const Desk desk(sample);
      for (const QSize& size : {QSize(1200, 675), QSize(900, 330), QSize(1200, 150)}) {
        const QString said = falseShare(desk.context, size, 1);
        QVERIFY2(said.isEmpty(), qPrintable(QLatin1String(sample) + QStringLiteral(": ") + said));
      }
    }
  }

  /// In rows of 14 pixels, too: a stage that is a ninth faster than the slowest has ground in sight.
  void imbalanceIsInSight() {
    ContextShape shape;
    shape.stages = 16, shape.blocks = 40, shape.microbatches = 400, shape.fanouts = {8, 4, 4};
    const PlanContext c = contextOf(shape);
    const TimelineFigure figure;
    const QSize size(1000, 420);
    const Painted picture = paintedBy(figure, c, size, 1);
    const Schedule run = runOf(c);
    const Parts parts(partsIn(run), Theme::of(Theme::Kind::Light));
    const auto idleAt = [&](int stage) {
      const QRectF row = figure.locate({ItemKind::Stage, stage}, QRectF(QPointF(0, 0), size), c)->area;
      int lines = 0;
      for (double y = row.top(); y < row.bottom(); y += 1)
        lines += parts.at(picture.at(row.center().x(), y)) == kLoadPartCount;
      return lines;
    };
    const auto& stages = c.shownEvaluation()->stages;
    const auto [fast, slow] = std::minmax_element(
        stages.begin(), stages.end(), [](const auto& a, const auto& b) { return a.load < b.load; });
    QVERIFY(fast->load / slow->load < 0.9);
    QVERIFY(idleAt(static_cast<int>(fast - stages.begin())) >
            idleAt(static_cast<int>(slow - stages.begin())));
  }

  /// One measure for every schedule: that of the run that is drawn; the formula's stands beside it by name.
  void idleTimeIsThatOfTheRun() {
    for (const char* sample : {"teaching-6-layers-2x2.nest.json", "llama2-7b-h100-128.nest.json"}) {
      const Desk desk(sample);
      const PlanContext& c = desk.context;
      TimelineFigure figure;
      const auto idleText = [](const Bubble& b) { return QStringLiteral("idle ") + phrase(words::of(b)); };
      for (const FigureOption& o : figure.offeredOptions(c)) {
        if (o.key != "schedule") continue;
        QVERIFY(o.choices.size() > 2);
        for (const auto& choice : o.choices) {
          if (std::string_view(choice.name) == "all") continue;  // side by side, each with its own
          figure.setOption("schedule", choice.name);
          const PipelineSchedule* named = scheduleNamed(choice.name);
          const Schedule run = runOf(c, named ? std::optional(named->kind()) : std::nullopt);
          const QString said = figure.asText(c).section(u'\n', 1, 1);
          const QString mine = said.section(QStringLiteral("; by formula"), 0, 0);
          QVERIFY2(mine.contains(idleText(bubbleOf(*c.shownEvaluation(), run))), qPrintable(said));
          QVERIFY2(mine.contains(timeText(run.total) + QStringLiteral(" per step")), qPrintable(said));
          const QString formula = said.section(QStringLiteral("; by formula "), 1, 1);
          if (!formula.isEmpty())
            QVERIFY2(formula.startsWith(timeText(c.shownEvaluation()->batchTime)) &&
                         formula.contains(idleText(bubbleOf(*c.shownEvaluation()))),
                     qPrintable(said));
        }
      }
    }
  }

  /// A schedule that is chosen is judged by the memory that its run takes: in words, in the curve, and where
  /// there is no room for either.
  void aScheduleThatDoesNotFitSaysSo() {
    ContextShape shape;
    shape.fanouts = {8, 4, 4}, shape.microbatches = 200, shape.memoryGiB = 80;
    for (const double memory : {80.0, 100000.0}) {
      shape.memoryGiB = memory;
      const PlanContext c = contextOf(shape);
      QVERIFY(c.plan);
      TimelineFigure figure;
      QVERIFY(!figure.asText(c).contains(QStringLiteral("fit")));
      figure.setOption("schedule", "gpipe");
      const Schedule run = runOf(c, ScheduleKind::GPipe);
      Bytes peak(0);
      for (const MemoryStep& step : run.memory) peak = std::max(peak, step.used);
      const Bytes capacity = c.shownEvaluation()->stages[0].memory.capacity;
      const bool fits = peak <= capacity;
      QCOMPARE(fits, memory > 1000);
      const QString said = figure.asText(c).section(u'\n', 1, 1);
      QVERIFY2(
          said.contains(fits ? QStringLiteral("; fits: stage ") : QStringLiteral("does not fit: stage ")),
          qPrintable(said));
      QVERIFY2(said.contains(phrase(words::portion(peak, capacity))), qPrintable(said));
      if (fits) continue;
      const QRgb error = Theme::of(Theme::Kind::Light).color(Theme::Role::Error).rgb();
      for (const QSize& size : {QSize(1200, 675), QSize(900, 400), QSize(900, 190), QSize(400, 260)}) {
        const QStringList once = matching(wordsOf(figure, c, size), "[Dd]oes not fit");
        QVERIFY2(once.size() == 1, qPrintable(QString::number(size.height()) + once.join(u'\n')));
        const Painted picture = paintedBy(figure, c, size, 1);
        int marked = 0;
        for (int y = 0; y < size.height(); ++y)
          for (int x = 0; x < size.width(); ++x) marked += picture.image.pixel(x, y) == error;
        QVERIFY(marked > 20);
      }
      const auto stage = figure.locate({ItemKind::Stage, 0}, QRectF(0, 0, 900, 600), c);
      QVERIFY2(stage->tip.contains(QStringLiteral("Too much")), qPrintable(stage->tip));
    }
  }

  /// The run that is planned holds no more than the plan is said to need.
  void thePlannedScheduleNeedsWhatThePlanDoes() {
    for (const char* sample : kSamples) {
      const Desk desk(sample);
      const PlanContext& c = desk.context;
      const Schedule run = runOf(c);
      for (const MemoryStep& step : run.memory)
        QVERIFY(step.used.value() <=
                c.shownEvaluation()->stages[step.stage].memory.total().value() * (1 + 1e-9));
      const QString text = TimelineFigure().asText(c);
      QCOMPARE(text.count(QStringLiteral("oes not fit")), c.isNearestMiss() ? 1 : 0);
    }
  }

  /// The banner says of a plan that it does not fit, with what would help; nothing else repeats it.
  void whatTheBannerSaysIsNotRepeated() {
    const Desk desk("llama3-70b-a100-16-too-small.nest.json");
    QVERIFY(desk.context.isNearestMiss());
    for (const QSize& size : {QSize(1200, 675), QSize(900, 400), QSize(900, 190), QSize(400, 260)}) {
      const QStringList said = matching(wordsOf(TimelineFigure(), desk.context, size), "[Dd]oes not fit");
      QVERIFY2(said.size() == 1, qPrintable(said.join(u'\n')));
    }
  }

  /// What is sent within a pass is part of its time here and apart from it in Stages: the legend says so.
  void theLegendSaysWhatAPassHolds() {
    const auto legend = [](int tensor) {
      return matching(wordsOf(TimelineFigure(), planOn(2, {8, 4}, tensor), {1200, 600}), "^Forward");
    };
    QCOMPARE(legend(8), QStringList{QStringLiteral("Forward incl. TP")});
    QCOMPARE(legend(1), QStringList{QStringLiteral("Forward")});
  }
};
NEST_TEST(TestTimelineShares)
#include "test_timeline_shares.moc"
