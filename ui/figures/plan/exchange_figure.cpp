#include "figures/plan/exchange_figure.h"

#include <QPainterPath>
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "figures/paint/axis.h"
#include "figures/paint/edge.h"
#include "figures/paint/figure_painter.h"
#include "figures/paint/frame.h"
#include "figures/paint/phrases.h"
#include "figures/plan/exchange_text.h"
#include "figures/plan/rank_strip.h"

namespace nest {
namespace {

using Role = Theme::Role;

constexpr double kRowsHead = 18, kTallestStep = 30, kLowestStep = 15;  ///< pixels
constexpr double kNumberColumn = 22, kSumColumn = 72, kValueColumn = 68, kLeastStepBars = 90;
constexpr double kBelowRanks = 6;
constexpr int kLatencyPattern = 1;

QColor latencyColor(const QColor& wire, const Theme& theme) {
  return mixed(wire, theme.color(Role::Canvas), 0.55);
}

}  // namespace

struct ExchangeFigure::Shown {
  PlanContext context;
  std::vector<PlanExchange> all;
  std::shared_ptr<const ExchangeReplay> replay;  ///< null: there is none
  std::shared_ptr<const std::vector<int>> ranks;

  bool isOf(const PlanContext& c) const {
    return context.problem == c.problem && context.plan == c.plan && context.outcome == c.outcome;
  }
  void choose(const std::string& id) {
    const PlanExchange* one = exchangeNamed(all, id);
    if (!one) return;
    replay = std::make_shared<const ExchangeReplay>(*one);
    ranks = std::make_shared<const std::vector<int>>(ranksOf(*context.problem, *context.shownPlan(), *one));
  }
};

struct ExchangeFigure::Parts {
  std::vector<Row> rows;
  QRectF ranks, head, total, plot;
  QRectF number, level, move, bytes, latency, wire, sum;  ///< columns; their width counts
  double rowHeight = kTallestStep;

  QRectF rowOf(std::size_t i) const {
    return {number.left(), head.bottom() + static_cast<double>(i) * rowHeight, sum.right() - number.left(),
            rowHeight};
  }
  QRectF cell(const QRectF& column, const QRectF& row) const {
    return {column.left(), row.top(), column.width(), row.height()};
  }
};

const ExchangeFigure::Shown& ExchangeFigure::shown(const PlanContext& c) const {
  if (m_shown && m_shown->isOf(c)) return *m_shown;
  auto out = std::make_shared<Shown>();
  out->context = c;
  if (c.problem && c.shownPlan()) out->all = exchangesOf(*c.problem, *c.shownPlan(), *c.shownEvaluation());
  out->choose(m_id);
  m_shown = std::move(out);
  return *m_shown;
}

std::string ExchangeFigure::shownId(const PlanContext& c) const {
  const auto& replay = shown(c).replay;
  return replay ? replay->exchange().id : std::string();
}

std::optional<ExchangeInstant> ExchangeFigure::beginning(const PlanContext& c) const {
  const Shown& s = shown(c);
  return s.replay ? std::optional(ExchangeInstant{s.replay, {}, s.ranks}) : std::nullopt;
}

std::vector<FigureOption> ExchangeFigure::offeredOptions(const PlanContext& c) const {
  FigureOption o{"exchange",
                 QStringLiteral("Exchange"),
                 QStringLiteral("What the selected stage exchanges, and how long one run takes"),
                 {},
                 m_id};
  const auto& replay = shown(c).replay;
  if (!replay) {
    o.choices.push_back({m_id, QStringLiteral("–")});
    return {o};
  }
  o.value = replay->exchange().id;
  std::map<QString, int> equal;
  for (const PlanExchange& x : shown(c).all)
    if (x.stage == replay->exchange().stage) ++equal[choiceOf(x)];
  for (const PlanExchange& x : shown(c).all) {
    if (x.stage != replay->exchange().stage) continue;
    QString label = choiceOf(x);
    if (const QString layers = layersOf(x); equal[label] > 1 && !layers.isEmpty())
      label += QStringLiteral(", ") + layers;
    o.choices.push_back({x.id, label});
  }
  return {o};
}

void ExchangeFigure::setOption(const std::string& key, const std::string& name) {
  if (key != "exchange" || m_id == name) return;
  m_id = name;
  m_shown.reset();
}

void ExchangeFigure::showStage(int stage, const PlanContext& c) {
  const auto& [context, all, replay, ranks] = shown(c);
  if (!replay || replay->exchange().stage == stage) return;
  const auto within = [](const std::string& id) { return id.substr(std::min(id.find('/'), id.size())); };
  const std::string wanted = within(replay->exchange().id);
  const PlanExchange* longest = nullptr;
  for (const PlanExchange& x : all) {
    if (x.stage != stage) continue;
    if (within(x.id) == wanted) return setOption("exchange", x.id);
    if (!longest || x.timeInAll() > longest->timeInAll()) longest = &x;
  }
  if (longest) setOption("exchange", longest->id);
}

std::optional<FigureState> ExchangeFigure::state(const PlanContext& c, bool) const {
  if (auto none = stateOf(c, QStringLiteral("the steps of an exchange"))) return none;
  if (shown(c).replay) return std::nullopt;
  return FigureState{QStringLiteral("Nothing is exchanged"),
                     QStringLiteral("This plan sends nothing over the network.")};
}

const ExchangeInstant* ExchangeFigure::instantIn(const FigureStyle& style, const PlanContext& c) const {
  const auto& now = style.exchange;
  return now && !style.standalone && now->replay->exchange().id == shownId(c) ? &*now : nullptr;
}

namespace {

ExchangeFigure::Row stepRow(const ExchangeReplay& r, std::size_t first, std::size_t last) {
  const auto& steps = r.steps();
  ExchangeFigure::Row row{first, last, steps[first].level, moveText(steps[first]), {},
                          {},    {},   r.startOf(first),   r.startOf(last + 1)};
  for (std::size_t k = first; k <= last; ++k) {
    row.bytes += steps[k].bytes * steps[k].rounds;
    row.latency += steps[k].latencies();
    row.wire += steps[k].wires();
  }
  if (last > first)
    row.move = row.move.section(u',', 0, 0) + QStringLiteral(", %1 rounds").arg(last - first + 1);
  return row;
}

/// `folded`: what follows each other at one level is one row.
std::vector<ExchangeFigure::Row> stepRows(const ExchangeReplay& r, bool folded) {
  std::vector<ExchangeFigure::Row> out;
  const auto& steps = r.steps();
  for (std::size_t from = 0, to = 0; from < steps.size(); from = to + 1) {
    to = from;
    while (folded && to + 1 < steps.size() && steps[to + 1].level == steps[from].level &&
           steps[to + 1].move == steps[from].move)
      ++to;
    out.push_back(stepRow(r, from, to));
  }
  return out;
}

}  // namespace

ExchangeFigure::Parts ExchangeFigure::layOut(const QRectF& area, const PlanContext& c,
                                             bool standalone) const {
  Parts p;
  const Shown& s = shown(c);
  const QRectF body = bodyOf(area, c, standalone);
  const double strip = rankStripHeight(*s.replay->exchange().run);
  const double rest = kRowsHead + kTallestStep + kHorizontalAxisHeight + kBelowRanks;
  for (const auto& [folded, withStrip] :
       {std::pair(false, true), std::pair(false, false), std::pair(true, true), std::pair(true, false)}) {
    p.rows = stepRows(*s.replay, folded);
    const double above = withStrip ? strip + kBelowRanks : 0;
    p.ranks = QRectF(body.left(), body.top(), body.width(), withStrip ? strip : 0);
    p.head = QRectF(body.left(), body.top() + above, body.width(), kRowsHead);
    p.rowHeight =
        std::clamp((body.height() - above - rest) / static_cast<double>(p.rows.size()), 1.0, kTallestStep);
    if (p.rowHeight >= kLowestStep) break;
  }
  p.rowHeight = std::max(p.rowHeight, kLowestStep);
  // Columns from both sides; what is left is the bars'.
  const double width = body.width();
  double x = body.left();
  const auto column = [&](QRectF& out, double w) {
    out = QRectF(x, 0, w, 0);
    x += w;
  };
  column(p.number, kNumberColumn);
  column(p.level, std::clamp(0.12 * width, 52.0, 110.0));
  column(p.move, std::clamp(0.2 * width, 96.0, 170.0));
  column(p.bytes, kValueColumn);
  const bool all = width - (x - body.left()) - 2 * kValueColumn - kSumColumn >= kLeastStepBars;
  column(p.latency, all ? kValueColumn : 0);
  column(p.wire, all ? kValueColumn : 0);
  p.sum = QRectF(body.right() - kSumColumn, 0, kSumColumn, 0);
  const double bottom = p.head.bottom() + static_cast<double>(p.rows.size()) * p.rowHeight;
  p.plot = QRectF(x + 10, p.head.bottom(), std::max(10.0, p.sum.left() - x - 20), bottom - p.head.bottom());
  p.total = QRectF(body.left(), bottom + kHorizontalAxisHeight, width, kTallestStep - 4);
  return p;
}

std::vector<ExchangeFigure::Row> ExchangeFigure::rowsIn(const QRectF& area, const PlanContext& c,
                                                        bool standalone) const {
  return isShown(c) ? layOut(area, c, standalone).rows : std::vector<Row>();
}

void ExchangeFigure::drawRow(FigurePainter& ink, const Parts& p, std::size_t i, const ExchangeInstant* now,
                             const PlanContext& c) const {
  const ExchangeReplay& r = *shown(c).replay;
  const Row& row = p.rows[i];
  const QRectF line = p.rowOf(i);
  const Seconds at = now ? now->at : r.end();
  const bool runs = now && now->running() && now->step() >= row.first && now->step() <= row.last;
  const bool isAhead = at < row.end && !runs;
  if (runs) {
    ink.fill(line, mixed(ink.color(Role::Canvas), ink.color(Role::Accent), 0.18));
    ink.fill(QRectF(line.left(), line.top(), 3, line.height()), ink.color(Role::Accent));
  }
  const QColor text = ink.color(isAhead ? Role::MutedText : Role::Text);
  const auto say = [&](const QRectF& column, const QString& what, Qt::Alignment side, bool bold = false) {
    if (column.width() > 0)
      ink.label(p.cell(column, line).adjusted(side & Qt::AlignRight ? 0 : 4, 0, -4, 0), what,
                side | Qt::AlignVCenter, FigurePainter::kSmall, text, bold);
  };
  say(p.number, QString::number(row.first + 1), Qt::AlignRight);
  say(p.level, levelName(c, row.level), Qt::AlignLeft, runs);
  ink.firstThatFits(p.cell(p.move, line).adjusted(4, 0, -4, 0),
                    {row.move, QString(row.move).remove(QStringLiteral(", round"))},
                    Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kSmall, text);
  say(p.bytes, memoryText(row.bytes), Qt::AlignRight);
  say(p.latency, timeText(row.latency), Qt::AlignRight);
  say(p.wire, timeText(row.wire), Qt::AlignRight);
  if (p.latency.width() == 0) ink.leaveOut();

  const double scale = p.plot.width() / r.end().value();
  const auto xOf = [&](Seconds t) { return p.plot.left() + t.value() * scale; };
  const QRectF bar(xOf(row.begin), line.top() + 0.18 * line.height(), xOf(row.end) - xOf(row.begin),
                   0.64 * line.height());
  const QColor wire = colorOf(partOf(r.exchange()), ink.theme()), latency = latencyColor(wire, ink.theme());
  const double filled = std::clamp(xOf(at), bar.left(), bar.right()), between = xOf(row.begin + row.latency);
  const QRectF first(bar.left(), bar.top(), std::min(filled, between) - bar.left(), bar.height());
  ink.fill(first, latency);
  ink.hatch(first, kLatencyPattern, mixed(latency, ink.color(Role::Text), 0.35), 5);
  if (filled > between) {
    const QRectF second(between, bar.top(), filled - between, bar.height());
    ink.fill(second, wire);
    if (const int pattern = hatchOf(partOf(r.exchange())))
      ink.hatch(second, pattern, mixed(wire, ink.theme().textOn(wire), 0.4), 6);
    paintEdge(ink, second, wire);
  }
  ink.outline(bar, ink.color(isAhead ? Role::Border : Role::MutedText));
  // The sum goes on where this step ends.
  if (i + 1 < p.rows.size())
    ink.line({bar.right(), bar.bottom()}, {bar.right(), p.rowOf(i + 1).top() + 0.18 * line.height()},
             ink.color(Role::Border));
  if (!isAhead) say(p.sum, timeText(std::min(at, row.end)), Qt::AlignRight, runs);
}

void ExchangeFigure::draw(FigurePainter& ink, const QRectF& area, const PlanContext& c) const {
  const Shown& s = shown(c);
  const ExchangeReplay& r = *s.replay;
  const ExchangeInstant* now = instantIn(ink.style(), c);
  const QRectF body = paintFrame(ink, area, c, title(), exchangeSentence(r.exchange()));
  const Parts p = layOut(area, c, ink.style().standalone);
  if (p.ranks.height() > 0)
    paintRankStrip(ink, p.ranks, {s.replay, now ? now->at : r.end(), s.ranks}, c);
  else
    ink.leaveOut();
  const QColor muted = ink.color(Role::MutedText);
  const auto head = [&](const QRectF& column, const QString& text, Qt::Alignment side) {
    if (column.width() > 0)
      ink.label(p.cell(column, p.head).adjusted(side & Qt::AlignRight ? 0 : 4, 0, -4, 0), text,
                side | Qt::AlignVCenter, FigurePainter::kSmall, muted);
  };
  head(p.level, QStringLiteral("Level"), Qt::AlignLeft);
  head(p.move, QStringLiteral("Each rank"), Qt::AlignLeft);
  head(p.bytes, QStringLiteral("Sends"), Qt::AlignRight);
  head(p.latency, QStringLiteral("Latency"), Qt::AlignRight);
  head(p.wire, QStringLiteral("Wire"), Qt::AlignRight);
  head(p.sum, QStringLiteral("Sum"), Qt::AlignRight);
  const QColor wire = colorOf(partOf(r.exchange()), ink.theme());
  const std::vector<LegendItem> legend{
      {QStringLiteral("Latency"), latencyColor(wire, ink.theme()), kLatencyPattern},
      {QStringLiteral("Bytes ÷ bandwidth"), wire, hatchOf(partOf(r.exchange()))}};
  const QRectF ofLegend(p.plot.left(), p.head.top(), p.sum.left() - p.plot.left(), p.head.height());
  if (legendHeight(legend, ofLegend.width()) <= legendHeight({legend.front()}, ofLegend.width()))
    paintLegend(ink, ofLegend, legend);
  else
    ink.leaveOut();
  ink.line(p.head.bottomLeft(), p.head.bottomRight(), ink.color(Role::Border));
  for (std::size_t i = 0; i < p.rows.size(); ++i) {
    if (p.rowOf(i).bottom() > body.bottom() + 0.5) {
      ink.leaveOut();
      return;
    }
    drawRow(ink, p, i, now, c);
  }
  if (p.total.bottom() > body.bottom() + 0.5) {
    ink.leaveOut();
    return;
  }
  paintHorizontalAxis(ink, p.plot,
                      Axis::time(r.end().value(), std::max(2, static_cast<int>(p.plot.width() / 80))),
                      QStringLiteral("Time"));
  Seconds latency, sent;
  for (const Row& row : p.rows) latency += row.latency, sent += row.wire;
  const auto total = [&](const QRectF& column, const QString& text, Qt::Alignment side) {
    if (column.width() > 0)
      ink.label(p.cell(column, p.total).adjusted(side & Qt::AlignRight ? 0 : 4, 0, -4, 0), text,
                side | Qt::AlignVCenter, FigurePainter::kBody, ink.color(Role::Text), true);
  };
  ink.line(p.total.topLeft(), p.total.topRight(), ink.color(Role::Border));
  total(p.level.united(p.move), QStringLiteral("All steps"), Qt::AlignLeft);
  total(p.latency, timeText(latency), Qt::AlignRight);
  total(p.wire, timeText(sent), Qt::AlignRight);
  total(p.sum, timeText(r.end()), Qt::AlignRight);
  const PlanExchange& played = r.exchange();
  ink.firstThatFits(
      p.cell(p.plot, p.total),
      {timesText(played),
       QStringLiteral("%1 ×: %2").arg(phrase(text::number(played.times)), timeText(played.timeInAll()))},
      Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kBody, ink.color(Role::Text));
  const QRectF rows(p.head.left(), p.head.bottom(), p.head.width(), p.plot.height());
  if (now) {
    const double x = p.plot.left() + now->at / r.end() * p.plot.width();
    ink.line({x, rows.top()}, {x, rows.bottom()}, ink.color(Role::Error), 1.4);
  }
  for (const auto& [item, role] :
       {std::pair(ink.style().selected, Role::Selection), std::pair(ink.style().hovered, Role::Hover)})
    if (item && item->kind == ItemKind::Level && !ink.style().standalone)
      if (const auto hit = placeOf(*item, area, c))
        ink.outline(hit->area.adjusted(0.5, 0.5, -0.5, -0.5), ink.color(role), 1.6);
}

SelectionItem ExchangeFigure::itemOf(const Row& row) const {
  return {ItemKind::Level, row.level, 0, static_cast<int>(row.first)};
}

Figure::Hit ExchangeFigure::hitOf(std::size_t i, const Parts& p, const PlanContext& c) const {
  const Row& row = p.rows[i];
  const NetworkLevel& level = c.problem->cluster->level(row.level);
  Tip tip(QStringLiteral("Step %1: %2").arg(row.first + 1).arg(row.move));
  tip.row(QStringLiteral("Level"), phrase(level.name));
  tip.row(QStringLiteral("Sent by each rank"), exactMemory(row.bytes));
  tip.row(QStringLiteral("Latency"), exactTime(row.latency));
  tip.row(QStringLiteral("Bytes ÷ bandwidth"), exactTime(row.wire));
  if (row.wire > Seconds())
    tip.row(QStringLiteral("Bandwidth"),
            phrase(text::bandwidth(BytesPerSecond(row.bytes.value() / row.wire.value()))));
  tip.row(QStringLiteral("Sum up to here"), exactTime(row.end));
  return {itemOf(row), p.rowOf(i), tip.html()};
}

std::optional<Figure::Hit> ExchangeFigure::itemAt(const QPointF& at, const QRectF& area,
                                                  const PlanContext& c) const {
  const Parts p = layOut(area, c, false);
  for (std::size_t i = 0; i < p.rows.size(); ++i)
    if (p.rowOf(i).contains(at)) return hitOf(i, p, c);
  return std::nullopt;
}

std::optional<Figure::Hit> ExchangeFigure::placeOf(const SelectionItem& item, const QRectF& area,
                                                   const PlanContext& c) const {
  if (item.kind != ItemKind::Level) return std::nullopt;
  const Parts p = layOut(area, c, false);
  // A level that was chosen elsewhere: where it is crossed first.
  for (const bool exactly : {true, false})
    for (std::size_t i = 0; i < p.rows.size(); ++i)
      if (p.rows[i].level == item.index && (!exactly || (static_cast<int>(p.rows[i].first) <= item.other &&
                                                         item.other <= static_cast<int>(p.rows[i].last))))
        return hitOf(i, p, c);
  return std::nullopt;
}

std::optional<SelectionItem> ExchangeFigure::stepFrom(const std::optional<SelectionItem>& from, Step step,
                                                      const PlanContext& c) const {
  const auto rows = stepRows(*shown(c).replay, false);
  const int last = static_cast<int>(rows.size()) - 1;
  int at = from && from->kind == ItemKind::Level ? from->other : -1;
  if (at < 0 || step == Step::First)
    at = 0;
  else if (step == Step::Last)
    at = last;
  else
    at += step == Step::Right || step == Step::Down ? 1 : -1;
  return itemOf(rows[static_cast<std::size_t>(std::clamp(at, 0, last))]);
}

QString ExchangeFigure::sentenceOf(const SelectionItem& item, const PlanContext& c) const {
  const auto rows = stepRows(*shown(c).replay, false);
  if (item.kind != ItemKind::Level || item.other < 0 || item.other >= static_cast<int>(rows.size()))
    return {};
  const Row& row = rows[static_cast<std::size_t>(item.other)];
  return QStringLiteral("Step %1 over %2: %3, %4; latency %5, bytes ÷ bandwidth %6; sum %7")
      .arg(row.first + 1)
      .arg(levelName(c, row.level), row.move, memoryText(row.bytes), timeText(row.latency),
           timeText(row.wire), timeText(row.end));
}

QString ExchangeFigure::words(const PlanContext& c) const {
  const PlanExchange& x = shown(c).replay->exchange();
  QString out = title() + u'\n' + exchangeSentence(x) + u'\n' + timesText(x) + u'\n';
  for (const Row& row : stepRows(*shown(c).replay, false)) out += sentenceOf(itemOf(row), c) + u'\n';
  return out;
}

}  // namespace nest
