#include "window/recovery.h"

#include <QAbstractButton>
#include <QFileInfo>
#include <QLocale>
#include <QMessageBox>
#include <QPushButton>
#include <utility>

#include "document/scenario_files.h"
#include "panes/log_pane.h"
#include "window/message_bar.h"

namespace nest {
namespace {

QString nameOf(const Journal::Entry& entry) {
  return entry.path.isEmpty() ? entry.name : QFileInfo(entry.path).fileName();
}

}  // namespace

Recovery::Recovery(ScenarioFiles& files, MessageBar& offers, MessageBar& protection,
                   std::function<bool()> mayDiscard)
    : QObject(&offers), m_files(files), m_offers(offers), m_mayDiscard(std::move(mayDiscard)) {
  connect(&m_files, &ScenarioFiles::protectionChanged, &protection,
          [&protection](const Diagnostics& trouble) {
            if (trouble.empty()) {
              protection.dismiss();
              return logLine(tr("Unsaved edits are protected against a crash again"));
            }
            const QString text =
                tr("A crash would lose your unsaved edits: %1. Save often.").arg(inWords(trouble.front()));
            protection.show(MessageBar::Tone::Warning, text);
            logTrouble(text);
          });
}

void Recovery::offer() {
  const auto entries = m_files.recoverable();
  if (entries.empty()) return;
  const Journal::Entry entry = entries.front();
  m_offers.show(MessageBar::Tone::Warning,
                tr("NEST Explorer closed unexpectedly. Unsaved changes to %1 from %2 can be restored.")
                    .arg(nameOf(entry), QLocale().toString(entry.when.toLocalTime(), QLocale::ShortFormat)),
                {{tr("Restore"), [this, entry] { restore(entry); }},
                 {tr("Show what differs"), [this, entry] { showDifferences(entry); }},
                 {tr("Discard…"), [this, entry] { discard(entry); }}});
}

void Recovery::restore(const Journal::Entry& entry) {
  if (!m_mayDiscard()) return offer();
  if (m_files.restore(entry)) logLine(tr("Restored unsaved work"));
}

void Recovery::discard(const Journal::Entry& entry) {
  QMessageBox box(QMessageBox::Warning, tr("Unsaved work"),
                  tr("Discard the unsaved changes to %1?").arg(nameOf(entry)), QMessageBox::Cancel,
                  m_offers.window());
  box.setTextFormat(Qt::PlainText);
  box.setInformativeText(tr("They cannot be restored afterwards."));
  const QAbstractButton* yes = box.addButton(tr("Discard"), QMessageBox::DestructiveRole);
  box.setDefaultButton(QMessageBox::Cancel);
  box.exec();
  if (box.clickedButton() == yes) Journal::discard(entry);
  offer();  // this one again, or there may be more
}

void Recovery::showDifferences(const Journal::Entry& entry) {
  constexpr int kMostLines = 30;
  const auto lines = ScenarioFiles::differencesOf(entry);
  QMessageBox box(QMessageBox::Question, tr("Unsaved work"),
                  entry.path.isEmpty()
                      ? tr("The scenario was never saved, so there is no file to compare with.")
                  : !lines ? tr("%1 cannot be read, so there is nothing to compare with.").arg(entry.path)
                  : lines->isEmpty() ? tr("%1 holds the same: nothing differs.").arg(entry.path)
                                     : tr("Restoring makes these changes to the saved file:"),
                  QMessageBox::NoButton, m_offers.window());
  box.setTextFormat(Qt::PlainText);
  if (lines) {
    QString text = lines->mid(0, kMostLines).join(QLatin1Char('\n'));
    if (lines->size() > kMostLines) text += tr("\nand %1 more").arg(lines->size() - kMostLines);
    box.setInformativeText(text);
  }
  const QAbstractButton* yes = box.addButton(tr("Restore"), QMessageBox::AcceptRole);
  box.addButton(tr("Not now"), QMessageBox::RejectRole);
  box.exec();
  box.clickedButton() == yes ? restore(entry) : offer();
}

}  // namespace nest
