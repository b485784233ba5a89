#include "window/figures_export.h"

#include <QDesktopServices>
#include <QFileDialog>
#include <QUrl>
#include <utility>

#include "catalogue/export_all.h"
#include "jobs/study_worker.h"
#include "window/message_bar.h"
#include "window/views_area.h"

namespace nest {
namespace {
const auto kExportTopic = QStringLiteral("export of all figures");
}

FiguresExport::FiguresExport(ViewsArea& views, MessageBar& messages, QObject* parent)
    : QObject(parent), m_views(views), m_messages(messages), m_worker(new StudyWorker(this)) {
  m_turn.setInterval(0);
  connect(&m_turn, &QTimer::timeout, this, &FiguresExport::paintNext);
  connect(m_worker, &StudyWorker::finished, this, [this] {
    if (!std::exchange(m_isWriting, false)) return;
    if (const QString why = m_worker->failure(); !why.isEmpty())
      m_messages.show(MessageBar::Tone::Error, tr("The export ended early: %1").arg(why));
  });
}

FiguresExport::~FiguresExport() {
  m_worker->disconnect(this);
  m_worker->stop();
}

void FiguresExport::ask(const QString& folder, const PlanContext& c) {
  const QString dir =
      QFileDialog::getExistingDirectory(m_messages.window(), tr("Export all figures to"), folder);
  if (!dir.isEmpty()) start(dir, c);
}

void FiguresExport::start(const QString& dir, const PlanContext& c) {
  if (isBusy()) cancel();
  m_dir = dir;
  m_files.clear();
  m_queue = std::make_unique<FigureQueue>(c, m_views.views());
  m_count = m_queue->count();
  m_written = 0;
  m_leftOut = m_queue->leftOut();
  m_messages.show(MessageBar::Tone::Note, QString(), {{tr("Cancel"), [this] { cancel(); }}}, kExportTopic);
  report(0);
  m_turn.start();
}

/// Painting is counted as half of the work.
void FiguresExport::report(int done) {
  m_messages.goOn(kExportTopic, tr("Exporting figures: %1 of %2 files").arg(done / 2).arg(m_count));
}

void FiguresExport::paintNext() {
  if (auto file = m_queue->next()) {
    m_files.push_back(std::move(*file));
    return report(static_cast<int>(m_files.size()));
  }
  m_turn.stop();
  m_queue.reset();
  write();
}

void FiguresExport::write() {
  m_isWriting = true;
  m_worker->start([this, dir = m_dir, files = std::exchange(m_files, {})](
                      const Control& control, const BackgroundTask::Deliver& deliver) {
    auto folder = std::make_shared<ExportFolder>(dir);
    for (std::size_t i = 0; i < files.size() && folder->report.ok() && !control.stopRequested(); ++i) {
      folder->write(files[i]);
      deliver([this, n = static_cast<int>(i + 1)] {
        m_written = n;
        report(m_count + n);
      });
    }
    if (!control.stopRequested()) deliver([this, folder] { finish(*folder); });
  });
}

void FiguresExport::finish(const ExportFolder& folder) {
  const auto& done = folder.report;
  if (!done.ok()) return m_messages.show(MessageBar::Tone::Error, done.problems.join(QStringLiteral("; ")));
  m_messages.show(
      MessageBar::Tone::Note,
      (QStringList(tr("%1 files were written to %2").arg(done.written.size()).arg(m_dir)) + m_leftOut)
          .join(u'\n'),
      {{tr("Open folder"), [dir = m_dir] { QDesktopServices::openUrl(QUrl::fromLocalFile(dir)); }}});
}

void FiguresExport::cancel() {
  m_turn.stop();
  m_queue.reset();
  m_files.clear();
  m_isWriting = false;
  m_worker->stop();
  m_messages.show(MessageBar::Tone::Note,
                  m_written > 0
                      ? tr("The export was cancelled; %1 files were written to %2").arg(m_written).arg(m_dir)
                      : tr("The export was cancelled"));
}

}  // namespace nest
