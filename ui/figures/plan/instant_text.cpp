#include "figures/plan/instant_text.h"

#include <QStringList>
#include <map>
#include <string>

#include "figures/paint/phrases.h"
#include "figures/plan/kinds.h"
#include "figures/plan/timeline_rows.h"

namespace nest {
namespace {

constexpr qsizetype kMostStagesNamed = 10;  ///< stages of one kind of task

}  // namespace

QString instantText(const ScheduleInstant& now, const PlanContext& c) {
  QString out = QStringLiteral("At %1").arg(timeText(now.at));
  if (const Plan* plan = c.shownPlan(); plan && plan->schedule != now.kind && !now.memory.empty())
    out += QStringLiteral(" under ") + phrase(std::string(scheduleOf(now.kind).label()));
  std::map<TaskKind, QStringList> kinds;
  for (const RunningTask& t : now.running) {
    QStringList& list = kinds[t.kind];
    QString one = t.microbatch < 0 ? QString() : QString::number(t.microbatch) + u' ';
    if (t.from >= 0) {
      one += QStringLiteral("from %1 to %2").arg(stageNumber(t.from), stageNumber(t.stage));
      if (t.level >= 0) one += QStringLiteral(" over ") + levelName(c, t.level);
    } else {
      one += (list.isEmpty() ? QStringLiteral("on stage ") : QStringLiteral("on ")) + stageNumber(t.stage);
    }
    list << one;
  }
  QString join = QStringLiteral(": ");
  for (auto& [kind, list] : kinds) {
    const auto more = list.size() - kMostStagesNamed;
    if (more > 0) list = list.mid(0, kMostStagesNamed) << QStringLiteral("%1 more").arg(more);
    out += join + inSentence(nameOf(partOf(kind))) + u' ' + list.join(QStringLiteral(", "));
    join = QStringLiteral(" · ");
  }
  const Plan* plan = c.shownPlan();
  const int waiting = (plan ? plan->stageCount() : 0) - static_cast<int>(now.running.size());
  if (now.running.empty()) return out + QStringLiteral(": every stage waits");
  if (waiting > 0)
    out += QStringLiteral(" · %1 %2")
               .arg(plural(waiting, QStringLiteral("stage")),
                    waiting == 1 ? QStringLiteral("waits") : QStringLiteral("wait"));
  return out;
}

QString othersText(const PlanContext& c) {
  const int others = c.shownPlan() ? c.shownPlan()->dataDegree() - 1 : 0;
  if (others < 1) return {};
  return others == 1
             ? QStringLiteral("; shown on replica 0, the other one does the same")
             : QStringLiteral("; shown on replica 0, the other %1 do the same").arg(countText(others));
}

}  // namespace nest
