#include "editors/plan_sentence.h"

#include <QComboBox>
#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QStyle>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <numeric>

#include "cluster/levels/hierarchy.h"
#include "editors/bound_line.h"
#include "editors/choices.h"
#include "editors/field_rows.h"
#include "editors/level_lines.h"
#include "figures/paint/phrases.h"
#include "theme/appearance.h"
#include "theme/plain_text.h"
#include "theme/qt_text.h"
#include "units/text.h"
#include "views/chip_box.h"
#include "views/flow_layout.h"

namespace nest {
namespace {

constexpr int kLeastSlot = 30, kWidestSlot = 170, kAroundText = 22;  ///< pixels

const LevelsSource* typedLevels(const Scenario& s) {
  return std::get_if<LevelsSource>(&s.cluster.network);
}

long long deviceTotal(const Scenario& s) {
  if (const LevelsSource* levels = typedLevels(s)) {
    if (!levels->hostSizes.empty())
      return std::accumulate(levels->hostSizes.begin(), levels->hostSizes.end(), 0LL);
    long long count = 1;
    for (const LevelSpec& l : levels->levels) count *= l.fanout;
    return count;
  }
  return std::get<GraphSource>(s.cluster.network).graph.deviceCount();
}

/// Levels of equal groups: their number can be typed.
bool hasEqualGroups(const Scenario& s) {
  const LevelsSource* levels = typedLevels(s);
  return levels && levels->hostSizes.empty() && !levels->levels.empty();
}

int outermost(const Scenario& s) {
  return static_cast<int>(typedLevels(s)->levels.size()) - 1;
}

/// The outer levels take as many groups as make this many devices; those between keep what divides it.
QString setDeviceTotal(long long count, Scenario& s) {
  auto& levels = std::get<LevelsSource>(s.cluster.network).levels;
  constexpr long long kMost = 1 << 20;
  if (count < 1 || count > kMost)
    return PlanSentence::tr("A number of devices from 1 to %1").arg(toQt(text::count(kMost)));
  const long long host = levels.front().fanout;
  if (levels.size() == 1) {
    levels.front().fanout = static_cast<int>(count);
    return {};
  }
  if (count % host != 0)
    return PlanSentence::tr("A multiple of %1, the devices of a host").arg(toQt(text::count(host)));
  long long hosts = count / host;
  for (std::size_t l = 1; l + 1 < levels.size(); ++l) {
    const long long kept = std::gcd(hosts, static_cast<long long>(levels[l].fanout));
    levels[l].fanout = static_cast<int>(kept);
    hosts /= kept;
  }
  levels.back().fanout = static_cast<int>(hosts);
  std::get<LevelsSource>(s.cluster.network).hostNames.clear();
  return {};
}

LineSpec devicesLine() {
  LineSpec spec;
  spec.id = QStringLiteral("/cluster/devices");
  spec.label = PlanSentence::tr("Devices");
  spec.verb = PlanSentence::tr("Change the number of devices");
  spec.hint = PlanSentence::tr("Devices of the whole cluster, a multiple of those of a host");
  spec.read = [](const Scenario& s) { return toQt(text::count(deviceTotal(s))); };
  spec.write = [read = spec.read](const QString& text, Scenario& s) {
    if (text == read(s) || !hasEqualGroups(s)) return QString();
    bool ok = false;
    const long long count = QString(text).remove(QLatin1Char(',')).trimmed().toLongLong(&ok);
    return ok ? setDeviceTotal(count, s) : PlanSentence::tr("A whole number of devices, such as 512");
  };
  spec.step = [](const QString& text, int steps) {
    long long count = QString(text).remove(QLatin1Char(',')).toLongLong();
    for (; steps > 0 && count < (1 << 19); --steps) count *= 2;
    for (; steps < 0 && count > 1; ++steps) count /= 2;
    return toQt(text::count(count));
  };
  return spec;
}

/// Of a level that is counted from the outermost when it is typed, not when the line is made.
LineSpec levelLine(const QString& id, LineSpec (*make)(int), int (*level)(const Scenario&),
                   const QString& label) {
  LineSpec spec = make(0);
  spec.id = id;
  spec.label = label;
  spec.read = [make, level](const Scenario& s) {
    return hasEqualGroups(s) ? make(level(s)).read(s) : QString();
  };
  spec.write = [make, level](const QString& text, Scenario& s) {
    return hasEqualGroups(s) ? make(level(s)).write(text, s) : QString();
  };
  return spec;
}

}  // namespace

PlanSentence::PlanSentence(ScenarioDocument& document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_drawn(new QPushButton(this)),
      m_accept(new QPushButton(tr("Accept all"), this)) {
  setAccessibleName(tr("The scenario in a sentence"));
  setAutoFillBackground(true);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->setSpacing(0);
  auto* row = new QWidget(this);
  m_flow = new FlowLayout(5);
  row->setLayout(m_flow);
  m_flow->setContentsMargins(14, 4, 10, 5);
  all->addWidget(row);
  ChoiceSpec known = modelChoice();
  ChipBox* model = choice(known);
  model->setPlaceholderText(tr("a model from a file"));
  model->addItem(tr("From a config.json…"));
  connect(model, &QComboBox::activated, this, [this, model, files = known.options.size(), known](int i) {
    if (i != files) return;
    model->setCurrentIndex(known.read(m_document.scenario()));
    Q_EMIT loadModelRequested();
  });
  add(tr("Train"), model, QStringLiteral("/model"));
  buildCluster();
  add(tr(", sequence"), line(fieldLine(*findField("/job/sequence_length"))),
      QStringLiteral("/job/sequence_length"));
  add(tr(", batch"), line(fieldLine(*findField("/job/global_batch"))), QStringLiteral("/job/global_batch"));
  add(tr(", with"), choice(fieldChoice(*findField("/program"))), QStringLiteral("/program"));
  m_accept->setProperty("link", true);
  m_accept->hide();
  m_accept->setToolTip(
      tr("Nobody has stated the outlined values: they were assumed. Take them as they are."));
  m_flow->insertWidget(m_flow->count(), m_accept);
  connect(m_accept, &QPushButton::clicked, this, [this] {
    QStringList fields;
    for (const UnstatedValue& v : m_document.scenario().unstated) fields << toQt(v.field);
    accept(fields);
  });
  connect(&document, &ScenarioDocument::changed, this, &PlanSentence::refresh);
  refresh();
}

void PlanSentence::buildCluster() {
  m_drawn->setProperty("link", true);
  m_drawn->setToolTip(tr("Show hosts, switches and links where they are drawn"));
  connect(m_drawn, &QPushButton::clicked, this, &PlanSentence::networkRequested);
  add(tr("on"), line(devicesLine()), QStringLiteral("/cluster/devices")).isThere = hasEqualGroups;
  add(tr("on"), m_drawn, QStringLiteral("/cluster/devices")).isThere = [](const Scenario& s) {
    return !hasEqualGroups(s);
  };
  add({}, choice(deviceChoice([this](const Diagnostic& d) { Q_EMIT noticed(d); })),
      QStringLiteral("/cluster/device"));
  const auto hasLevels = [](std::size_t least) {
    return [least](const Scenario& s) { return hasEqualGroups(s) && typedLevels(s)->levels.size() >= least; };
  };
  add(tr("in hosts of"),
      line(levelLine(
          QStringLiteral("/cluster/levels/0/fanout"), fanoutLine, [](const Scenario&) { return 0; },
          tr("Devices of a host"))),
      QStringLiteral("/cluster/levels/*/fanout"))
      .isThere = hasLevels(2);
  add(tr(","),
      line(levelLine(
          QStringLiteral("/cluster/levels/1/bandwidth_bytes_per_s"), bandwidthLine,
          [](const Scenario& s) { return std::min(1, outermost(s)); },
          tr("Bandwidth of a device out of its host"))),
      QStringLiteral("/cluster/levels/*/bandwidth_bytes_per_s"))
      .isThere = hasLevels(2);
  add(tr("a device, oversubscribed"),
      line(levelLine(QStringLiteral("/cluster/levels/outermost/oversubscription"), oversubscriptionLine,
                     outermost, tr("Oversubscription of the outermost level"))),
      QStringLiteral("/cluster/levels/*/oversubscription"))
      .isThere = hasLevels(2);
}

BoundLine* PlanSentence::line(LineSpec spec) {
  const QString id = spec.id;
  auto* line = new BoundLine(std::move(spec), m_document, this);
  line->setObjectName(QStringLiteral("sentence") + id);  // the panel's has the other name
  line->setProperty("chip", true);
  const auto fit = [line] {
    line->setFixedWidth(
        std::clamp(line->fontMetrics().horizontalAdvance(line->text()) + atWindowScale(kAroundText),
                   atWindowScale(kLeastSlot), atWindowScale(kWidestSlot)));
  };
  connect(line, &QLineEdit::textChanged, line, fit);
  connect(this, &PlanSentence::typeChanged, line, fit);
  connect(line, &BoundLine::problemChanged, this, [line] {
    // Over the views, which a line of its own would move.
    QToolTip::showText(line->mapToGlobal(QPoint(0, line->height())), plainTip(line->problem()), line);
  });
  fit();
  return line;
}

ChipBox* PlanSentence::choice(const ChoiceSpec& spec) {
  auto* box = new ChipBox(QString(), this);
  box->setObjectName(QStringLiteral("sentence") + spec.id);
  box->setAccessibleName(spec.label);
  box->setToolTip(spec.label);
  box->addItems(spec.options);
  bindChoice(*box, spec, m_document);
  return box;
}

PlanSentence::Slot& PlanSentence::add(const QString& before, QWidget* editor, const QString& field) {
  auto* words = new QLabel(before, this);
  words->setProperty("role", "muted");
  m_flow->insertWidget(m_flow->count(), words);
  m_flow->insertWidget(m_flow->count(), editor);
  m_slots.push_back({field, words, editor, [](const Scenario&) { return true; }});
  if (auto* line = qobject_cast<QLineEdit*>(editor))
    connect(line, &QLineEdit::returnPressed, this, [this, field] { accept({field}); });
  return m_slots.back();
}

/// One undo step; of values that are stated already, none.
void PlanSentence::accept(const QStringList& fields) {
  m_document.closeStep();
  m_document.edit({}, tr("Accept what was assumed"), [&](Scenario& s) {
    std::erase_if(s.unstated, [&](const UnstatedValue& v) { return fields.contains(toQt(v.field)); });
  });
  m_document.closeStep();
}

bool PlanSentence::isAnyAssumed() const {
  return !m_document.isEmpty() && !m_accept->isHidden();
}

void PlanSentence::focusFirst() {
  m_slots.front().editor->setFocus(Qt::OtherFocusReason);
}

void PlanSentence::refresh() {
  if (m_document.isEmpty()) return;
  const Scenario& s = m_document.scenario();
  m_drawn->setText(tr("a drawn network of %1").arg(plural(deviceTotal(s), tr("device"))));
  bool any = false;
  for (const Slot& slot : m_slots) {
    const bool there = slot.isThere(s);
    slot.before->setVisible(there && !slot.before->text().isEmpty());
    slot.editor->setVisible(there);
    const bool assumed =
        there && std::any_of(s.unstated.begin(), s.unstated.end(),
                             [&](const UnstatedValue& v) { return toQt(v.field) == slot.field; });
    any = any || assumed;
    if (slot.editor->property("assumed").toBool() == assumed) continue;
    slot.editor->setProperty("assumed", assumed);
    slot.editor->setAccessibleDescription(assumed ? tr("assumed: nobody has stated it") : QString());
    slot.editor->style()->unpolish(slot.editor);
    slot.editor->style()->polish(slot.editor);
  }
  m_accept->setVisible(any);
}

void PlanSentence::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
    QMetaObject::invokeMethod(this, &PlanSentence::typeChanged, Qt::QueuedConnection);
}

QString PlanSentence::asText() const {
  QStringList words;
  for (const Slot& slot : m_slots) {
    if (slot.editor->isHidden()) continue;
    words << slot.before->text();
    if (const auto* line = qobject_cast<const QLineEdit*>(slot.editor)) words << line->text();
    if (const auto* box = qobject_cast<const QComboBox*>(slot.editor)) words << box->currentText();
    if (const auto* button = qobject_cast<const QPushButton*>(slot.editor)) words << button->text();
  }
  words.removeAll(QString());
  return words.join(QLatin1Char(' ')).replace(QStringLiteral(" ,"), QStringLiteral(",")) + QLatin1Char('.');
}

}  // namespace nest
