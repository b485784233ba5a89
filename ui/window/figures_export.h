#pragma once

#include <QObject>
#include <QTimer>
#include <memory>
#include <vector>

#include "document/plan_context.h"

namespace nest {

class ExportFolder;
class FigureQueue;
class MessageBar;
class StudyWorker;
class ViewsArea;
struct ExportFile;

/// Exports all figures while the window goes on: they are painted one at a time between its events, and
/// written on another thread. A message reports how far it is, and can cancel it.
class FiguresExport : public QObject {
  Q_OBJECT
public:
  FiguresExport(ViewsArea&, MessageBar&, QObject* parent);
  ~FiguresExport() override;

  void ask(const QString& folder, const PlanContext&);  ///< asks where to, beginning there
  void start(const QString& dir, const PlanContext&);
  bool isBusy() const { return m_queue || m_isWriting; }
  void cancel();

private:
  void paintNext();
  void write();
  void report(int done);
  void finish(const ExportFolder&);

  ViewsArea& m_views;
  MessageBar& m_messages;
  StudyWorker* m_worker;
  QTimer m_turn;
  QString m_dir;
  std::unique_ptr<FigureQueue> m_queue;  ///< while there is something to paint
  std::vector<ExportFile> m_files;
  QStringList m_leftOut;
  int m_count = 0, m_written = 0;
  bool m_isWriting = false;
};

}  // namespace nest
