#include "window/sheets.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QIcon>
#include <QLabel>
#include <QScrollArea>
#include <QTextBrowser>
#include <QVBoxLayout>

#include "actions/action_registry.h"
#include "editors/glossary.h"
#include "theme/theme.h"

namespace nest {
namespace {

QDialog* makeSheet(const QString& title, const QString& html, const QSize& size, QWidget* parent) {
  auto* sheet = new QDialog(parent);
  sheet->setAttribute(Qt::WA_DeleteOnClose);
  sheet->setWindowTitle(title);
  sheet->resize(size);
  auto* text = new QTextBrowser(sheet);
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

void showShortcutSheet(const ActionRegistry& actions, QWidget* parent) {
  QString html = QStringLiteral("<table cellspacing='0' cellpadding='4' width='100%'>");
  QString group;
  for (const auto& entry : actions.entries()) {
    if (entry.action->shortcut().isEmpty()) continue;
    if (entry.spec.group != group) {
      group = entry.spec.group;
      html += QStringLiteral("<tr><td colspan='2'><br><b>%1</b></td></tr>").arg(group.toHtmlEscaped());
    }
    html += QStringLiteral("<tr><td>%1</td><td align='right'><b>%2</b></td></tr>")
                .arg(entry.spec.text.toHtmlEscaped(),
                     entry.action->shortcut().toString(QKeySequence::NativeText).toHtmlEscaped());
  }
  const std::pair<QString, QString> rest[] = {
      {QDialog::tr("In a field: step the figure"), QDialog::tr("Up, Down")},
      {QDialog::tr("In a field: back to what the scenario says"), QDialog::tr("Esc")},
      {QDialog::tr("In a view: walk from item to item"), QDialog::tr("Arrow keys")},
      {QDialog::tr("In a view: select the item"), QDialog::tr("Enter")}};
  html += QStringLiteral("<tr><td colspan='2'><br><b>%1</b></td></tr>").arg(QDialog::tr("Everywhere"));
  for (const auto& [what, keys] : rest)
    html += QStringLiteral("<tr><td>%1</td><td align='right'><b>%2</b></td></tr>").arg(what, keys);
  makeSheet(QDialog::tr("Keyboard shortcuts"), html + QStringLiteral("</table>"), {520, 620}, parent);
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
          "<p>Built on Qt %2 with Qt Charts (GPL), nlohmann/json, spdlog, fmt, tl::expected, yaml-cpp and "
          "pugixml. Figures "
          "are set in Roboto (Apache License 2.0), coloured after Okabe and Ito and after cividis (Nuñez and "
          "others).</p>")
          .arg(QStringLiteral(NEST_VERSION), QString::fromLatin1(qVersion()));
  makeSheet(QDialog::tr("About NEST Explorer"), html, {520, 420}, parent);
}

}  // namespace nest
