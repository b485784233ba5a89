#include "views/run/run_view.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QStandardItemModel>
#include <QTextDocumentFragment>
#include <QVBoxLayout>

#include "fields/field_advice.h"
#include "figures/paint/phrases.h"
#include "figures/plan/run_figure.h"
#include "theme/qt_text.h"
#include "views/chip_box.h"
#include "views/figure_pane.h"
#include "views/flow_layout.h"
#include "words/run_words.h"

namespace nest {
namespace {

const QString kUnitSetting = QStringLiteral("views/run/unit");

/// The fields as links, whose addresses are their pointers.
QString fieldLinks(const std::vector<std::string>& pointers) {
  QStringList out;
  for (const std::string& pointer : pointers)
    out << QStringLiteral("<a href=\"%1\">%2</a>")
               .arg(toQt(pointer), phrase(words::listOfFields({pointer})).toHtmlEscaped());
  return out.join(QStringLiteral(", "));
}

}  // namespace

RunView::RunView(ViewServices services, QWidget* parent)
    : View(services, parent),
      m_time(std::make_unique<RunFigure>()),
      m_timePane(new FigurePane(*m_time, m_part)),
      m_unit(new ChipBox(tr("Unit"))),
      m_asked(new QLabel) {
  m_unit->setAccessibleName(tr("Unit"));
  m_unit->setToolTip(tr("The unit of all that this view shows"));
  for (int k = 0; k < kRunUnitCount; ++k) {
    const auto u = static_cast<RunUnit>(k);
    m_unit->addItem(QString::fromLatin1(words::labelOf(u)), QString::fromLatin1(nameOf(u)));
  }
  remember("unit", m_unit);
  select(*m_unit,
         setting(kUnitSetting, QString::fromLatin1(nameOf(RunUnit::Share))).toString().toStdString());
  m_asked->setTextFormat(Qt::RichText);
  m_asked->setWordWrap(true);
  m_asked->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  m_asked->setAccessibleName(tr("Missing fields of the run"));
  m_asked->setToolTip(tr("A link opens the field in the scenario panel"));

  auto* bar = new QWidget;
  auto* row = new FlowLayout(6);
  bar->setLayout(row);
  row->setContentsMargins(8, 4, 8, 4);
  row->addWidget(m_unit);
  row->addWidget(m_asked);
  row->setFilling(m_asked);
  auto* buttons = new QWidget;
  auto* end = new QHBoxLayout(buttons);
  end->setContentsMargins(0, 0, 0, 0);
  m_timePane->addButtons(end);
  row->setTrailing(buttons);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(bar);
  column->addWidget(m_timePane, 1);
  setAccessibleName(title());

  connect(m_unit, &QComboBox::currentIndexChanged, this, [this] {
    keepSetting(kUnitSetting, QString::fromLatin1(nameOf(unit())));
    showUnit();
  });
  connect(m_asked, &QLabel::linkActivated, this, &RunView::fieldRequested);
  showUnit();
}

RunView::~RunView() = default;

const Figure* RunView::figure() const {
  return m_time.get();
}

std::vector<const Figure*> RunView::figures() const {
  return {m_time.get()};
}

std::optional<SelectionItem> RunView::marked() const {
  return m_part.selected();
}

RunUnit RunView::unit() const {
  return runUnitNamed(nameIn(*m_unit)).value_or(RunUnit::Share);
}

void RunView::chooseUnit(RunUnit u) {
  m_unit->setCurrentIndex(static_cast<int>(u));
}

QString RunView::asked() const {
  return QTextDocumentFragment::fromHtml(m_asked->text()).toPlainText();
}

void RunView::applyState(const State& state) {
  View::applyState(state);
  showUnit();
}

void RunView::showUnit() {
  m_time->setOption("unit", nameOf(unit()));
  m_timePane->figureChanged();
}

/// A unit whose field is missing cannot be chosen, and says which.
void RunView::refreshUnits() {
  const PlanContext& c = context();
  auto* rows = qobject_cast<QStandardItemModel*>(m_unit->model());
  for (int k = 0; rows && k < kRunUnitCount; ++k) {
    const auto missing =
        c.problem ? missingForUnit(*c.problem, static_cast<RunUnit>(k)) : std::vector<std::string>();
    QStandardItem* row = rows->item(k);
    row->setEnabled(missing.empty());
    row->setToolTip(missing.empty() ? QString() : tr("Give %1").arg(phrase(words::listOfFields(missing))));
  }
}

void RunView::refreshAsked() {
  const PlanContext& c = context();
  QString text;
  if (c.problem && c.plan) {
    const auto needed = askedForRun(*c.problem);
    if (!needed.empty()) text = tr("Give %1").arg(fieldLinks(needed));
  }
  m_asked->setText(text);
  m_asked->setAccessibleDescription(asked());  // its name stands for the text otherwise
  m_asked->setVisible(!text.isEmpty());
}

void RunView::refresh() {
  refreshUnits();
  refreshAsked();
  m_timePane->show(context(), theme());
}

}  // namespace nest
