#include "figures/paint/frame.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "figures/paint/figure_painter.h"
#include "figures/paint/phrases.h"
#include "words/outcome_words.h"

namespace nest {
namespace {

constexpr double kTitleRow = 30, kBannerPad = 8, kBannerText = 12.5;

/// What stands around a figure. A pane that is low has its room for the data: what the sentence says is read
/// from them, and is in the text of the figure.
struct Around {
  double margin = 14, sentence = 24;
  Around(const QRectF& area, bool standalone) {
    constexpr double kLow = 200;
    if (!standalone && area.height() < kLow) margin = 6, sentence = 0;
  }
};

QString firstErrors(const PlanContext& c) {
  QString out;
  int shown = 0;
  for (const Diagnostic& d : c.diagnostics) {
    if (d.severity != Severity::Error) continue;
    if (++shown > 3) return out + QStringLiteral("\n…");
    out += (shown > 1 ? QStringLiteral("\n") : QString()) + phrase(d.message);
    if (!d.remedy.empty()) out += QStringLiteral(" – ") + phrase(d.remedy);
  }
  return out;
}

/// The sentence as it fits: smaller type first, then without its last clauses, which say the least.
std::pair<QString, double> fitting(QString sentence, double width) {
  for (;;) {
    for (const double size : {13.0, 12.0, 11.0})
      if (FigurePainter::width(sentence, size) + 2 <= width) return {sentence, size};
    const qsizetype clause =
        std::max({sentence.lastIndexOf(QStringLiteral("; ")), sentence.lastIndexOf(QStringLiteral(", ")),
                  sentence.lastIndexOf(QStringLiteral(" · "))});
    if (clause <= 0) return {sentence, 11.0};
    sentence.truncate(clause);
    if (sentence.count(u'(') > sentence.count(u')'))
      sentence.truncate(sentence.lastIndexOf(QStringLiteral(" (")));
  }
}

}  // namespace

namespace {

/// Worth a word: most searches end before it could be read.
bool isBeingReplaced(const PlanContext& c) {
  return c.isSearching() && (c.search->lasting || c.soFar) && !c.byHand && !(c.current && c.shownPlan());
}

}  // namespace

QString bannerOf(const PlanContext& c, bool saysSearch) {
  if (saysSearch && isBeingReplaced(c)) {
    SearchState search = *c.search;
    const bool isOptimal = c.soFar && search.settled && search.best && c.plan &&
                           c.plan->evaluation.batchTime <= *search.best * (1 + 1e-9);
    if (c.soFar) search.best.reset();  // it is the plan shown
    const QString shown = isOptimal       ? QStringLiteral("This plan is optimal. ")
                          : c.soFar       ? QStringLiteral("Best plan so far. ")
                          : c.shownPlan() ? QStringLiteral("Found before your last edit. ")
                                          : QString();
    return shown + searchText(search);
  }
  if (c.isNearestMiss()) {
    const words::NoPlan none = words::noPlan(*c.outcome);
    return phrase(none.title + ". " + none.detail);
  }
  if ((c.byHand || !c.shownAs.empty()) && c.plan) {
    const QString what = c.byHand ? QStringLiteral("Cut by hand") : phrase(c.shownAs);
    const Evaluation& mine = c.plan->evaluation;
    if (!mine.feasible())
      return what + QStringLiteral("; it does not run: ") + phrase(mine.violations.front().message);
    QString out = QStringLiteral("%1: %2 per step").arg(what, timeText(mine.batchTime));
    if (const RankedPlan* best = c.outcome ? c.outcome->best() : nullptr) {
      // Of a search that was stopped a plan by hand may be faster.
      const double slower = mine.batchTime / best->evaluation.batchTime - 1;
      out += slower == 0 ? QStringLiteral(", as fast as the best plan")
                         : (slower < 0 ? QStringLiteral(", %1 faster than the best plan found")
                                       : QStringLiteral(", %1 slower than the best plan"))
                               .arg(phrase(text::percent(std::abs(slower))));
    }
    return out;
  }
  QString obstacle;
  if (c.plan && !c.plan->evaluation.feasible())
    obstacle =
        QStringLiteral("This plan does not run: ") + phrase(c.plan->evaluation.violations.front().message);
  if (!c.isSearching() && !c.current && c.shownPlan())
    return QStringLiteral("Found before your last edit. Solve to update.") +
           (obstacle.isEmpty() ? obstacle : u' ' + obstacle);
  return obstacle;
}

double bannerHeight(const QString& banner, double width) {
  if (banner.isEmpty()) return 0;
  constexpr double kSides = 48;
  const auto lines = FigurePainter::lines(banner, width - kSides, kBannerText, true).size();
  return static_cast<double>(lines) * kBannerText * 1.45 + kBannerPad;
}

void paintBanner(FigurePainter& ink, const QRectF& row, const PlanContext& c) {
  using enum Theme::Role;
  const bool saysSearch = ink.style().standalone;
  const QColor tone = ink.color(saysSearch && isBeingReplaced(c) ? Accent
                                : c.isNearestMiss()              ? Error
                                                                 : Warning);
  ink.fill(row, mixed(ink.color(Canvas), tone, 0.16));
  ink.fill(QRectF(row.left(), row.top(), 4, row.height()), tone);
  ink.paragraph(row.adjusted(12, kBannerPad / 2, -8, 0), bannerOf(c, saysSearch), Qt::AlignLeft, kBannerText,
                ink.color(Text), true);
}

std::optional<FigureState> stateOf(const PlanContext& c, const QString& what, bool needsPlan) {
  if (c.problem && (!needsPlan || c.shownPlan())) return std::nullopt;
  if (!c.scenario && !c.problem)
    return FigureState{QStringLiteral("Nothing is open"),
                       QStringLiteral("Open a scenario or a sample to see %1.").arg(what)};
  if (!c.problem) return FigureState{QStringLiteral("Fix the errors in the scenario first"), firstErrors(c)};
  const QString later = QStringLiteral("You see %1 here when a search has found a plan.").arg(what);
  if (c.isSearching())
    return FigureState{QStringLiteral("Searching …"), c.search->lasting ? searchText(*c.search) : later};
  if (!c.outcome) return FigureState{QStringLiteral("No plan yet"), later};
  const words::NoPlan none = words::noPlan(*c.outcome);
  return FigureState{phrase(none.title), phrase(none.detail)};
}

QRectF bodyOf(const QRectF& area, const PlanContext& c, bool standalone) {
  const double banner = bannerHeight(bannerOf(c, standalone), area.width());
  const auto [margin, sentence] = Around(area, standalone);
  const double top = (standalone ? kTitleRow : 0) + sentence + (banner > 0 ? banner + 6 : 0);
  return QRectF(area).adjusted(margin, margin + top + 4, -margin, -margin);
}

QRectF paintFrame(FigurePainter& ink, const QRectF& area, const PlanContext& c, const QString& title,
                  const QString& sentence) {
  using enum Theme::Role;
  ink.fill(area, ink.color(Canvas));
  const auto [margin, height] = Around(area, ink.style().standalone);
  QRectF row(area.left() + margin, area.top() + margin, area.width() - 2 * margin, kTitleRow);
  if (ink.style().standalone) {
    ink.label(row.adjusted(0, 0, 0, -4), title, Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kTitle,
              ink.color(Text), true);
    const QString of = scenarioText(c);
    const double left = ink.width(title, FigurePainter::kTitle, true) + 20;
    if (!of.isEmpty())
      ink.label(row.adjusted(left, 0, 0, -4), of, Qt::AlignRight | Qt::AlignVCenter, 13,
                ink.color(MutedText));
    row.translate(0, kTitleRow);
  }
  row.setHeight(height);
  if (ink.style().report) {
    ink.style().report->sentence = sentence;
  } else if (height > 0) {
    const auto [said, size] = fitting(sentence, row.width());
    ink.label(row, said, Qt::AlignLeft | Qt::AlignVCenter, size,
              ink.color(ink.style().standalone ? MutedText : Text));
  }
  row.translate(0, height + 2);
  const QString banner = bannerOf(c, ink.style().standalone);
  if (!banner.isEmpty()) {
    row.setHeight(bannerHeight(banner, area.width()));
    paintBanner(ink, row, c);
  }
  return bodyOf(area, c, ink.style().standalone);
}

void paintState(FigurePainter& ink, const QRectF& area, const FigureState& state) {
  using enum Theme::Role;
  if (ink.style().report) ink.style().report->sentence = state.heading;
  ink.fill(area, ink.color(Canvas));
  const double w = std::min(520.0, area.width() - 40);
  QRectF box(area.center().x() - w / 2, area.center().y() - 40, w, 28);
  const QString heading = state.heading;
  ink.label(box, heading, Qt::AlignCenter, 18, ink.color(Text), true);
  box.translate(0, 34);
  box.setHeight(std::max(20.0, area.bottom() - box.top() - 8));
  ink.paragraph(box, state.text, Qt::AlignHCenter, 13, ink.color(MutedText));
}

}  // namespace nest
