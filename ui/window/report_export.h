#pragma once

#include <QObject>

#include "catalogue/report.h"

namespace nest {

class MessageBar;
class StudyWorker;
class ViewsArea;

/// Writes a report while the window goes on: what improvements would bring and how the scenario scales is
/// computed on another thread, under a message that reports how far it is and can cancel it. Then the figures
/// are painted here, and the file is written.
class ReportExport : public QObject {
  Q_OBJECT
public:
  ReportExport(ViewsArea&, MessageBar&, QObject* parent);
  ~ReportExport() override;

  void ask(const QString& folder, const PlanContextPtr&);  ///< asks where to, beginning there
  /// The context has an outcome.
  void start(const QString& path, const PlanContextPtr&, ReportSources);
  bool isBusy() const { return m_isBusy; }
  void cancel();

private:
  void showProgress();

  ViewsArea& m_views;
  MessageBar& m_messages;
  StudyWorker* m_worker;
  bool m_isBusy = false;
};

}  // namespace nest
