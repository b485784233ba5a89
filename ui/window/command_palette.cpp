#include "window/command_palette.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>
#include <algorithm>

namespace nest {
namespace {
constexpr int kMostShownCommands = 60;
constexpr int kIndexRole = Qt::UserRole;
}  // namespace

CommandPalette::CommandPalette(std::vector<Item> items, QWidget* parent)
    : QDialog(parent, Qt::Popup),
      m_items(std::move(items)),
      m_query(new QLineEdit(this)),
      m_list(new QListWidget(this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setAccessibleName(tr("Command palette"));
  m_query->setPlaceholderText(tr("Type a command, a field, a stage, a layer or a device"));
  m_query->setAccessibleName(tr("Search for a command"));
  m_query->setClearButtonEnabled(true);
  m_query->installEventFilter(this);
  m_list->setFocusPolicy(Qt::NoFocus);
  m_list->setAccessibleName(tr("Matching commands"));
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(8, 8, 8, 8);
  all->addWidget(m_query);
  all->addWidget(m_list);
  resize(560, 400);
  if (parent) move(parent->mapToGlobal(QPoint((parent->width() - width()) / 2, 70)));
  connect(m_query, &QLineEdit::textChanged, this, &CommandPalette::filter);
  connect(m_list, &QListWidget::itemClicked, this, &CommandPalette::runCurrent);
  filter();
  m_query->setFocus();
}

namespace {

bool beginsWord(const QString& text, qsizetype i) {
  return i == 0 || !text[i - 1].isLetterOrNumber();
}

/// The letters of the query one after the other, from `start` on; -1: not all of them are there.
int matchFrom(qsizetype start, const QString& query, const QString& text) {
  int score = 0, run = 0;
  qsizetype at = start;
  for (const QChar c : query) {
    if (c.isSpace()) {
      run = 0;
      continue;
    }
    qsizetype found = -1;
    for (qsizetype i = at; i < text.size(); ++i) {
      if (text[i].toLower() != c.toLower()) continue;
      if (found < 0) found = i;
      if (i == at && run > 0) break;  // goes on with the run
      if (beginsWord(text, i)) {
        found = i;
        break;
      }
    }
    if (found < 0) return -1;
    run = found == at && at > start ? run + 1 : 1;
    score += (beginsWord(text, found) ? 8 : 1) + 3 * run;
    at = found + 1;
  }
  return score * 100 - static_cast<int>(std::min<qsizetype>(text.size(), 99));
}

}  // namespace

int CommandPalette::match(const QString& query, const QString& text) {
  int best = matchFrom(0, query, text);
  if (best < 0) return best;
  // "stages" is the second word of "Show stages", not the "S" of the first and some later letters.
  for (qsizetype i = 1; i < text.size(); ++i)
    if (beginsWord(text, i)) best = std::max(best, matchFrom(i, query, text));
  return best;
}

void CommandPalette::filter() {
  std::vector<std::pair<int, std::size_t>> hits;
  for (std::size_t i = 0; i < m_items.size(); ++i)
    if (const int score = match(m_query->text(), m_items[i].text); score >= 0 || m_query->text().isEmpty())
      hits.emplace_back(m_query->text().isEmpty() ? 0 : -score, i);
  std::stable_sort(hits.begin(), hits.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  m_list->clear();
  for (std::size_t n = 0; n < hits.size() && n < kMostShownCommands; ++n) {
    const Item& item = m_items[hits[n].second];
    auto* row = new QListWidgetItem(m_list);
    row->setData(kIndexRole, static_cast<int>(hits[n].second));
    row->setData(Qt::AccessibleTextRole,
                 item.hint.isEmpty() ? item.text : item.text + QStringLiteral(", ") + item.hint);
    row->setText(item.hint.isEmpty() ? item.text : item.text + QStringLiteral("   ·   ") + item.hint);
    row->setSizeHint({0, 28});
  }
  if (hits.empty()) {
    auto* none = new QListWidgetItem(tr("Nothing matches \"%1\"").arg(m_query->text()), m_list);
    none->setFlags(Qt::NoItemFlags);
  }
  m_list->setCurrentRow(0);
}

void CommandPalette::runCurrent() {
  const QListWidgetItem* row = m_list->currentItem();
  if (!row || !row->flags().testFlag(Qt::ItemIsEnabled)) return;
  const auto run = m_items[row->data(kIndexRole).toInt()].run;
  close();
  if (run) run();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress) {
    const int rows = m_list->count();
    switch (static_cast<QKeyEvent*>(event)->key()) {
      case Qt::Key_Down:
        if (rows) m_list->setCurrentRow((m_list->currentRow() + 1) % rows);
        return true;
      case Qt::Key_Up:
        if (rows) m_list->setCurrentRow((m_list->currentRow() + rows - 1) % rows);
        return true;
      case Qt::Key_Return:
      case Qt::Key_Enter:
        runCurrent();
        return true;
      default:
        break;
    }
  }
  return QDialog::eventFilter(watched, event);
}

}  // namespace nest
