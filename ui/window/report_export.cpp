#include "window/report_export.h"

#include <memory>
#include <utility>

#include "jobs/study_worker.h"
#include "study/report_parts.h"
#include "window/message_bar.h"
#include "window/view_output.h"
#include "window/views_area.h"

namespace nest {
namespace {
const auto kReportTopic = QStringLiteral("report");
}

ReportExport::ReportExport(ViewsArea& views, MessageBar& messages, QObject* parent)
    : QObject(parent), m_views(views), m_messages(messages), m_worker(new StudyWorker(this)) {
  connect(m_worker, &StudyWorker::progressed, this, &ReportExport::showProgress);
  connect(m_worker, &StudyWorker::finished, this, [this] {
    if (!std::exchange(m_isBusy, false)) return;
    if (const QString why = m_worker->failure(); !why.isEmpty())
      m_messages.show(MessageBar::Tone::Error, tr("The report ended early: %1").arg(why));
  });
}

ReportExport::~ReportExport() {
  m_worker->disconnect(this);
  m_worker->stop();
}

void ReportExport::ask(const QString& folder, const PlanContextPtr& c) {
  if (!c->scenario || !c->problem || !c->outcome)
    return m_messages.show(MessageBar::Tone::Warning,
                           tr("There is no plan yet. Solve the scenario, then write the report."));
  const QString path =
      askForPage(m_messages.window(), tr("Write a report"), folder, QStringLiteral("report.html"));
  if (!path.isEmpty()) start(path, c, sourcesIn(*c->scenario, m_views.views()));
}

void ReportExport::start(const QString& path, const PlanContextPtr& c, ReportSources sources) {
  if (m_isBusy) cancel();
  m_isBusy = true;
  m_messages.show(MessageBar::Tone::Note, QString(), {{tr("Cancel"), [this] { cancel(); }}}, kReportTopic);
  m_worker->start([this, path, c, sources = std::move(sources)](const Control& control,
                                                                const BackgroundTask::Deliver& deliver) {
    auto studies = std::make_shared<ReportStudies>(
        reportStudies(*c->scenario, *c->problem, c->outcome->best(), !sources.study, control));
    if (control.stopRequested()) return;
    deliver([this, path, c, sources, studies]() mutable {
      m_isBusy = false;
      if (!sources.study) sources.study = std::move(studies->scaling);
      writeAndReport(path, reportOf(c, sources, studies->improvements, pageFormatOf(path), choiceFor(path)),
                     m_messages);
    });
  });
  showProgress();
}

void ReportExport::showProgress() {
  if (m_isBusy)
    m_messages.goOn(kReportTopic, tr("Report: computing improvements and scaling, %1 %")
                                      .arg(static_cast<int>(100 * m_worker->fraction())));
}

void ReportExport::cancel() {
  m_isBusy = false;
  m_worker->stop();
  m_messages.show(MessageBar::Tone::Note, tr("The report was cancelled; nothing was written"));
}

}  // namespace nest
