// Files around the window: opening, saving, recovery, export, drag and drop.
#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QStandardPaths>
#include <QUrl>
#include <algorithm>
#include <utility>

#include "document/file_filters.h"
#include "document/file_path.h"
#include "export/figure_export.h"
#include "lessons/lessons_pane.h"
#include "moments/moment_edits.h"
#include "moments/moment_show.h"
#include "moments/moments_pdf.h"
#include "theme/plain_text.h"
#include "window/gallery.h"
#include "window/main_window.h"
#include "window/message_bar.h"
#include "window/views_area.h"

namespace nest {
namespace {

QString folderFor(const ScenarioDocument& document) {
  if (!document.path().isEmpty()) return QFileInfo(document.path()).absolutePath();
  const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
  return QFileInfo(documents).isDir() ? documents : QDir::homePath();
}

}  // namespace

bool MainWindow::openPaths(const QStringList& paths) {
  const bool opened = m_files->openAll(paths);
  if (opened && m_sessionPath != m_document.path()) takeUpSession();
  if (opened)
    for (const QString& path : paths)
      log(tr("Opened %1")
              .arg(path.startsWith(QLatin1Char(':')) ? tr("the sample %1").arg(QFileInfo(path).fileName())
                                                     : path));
  return opened;
}

void MainWindow::showGallery() {
  m_document.close();
  m_files->forgetUnsaved();
}

bool MainWindow::isFirstRun() const {
  return m_files->recent().isEmpty();
}

void MainWindow::offerRecovery() {
  const auto entries = m_files->recoverable();
  if (entries.empty()) return;
  const Journal::Entry entry = entries.front();
  const QString name = entry.path.isEmpty() ? entry.name : QFileInfo(entry.path).fileName();
  m_recovery->show(MessageBar::Tone::Warning,
                   tr("NEST Explorer closed unexpectedly. Unsaved changes to %1 from %2 can be restored.")
                       .arg(name, QLocale().toString(entry.when.toLocalTime(), QLocale::ShortFormat)),
                   {{tr("Restore"), [this, entry] { restore(entry); }},
                    {tr("Show what differs"),
                     [this, entry] {
                       const QStringList lines = ScenarioFiles::differencesOf(entry);
                       QMessageBox box(QMessageBox::Question, tr("Unsaved work"),
                                       tr("Restoring makes these changes to the saved file:"),
                                       QMessageBox::NoButton, this);
                       box.setInformativeText(
                           lines.isEmpty()
                               ? tr("The scenario was never saved, so there is no file to compare with.")
                               : lines.mid(0, 30).join(QLatin1Char('\n')));
                       QAbstractButton* restore = box.addButton(tr("Restore"), QMessageBox::AcceptRole);
                       box.addButton(tr("Not now"), QMessageBox::RejectRole);
                       box.exec();
                       if (box.clickedButton() == restore)
                         this->restore(entry);
                       else
                         offerRecovery();
                     }},
                    {tr("Discard"), [this, entry] {
                       Journal::discard(entry);
                       offerRecovery();  // there may be more
                     }}});
}

void MainWindow::restore(const Journal::Entry& entry) {
  if (!mayDiscard()) return offerRecovery();
  if (m_files->restore(entry)) log(tr("Restored unsaved work"));
}

void MainWindow::chooseFile() {
  const QStringList paths = QFileDialog::getOpenFileNames(
      this, tr("Open scenarios, networks, models and plans"), folderFor(m_document), openFilter());
  if (!paths.isEmpty() && (!m_files->replacesScenario(paths) || mayDiscard())) openPaths(paths);
}

void MainWindow::chooseModel() {
  const QString path =
      QFileDialog::getOpenFileName(this, tr("Load model"), folderFor(m_document), modelFilter());
  if (!path.isEmpty()) m_files->loadModel(path);
}

bool MainWindow::save() {
  const QString path = m_document.path();
  if (path.isEmpty()) return saveAs();
  if (!m_files->differsOnDisk()) return m_files->save(path);
  QMessageBox box(QMessageBox::Warning, tr("Changed by another program"),
                  tr("%1 has changed on disk since you opened it.").arg(QFileInfo(path).fileName()),
                  QMessageBox::Cancel, this);
  box.setInformativeText(tr("Overwriting replaces the other version with yours."));
  const auto* overwrite = box.addButton(tr("Overwrite"), QMessageBox::DestructiveRole);
  const auto* elsewhere = box.addButton(tr("Save as…"), QMessageBox::AcceptRole);
  box.setDefaultButton(QMessageBox::Cancel);
  box.exec();
  if (box.clickedButton() == elsewhere) return saveAs();
  return box.clickedButton() == overwrite && m_files->save(path, ScenarioFiles::IfChanged::Overwrite);
}

bool MainWindow::saveAs() {
  QString name = QString::fromStdString(m_document.scenario().name).toLower().simplified();
  for (QChar& c : name)
    if (!c.isLetterOrNumber()) c = QLatin1Char('-');
  const QString proposal = m_document.path().isEmpty() ? folderFor(m_document) + QLatin1Char('/') + name +
                                                             QStringLiteral(".nest.json")
                                                       : m_document.path();
  QString path = QFileDialog::getSaveFileName(this, tr("Save as"), proposal, tr("Scenarios (*.nest.json)"));
  if (path.isEmpty()) return false;
  if (!path.endsWith(QLatin1String(".json"))) {
    path += QStringLiteral(".nest.json");
    // The dialog has asked about the name that was typed.
    if (QFileInfo::exists(path) &&
        QMessageBox::question(this, tr("Save as"), tr("%1 already exists. Replace it?").arg(path)) !=
            QMessageBox::Yes)
      return false;
  }
  return m_files->save(path, ScenarioFiles::IfChanged::Overwrite);
}

bool MainWindow::mayDiscard() {
  if (m_beforeLesson) leaveLesson();  // it is the user's own that may be lost
  if (!m_document.isModified()) return true;
  QMessageBox box(QMessageBox::Warning, tr("Unsaved changes"),
                  tr("Save changes to “%1”?").arg(m_document.displayName()),
                  QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, this);
  box.setDefaultButton(QMessageBox::Save);
  box.button(QMessageBox::Discard)->setText(tr("Don't save"));
  const int answer = box.exec();
  if (answer == QMessageBox::Save) return save();
  if (answer == QMessageBox::Discard) m_files->forgetUnsaved();
  return answer == QMessageBox::Discard;
}

void MainWindow::exportFigures() {
  const QString dir =
      QFileDialog::getExistingDirectory(this, tr("Export all figures to"), folderFor(m_document));
  if (dir.isEmpty()) return;
  const ExportReport report = exportViews(dir, *m_session->context(), m_views->views());
  if (report.ok())
    m_messages->show(MessageBar::Tone::Note,
                     tr("%1 files were written to %2").arg(report.written.size()).arg(dir));
  else
    m_messages->show(MessageBar::Tone::Error, report.problems.join(QStringLiteral("; ")));
}

void MainWindow::exportView() {
  const View* view = m_views->current();
  if (!view || !view->figure())
    return m_messages->show(MessageBar::Tone::Note, tr("The active view has no figure to export"));
  const QString path = QFileDialog::getSaveFileName(
      this, tr("Export %1").arg(view->title()),
      folderFor(m_document) + QLatin1Char('/') + view->id() + QStringLiteral(".svg"),
      tr("Figures (*.svg *.pdf *.png)"));
  if (path.isEmpty()) return;
  const QString suffix = QFileInfo(path).suffix().toLower();
  const ExportFormat format = suffix == QLatin1String("pdf")   ? ExportFormat::Pdf
                              : suffix == QLatin1String("png") ? ExportFormat::Png
                                                               : ExportFormat::Svg;
  writeAndTell(path, renderFigure(*view->figure(), view->context(), format));
}

void MainWindow::writeAndTell(const QString& path, const QByteArray& content) {
  if (const Diagnostics failed = writeFile(path, content); !failed.empty())
    m_messages->show(MessageBar::Tone::Error, tr("%1 cannot be written: %2").arg(path, reasonOf(failed)));
  else
    m_messages->show(MessageBar::Tone::Note, tr("%1 was written").arg(path));
}

void MainWindow::showLessons() {
  m_lessonsDock->show();
  m_lessonsDock->raise();
  m_lessons->setFocus();
}

void MainWindow::startLesson(const QString& id) {
  const auto it =
      std::find_if(lessons().begin(), lessons().end(), [&](const Lesson& l) { return l.id == id; });
  if (it == lessons().end()) return;
  const auto before = m_beforeLesson.value_or(BeforeLesson{m_document.setAside(), m_files->known()});
  if (!openPath(it->sample)) return;
  m_beforeLesson = before;
  m_document.beScratch();
  m_actions
      .find(it->arrange == QLatin1String("teach") ? QStringLiteral("view.teach")
                                                  : QStringLiteral("view.explore"))
      ->trigger();
  showLessons();
  m_lessons->begin(id);
}

void MainWindow::leaveLesson() {
  m_lessons->showList();
  const auto before = std::exchange(m_beforeLesson, std::nullopt);
  if (!before) return;
  m_files->resume(before->document, before->known);
}

void MainWindow::keepMomentInFront() {
  const View* view = m_views->current();
  if (!view) return;
  if (const QString why = keepMoment(m_document, *view, m_selection); !why.isEmpty())
    return m_messages->show(MessageBar::Tone::Warning, tr("No slide was added. %1").arg(why));
  const QString kept = QString::fromStdString(m_document.scenario().moments.back().caption);
  m_messages->show(MessageBar::Tone::Note,
                   tr("Added as slide %1: %2").arg(m_document.scenario().moments.size()).arg(kept),
                   {{tr("Slides"), [this] { m_actions.find(QStringLiteral("present.show"))->trigger(); }}});
}

void MainWindow::present(int from) {
  if (m_document.scenario().moments.empty()) return;
  auto* show = new MomentShow(m_document.snapshot(), m_session->context(), m_theme, this);
  show->showMoment(from);
  show->showFullScreen();
}

void MainWindow::exportMoments() {
  const QString path =
      QFileDialog::getSaveFileName(this, tr("Export slides as PDF"),
                                   folderFor(m_document) + QStringLiteral("/moments.pdf"), tr("PDF (*.pdf)"));
  if (path.isEmpty()) return;
  writeAndTell(path, momentsAsPdf(m_document.scenario(), m_session->context()));
}

void MainWindow::copyView(bool asImage) {
  const View* view = m_views->current();
  if (!view || !view->figure()) return;
  if (asImage)
    QApplication::clipboard()->setImage(imageOf(*view->figure(), view->context()));
  else
    QApplication::clipboard()->setText(view->figure()->asText(view->context()));
  m_messages->show(MessageBar::Tone::Note,
                   asImage ? tr("The picture of %1 is on the clipboard").arg(view->title())
                           : tr("%1 is on the clipboard as text").arg(view->title()));
}

void MainWindow::refreshRecent() {
  m_gallery->setRecent(m_files->recent());
  if (!m_recentMenu) return;
  m_recentMenu->clear();
  const QStringList paths = m_files->recent();
  for (const QString& path : paths)
    m_recentMenu
        ->addAction(QFileInfo(path).fileName(), this,
                    [this, path] {
                      if (mayDiscard()) openPath(path);
                    })
        ->setToolTip(plainTip(path));
  m_recentMenu->setEnabled(!paths.isEmpty());
  if (!paths.isEmpty()) {
    m_recentMenu->addSeparator();
    m_recentMenu->addAction(tr("Clear recent files"), this, [this] { m_files->forgetRecent(); });
  }
  m_recentMenu->setToolTipsVisible(true);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  const auto urls = event->mimeData()->urls();
  if (!urls.isEmpty() && urls.front().isLocalFile()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  const auto urls = event->mimeData()->urls();
  if (urls.isEmpty()) return;
  event->acceptProposedAction();
  QStringList paths;
  for (const QUrl& url : urls)
    if (url.isLocalFile()) paths += url.toLocalFile();
  if (!paths.isEmpty() && (!m_files->replacesScenario(paths) || mayDiscard())) openPaths(paths);
}

}  // namespace nest
