#include "window/view_output.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>

#include "catalogue/export_all.h"
#include "document/file_filters.h"
#include "document/file_path.h"
#include "export/export_dialog.h"
#include "export/figure_export.h"
#include "window/message_bar.h"
#include "window/views_area.h"

namespace nest {

void exportAllFigures(const ScenarioDocument& document, const PlanContext& c, const ViewsArea& views,
                      MessageBar& messages) {
  const QString dir = QFileDialog::getExistingDirectory(
      messages.window(), MessageBar::tr("Export all figures to"), folderFor(document));
  if (dir.isEmpty()) return;
  const ExportReport report = exportViews(dir, c, views.views());
  if (report.ok())
    messages.show(
        MessageBar::Tone::Note,
        (QStringList(MessageBar::tr("%1 files were written to %2").arg(report.written.size()).arg(dir)) +
         report.leftOut)
            .join(u'\n'));
  else
    messages.show(MessageBar::Tone::Error, report.problems.join(QStringLiteral("; ")));
}

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

void writeAndTell(const QString& path, const QByteArray& content, MessageBar& messages) {
  if (const Diagnostics failed = writeFile(path, content); !failed.empty())
    messages.show(MessageBar::Tone::Error,
                  MessageBar::tr("%1 cannot be written: %2").arg(path, reasonOf(failed)));
  else
    messages.show(MessageBar::Tone::Note, MessageBar::tr("%1 was written").arg(path));
}

}  // namespace nest
