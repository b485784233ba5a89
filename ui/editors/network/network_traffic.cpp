#include "editors/network/network_traffic.h"

#include <utility>

#include "evaluation/routed_plan.h"
#include "figures/paint/phrases.h"
#include "jobs/study_worker.h"

namespace nest {
namespace {

ExchangeMask maskOf(std::optional<Exchange> kind) {
  if (!kind) return kEveryExchange;
  ExchangeMask mask{};
  mask[*kind] = true;
  return mask;
}

}  // namespace

NetworkTraffic::NetworkTraffic(QObject* parent) : QObject(parent), m_worker(new StudyWorker(this)) {
  connect(m_worker, &StudyWorker::finished, this, [this] {
    if (auto next = std::exchange(m_next, nullptr)) route(next, m_nextKind);
  });
}

NetworkTraffic::~NetworkTraffic() {
  m_worker->disconnect(this);
  m_worker->stop();
}

void NetworkTraffic::clear() {
  m_next.reset();
  if (std::exchange(m_routedFor, nullptr)) Q_EMIT changed();
}

void NetworkTraffic::route(const PlanContextPtr& c, std::optional<Exchange> kind) {
  if (m_routedFor == c && m_routedKind == kind) return Q_EMIT changed();
  clear();
  const auto* drawn = c->scenario ? std::get_if<GraphSource>(&c->scenario->cluster.network) : nullptr;
  if (!drawn || !c->plan || !c->problem || !c->current) return;
  m_next = c, m_nextKind = kind;
  if (m_worker->isBusy()) return;
  m_next.reset();
  m_worker->start([this, c, kind](const Control& control, const BackgroundTask::Deliver& deliver) {
    auto routed = std::make_shared<Reading<RoutedTraffic>>(
        routePlan(std::get<GraphSource>(c->scenario->cluster.network), *c->problem, c->plan->plan, nullptr,
                  control.until(), maskOf(kind)));
    deliver([this, c, kind, routed] {
      if (!*routed || m_next) return;
      m_routedFor = c, m_routedKind = kind;
      m_routed = std::move(**routed);
      Q_EMIT changed();
    });
  });
}

QString NetworkTraffic::sentence() const {
  if (!m_routedFor) return {};
  const Seconds step = m_routedFor->plan->evaluation.batchTime;
  QString out;
  if (m_routed.busiest >= 0)
    out = tr("Busiest link: %1, busy %2 of a step of %3")
              .arg(phrase(nameOfLink(std::get<GraphSource>(m_routedFor->scenario->cluster.network).graph,
                                     m_routed.links[m_routed.busiest])),
                   timeText(m_routed.bound), timeText(step));
  else
    out = tr("Nothing of this kind is sent");
  if (isTooMuch()) out += tr(": the levels promise more than this network can carry");
  if (!m_routed.complete) out += tr(" (only part of the traffic was routed)");
  return out;
}

bool NetworkTraffic::isTooMuch() const {
  return m_routedFor && m_routed.bound > m_routedFor->plan->evaluation.batchTime;
}

QString NetworkTraffic::byLevel() const {
  if (!m_routedFor) return {};
  const Problem& problem = *m_routedFor->problem;
  const Traffic traffic(problem, m_routedFor->plan->plan);
  QStringList out;
  for (int l = 0; l < problem.cluster->levelCount(); ++l) {
    Bytes sum;
    for (int k = 0; k < kExchangeCount; ++k)
      if (maskOf(m_routedKind)[k]) sum += traffic.total(static_cast<Exchange>(k), l);
    out << QStringLiteral("%1 %2").arg(phrase(problem.cluster->level(l).name), memoryText(sum));
  }
  return out.join(QStringLiteral(" · "));
}

}  // namespace nest
