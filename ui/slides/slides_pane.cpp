#include "slides/slides_pane.h"

#include <QAction>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QInputDialog>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QShortcut>
#include <QVBoxLayout>
#include <utility>

#include "slides/slide_edits.h"
#include "slides/slide_renderer.h"

namespace nest {
namespace {
constexpr QSize kPicture(160, 90);
}

SlidesPane::SlidesPane(ScenarioDocument& document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_context(std::make_shared<PlanContext>()),
      m_strip(new QListWidget(this)),
      m_none(new QLabel(this)) {
  setAccessibleName(tr("Slides"));
  auto* keep = new QPushButton(tr("Add slide"), this);
  keep->setToolTip(tr("Save the current view, plan and selection as a slide"));
  m_present = new QPushButton(tr("Present"), this);
  m_export = new QPushButton(tr("Export as PDF…"), this);
  m_earlier = new QPushButton(tr("Move earlier"), this);
  m_later = new QPushButton(tr("Move later"), this);
  // Three low rows: the pane shares its height with the issues, and the views need the rest.
  auto* buttons = new QGridLayout;
  buttons->setSpacing(4);
  buttons->addWidget(keep, 0, 0, 1, 2);
  buttons->addWidget(m_present, 1, 0);
  buttons->addWidget(m_export, 1, 1);
  buttons->addWidget(m_earlier, 2, 0);
  buttons->addWidget(m_later, 2, 1);
  buttons->setRowStretch(3, 1);
  m_strip->setAccessibleName(tr("Slides"));
  m_strip->setViewMode(QListView::IconMode);
  m_strip->setFlow(QListView::LeftToRight);
  m_strip->setWrapping(false);
  m_strip->setMovement(QListView::Static);
  m_strip->setIconSize(kPicture);
  m_strip->setGridSize({kPicture.width() + 20, kPicture.height() + 56});
  m_strip->setWordWrap(true);
  m_strip->setEditTriggers(QAbstractItemView::EditKeyPressed);
  m_strip->setContextMenuPolicy(Qt::CustomContextMenu);
  m_none->setText(
      tr("Slides that you add appear here: the current view with its plan, selection and a caption. Present "
         "them full screen, or export them as PDF."));
  m_none->setWordWrap(true);
  m_none->setAlignment(Qt::AlignCenter);
  m_none->setForegroundRole(QPalette::PlaceholderText);
  auto* over = new QVBoxLayout(m_strip);
  over->addWidget(m_none);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(8, 6, 8, 6);
  row->addLayout(buttons);
  row->addWidget(m_strip, 1);

  connect(keep, &QPushButton::clicked, this, &SlidesPane::keepRequested);
  connect(m_present, &QPushButton::clicked, this,
          [this] { Q_EMIT presentRequested(std::max(0, current())); });
  connect(m_export, &QPushButton::clicked, this, &SlidesPane::exportRequested);
  connect(m_earlier, &QPushButton::clicked, this, [this] { move(-1); });
  connect(m_later, &QPushButton::clicked, this, [this] { move(1); });
  connect(m_strip, &QListWidget::itemActivated, this,
          [this](QListWidgetItem* item) { Q_EMIT presentRequested(m_strip->row(item)); });
  connect(m_strip, &QListWidget::itemChanged, this, [this](QListWidgetItem* item) {
    // Not before the list has closed the caption's editor: the edit fills it anew.
    QMetaObject::invokeMethod(
        this,
        [this, row = m_strip->row(item), caption = item->text()] { captionSlide(m_document, row, caption); },
        Qt::QueuedConnection);
  });
  connect(m_strip, &QListWidget::currentRowChanged, this, [this](int now) {
    m_earlier->setEnabled(now > 0);
    m_later->setEnabled(now >= 0 && now + 1 < m_strip->count());
  });
  connect(m_strip, &QListWidget::customContextMenuRequested, this, &SlidesPane::openMenu);
  const auto key = [this](const QKeySequence& keys, auto run) {
    auto* shortcut = new QShortcut(keys, m_strip);
    shortcut->setContext(Qt::WidgetShortcut);
    connect(shortcut, &QShortcut::activated, this, run);
  };
  key(QKeySequence::Delete, [this] { removeSlide(m_document, current()); });
  key(QKeySequence(Qt::ALT | Qt::Key_Left), [this] { move(-1); });
  key(QKeySequence(Qt::ALT | Qt::Key_Right), [this] { move(1); });
  connect(&document, &ScenarioDocument::changed, this, [this](ScenarioParts parts) {
    if (parts & ScenarioPart::Slides) outdate();
  });
  refresh();
}

int SlidesPane::current() const {
  return m_strip->currentRow();
}

void SlidesPane::setContext(PlanContextPtr context) {
  m_context = std::move(context);
}

void SlidesPane::setTheme(Theme::Kind kind) {
  m_theme = kind;
  outdate();
}

void SlidesPane::outdate() {
  m_dirty = true;
  if (isVisible()) refresh();
}

void SlidesPane::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (m_dirty) refresh();
}

void SlidesPane::refresh() {
  m_dirty = false;
  const Scenario& s = m_document.scenario();
  const int row = current();
  const QSignalBlocker quiet(m_strip);
  std::vector<QIcon> known(m_shown.size());
  for (std::size_t i = 0; i < m_shown.size(); ++i) known[i] = m_strip->item(static_cast<int>(i))->icon();
  m_contexts.forgetOthers(s);
  m_strip->clear();
  for (const SavedSlide& slide : s.slides) {
    auto* item = new QListWidgetItem(QString::fromStdString(slide.caption), m_strip);
    item->setFlags(item->flags() | Qt::ItemIsEditable);
    const QString steps =
        slide.steps.empty() ? QString() : tr(" (%n step(s))", nullptr, static_cast<int>(slide.steps.size()));
    item->setToolTip(
        tr("%1%2\nEnter presents from here, F2 changes the caption, Alt with arrow keys moves it")
            .arg(QString::fromStdString(slide.caption), steps));
    // Painted once: only its place may have changed.
    for (std::size_t i = 0; i < m_shown.size() && item->icon().isNull(); ++i)
      if (m_shown[i] == slide && m_shownIn == m_theme) item->setIcon(known[i]);
    if (item->icon().isNull())
      item->setIcon(QIcon(QPixmap::fromImage(
          thumbnailOf(slide, contextOf(slide, s, m_context, m_contexts), s, kPicture * 2, m_theme))));
  }
  m_shown = s.slides;
  m_shownIn = m_theme;
  const bool any = !s.slides.empty();
  m_none->setVisible(!any);
  m_present->setEnabled(any);
  m_export->setEnabled(any);
  m_strip->setCurrentRow(std::min(row, m_strip->count() - 1));
  m_earlier->setEnabled(current() > 0);
  m_later->setEnabled(current() >= 0 && current() + 1 < m_strip->count());
}

void SlidesPane::move(int step) {
  const int from = current(), to = from + step;
  if (from < 0 || to < 0 || to >= m_strip->count()) return;
  moveSlide(m_document, from, to);
  m_strip->setCurrentRow(to);
}

void SlidesPane::askNotes(int row) {
  const auto& slides = m_document.scenario().slides;
  if (row < 0 || row >= static_cast<int>(slides.size())) return;
  bool isTaken = false;
  const QString notes = QInputDialog::getMultiLineText(
      this, tr("Notes of slide %1").arg(row + 1), tr("Only the speaker's window shows them. Markdown."),
      QString::fromStdString(slides[static_cast<std::size_t>(row)].notes), &isTaken);
  if (isTaken) noteSlide(m_document, row, notes);
}

void SlidesPane::openMenu(const QPoint& at) {
  const QListWidgetItem* item = m_strip->itemAt(at);
  if (!item) return;
  const int row = m_strip->row(item);
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addAction(tr("Present from here"), this, [this, row] { Q_EMIT presentRequested(row); });
  menu->addAction(tr("Change caption"), this, [this, row] {  // while it was open the strip may have changed
    if (QListWidgetItem* slide = m_strip->item(row)) m_strip->editItem(slide);
  });
  menu->addAction(tr("Notes for the speaker…"), this, [this, row] { askNotes(row); });
  menu->addAction(tr("Add a step: what the view shows now"), this,
                  [this, row] { Q_EMIT stepRequested(row); });
  const auto& slides = m_document.scenario().slides;
  if (row < static_cast<int>(slides.size()) && !slides[static_cast<std::size_t>(row)].steps.empty())
    menu->addAction(tr("Remove its steps"), this, [this, row] { removeSteps(m_document, row); });
  menu->addAction(tr("Move earlier"), this, [this] { move(-1); })->setEnabled(row > 0);
  menu->addAction(tr("Move later"), this, [this] { move(1); })->setEnabled(row + 1 < m_strip->count());
  menu->addAction(tr("Remove"), this, [this, row] { removeSlide(m_document, row); });
  menu->popup(m_strip->viewport()->mapToGlobal(at));
}

}  // namespace nest
