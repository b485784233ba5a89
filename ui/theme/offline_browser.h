#pragma once

#include <QTextBrowser>
#include <QVariant>

namespace nest {

/// A page of text that opens no file, whatever its HTML asks for: no picture, no style sheet, no link to a
/// document. Web addresses open in the user's browser after setOpenExternalLinks(true).
class OfflineBrowser : public QTextBrowser {
public:
  using QTextBrowser::QTextBrowser;
  QVariant loadResource(int, const QUrl&) override { return QByteArray(); }

protected:
  void doSetSource(const QUrl&, QTextDocument::ResourceType) override {}
};

}  // namespace nest
