#include "window/presenter.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMessageBox>
#include <QScreen>
#include <algorithm>

#include "actions/action_registry.h"
#include "document/file_filters.h"
#include "document/file_path.h"
#include "export/save_path.h"
#include "slides/slide_edits.h"
#include "slides/slide_show.h"
#include "slides/slides_export.h"
#include "slides/slides_pane.h"
#include "slides/speaker_window.h"
#include "window/message_bar.h"
#include "window/view_output.h"
#include "window/views_area.h"

namespace nest {
namespace {
const QString kAdded = QStringLiteral("slide added");
}  // namespace

Presenter::Presenter(const Needs& needs, QWidget* window)
    : QObject(window), m(needs), m_window(window), m_pane(new SlidesPane(needs.document, window)) {
  connect(m_pane, &SlidesPane::keepRequested, this, &Presenter::addSlide);
  connect(m_pane, &SlidesPane::stepRequested, this, &Presenter::addStep);
  connect(m_pane, &SlidesPane::presentRequested, this, &Presenter::start);
  connect(m_pane, &SlidesPane::exportRequested, this, &Presenter::exportPdf);
  connect(&needs.document, &ScenarioDocument::changed, this, [this](ScenarioParts parts) {
    if ((parts & ScenarioPart::Slides) && m.document.scenario().slides.size() < m_saidAdded)
      m.messages.withdraw(kAdded);
  });
}

void Presenter::setTheme(Theme::Kind theme) {
  m_theme = theme;
  m_pane->setTheme(theme);
}

bool Presenter::hasSlides() const {
  return !m.document.scenario().slides.empty();
}

void Presenter::addSlide() {
  const View* view = m.views.current();
  if (!view) return;
  if (const QString why = keepSlide(m.document, *view, m.selection); !why.isEmpty())
    return m.messages.show(MessageBar::Tone::Warning, tr("No slide was added. %1").arg(why));
  const auto& slides = m.document.scenario().slides;
  m.messages.show(
      MessageBar::Tone::Note,
      tr("Added as slide %1: %2").arg(slides.size()).arg(QString::fromStdString(slides.back().caption)),
      {{tr("Slides"), [this] { Q_EMIT paneWanted(); }}}, kAdded);
  m_saidAdded = slides.size();
}

void Presenter::addStep(int slide) {
  const View* view = m.views.current();
  if (!hasSlides()) return sayNone();
  if (!view) return;
  const int at = slide < 0 ? static_cast<int>(m.document.scenario().slides.size()) - 1 : slide;
  if (const QString why = nest::addStep(m.document, at, *view, m.selection); !why.isEmpty())
    return m.messages.show(MessageBar::Tone::Warning, tr("No step was added. %1").arg(why));
  const auto& steps = m.document.scenario().slides[static_cast<std::size_t>(at)].steps;
  m.messages.show(MessageBar::Tone::Note, tr("Added as step %1 of slide %2").arg(steps.size()).arg(at + 1),
                  {{tr("Slides"), [this] { Q_EMIT paneWanted(); }}}, kAdded);
}

void Presenter::start(int from) {
  if (!hasSlides()) return sayNone();
  auto* show = new SlideShow(m.document.snapshot(), m.session.context(), m_theme, m_window);
  show->showSlide(from);
  connect(show, &SlideShow::speakerWanted, this, [this, show] { toggleSpeaker(show); });
  const QList<QScreen*> screens = QGuiApplication::screens();
  if (screens.size() > 1) {  // the audience's is the other one
    QScreen* own = m_window->screen();
    show->setGeometry((screens[0] == own ? screens[1] : screens[0])->geometry());
    toggleSpeaker(show);
  }
  show->showFullScreen();
}

void Presenter::toggleSpeaker(SlideShow* show) {
  if (auto* open = show->findChild<SpeakerWindow*>()) {
    open->close();
    return;
  }
  auto* speaker = new SpeakerWindow(show);
  if (const QList<QScreen*> screens = QGuiApplication::screens(); screens.size() > 1)
    speaker->setGeometry(m_window->screen()->availableGeometry());
  speaker->show();
}

void Presenter::sayNone() {
  const QAction* add = m.actions.find(QStringLiteral("present.keep"));
  const QString keys = add->shortcut().toString(QKeySequence::NativeText);
  m.messages.show(MessageBar::Tone::Note,
                  keys.isEmpty() ? tr("No slides yet") : tr("No slides yet: %1 adds one").arg(keys),
                  {{add->text(), [this] { addSlide(); }}});
}

void Presenter::startFromSelected() {
  start(std::max(0, m_pane->current()));
}

void Presenter::exportPdf() {
  if (!hasSlides()) return sayNone();
  const QString path =
      askPath(m_window, tr("Export slides as PDF"), folderFor(m.document) + QStringLiteral("/slides.pdf"),
              tr("PDF (*.pdf)"), QStringLiteral("pdf"));
  if (!path.isEmpty())
    writeAndReport(path, slidesAsPdf(m.document.scenario(), m.session.context()), m.messages);
}

void Presenter::exportPage() {
  if (!hasSlides()) return sayNone();
  const PlanContextPtr c = m.session.context();
  if (!c->scenario || !c->problem || !c->outcome)
    return m.messages.show(MessageBar::Tone::Warning,
                           tr("There is no plan yet. Solve the scenario, then export its slides as a page."));
  const QString path =
      askPath(m_window, tr("Export slides as a page"), folderFor(m.document) + QStringLiteral("/slides.html"),
              tr("Page for a browser (*.html)"), QStringLiteral("html"));
  if (!path.isEmpty())
    writeAndReport(path, slidesAsPage(m.document.scenario(), c, choiceFor(path)), m.messages);
}

void Presenter::exportSvg() {
  if (!hasSlides()) return sayNone();
  const QString folder =
      QFileDialog::getExistingDirectory(m_window, tr("Export slides as SVG to"), folderFor(m.document));
  if (folder.isEmpty()) return;
  const std::vector<QByteArray> slides = slidesAsSvg(m.document.scenario(), m.session.context());
  const auto pathOf = [&](std::size_t i) { return QDir(folder).filePath(tr("slide-%1.svg").arg(i + 1)); };
  QStringList there;
  for (std::size_t i = 0; i < slides.size(); ++i)
    if (QFileInfo::exists(pathOf(i))) there << QFileInfo(pathOf(i)).fileName();
  if (!there.isEmpty() &&
      QMessageBox::question(m_window, tr("Export slides as SVG"),
                            tr("%1 already holds %2. Replace them?").arg(folder, there.join(tr(", ")))) !=
          QMessageBox::Yes)
    return;
  for (std::size_t i = 0; i < slides.size(); ++i)
    if (const Diagnostics failed = writeFile(pathOf(i), slides[i]); !failed.empty())
      return m.messages.show(MessageBar::Tone::Error,
                             tr("%1 cannot be written: %2").arg(pathOf(i), reasonOf(failed)));
  m.messages.show(MessageBar::Tone::Note,
                  slides.size() == 1 ? tr("%1 was written").arg(pathOf(0))
                                     : tr("%1 slides were written to %2").arg(slides.size()).arg(folder));
}

}  // namespace nest
