#include "window/sheets.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QIcon>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

#include "editors/glossary.h"
#include "theme/offline_browser.h"
#include "theme/theme.h"
#include "window/keys_sheet.h"

namespace nest {
namespace {

QDialog* makeSheet(const QString& title, const QString& html, const QSize& size, QWidget* parent) {
  auto* sheet = new QDialog(parent);
  sheet->setAttribute(Qt::WA_DeleteOnClose);
  sheet->setWindowTitle(title);
  sheet->resize(size);
  auto* text = new OfflineBrowser(sheet);
  text->setOpenExternalLinks(true);
  text->setHtml(html);
  text->setAccessibleName(title);
  text->document()->setDocumentMargin(14);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, sheet);
  QObject::connect(buttons, &QDialogButtonBox::rejected, sheet, &QDialog::close);
  auto* all = new QVBoxLayout(sheet);
  all->setContentsMargins(0, 0, 0, 10);
  all->addWidget(text);
  auto* foot = new QHBoxLayout;
  foot->setContentsMargins(12, 0, 12, 0);
  foot->addWidget(buttons);
  all->addLayout(foot);
  sheet->show();
  return sheet;
}

}  // namespace

void showShortcutSheet(ActionRegistry& actions, QWidget* parent) {
  (new KeysSheet(actions, parent))->show();
}

void showGlossary(QWidget* parent) {
  makeSheet(QDialog::tr("Glossary"), glossaryText(), {560, 640}, parent);
}

void showAbout(QWidget* parent) {
  const QString html =
      QDialog::tr(
          "<h2>NEST Explorer %1</h2>"
          "<p>See, question and change how a large model is placed on a datacenter.</p>"
          "<p>It implements the NEST method (arXiv 2603.06798, MLSys 2026): structured dynamic programming "
          "over network "
          "levels, layers, devices and stages.</p>"
          "<p>Free software under the <b>GNU General Public License, version 3 or any later version</b> "
          "(GPL-3.0-or-later). It comes with no warranty. The full text is in the file LICENSE and at "
          "<a href='https://www.gnu.org/licenses/gpl-3.0.html'>gnu.org/licenses</a>.</p>"
          "<p>Built on Qt %2 with Qt Charts (GPL), nlohmann/json, spdlog, fmt, yaml-cpp, "
          "pugixml and SQLite. Figures "
          "are set in Roboto (Apache License 2.0), coloured after Okabe and Ito and after cividis (Nuñez and "
          "others).</p>")
          .arg(QStringLiteral(NEST_VERSION), QString::fromLatin1(qVersion()));
  makeSheet(QDialog::tr("About NEST Explorer"), html, {520, 420}, parent);
}

}  // namespace nest
