#include "lessons/lesson_page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QTextDocumentFragment>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "document/scenario_document.h"
#include "editors/field_rows.h"
#include "fields/field.h"
#include "lessons/bars_question.h"
#include "lessons/lesson_labels.h"
#include "lessons/lesson_play.h"
#include "theme/icon.h"
#include "theme/plain_text.h"
#include "theme/qt_text.h"
#include "theme/theme.h"
#include "views/flow_layout.h"

namespace nest {
namespace {

QString plain(const QString& html) {
  return QTextDocumentFragment::fromHtml(html).toPlainText();
}

/// A sentence after a small sign.
QWidget* signedLine(const QString& icon, const QString& html, QWidget* parent) {
  auto* line = new QWidget(parent);
  auto* row = new QHBoxLayout(line);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(6);
  auto* sign = new QLabel(line);
  sign->setPixmap(themedIcon(icon).pixmap(16, 16));
  row->addWidget(sign, 0, Qt::AlignTop);
  row->addWidget(lessonLabel(html, line), 1);
  return line;
}

}  // namespace

LessonPage::LessonPage(LessonPlay& play, ScenarioDocument& document, QWidget* parent)
    : QWidget(parent), m_play(play), m_document(document), m_column(new QVBoxLayout(this)) {
  m_column->setContentsMargins(14, 10, 14, 14);
  m_column->setSpacing(9);
  auto* title = lessonLabel(visibleText(toQt(play.lesson().title)).toHtmlEscaped(), this);
  title->setFont(Theme::font(16, true));
  m_column->addWidget(title);
  if (!play.isReady())
    m_column->addWidget(lessonLabel(tr("Computing the plans of this lesson…"), this));
  else
    play.isOver() ? addEnd() : addStep();
  addFoot();
  m_column->addStretch();
}

QString LessonPage::pointsText(double points, double of) const {
  return of == 1 ? tr("%1 of 1 point").arg(toQt(valueText(LessonValue{points})))
                 : tr("%1 of %2 points")
                       .arg(toQt(valueText(LessonValue{points})), toQt(valueText(LessonValue{of})));
}

QString LessonPage::verdict(const LessonStep& asked, const Judged& judged) const {
  const LessonAnswer* given = m_play.answer();
  const bool skipped = !given || given->given.empty();
  QString out;
  if (skipped)
    out = asked.kind == StepKind::Choose
              ? tr("You skipped this question; %1 is right.").arg(toQt(judged.right))
              : tr("You skipped this question.");
  else if (judged.share >= 1)
    out = tr("<b>Right.</b>");
  else if (judged.share > 0)
    out = tr("<b>Partly right.</b>");
  else if (asked.kind == StepKind::Choose)
    out = tr("You chose %1; <b>%2 is right</b>.").arg(toQt(judged.said), toQt(judged.right));
  else
    out = tr("<b>The plan says something else.</b>");
  out += u' ' + pointsText(judged.points, asked.points);
  if (given && given->hints > 0 && judged.points > 0)
    out += given->hints == 1 ? tr(" after one hint") : tr(" after %1 hints").arg(given->hints);
  return out + u'.';
}

void LessonPage::addStep() {
  const LessonStep& step = *m_play.step();
  QString where = tr("Step %1 of %2").arg(m_play.shown() + 1).arg(m_play.count());
  if (m_play.source().asks())
    where += tr(" · %1").arg(pointsText(m_play.pointsSoFar(), m_play.lesson().points()));
  if (m_play.shown() < m_play.reached()) where += tr(" · done");
  auto* state = new QLabel(where, this);
  state->setProperty("role", "muted");
  m_column->addWidget(state);
  m_announcement = where + QStringLiteral(". ");
  if (step.kind == StepKind::Reveal) addReveal();
  auto* text = lessonLabel(m_play.text(), this);
  text->setObjectName(QStringLiteral("stepText"));
  m_announcement += plain(m_play.text());
  m_column->addWidget(text);
  if (const QString gap = m_play.gap(); !gap.isEmpty()) {
    m_column->addWidget(signedLine(QStringLiteral("note"), gap, this));
    m_announcement += u' ' + plain(gap);
  }
  addFields();
  if (step.isQuestion()) addQuestion(step);
  addHints();
  addButtons();
}

/// What was said and what is right, before it is explained.
void LessonPage::addReveal() {
  const LessonStep* asked = m_play.question();
  const auto judged = m_play.judged();
  if (!asked || !judged) return;
  const QString said = verdict(*asked, *judged);
  m_column->addWidget(
      signedLine(judged->share >= 1 ? QStringLiteral("check") : QStringLiteral("right"), said, this));
  m_announcement += plain(said) + u' ';
  if (asked->kind == StepKind::Choose || asked->kind == StepKind::Draw) {
    addQuestion(*asked);
    m_question->showAnswer(m_play.answer()->given, m_play.rightValues());
  }
}

void LessonPage::addQuestion(const LessonStep& asked) {
  switch (asked.kind) {
    case StepKind::Choose: {
      QStringList options;
      for (std::size_t i = 0; i < asked.options.size(); ++i)
        options << m_play.optionText(static_cast<int>(i));
      m_question = new ChoiceQuestion(options, this);
      break;
    }
    case StepKind::Number:
      m_question = new NumberQuestion(asked.unit, this);
      break;
    default:
      m_question = new BarsQuestion(asked, m_play.rightValues(), this);
      if (!asked.unit.name.empty()) {
        auto* unit = new QLabel(tr("in %1").arg(toQt(asked.unit.name)), this);
        unit->setProperty("role", "muted");
        m_column->addWidget(unit);
      }
  }
  m_column->addWidget(m_question);
  if (m_play.step()->kind == StepKind::Reveal) return;
  if (const LessonAnswer* given = m_play.answer()) {
    m_question->showAnswer(given->given, {});
    m_column->addWidget(lessonLabel(
        given->given.empty() ? tr("You skipped this question.") : tr("Your answer is locked."), this));
    return;
  }
  m_state = new QLabel(this);
  m_state->setProperty("role", "muted");
  m_state->setWordWrap(true);
  m_column->addWidget(m_state);
  connect(m_question, &LessonQuestion::edited, this, &LessonPage::refreshLock);
  connect(m_question, &LessonQuestion::entered, this, &LessonPage::lock, Qt::QueuedConnection);
}

void LessonPage::addFields() {
  const auto& fields = m_play.screen().fields;
  if (!fields || fields->empty() || m_document.isEmpty()) return;
  auto* section = new FormSection(tr("What you can change"), m_document, this);
  for (const LessonFreedom& f : *fields) {
    const auto at = fieldAt(m_document.scenario(), f.field);
    if (!at || at->field->kind() == FieldKind::Structured) continue;  // it is in the scenario panel
    if (!at->field->access.count) {
      addFieldRow(*section, *at->field);
      continue;
    }
    LineSpec line = fieldLine(*at->field, at->at.front());
    line.label = toQt(at->name());
    section->addLine(std::move(line));
  }
  m_column->addWidget(section);
}

void LessonPage::addHints() {
  if (m_play.step()->hints.empty()) return;
  m_hints = new QVBoxLayout;
  m_hints->setSpacing(6);
  m_column->addLayout(m_hints);
  const auto refresh = [this] {
    for (int i = m_hints->count(); i < m_play.openHints(); ++i) {
      auto* hint = lessonLabel(tr("<b>Hint:</b> %1").arg(m_play.hint(i)), this);
      m_hints->addWidget(hint);
      hint->show();
      m_announcement = plain(hint->text());
    }
    if (!m_hint) return;
    const int left = static_cast<int>(m_play.step()->hints.size()) - m_play.openHints();
    m_hint->setVisible(left > 0);
    m_hint->setText(left == 1 ? tr("Last hint (costs a tenth)") : tr("Hint (costs a tenth)"));
  };
  if (m_play.isAsking()) {
    m_hint = lessonLink(QString(), this);
    m_hint->setToolTip(tr("Each hint costs a tenth of the points of this question"));
    connect(m_hint, &QPushButton::clicked, &m_play, &LessonPlay::openHint);
    connect(&m_play, &LessonPlay::changed, this, refresh);
  }
  refresh();
}

void LessonPage::addButtons() {
  const LessonStep& step = *m_play.step();
  const bool isPast = m_play.shown() < m_play.reached();
  if (step.until && !isPast) {
    m_met = signedLine(QStringLiteral("check"), tr("Reached. Look at the plan, then go on."), this);
    m_column->addWidget(m_met);
    connect(&m_play, &LessonPlay::changed, this, &LessonPage::refreshMet);
  }
  auto* area = new QWidget(this);
  auto* row = new FlowLayout(8);
  row->setContentsMargins(0, 0, 0, 0);
  area->setLayout(row);
  const auto add = [&](const QString& text, bool primary, auto act) {
    auto* b = new QPushButton(text, area);
    b->setAutoDefault(true);
    if (primary) b->setProperty("primary", true);
    connect(b, &QPushButton::clicked, this, act, Qt::QueuedConnection);
    row->addWidget(b);
    return b;
  };
  if (m_play.isAsking()) {
    m_lock = add(tr("Lock answer"), true, [this] { lock(); });
    m_lock->setToolTip(tr("It cannot be changed after that"));
    if (m_hint) row->addWidget(m_hint);
    refreshLock();
  } else if (isPast || step.kind == StepKind::Reveal || step.isQuestion() || step.done.empty() ||
             step.until) {
    m_next = add(m_play.shown() + 1 == m_play.count() ? tr("Finish") : tr("Next"), true,
                 [this] { m_play.next(); });
  }
  if (m_play.shown() > 0) add(tr("Back"), false, [this] { m_play.back(); });
  if (!isPast && (m_play.isAsking() || (step.kind == StepKind::Do && (!step.done.empty() || step.until))))
    m_skip = add(tr("Skip"), false, [this] { m_play.skip(); });
  if (!step.view.empty() && !m_play.isAsking()) {
    auto* where = lessonLink(tr("Show me where"), area);
    connect(where, &QPushButton::clicked, this, &LessonPage::whereRequested);
    row->addWidget(where);
  }
  m_column->addWidget(area);
  refreshMet();
}

void LessonPage::refreshMet() {
  if (!m_met) return;
  m_met->setVisible(m_play.isMet());
  if (m_next) m_next->setVisible(m_play.isMet());
  if (m_skip) m_skip->setVisible(!m_play.isMet());
  if (m_play.isMet()) m_announcement = tr("Reached. Look at the plan, then go on.");
}

void LessonPage::refreshLock() {
  if (!m_lock) return;
  QString whyNot;
  const bool ready = m_question->given(whyNot).has_value();
  m_lock->setEnabled(ready);
  m_state->setText(ready ? tr("Your answer cannot be changed once it is locked.") : whyNot);
}

void LessonPage::lock() {
  QString whyNot;
  if (!m_question || !m_play.isAsking()) return;
  if (auto given = m_question->given(whyNot)) m_play.lock(std::move(*given));
}

void LessonPage::addEnd() {
  m_announcement = tr("The lesson is done.");
  if (!m_play.source().asks()) {
    m_column->addWidget(lessonLabel(tr("Done. Your changes are not saved; the sample is untouched."), this));
  } else {
    const QString score = pointsText(m_play.pointsSoFar(), m_play.lesson().points());
    m_announcement += u' ' + score;
    auto* total = new QLabel(score, this);
    total->setFont(Theme::font(22, true));
    m_column->addWidget(total);
    int number = 0;
    for (const LessonStep& step : m_play.lesson().steps) {
      if (!step.isQuestion()) continue;
      ++number;
      const auto judged = m_play.judged(step);
      if (!judged) continue;
      const QString said = judged->said.empty() ? tr("skipped, right is %1").arg(toQt(judged->right))
                           : judged->share >= 1
                               ? tr("you said %1, which is right").arg(toQt(judged->said))
                               : tr("you said %1, right is %2").arg(toQt(judged->said), toQt(judged->right));
      m_column->addWidget(signedLine(judged->share >= 1 ? QStringLiteral("check") : QStringLiteral("right"),
                                     tr("<b>Question %1:</b> %2. %3.")
                                         .arg(number)
                                         .arg(said.toHtmlEscaped(), pointsText(judged->points, step.points)),
                                     this));
    }
  }
  auto* area = new QWidget(this);
  auto* row = new FlowLayout(8);
  row->setContentsMargins(0, 0, 0, 0);
  area->setLayout(row);
  const auto& all = builtInLessons();
  const auto here = std::find_if(all.begin(), all.end(),
                                 [&](const LibraryLesson& l) { return l.key == m_play.source().key; });
  if (const auto next = here == all.end() ? here : std::next(here); next != all.end()) {
    auto* go = new QPushButton(tr("Next: %1").arg(next->title()), area);
    go->setProperty("primary", true);
    go->setAutoDefault(true);
    connect(go, &QPushButton::clicked, this, [this, key = next->key] { Q_EMIT startRequested(key); });
    row->addWidget(go);
  }
  if (m_play.source().asks()) {
    auto* save = new QPushButton(tr("Save answers…"), area);
    save->setAutoDefault(true);
    connect(save, &QPushButton::clicked, this, &LessonPage::saveRequested);
    row->addWidget(save);
  }
  auto* back = new QPushButton(tr("Back"), area);
  back->setAutoDefault(true);
  connect(back, &QPushButton::clicked, &m_play, &LessonPlay::back, Qt::QueuedConnection);
  row->addWidget(back);
  m_column->addWidget(area);
}

void LessonPage::addFoot() {
  auto* area = new QWidget(this);
  auto* row = new FlowLayout(4);
  row->setContentsMargins(0, 8, 0, 0);
  area->setLayout(row);
  const auto add = [&](const QString& text, const QString& tip, auto signal) {
    auto* b = lessonLink(text, area);
    if (!tip.isEmpty()) b->setToolTip(tip);
    connect(b, &QPushButton::clicked, this, signal, Qt::QueuedConnection);
    row->addWidget(b);
  };
  add(tr("Restart this lesson"), tr("From the first step; your answers to it are discarded"),
      &LessonPage::restartRequested);
  add(tr("All lessons"), {}, &LessonPage::listRequested);
  add(tr("Leave lesson"), tr("Return to the scenario that was open before"), &LessonPage::leaveRequested);
  m_column->addWidget(area);
}

}  // namespace nest
