#include "figures/plan/exchange_text.h"

#include <algorithm>

#include "figures/paint/phrases.h"
#include "figures/plan/communication_figure.h"
#include "model/profile.h"

namespace nest {
namespace {

/// ⌈log₂ n⌉.
int halvingRounds(int parties) {
  int rounds = 0;
  for (int joined = 1; joined < parties; joined *= 2) ++rounds;
  return rounds;
}

}  // namespace

LoadPart partOf(const PlanExchange& x) {
  switch (x.exchange) {
    case Exchange::Tensor:
      return LoadPart::Tensor;
    case Exchange::Context:
      return LoadPart::Context;
    case Exchange::Expert:
      return LoadPart::Expert;
    case Exchange::Pipeline:
      return x.run->from < x.run->to ? LoadPart::Activation : LoadPart::Gradient;
    case Exchange::Data:
      break;
  }
  return x.perStep ? LoadPart::Sync : LoadPart::Data;
}

QString nameOf(const PlanExchange& x) {
  const QString what = x.run->kind                        ? QString::fromLatin1(nameOf(*x.run->kind))
                       : x.exchange == Exchange::Pipeline ? QStringLiteral("send/recv")
                                                          : QStringLiteral("tied parameters");
  return nameOfKind(x.exchange) + u' ' + what;
}

QString choiceOf(const PlanExchange& x) {
  if (!x.run->kind) return x.exchange == Exchange::Pipeline ? phrase(x.label) : nameOf(x);
  QString out = nameOf(x);
  if (x.exchange == Exchange::Data) {
    if (x.id.find("/expert") != std::string::npos) out += QStringLiteral(", experts");
    if (x.id.ends_with("/copies")) out += QStringLiteral(", copies");
    return x.perStep ? out + QStringLiteral(", step end") : out;
  }
  QString phase = phrase(x.label).section(QStringLiteral(", "), 1);
  phase.replace(QStringLiteral("forward"), QStringLiteral("fwd"));
  phase.replace(QStringLiteral("backward"), QStringLiteral("bwd"));
  return phase.isEmpty() ? out : out + QStringLiteral(", ") + phase;
}

QString layersOf(const PlanExchange& x) {
  if (!x.run->group || x.exchange == Exchange::Data) return {};
  return phrase(x.label).section(QStringLiteral(": "), 0, 0).section(QStringLiteral(" × "), -1);
}

QString moveText(const CollectiveStep& s) {
  switch (s.move) {
    case StepMove::Halving:
      return QStringLiteral("halve, round %1 of %2").arg(s.round).arg(halvingRounds(s.parties));
    case StepMove::Doubling: {
      const int all = halvingRounds(s.parties);
      return QStringLiteral("double, round %1 of %2").arg(all + 1 - s.round).arg(all);
    }
    case StepMove::Hop:
      return QStringLiteral("ring, %1").arg(plural(s.rounds, QStringLiteral("hop")));
    case StepMove::Pairwise:
      return QStringLiteral("one by one, %1").arg(plural(s.rounds, QStringLiteral("peer")));
    case StepMove::Send:
      break;
  }
  return s.rounds > 1 ? QStringLiteral("send, %1 times").arg(s.rounds) : QStringLiteral("send");
}

QString wayText(const ExchangeRun& run) {
  if (!(run.otherWay > run.time() * (1 + 1e-9))) return {};
  return (run.levelByLevel ? QStringLiteral("level by level; flat it would take %1")
                           : QStringLiteral("flat; level by level it would take %1"))
      .arg(timeText(run.otherWay));
}

QString exchangeSentence(const PlanExchange& x) {
  QString out = QStringLiteral("%1 of %2 ").arg(nameOf(x), memoryText(x.run->bytes));
  out +=
      x.run->group
          ? QStringLiteral("among %1 ranks of stage %2").arg(countText(x.run->ranks), stageNumber(x.stage))
          : QStringLiteral("from stage %1 to stage %2").arg(stageNumber(x.run->from), stageNumber(x.run->to));
  out += QStringLiteral(": ") + timeText(x.time());
  if (const QString way = wayText(*x.run); !way.isEmpty()) out += QStringLiteral(", ") + way;
  return out;
}

QString timesText(const PlanExchange& x) {
  const QString when = x.perStep ? QStringLiteral("once per step") : QStringLiteral("with each microbatch");
  if (x.times == 1) return when;
  return QStringLiteral("%1 × %2: %3")
      .arg(phrase(text::number(x.times)), x.perStep ? QStringLiteral("per step") : when,
           timeText(x.timeInAll()));
}

QString instantText(const ExchangeInstant& now, const PlanContext& c) {
  const ExchangeReplay& r = *now.replay;
  QString out =
      QStringLiteral("%1 at %2 of %3: ").arg(nameOf(r.exchange()), timeText(now.at), timeText(r.end()));
  const CollectiveStep* step = now.running();
  if (!step) return out + QStringLiteral("done");
  return out + QStringLiteral("step %1 of %2, %3, %4 over %5")
                   .arg(now.step() + 1)
                   .arg(r.steps().size())
                   .arg(moveText(*step), memoryText(step->bytes), levelName(c, step->level));
}

QString othersText(const ExchangeInstant& now, const PlanContext& c) {
  const PlanExchange& x = now.replay->exchange();
  const Plan* plan = c.shownPlan();
  if (!plan) return {};
  const int ranks = plan->dataDegree() * plan->stages[static_cast<std::size_t>(x.stage)].strategy.width();
  if (!x.run->group)
    return ranks > 1 ? QStringLiteral("; one pair of ranks is marked, the others send as much") : QString();
  return ranks > x.run->ranks ? QStringLiteral("; the slowest group is marked") : QString();
}

}  // namespace nest
