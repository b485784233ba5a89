#include "window/view_output.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>

#include "catalogue/report.h"
#include "document/file_path.h"
#include "export/date_text.h"
#include "export/export_dialog.h"
#include "export/figure_export.h"
#include "window/message_bar.h"
#include "window/views_area.h"

namespace nest {

void exportFront(const ViewsArea& views, MessageBar& messages) {
  const View* view = views.current();
  if (!view || !view->figure())
    return messages.show(MessageBar::Tone::Note, MessageBar::tr("The active view has no figure to export"));
  ExportDialog(*view->figure(), view->context(), messages.window()).exec();
}

void copyFront(const ViewsArea& views, MessageBar& messages, bool asImage) {
  const View* view = views.current();
  if (!view || !view->figure()) return;
  if (asImage)
    copyAsImage(*view->figure(), view->context());
  else
    QApplication::clipboard()->setText(view->figure()->asText(view->context()));
  messages.show(MessageBar::Tone::Note, (asImage ? MessageBar::tr("The picture of %1 is on the clipboard")
                                                 : MessageBar::tr("%1 is on the clipboard as text"))
                                            .arg(view->title()));
}

QString askForPage(QWidget* window, const QString& title, const QString& folder, const QString& name) {
  QFileDialog dialog(window, title, folder);
  dialog.setAcceptMode(QFileDialog::AcceptSave);
  dialog.setNameFilters(
      {MessageBar::tr("Page for a browser (*.html)"), MessageBar::tr("Page for print (*.pdf)")});
  dialog.setDefaultSuffix(QStringLiteral("html"));
  dialog.selectFile(name);
  QObject::connect(&dialog, &QFileDialog::filterSelected, &dialog, [&dialog](const QString& filter) {
    dialog.setDefaultSuffix(filter.contains(QLatin1String("*.pdf")) ? QStringLiteral("pdf")
                                                                    : QStringLiteral("html"));
  });
  if (dialog.exec() != QDialog::Accepted || dialog.selectedFiles().isEmpty()) return {};
  return dialog.selectedFiles().front();
}

ReportFormat pageFormatOf(const QString& path) {
  return path.endsWith(QLatin1String(".pdf"), Qt::CaseInsensitive) ? ReportFormat::Pdf : ReportFormat::Html;
}

ReportChoice choiceFor(const QString& path) {
  return {QFileInfo(path).completeBaseName() + QStringLiteral(".nest.json"), dateText()};
}

void exportDifference(QWidget* window, const QString& folder, const ViewsArea& views, MessageBar& messages) {
  const View* view = views.current();
  const auto [first, second] = view ? view->plansCompared() : std::pair<PlanContextPtr, PlanContextPtr>();
  if (!first || !second)
    return messages.show(
        MessageBar::Tone::Note,
        MessageBar::tr("The active view does not compare two plans. Change something in What-if, or "
                       "choose two plans in Compare, then write the report."));
  const QString path = askForPage(window, MessageBar::tr("Write a report on the difference"), folder,
                                  QStringLiteral("difference.html"));
  if (!path.isEmpty())
    writeAndReport(path, differenceReportOf(first, second, pageFormatOf(path), choiceFor(path)), messages);
}

void writeAndReport(const QString& path, const QByteArray& content, MessageBar& messages) {
  if (const Diagnostics failed = writeFile(path, content); !failed.empty())
    messages.show(MessageBar::Tone::Error,
                  MessageBar::tr("%1 cannot be written: %2").arg(path, reasonOf(failed)));
  else
    messages.show(MessageBar::Tone::Note, MessageBar::tr("%1 was written").arg(path));
}

}  // namespace nest
