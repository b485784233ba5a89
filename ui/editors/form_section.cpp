#include "editors/form_section.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWheelEvent>
#include <algorithm>
#include <memory>
#include <utility>

#include "accessible/screen_reader.h"
#include "editors/choices.h"
#include "editors/glossary.h"
#include "figures/paint/phrases.h"
#include "theme/icon.h"
#include "theme/qt_text.h"

namespace nest {
namespace {

constexpr int kLabelWidth = 98;
constexpr qsizetype kLettersInARow = 12;

/// A wheel over the panel scrolls the panel, it does not change figures.
class QuietCombo : public QComboBox {
public:
  using QComboBox::QComboBox;

protected:
  void wheelEvent(QWheelEvent* event) override { event->ignore(); }
};

bool isAbout(const QString& id, const QString& pointer) {
  return pointer == id || pointer.startsWith(id + QLatin1Char('/'));
}

}  // namespace

FormSection::FormSection(const QString& title, ScenarioDocument& document, QWidget* parent)
    : QWidget(parent),
      m_title(title),
      m_document(document),
      m_head(new QToolButton(this)),
      m_body(new QWidget(this)) {
  m_head->setText(title);
  m_head->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  m_head->setProperty("role", "section");
  m_head->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  m_head->setCheckable(false);
  m_head->setAccessibleName(tr("Fold %1").arg(title));
  connect(m_head, &QToolButton::clicked, this, [this] { setFolded(!isFolded()); });
  m_grid = new QGridLayout(m_body);
  m_grid->setContentsMargins(6, 0, 2, 8);
  m_grid->setHorizontalSpacing(8);
  m_grid->setVerticalSpacing(5);
  m_grid->setColumnMinimumWidth(0, kLabelWidth);
  m_grid->setColumnStretch(1, 1);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->setSpacing(2);
  all->addWidget(m_head);
  all->addWidget(m_body);
  setFolded(false);
}

bool FormSection::isFolded() const {
  return m_body->isHidden();
}

void FormSection::setFolded(bool folded) {
  m_body->setVisible(!folded);
  m_head->setIcon(themedIcon(folded ? QStringLiteral("right") : QStringLiteral("down")));
  m_head->setAccessibleDescription(folded ? tr("folded") : tr("unfolded"));
}

QLabel* FormSection::makeLabel(const QString& text, const QString& term, QWidget* buddy) {
  QLabel* label = nullptr;
  if (auto* line = qobject_cast<BoundLine*>(buddy))
    label = new ScrubLabel(text, line, m_body);
  else
    label = new QLabel(text, m_body);
  if (!qobject_cast<BoundLine*>(buddy)) label->setBuddy(buddy);
  label->setProperty("role", "muted");
  // Longer words, as in other languages, go on below instead of pushing the field out of the panel.
  label->setWordWrap(label->sizeHint().width() > kLabelWidth + 20);
  const auto* line = qobject_cast<BoundLine*>(buddy);
  setRichTip(*label, glossaryTip(term.isEmpty() ? text : term,
                                 line && line->spec().step
                                     ? tr("<p>Drag sideways to change the value; the plan follows.</p>")
                                     : QString()));
  return label;
}

FormSection::Row& FormSection::addRow(QWidget* label, QWidget* editor, std::vector<QString> ids) {
  const int row = m_grid->rowCount();
  if (label) {
    m_grid->addWidget(label, row, 0, Qt::AlignLeft | Qt::AlignTop);
    label->setContentsMargins(0, 5, 0, 0);
    m_grid->addWidget(editor, row, 1);
  } else {
    m_grid->addWidget(editor, row, 0, 1, 2);
  }
  auto* message = new QLabel(m_body);
  message->setWordWrap(true);
  message->setTextFormat(Qt::PlainText);
  message->hide();
  m_grid->addWidget(message, row + 1, label ? 1 : 0, 1, label ? 1 : 2);
  m_rows.push_back(std::make_unique<Row>(Row{std::move(ids), editor, message, nullptr, {}, false}));
  return *m_rows.back();
}

BoundLine* FormSection::addLine(LineSpec spec, const QString& term) {
  const QString id = spec.id, text = spec.label;
  auto* line = new BoundLine(std::move(spec), m_document, m_body);
  line->setMinimumWidth(60);
  Row& row = addRow(makeLabel(text, term, line), line, {id});
  row.line = line;
  connect(line, &BoundLine::problemChanged, this, [&row] { showMessage(row); });
  return line;
}

QComboBox* FormSection::addChoice(ChoiceSpec spec, const QString& term) {
  auto* combo = new QuietCombo(m_body);
  combo->setObjectName(spec.id);
  combo->setAccessibleName(spec.label);
  combo->addItems(spec.options);
  combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  combo->setMinimumContentsLength(6);
  combo->setMinimumWidth(60);
  addRow(makeLabel(spec.label, term, combo), combo, {spec.id});
  bindChoice(*combo, spec, m_document);
  return combo;
}

void FormSection::addChecks(const QString& label, const std::vector<CheckSpec>& specs, const QString& term) {
  auto* group = new QWidget(m_body);
  group->setAccessibleName(label);
  // Beside each other only where the narrowest panel has the room.
  qsizetype letters = 0;
  for (const CheckSpec& spec : specs) letters += spec.text.size();
  const bool stacked = specs.size() > 1 && letters > kLettersInARow;
  auto* layout = new QBoxLayout(stacked ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight, group);
  layout->setContentsMargins(0, 3, 0, 0);
  layout->setSpacing(stacked ? 3 : 7);
  std::vector<QString> ids;
  for (const CheckSpec& spec : specs) {
    auto* box = new QCheckBox(spec.text, group);
    box->setObjectName(spec.id);
    box->setAccessibleName(label.isEmpty() ? spec.text : label + QStringLiteral(": ") + spec.text);
    setRichTip(*box, spec.tip);
    layout->addWidget(box);
    ids.push_back(spec.id);
    const auto refresh = [this, box, read = spec.read] {
      const QSignalBlocker quiet(box);
      box->setEnabled(!m_document.isEmpty());
      box->setChecked(!m_document.isEmpty() && read(m_document.scenario()));
    };
    connect(&m_document, &ScenarioDocument::changed, box, refresh);
    connect(box, &QCheckBox::toggled, this, [this, spec](bool on) {
      m_document.closeStep();
      m_document.edit(spec.id, spec.verb, [&](Scenario& s) { spec.write(on, s); });
    });
    refresh();
  }
  if (!stacked) layout->addStretch();
  addRow(label.isEmpty() ? nullptr : makeLabel(label, term, group), group, std::move(ids));
}

void FormSection::addWidget(QWidget* widget, const std::vector<QString>& ids) {
  addRow(nullptr, widget, ids);
}

void FormSection::showMessage(const Row& row) {
  const bool typing = row.line && !row.line->problem().isEmpty();
  const QString text = typing ? row.line->problem() : row.fromProblem;
  const QString role = typing || row.isError ? QStringLiteral("error") : QStringLiteral("warning");
  row.message->setText(text);
  // Dressing a widget anew is dear, and this runs for every field after every edit.
  if (!text.isEmpty() && row.message->property("role") != role) {
    row.message->setProperty("role", role);
    row.message->style()->unpolish(row.message);
    row.message->style()->polish(row.message);
  }
  row.message->setVisible(!text.isEmpty());
}

void FormSection::showDiagnostics(const Diagnostics& diagnostics) {
  for (auto& row : m_rows) {
    row->fromProblem.clear();
    row->isError = false;
    for (const Diagnostic& d : diagnostics) {
      const QString pointer = QString::fromStdString(d.where.pointer);
      const bool here = std::any_of(row->ids.begin(), row->ids.end(),
                                    [&](const QString& id) { return isAbout(id, pointer); });
      if (!here || d.severity == Severity::Note || (row->isError && d.severity != Severity::Error)) continue;
      row->isError = d.severity == Severity::Error;
      QString text = capitalised(toQt(d.message));
      if (!d.remedy.empty()) text += QStringLiteral(": ") + phrase(d.remedy);
      row->fromProblem = text;
      if (row->isError) break;
    }
    showMessage(*row);
  }
}

bool FormSection::reveal(const QString& pointer) {
  for (const auto& row : m_rows)
    for (const QString& id : row->ids)
      if (isAbout(id, pointer) || isAbout(pointer, id)) {
        setFolded(false);
        QWidget* target = m_body->findChild<QWidget*>(pointer);
        if (!target) target = m_body->findChild<QWidget*>(id);
        (target ? target : row->editor)->setFocus(Qt::ShortcutFocusReason);
        return true;
      }
  return false;
}

}  // namespace nest
