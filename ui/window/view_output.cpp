#include "window/view_output.h"

#include <QApplication>
#include <QClipboard>

#include "document/file_path.h"
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

void writeAndTell(const QString& path, const QByteArray& content, MessageBar& messages) {
  if (const Diagnostics failed = writeFile(path, content); !failed.empty())
    messages.show(MessageBar::Tone::Error,
                  MessageBar::tr("%1 cannot be written: %2").arg(path, reasonOf(failed)));
  else
    messages.show(MessageBar::Tone::Note, MessageBar::tr("%1 was written").arg(path));
}

}  // namespace nest
