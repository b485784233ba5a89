#include "export/launch_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QVBoxLayout>

#include "accessible/screen_reader.h"
#include "export/save_path.h"
#include "figures/paint/phrases.h"
#include "theme/qt_text.h"
#include "words/outcome_words.h"

namespace nest {
namespace {

constexpr int kMostShownCharacters = 60000;  ///< characters; a rank file of 131,072 ranks is a few megabytes

/// What the window offers, in order.
const std::vector<const LaunchTarget*>& choices() {
  static const auto all = [] {
    std::vector<const LaunchTarget*> out;
    for (const LaunchTarget* t : launchTargets())
      if (!t->label.empty()) out.push_back(t);
    return out;
  }();
  return all;
}

QString textOf(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

}  // namespace

LaunchDialog::LaunchDialog(const PlanContext& context, QWidget* parent)
    : QDialog(parent), m_context(context) {
  setWindowTitle(tr("Launch files"));
  resize(860, 560);
  m_targets = new QListWidget(this);
  m_targets->setAccessibleName(tr("Programs"));
  m_targets->setMaximumWidth(180);
  for (const LaunchTarget* t : choices()) m_targets->addItem(textOf(t->label));
  m_what = new QLabel(this);
  m_text = new QPlainTextEdit(this);
  m_text->setReadOnly(true);
  m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
  m_text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  m_text->setAccessibleName(tr("Content of the file"));
  m_notes = new QLabel(this);
  m_notes->setWordWrap(true);
  m_notes->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  m_notes->setAccessibleName(tr("Settings not covered by this file"));

  auto* right = new QVBoxLayout;
  right->addWidget(m_what);
  right->addWidget(m_text, 1);
  right->addWidget(m_notes);
  auto* top = new QHBoxLayout;
  top->addWidget(m_targets);
  top->addLayout(right, 1);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  m_save = buttons->addButton(tr("Save…"), QDialogButtonBox::ActionRole);
  m_copy = buttons->addButton(tr("Copy"), QDialogButtonBox::ActionRole);
  auto* column = new QVBoxLayout(this);
  column->addLayout(top, 1);
  column->addWidget(buttons);

  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(m_save, &QPushButton::clicked, this, &LaunchDialog::save);
  connect(m_copy, &QPushButton::clicked, this, &LaunchDialog::copy);
  connect(m_targets, &QListWidget::currentRowChanged, this, &LaunchDialog::showChosen);
  // Read first: what is chosen is remembered. By name: what is on offer grows.
  const QString last = QSettings().value(QStringLiteral("launch/target")).toString();
  m_targets->setCurrentRow(0);
  for (const LaunchTarget* t : choices())
    if (last == textOf(t->id)) choose(*t);
}

void LaunchDialog::choose(const LaunchTarget& target) {
  for (int i = 0; i < m_targets->count(); ++i)
    if (choices()[static_cast<std::size_t>(i)] == &target) m_targets->setCurrentRow(i);
}

const LaunchTarget& LaunchDialog::chosen() const {
  return *choices()[static_cast<std::size_t>(std::max(0, m_targets->currentRow()))];
}

QString LaunchDialog::notes() const {
  return m_notes->text();
}

void LaunchDialog::showChosen() {
  const LaunchTarget& target = chosen();
  QSettings().setValue(QStringLiteral("launch/target"), textOf(target.id));
  m_what->setText(tr("%1: %2").arg(textOf(target.label), textOf(target.about)));
  m_content.clear();
  QStringList notes;
  if (m_context.plan && m_context.problem) {
    ReportSource source;
    source.problem = m_context.problem.get();
    if (m_context.scenario) source = reportSource(*m_context.scenario, *m_context.problem);
    const auto written = writeLaunch(target, source, m_context.plan->plan);
    if (written) m_content = QString::fromStdString(*written);
    for (const Diagnostic& d : written.diagnostics)
      notes += capitalised(phrase(d.message)) +
               (d.remedy.empty() ? QString() : QStringLiteral(": ") + phrase(d.remedy));
    if (!m_context.current) notes += tr("The scenario has changed since this plan was found. Solve again.");
  } else {
    notes += m_context.isSearching() ? tr("A search is running. Open this again when it has found a plan.")
             : m_context.outcome
                 ? tr("%1: there is no plan to launch").arg(phrase(words::noPlan(*m_context.outcome).title))
                 : tr("There is no plan yet. Solve the scenario first.");
  }
  m_text->setPlainText(
      m_content.size() <= kMostShownCharacters
          ? m_content
          : m_content.left(m_content.lastIndexOf(u'\n', kMostShownCharacters) + 1) +
                tr("… %1 more lines (included when copied or saved)")
                    .arg(m_content.mid(m_content.lastIndexOf(u'\n', kMostShownCharacters) + 1).count(u'\n')));
  setNamedText(*m_notes, notes.join(u'\n'));
  m_notes->setVisible(!notes.isEmpty());
  for (QPushButton* b : {m_save, m_copy}) b->setEnabled(!m_content.isEmpty());
}

void LaunchDialog::save() {
  const Written written = saveExport(this, tr("Save launch file"), textOf(chosen().file), {},
                                     [this] { return m_content.toUtf8(); });
  if (written.path.isEmpty()) return;
  m_notes->show();
  setNamedText(*m_notes,
               written.problem.isEmpty() ? tr("%1 was written.").arg(written.path) : written.problem);
}

void LaunchDialog::copy() {
  QApplication::clipboard()->setText(m_content);
  m_notes->show();
  setNamedText(*m_notes, tr("Copied."));
}

}  // namespace nest
