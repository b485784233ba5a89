#include "inspector/inspector.h"

#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QRegularExpression>
#include <QScrollArea>
#include <QSplitter>
#include <QTreeView>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>

#include "accessible/screen_reader.h"
#include "figures/paint/frame.h"
#include "figures/paint/phrases.h"
#include "inspector/selection_facts.h"
#include "inspector/term_model.h"
#include "scenario/setting_terms.h"
#include "theme/appearance.h"
#include "theme/plain_text.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr int kInspectorSettleMs = 120;

/// A figure and its unit stay on one line: "70.4 GiB", "991 k tokens/s", "ZeRO 1".
QString kept(QString value) {
  static const QRegularExpression inside(
      QStringLiteral("(?<=\\d) (?=[^\\s\\d(·–])|(?<=\\d [kMGTP]) |(?<=ZeRO) "));
  return value.replace(inside, QString(QChar::Nbsp));
}

QString factsHtml(const Facts& facts) {
  const QString muted = Theme::of(dressedAs()).color(Theme::Role::MutedText).name();
  QString html;  // a table a row: what is long in one takes no room from the names of the others
  for (const auto& [name, value] : facts.rows)
    html += QStringLiteral(
                "<table cellspacing='0' cellpadding='2' width='100%'><tr><td><font color='%3'>%1</font></td>"
                "<td align='right'>%2</td></tr></table>")
                .arg(name.toHtmlEscaped(), kept(value).toHtmlEscaped(), muted);
  return html;
}

QString escaped(const std::string& s) {
  return visibleText(QString::fromStdString(s)).toHtmlEscaped();
}

/// Nothing else that a file names is ever opened.
bool isWebAddress(const QString& target) {
  return target.startsWith(QStringLiteral("https://")) || target.startsWith(QStringLiteral("http://"));
}

QString link(const QString& target, const QString& words) {
  return QStringLiteral("<a href='%1'>%2</a>").arg(target.toHtmlEscaped(), words);
}

/// Where an input's value comes from; a source that is an address can be opened.
QString originHtml(const TermInput& in) {
  QString html = QStringLiteral("<i>%1</i>").arg(escaped(std::string(in.source())));
  if (in.citation.empty()) return html;
  const QString source = QString::fromStdString(in.citation);
  return html + QStringLiteral(" (%1)").arg(isWebAddress(source) ? link(source, source.toHtmlEscaped())
                                                                 : source.toHtmlEscaped());
}

/// A term opened: its formula, what each symbol is and where that comes from, then the terms it is made of,
/// each a link to it.
QString detailHtml(const CostTerm& term) {
  QString html = QStringLiteral("<b>%1</b>").arg(escaped(term.formula));
  if (const QString value = valueOf(term); !value.isEmpty()) html += QStringLiteral("<br>= %1").arg(value);
  for (const TermInput& in : term.inputs) {
    QString meaning = escaped(in.meaning);
    if (in.unit == TermUnit::Bandwidth && term.level >= 0)
      meaning = link(QStringLiteral("level:%1").arg(term.level), meaning);
    html += QStringLiteral("<br>%1 = <b>%2</b> · %3 · %4")
                .arg(escaped(in.symbol), escaped(toText(in)), meaning, originHtml(in));
  }
  if (term.run)
    html += QStringLiteral("<br>") +
            link(QStringLiteral("play:") + QString::fromStdString(term.id), Inspector::tr("Play its steps"));
  constexpr std::size_t kMostParts = 40;
  const std::size_t shown = std::min(kMostParts, term.children.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const CostTerm& part = term.children[i];
    // What has no part in the sum stands there without a factor.
    const bool times = part.factor != 1 && part.factor != 0;
    const QString value = valueOf(part).toHtmlEscaped();
    html += QStringLiteral("<br>%1%2%3")
                .arg(times ? escaped(text::number(part.factor)) + QStringLiteral(" × ") : QString(),
                     link(QStringLiteral("term:") + QString::fromStdString(part.id), escaped(part.label)),
                     value.isEmpty() ? value : QStringLiteral(" = ") + value);
  }
  if (shown < term.children.size())
    html +=
        Inspector::tr("<br>… and %1 more, in the tree above").arg(countText(term.children.size() - shown));
  return html;
}

}  // namespace

Inspector::Inspector(Selection& selection, QWidget* parent)
    : QWidget(parent),
      m_selection(selection),
      m_context(std::make_shared<PlanContext>()),
      m_model(new TermModel(this)),
      m_title(new QLabel(this)),
      m_facts(new QLabel(this)),
      m_detail(new QLabel(this)),
      m_view(new QTreeView(this)) {
  setAccessibleName(tr("Inspector"));
  m_title->setFont(Theme::font(16, true));
  m_title->setContentsMargins(10, 8, 10, 2);
  m_facts->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  m_facts->setTextFormat(Qt::RichText);
  m_facts->setWordWrap(true);
  m_facts->setContentsMargins(8, 0, 8, 6);
  m_facts->setAlignment(Qt::AlignTop);
  m_detail->setTextInteractionFlags(Qt::TextBrowserInteraction | Qt::TextSelectableByKeyboard);
  m_detail->setAccessibleName(tr("Formula of the chosen term"));
  connect(m_detail, &QLabel::linkActivated, this, &Inspector::follow);
  m_detail->setTextFormat(Qt::RichText);
  m_detail->setWordWrap(true);
  m_detail->setContentsMargins(10, 6, 10, 8);
  m_detail->setAlignment(Qt::AlignTop);
  m_view->setModel(m_model);
  m_view->setUniformRowHeights(true);
  m_view->setAccessibleName(tr("Terms of the cost"));
  m_view->header()->setStretchLastSection(false);
  m_view->header()->setSectionResizeMode(TermModel::Label, QHeaderView::Stretch);
  m_view->header()->setSectionResizeMode(TermModel::Value, QHeaderView::ResizeToContents);
  m_view->setIndentation(14);
  m_view->setStyleSheet(QStringLiteral("QTreeView { padding-right: 6px; }"));  // values end clear of the edge

  const auto scrolled = [this](QLabel* label, const QString& name) {
    auto* area = new QScrollArea(this);
    area->setAccessibleName(name);
    area->setWidget(label);
    area->setWidgetResizable(true);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setFrameShape(QFrame::NoFrame);
    return area;
  };
  auto* parts = new QSplitter(Qt::Vertical, this);
  parts->addWidget(scrolled(m_facts, tr("Facts")));
  parts->addWidget(m_view);
  parts->addWidget(scrolled(m_detail, tr("Formula")));
  parts->setSizes({330, 260, 120});
  parts->setChildrenCollapsible(false);
  setMinimumWidth(150);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->setSpacing(2);
  all->addWidget(m_title);
  all->addWidget(parts, 1);

  // An edit brings two contexts shortly after each other, re-costed and solved; the tree is made once.
  m_soon.setSingleShot(true);
  m_soon.setInterval(kInspectorSettleMs);
  connect(&m_soon, &QTimer::timeout, this, &Inspector::refresh);
  connect(&selection, &Selection::selectedChanged, this, &Inspector::refresh);
  connect(m_view->selectionModel(), &QItemSelectionModel::currentChanged, this, &Inspector::showTerm);
  m_view->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(m_view, &QTreeView::customContextMenuRequested, this, [this](const QPoint& at) {
    const CostTerm* term = m_model->term(m_view->indexAt(at));
    if (!term) return;
    // Another plan may take the place of this one while the menu is open.
    const QString value = QString::fromStdString(text::exact(term->value)),
                  whole = QString::fromStdString(toText(*term, 20));
    const QString id = QString::fromStdString(term->id);
    QMenu menu(this);
    if (term->run)
      menu.addAction(tr("Play its steps"), this, [this, id] { follow(QStringLiteral("play:") + id); });
    menu.addAction(tr("Copy value"), this, [value] { QApplication::clipboard()->setText(value); });
    menu.addAction(tr("Copy term with its parts"), this,
                   [whole] { QApplication::clipboard()->setText(whole); });
    menu.exec(m_view->viewport()->mapToGlobal(at));
  });
  refresh();
}

void Inspector::setContext(PlanContextPtr context) {
  m_context = std::move(context);
  m_tree.reset();
  if (!m_soon.isActive()) m_soon.start();
}

void Inspector::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (m_dirty) refresh();
}

// The facts carry the colour of the theme that they were written under.
void Inspector::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && !m_soon.isActive()) m_soon.start();
}

int Inspector::stageInQuestion() const {
  return m_selection.selected() ? stageOf(*m_context, *m_selection.selected()) : -1;
}

QString Inspector::whyNothing() const {
  const auto none = stateOf(*m_context, tr("the numbers"));
  return none ? QStringLiteral("<b>%1</b><br>%2")
                    .arg(none->heading.toHtmlEscaped(), none->text.toHtmlEscaped())
              : tr("The plan has nothing here.");
}

void Inspector::followSearch() {
  if (m_dirty || !isVisible() || m_context->shownPlan()) return;
  if (factsOf(*m_context, m_selection.selected(), m_selection.taskTimes()).rows.empty())
    setNamedText(*m_facts, whyNothing());
}

void Inspector::refresh() {
  m_dirty = !isVisible();
  if (m_dirty) return;
  const Facts facts = factsOf(*m_context, m_selection.selected(), m_selection.taskTimes());
  m_title->setText(facts.title);
  setNamedText(*m_facts, facts.rows.empty() ? whyNothing() : factsHtml(facts));
  m_facts->setAccessibleName(facts.title);
  const Plan* plan = m_context->shownPlan();
  if (!m_tree && plan && m_context->problem) {
    CostTerm whole = explain(*m_context->problem, *plan, *m_context->shownEvaluation());
    if (const auto& s = m_context->scenario; s && s->model.architecture) addConstants(whole, *s);
    if (const auto& s = m_context->scenario) addProgram(whole, *s);
    m_tree = std::make_shared<const CostTerm>(std::move(whole));
  }
  const QString kept = m_view->currentIndex().data(TermModel::kIdRole).toString();
  m_model->setTree(m_tree, stageInQuestion());
  m_view->setVisible(m_tree != nullptr);
  m_detail->parentWidget()->parentWidget()->setVisible(m_tree != nullptr);
  for (int r = 0; r < m_model->rowCount(); ++r) m_view->expand(m_model->index(r, 0));
  QModelIndex current = kept.isEmpty() ? QModelIndex() : m_model->indexOf(kept);
  if (!current.isValid()) current = m_model->index(0, 0);
  m_view->setCurrentIndex(current);
  showTerm();
}

void Inspector::follow(const QString& target) {
  if (target.startsWith(QStringLiteral("term:"))) {
    const QString id = target.mid(5);
    // A term of another stage stands in the whole tree alone.
    if (!m_model->indexOf(id).isValid()) {
      m_model->setTree(m_tree, -1);
      for (int r = 0; r < m_model->rowCount(); ++r) m_view->expand(m_model->index(r, 0));
    }
    if (const QModelIndex found = m_model->indexOf(id); found.isValid()) {
      m_view->setCurrentIndex(found);
      m_view->scrollTo(found);
    }
  } else if (target.startsWith(QStringLiteral("play:"))) {
    m_selection.exchangePlayer().setPlan(*m_context);
    m_selection.exchangePlayer().show(target.mid(5).toStdString());
  } else if (target.startsWith(QStringLiteral("level:"))) {
    m_selection.setSelected(SelectionItem{ItemKind::Level, target.mid(6).toInt()});
  } else if (isWebAddress(target)) {
    QDesktopServices::openUrl(QUrl(target));
  }
}

void Inspector::showTerm() {
  const CostTerm* term = m_model->term(m_view->currentIndex());
  setNamedText(*m_detail, term ? detailHtml(*term) : QString());
}

QString Inspector::asText() const {
  const Facts facts = factsOf(*m_context, m_selection.selected(), m_selection.taskTimes());
  QString text = facts.title + QLatin1Char('\n');
  for (const auto& [name, value] : facts.rows)
    text += name + QStringLiteral(": ") + value + QLatin1Char('\n');
  return text;
}

}  // namespace nest
