#include "views/search/candidate_model.h"

#include <QRegularExpression>
#include <algorithm>
#include <cmath>

#include "evaluation/evaluation.h"
#include "figures/paint/phrases.h"
#include "measures/pace.h"
#include "measures/step_difference.h"
#include "schedule/pipeline_schedule.h"
#include "theme/qt_text.h"
#include "units/amount.h"
#include "units/text.h"
#include "words/difference_words.h"

namespace nest {
namespace {

QString resultName(CandidateResult f) {
  switch (f) {
    case CandidateResult::Won:
      return CandidateModel::tr("best");
    case CandidateResult::Solved:
      return CandidateModel::tr("slower");
    case CandidateResult::Bounded:
      return CandidateModel::tr("pruned");
    case CandidateResult::OutOfMemory:
      return CandidateModel::tr("does not fit");
    case CandidateResult::NotOffered:
      return CandidateModel::tr("not searched");
    case CandidateResult::NotReached:
      break;
  }
  return CandidateModel::tr("not reached");
}

/// A bound is no time: it stands behind all times, however small it is.
double orderOf(const Candidate& c, double time) {
  constexpr double kGroup = 1e12;
  if (c.result == CandidateResult::Won) return -1;
  if (c.result == CandidateResult::OutOfMemory) return 2 * kGroup + c.shortfall.value() / 1e6;
  if (c.result == CandidateResult::NotOffered || c.result == CandidateResult::NotReached) return 3 * kGroup;
  return c.best ? time : kGroup + time;
}

}  // namespace

void CandidateModel::setOutcome(std::shared_ptr<const Outcome> outcome,
                                std::shared_ptr<const Problem> problem) {
  beginResetModel();
  m_outcome = std::move(outcome);
  m_problem = std::move(problem);
  m_reasons.assign(m_outcome ? m_outcome->log.candidates.size() : 0, QString());
  endResetModel();
}

int CandidateModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !m_outcome ? 0 : static_cast<int>(m_outcome->log.candidates.size());
}

int CandidateModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

namespace {

/// The plan that takes the candidate's time, among those that the outcome has; null: it has none.
const RankedPlan* rankedPlanOf(const Candidate& c, const Outcome& outcome) {
  const auto is = [&c](const RankedPlan& r) {
    const Plan& p = r.plan;
    return p.microbatch == c.microbatch && p.dataDegree() == c.dataDegree &&
           (c.stageCount <= 0 || p.stageCount() == c.stageCount) && p.chunksPerStage() == c.chunks &&
           p.schedule == c.schedule && !p.stages.empty() && p.stages.front().strategy == c.strategy &&
           std::abs(r.evaluation.batchTime / *c.best - 1) < 1e-6;
  };
  for (const auto* list : {&outcome.plans, &outcome.front})
    if (const auto it = std::find_if(list->begin(), list->end(), is); it != list->end()) return &*it;
  return nullptr;
}

/// "2.1 % slower: TP communication +13.4 ms (TP 2 → 4)"; empty if its plan is not known.
QString slowerBecause(const Candidate& c, const Outcome& outcome, const Problem* problem) {
  if (!problem || !c.best || !outcome.best()) return {};
  const RankedPlan *best = outcome.best(), *mine = rankedPlanOf(c, outcome);
  if (!mine) return {};
  const StepDifference difference =
      stepDifference(best->evaluation, paceOf(*problem, *best), mine->evaluation, paceOf(*problem, *mine));
  return phrase(
      words::cause(difference, changedFacts(best->plan, best->evaluation, mine->plan, mine->evaluation)));
}

}  // namespace

const QString& CandidateModel::reasonOf(int row) const {
  QString& known = m_reasons[static_cast<std::size_t>(row)];
  if (known.isNull())
    known = reason(m_outcome->log.candidates[static_cast<std::size_t>(row)], *m_outcome, m_problem.get());
  return known;
}

double CandidateModel::tokensPerSecond(const Candidate& c) const {
  if (!c.best || !m_problem) return 0;
  if (const RankedPlan* plan = rankedPlanOf(c, *m_outcome))
    return paceOf(*m_problem, *plan).tokensPerSecond();
  const Job& job = m_problem->job;
  return job.batchTolerance > 0 ? 0 : Pace{*c.best, job.globalBatch, job.sequenceLength}.tokensPerSecond();
}

QString CandidateModel::reason(const Candidate& c, const Outcome& outcome, const Problem* problem) {
  const RankedPlan* best = outcome.best();
  const double optimum = best ? best->evaluation.batchTime.value() : 0;
  switch (c.result) {
    case CandidateResult::Won:
      return tr("the best plan");
    case CandidateResult::Solved:
      if (const QString because = slowerBecause(c, outcome, problem); !because.isEmpty()) return because;
      if (c.best && optimum > 0)
        return tr("%1 slower than the best").arg(toQt(text::percent(c.best->value() / optimum - 1)));
      return tr("solved, slower");
    case CandidateResult::Bounded:
      // Without looking at cuts the bound may lie below the optimum; looking at them, none stayed there.
      if (optimum > 0 && c.lowerBound.value() < optimum)
        return tr("pruned: every cut takes longer than %1").arg(toQt(text::time(Seconds(optimum))));
      if (optimum > 0)
        return tr("pruned: at least %1, at least %2 slower")
            .arg(toQt(text::time(c.lowerBound)), toQt(text::percent(c.lowerBound.value() / optimum - 1)));
      return tr("pruned: at least %1").arg(toQt(text::time(c.lowerBound)));
    case CandidateResult::OutOfMemory:
      if (c.shortStage >= 0)
        return tr("stage %1 lacks %2 of memory")
            .arg(stageNumber(c.shortStage))
            .arg(toQt(text::memory(c.shortfall)));
      if (c.shortfall.value() > 0)
        return tr("however it is cut, a stage lacks at least %1 of memory")
            .arg(toQt(text::memory(c.shortfall)));
      return tr("a stage lacks memory");
    case CandidateResult::NotOffered:
      return tr("not in the model's profile");
    case CandidateResult::NotReached:
      break;
  }
  return tr("the search ended before reaching it");
}

QVariant CandidateModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || !m_outcome) return {};
  const Candidate& c = m_outcome->log.candidates[index.row()];
  // What was searched without finding anything as fast as the best is thereby proven to be no faster.
  const RankedPlan* best = m_outcome->best();
  const bool proven =
      c.result == CandidateResult::Bounded && best && c.lowerBound < best->evaluation.batchTime;
  const double time = c.best   ? c.best->value()
                      : proven ? best->evaluation.batchTime.value()
                               : c.lowerBound.value();
  if (role == Qt::TextAlignmentRole) {
    const bool number = index.column() == Microbatch || index.column() == Data || index.column() == Stages ||
                        index.column() == Time || index.column() == Throughput;
    return QVariant::fromValue(Qt::Alignment((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
  }
  if (role == Qt::ToolTipRole) return reasonOf(index.row());
  if (role == kSortRole) {
    switch (index.column()) {
      case Microbatch:
        return c.microbatch;
      case Data:
        return c.dataDegree;
      case Stages:
        return (c.stageCount * 1024LL + c.chunks) * 16 + static_cast<int>(c.schedule);
      case Result:
        return static_cast<int>(c.result);
      case Time:
      case Throughput:
        return orderOf(c, time);
      case Strategy:
        return c.strategy.width() * 1000 + c.strategy.expert;
      default:
        return reasonOf(index.row());
    }
  }
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
    case Microbatch:
      return c.microbatch;
    case Strategy:
      return toQt(toText(c.strategy));
    case Data:
      return c.dataDegree;
    case Stages:
      if (c.schedule != usualSchedule(c.chunks))
        return tr("%1 %2").arg(QString::number(c.stageCount),
                               toQt(std::string(scheduleOf(c.schedule).label())));
      if (c.chunks > 1) return tr("%1 VPP%2").arg(c.stageCount).arg(c.chunks);
      return c.stageCount > 0 ? QVariant(c.stageCount) : QVariant(tr("any"));
    case Result:
      return resultName(c.result);
    case Time:
      return time > 0 && std::isfinite(time)
                 ? (c.best ? toQt(text::time(*c.best))
                           : tr("at least %1").arg(toQt(text::time(Seconds(time)))))
                 : QString();
    case Throughput: {
      const double rate = tokensPerSecond(c);
      return rate > 0 ? toQt(text::amount(rate)) : QString();
    }
    default:
      return reasonOf(index.row());
  }
}

QVariant CandidateModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::DisplayRole) {
    const QString names[] = {tr("MBS"),     tr("Strategy"),  tr("DP"),       tr("PP"),
                             tr("Outcome"), tr("Step time"), tr("Tokens/s"), tr("Why")};
    return section >= 0 && section < ColumnCount ? names[section] : QVariant();
  }
  if (role == Qt::ToolTipRole && section == Time)
    return tr("Step time of its best plan if solved, otherwise a lower bound");
  return {};
}

CandidateFilter::CandidateFilter(QObject* parent) : QSortFilterProxyModel(parent) {
  setSortRole(CandidateModel::kSortRole);
}

void CandidateFilter::setWords(const QString& text) {
  m_words = text.split(QRegularExpression(QStringLiteral("[\\s,]+")), Qt::SkipEmptyParts);
  invalidateFilter();
}

bool CandidateFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
  if (m_words.isEmpty()) return true;
  QString all;
  for (int column = 0; column < CandidateModel::ColumnCount; ++column)
    all += sourceModel()->index(row, column, parent).data().toString() + QLatin1Char('\n');
  return std::all_of(m_words.begin(), m_words.end(),
                     [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
}

}  // namespace nest
