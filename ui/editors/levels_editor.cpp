#include "editors/levels_editor.h"

#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "accessible/screen_reader.h"
#include "editors/glossary.h"
#include "editors/level_lines.h"
#include "figures/paint/phrases.h"
#include "formats/networks/cluster_text.h"
#include "theme/icon.h"
#include "theme/plain_text.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr int kMostLevels = 8;
constexpr int kOversubscription = 3;  ///< column

}  // namespace

LevelsEditor::LevelsEditor(ScenarioDocument& document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_total(new QLabel(this)),
      m_problem(new QLabel(this)),
      m_text(new BoundLine(levelsTextLine(), document, this)) {
  setObjectName(QStringLiteral("/cluster/levels"));
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 2, 0, 0);
  all->setSpacing(4);
  m_grid = nullptr;
  m_problem->setProperty("role", "error");
  m_problem->setWordWrap(true);
  m_problem->hide();
  m_add = new QPushButton(tr("Add level"), this);
  m_add->setProperty("link", true);
  m_add->setToolTip(tr("Add an outer, slower level that connects the groups of the current outermost one"));
  m_total->setProperty("role", "muted");
  m_total->setWordWrap(true);
  auto* foot = new QHBoxLayout;
  foot->addWidget(m_add);
  foot->addWidget(m_total, 1);
  m_total->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  auto* words = new QHBoxLayout;
  auto* label = new QLabel(tr("Text"), this);
  label->setProperty("role", "muted");
  label->setBuddy(m_text);
  label->setToolTip(tr("All levels in one line, to copy or edit; replaces a drawn network"));
  m_text->setPlaceholderText(QStringLiteral("host:8@450GB/s rack:4@50GB/s"));
  m_text->setMinimumWidth(60);
  words->addWidget(label);
  words->addWidget(m_text, 1);
  all->addWidget(m_problem);
  all->addLayout(words);
  all->addLayout(foot);
  connect(m_text, &BoundLine::problemChanged, this, &LevelsEditor::showProblem);
  connect(m_add, &QPushButton::clicked, this, [this] {
    m_document.closeStep();
    m_document.edit({}, tr("Add a level"), [](Scenario& s) {
      auto* source = std::get_if<LevelsSource>(&s.cluster.network);
      if (!source) return;
      LevelSpec next;
      const int number = static_cast<int>(source->levels.size());
      next.name = "level " + std::to_string(number);
      next.fanout = 2;
      next.latency = defaultLatency(number);
      next.bandwidth = s.cluster.device.hostLinkBandwidth.value;
      if (!source->levels.empty()) {
        next.bandwidth = source->levels.back().bandwidth / 2;
        next.shownAs = source->levels.back().shownAs;
        next.latency = source->levels.back().latency;
      }
      source->levels.push_back(next);
    });
  });
  connect(&document, &ScenarioDocument::changed, this, [this] { rebuild(); });
  rebuild();
}

void LevelsEditor::rebuild() {
  refreshTotal();
  const LevelsSource* source =
      m_document.isEmpty() ? nullptr : std::get_if<LevelsSource>(&m_document.scenario().cluster.network);
  const int wanted = source ? static_cast<int>(source->levels.size()) : -1;
  m_add->setEnabled(source && wanted < kMostLevels);
  if (wanted == m_shown) return showCounts();
  m_shown = wanted;
  m_lines.clear();
  m_counts.clear();
  QWidget* before = std::exchange(m_rows, new QWidget(this));
  m_grid = new QGridLayout(m_rows);
  m_grid->setContentsMargins(0, 0, 0, 0);
  m_grid->setHorizontalSpacing(3);
  m_grid->setVerticalSpacing(3);
  if (source) {
    const std::pair<QString, QString> heads[] = {{tr("Level"), QStringLiteral("level")},
                                                 {tr("×"), QStringLiteral("fanout")},
                                                 {tr("Bandwidth"), QStringLiteral("bandwidth")},
                                                 {tr("÷"), QStringLiteral("oversubscription")},
                                                 {tr("Latency"), QStringLiteral("latency")}};
    int column = 0;
    for (const auto& [text, term] : heads) {
      auto* head = new QLabel(text, m_rows);
      head->setProperty("role", "muted");
      setRichTip(*head, glossaryTip(term));
      m_grid->addWidget(head, 0, column++);
    }
    for (int l = 0; l < wanted; ++l) addRow(l);
    const int stretch[] = {5, 3, 6, 2, 4, 0};
    for (int c = 0; c < 6; ++c) m_grid->setColumnStretch(c, stretch[c]);
  } else if (!m_document.isEmpty()) {
    auto* edit = new QPushButton(tr("Edit the network"), m_rows);
    edit->setToolTip(tr("Show hosts, switches and links, and how they become levels"));
    connect(edit, &QPushButton::clicked, this, &LevelsEditor::networkRequested);
    m_grid->addWidget(edit, 0, 0, Qt::AlignLeft);
  }
  m_add->setVisible(source || m_document.isEmpty());
  static_cast<QVBoxLayout*>(layout())->insertWidget(0, m_rows);
  // Tab walks them where they stand, before the line of text, although they are younger.
  QWidget* earlier = m_text->previousInFocusChain();
  while (earlier != m_text && (isAncestorOf(earlier) || !(earlier->focusPolicy() & Qt::TabFocus)))
    earlier = earlier->previousInFocusChain();
  for (auto* cell : m_rows->findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
    if (cell->focusPolicy() & Qt::TabFocus) setTabOrder(std::exchange(earlier, cell), cell);
  showCounts();
  showProblem();
  if (!before) return;
  // Last: a field in it may lose the focus, and the document hear of that.
  before->hide();
  before->deleteLater();
}

void LevelsEditor::showCounts() {
  const LevelsSource* source =
      m_document.isEmpty() ? nullptr : std::get_if<LevelsSource>(&m_document.scenario().cluster.network);
  for (std::size_t l = 0; source && l < m_counts.size() && l < source->levels.size(); ++l) {
    QStringList lines{countsAs(*source, static_cast<int>(l))};
    const double share = m_document.scenario().assumptions.linkEfficiency;
    if (share != 1 && l + 1 == m_counts.size())
      lines += tr("%1 of each counts (link efficiency)").arg(phrase(text::percent(share)));
    lines.removeAll(QString());
    m_counts[l]->setText(lines.join(u'\n'));
    m_counts[l]->setHidden(m_counts[l]->text().isEmpty());
  }
}

BoundLine* LevelsEditor::cell(int level, int column, LineSpec spec) {
  static const char* const kKeys[] = {"name", "fanout", "bandwidth", "oversubscription", "latency"};
  static const char* const kVerbs[] = {QT_TR_NOOP("Rename level %1"), QT_TR_NOOP("Change fanout of level %1"),
                                       QT_TR_NOOP("Change bandwidth of level %1"),
                                       QT_TR_NOOP("Change oversubscription of level %1"),
                                       QT_TR_NOOP("Change latency of level %1")};
  static const char* const kNames[] = {
      QT_TR_NOOP("Name of level %1"), QT_TR_NOOP("Fanout of level %1"), QT_TR_NOOP("Bandwidth of level %1"),
      QT_TR_NOOP("Oversubscription of level %1"), QT_TR_NOOP("Latency of level %1")};
  spec.id = QStringLiteral("/cluster/levels/%1/%2").arg(level).arg(QLatin1String(kKeys[column]));
  spec.verb = tr(kVerbs[column]).arg(level);
  spec.label = tr(kNames[column]).arg(level);
  auto* line = new BoundLine(std::move(spec), m_document, m_rows);
  const int least = column == kOversubscription ? 24 : 30;
  line->setMinimumWidth(least);
  // "4,096" without its end would be another number; a name has its end out of sight.
  const auto showWhole = [line, least] {
    constexpr int kUsual = 17, kCursor = 2, kMost = 96;  // characters that a size hint is for; pixels
    const QFontMetrics metrics = line->fontMetrics();
    const int around = line->sizeHint().width() - kUsual * metrics.horizontalAdvance(QLatin1Char('x'));
    line->setMinimumWidth(
        std::clamp(metrics.horizontalAdvance(line->text()) + around + kCursor, least, kMost));
  };
  if (column > 0) connect(line, &QLineEdit::textChanged, line, showWhole);
  if (column > 0) showWhole();
  connect(line, &BoundLine::problemChanged, this, &LevelsEditor::showProblem);
  m_grid->addWidget(line, 2 * level + 1, column);
  m_lines.push_back(line);
  return line;
}

void LevelsEditor::addRow(int level) {
  cell(level, 0, levelNameLine(level));
  cell(level, 1, fanoutLine(level));
  cell(level, 2, bandwidthLine(level));
  cell(level, kOversubscription, oversubscriptionLine(level));
  cell(level, 4, latencyLine(level));
  auto* counts = new QLabel(m_rows);
  counts->setProperty("role", "muted");
  counts->setWordWrap(true);
  counts->setAlignment(Qt::AlignRight | Qt::AlignTop);
  counts->setToolTip(
      tr("Effective values: a level is shared by all that send over it, and is never faster than the level "
         "inside it"));
  m_grid->addWidget(counts, 2 * level + 2, 0, 1, 5);
  m_counts.push_back(counts);
  auto* remove = new QToolButton(m_rows);
  remove->setIcon(themedIcon(QStringLiteral("close")));
  remove->setIconSize({10, 10});
  remove->setToolTip(tr("Remove this level"));
  remove->setAccessibleName(tr("Remove level %1").arg(level));
  remove->setEnabled(m_shown > 1);
  connect(remove, &QToolButton::clicked, this, [this, level] {
    m_document.closeStep();
    m_document.edit({}, tr("Remove level %1").arg(level), [level](Scenario& s) {
      auto* source = std::get_if<LevelsSource>(&s.cluster.network);
      if (source && level < static_cast<int>(source->levels.size()))
        source->levels.erase(source->levels.begin() + level);
    });
  });
  m_grid->addWidget(remove, 2 * level + 1, 5);
}

void LevelsEditor::showProblem() {
  const auto it = std::find_if(m_lines.begin(), m_lines.end(),
                               [](const BoundLine* l) { return !l->problem().isEmpty(); });
  const QString problem = it != m_lines.end() ? (*it)->problem() : m_text->problem();
  m_problem->setVisible(!problem.isEmpty());
  m_problem->setText(problem);
}

void LevelsEditor::refreshTotal() {
  if (m_document.isEmpty()) return m_total->clear();
  const Scenario& s = m_document.scenario();
  if (const LevelsSource* source = std::get_if<LevelsSource>(&s.cluster.network)) {
    double devices = 1;
    for (const LevelSpec& l : source->levels) devices *= l.fanout;
    if (!source->hostSizes.empty()) {
      devices = 0;
      for (const int size : source->hostSizes) devices += size;
    }
    m_total->setText(plural(static_cast<long long>(devices), tr("device")));
  } else {
    const auto& graph = std::get<GraphSource>(s.cluster.network);
    const QString from = QFileInfo(QString::fromStdString(graph.importedFrom)).fileName();
    m_total->setText(tr("%1, %2, network %3")
                         .arg(plural(graph.graph.deviceCount(), tr("device")),
                              plural(static_cast<long long>(graph.graph.links.size()), tr("link")),
                              from.isEmpty() ? tr("drawn") : tr("from %1").arg(from)));
    setRichTip(*m_total, plainTip(QString::fromStdString(graph.importedFrom)));
  }
}

}  // namespace nest
