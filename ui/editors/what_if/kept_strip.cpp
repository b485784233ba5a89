#include "editors/what_if/kept_strip.h"

#include <QAction>
#include <QMenu>
#include <QStyledItemDelegate>

#include "document/scenario_document.h"
#include "export/figure_export.h"
#include "figures/paint/phrases.h"
#include "figures/plan/stages_figure.h"
#include "words/outcome_words.h"

namespace nest {
namespace {

constexpr int kHeight = 164, kLowHeight = 118;
constexpr int kTimeRole = Qt::UserRole + 1;  ///< what stands below the name

class Captions : public QStyledItemDelegate {
public:
  using QStyledItemDelegate::QStyledItemDelegate;

protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    if (const QString time = index.data(kTimeRole).toString(); !time.isEmpty())
      option->text += QChar::LineSeparator + time;
  }
};

}  // namespace

KeptStrip::KeptStrip(ScenarioDocument* document, QWidget* parent)
    : QListWidget(parent), m_document(document) {
  setAccessibleName(tr("Kept what-ifs"));
  setViewMode(QListView::IconMode);
  setFlow(QListView::LeftToRight);
  setWrapping(false);
  setMovement(QListView::Static);
  setWordWrap(true);
  setItemDelegate(new Captions(this));
  setEditTriggers(QAbstractItemView::EditKeyPressed);
  setContextMenuPolicy(Qt::CustomContextMenu);
  setLow(false);
  hide();  // while it is empty the room is the figures'
  connect(this, &QListWidget::itemActivated, this, &KeptStrip::returnTo);
  connect(this, &QListWidget::itemClicked, this, &KeptStrip::returnTo);
  connect(this, &QListWidget::itemChanged, this, &KeptStrip::renamed);
  connect(this, &QListWidget::customContextMenuRequested, this, &KeptStrip::openMenu);
  auto* remove = new QAction(tr("Remove"), this);
  remove->setShortcut(QKeySequence::Delete);
  remove->setShortcutContext(Qt::WidgetShortcut);
  connect(remove, &QAction::triggered, this, &KeptStrip::removeCurrent);
  addAction(remove);
}

KeptStrip::~KeptStrip() {
  disconnect(this);  // a name that is being typed is not to be taken any more
}

void KeptStrip::setLow(bool low) {
  setIconSize(low ? QSize(96, 54) : QSize(170, 96));
  setGridSize(low ? QSize(150, 106) : QSize(190, 150));
  setMinimumHeight(low ? kLowHeight : kHeight - 40);
  setMaximumHeight(low ? kLowHeight : kHeight);
}

void KeptStrip::refresh(const Theme& theme) {
  static const std::vector<KeptPlan> kNone;
  const Scenario* scenario = m_document ? &m_document->scenario() : nullptr;
  const auto& kept = scenario ? scenario->keptPlans : kNone;
  setVisible(!kept.empty());
  QStringList shape{QString::number(static_cast<int>(theme.kind())),
                    QString::number(scenario ? scenario->job.globalBatch : 0),
                    QString::number(scenario ? scenario->job.sequenceLength : 0)};
  for (const KeptPlan& k : kept)
    shape += phrase(k.name) + QStringLiteral("@%1").arg(reinterpret_cast<quintptr>(k.plan.get()), 0, 16);
  if (shape == m_shape) return;
  m_shape = shape;
  if (scenario) m_contexts.forgetOthers(*scenario);
  const QSignalBlocker quiet(this);
  const int current = currentRow();
  clear();
  std::vector<Pace> paces;
  if (scenario) paces.push_back({Seconds(1), scenario->job.globalBatch, scenario->job.sequenceLength});
  for (const KeptPlan& k : kept)
    if (const auto c = m_contexts.of(k, *scenario); c->plan) paces.push_back(paceOf(*c->problem, *c->plan));
  m_measure = measureOf(paces);
  for (const KeptPlan& k : kept) addItem(k, m_contexts.of(k, *scenario), theme);
  setCurrentRow(std::min(current, count() - 1));
}

void KeptStrip::addItem(const KeptPlan& k, const PlanContextPtr& c, const Theme& theme) {
  auto* item = new QListWidgetItem(this);
  item->setData(Qt::UserRole, phrase(k.name));
  item->setFlags(item->flags() | Qt::ItemIsEditable);
  item->setText(phrase(k.name));
  if (c->plan) {
    QString time = phrase(paceText(paceOf(*c->problem, *c->plan), m_measure));
    if (const Evaluation& e = c->plan->evaluation; !e.feasible())
      time += QStringLiteral(", ") + phrase(words::obstacleTo(e));
    const QImage picture = thumbnailOf(StagesFigure(), *c, QSize(340, 192), theme.kind());
    item->setIcon(QIcon(QPixmap::fromImage(picture)));
    item->setData(kTimeRole, time);
    item->setToolTip(tr("%1\n%2, %3\nClick to return to this what-if (one undo step), F2 to rename it")
                         .arg(phrase(k.name), time, phrase(summaryOf(*k.plan))));
  } else {
    item->setToolTip(c->diagnostics.empty() ? phrase(k.name) : phrase(toText(c->diagnostics.front())));
  }
  item->setData(Qt::AccessibleDescriptionRole, item->toolTip());
}

PlanContextPtr KeptStrip::contextOf(const QListWidgetItem* item) {
  const QString name = item->data(Qt::UserRole).toString();
  for (const KeptPlan& k : m_document->scenario().keptPlans)
    if (phrase(k.name) == name) return m_contexts.of(k, m_document->scenario());
  return std::make_shared<PlanContext>();
}

void KeptStrip::returnTo(QListWidgetItem* item) {
  if (m_document) returnToKeptPlan(*m_document, item->data(Qt::UserRole).toString());
}

void KeptStrip::renamed(QListWidgetItem* item) {
  // Not before the list has closed the name's editor: the edit fills it anew.
  QMetaObject::invokeMethod(
      this,
      [this, old = item->data(Qt::UserRole).toString(), name = item->text()] {
        if (!m_document) return;
        renameKeptPlan(*m_document, old, name);
        m_shape.clear();
        Q_EMIT outdated();
      },
      Qt::QueuedConnection);
}

void KeptStrip::removeCurrent() {
  if (const auto* item = currentItem(); item && m_document)
    removeKeptPlan(*m_document, item->data(Qt::UserRole).toString());
}

/// By name: while it is open the list may be filled anew.
void KeptStrip::openMenu(const QPoint& at) {
  const QListWidgetItem* item = itemAt(at);
  if (!item || !m_document) return;
  const QString name = item->data(Qt::UserRole).toString();
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addAction(tr("Return to it"), this, [this, name] { returnToKeptPlan(*m_document, name); });
  const PlanContextPtr kept = contextOf(item);
  menu->addAction(tr("Compare with it"), this, [this, kept, name] { Q_EMIT comparisonRequested(name, kept); })
      ->setEnabled(kept->plan != nullptr);
  menu->addAction(tr("Rename"), this, [this, name] {
    for (int i = 0; i < count(); ++i)
      if (this->item(i)->data(Qt::UserRole).toString() == name) return editItem(this->item(i));
  });
  menu->addAction(tr("Remove"), this, [this, name] { removeKeptPlan(*m_document, name); });
  menu->popup(viewport()->mapToGlobal(at));
}

}  // namespace nest
