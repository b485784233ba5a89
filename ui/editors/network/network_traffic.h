#pragma once

#include <QObject>
#include <QStringList>
#include <optional>

#include "cluster/graph/routing.h"
#include "document/plan_context.h"

namespace nest {

class StudyWorker;

/// Routes a plan's bytes over the drawn links, in the background: a large network takes seconds. The newest
/// plan waits until the one before is through.
class NetworkTraffic : public QObject {
  Q_OBJECT
public:
  explicit NetworkTraffic(QObject* parent = nullptr);
  ~NetworkTraffic() override;

  /// `kind`: nullopt all of them. What is routed already is kept.
  void route(const PlanContextPtr&, std::optional<Exchange> kind);
  void clear();

  const RoutedTraffic* routed() const { return m_routedFor ? &m_routed : nullptr; }  ///< null: nothing yet
  /// The most loaded link in words; empty if nothing is routed.
  QString sentence() const;
  bool isTooMuch() const;  ///< the busiest link is busy for longer than the predicted step
  Seconds busiest() const { return m_routed.bound; }
  /// "host 3.2 TiB", innermost first: what each level carries a batch.
  QString byLevel() const;

Q_SIGNALS:
  void changed();

private:
  StudyWorker* m_worker;
  PlanContextPtr m_routedFor;  ///< what m_routed belongs to
  std::optional<Exchange> m_routedKind;
  PlanContextPtr m_next;  ///< waits for the worker
  std::optional<Exchange> m_nextKind;
  RoutedTraffic m_routed;
};

}  // namespace nest
