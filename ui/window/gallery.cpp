#include "window/gallery.h"

#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QImage>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "accessible/screen_reader.h"
#include "catalogue/registry.h"
#include "document/scenario_files.h"
#include "export/figure_export.h"
#include "figures/paint/figure_painter.h"
#include "formats/format.h"
#include "lessons/lesson_library.h"
#include "measures/metrics.h"
#include "theme/plain_text.h"
#include "theme/qt_text.h"
#include "views/flow_layout.h"
#include "words/headline.h"
#include "words/outcome_words.h"

namespace nest {
namespace {

constexpr int kCardWidth = 300, kPictureHeight = 170, kCardHeight = 322, kCardGap = 16;

constexpr int kLinesAbout = 4;

/// The text as it fits into the card, ended by "…" if it goes on.
QString shortened(const QString& text) {
  QStringList lines = FigurePainter::lines(text, kCardWidth - 22, 13);
  if (lines.size() <= kLinesAbout) return text;
  lines.resize(kLinesAbout);
  while (FigurePainter::width(lines.last() + QChar(0x2026), 13) > kCardWidth - 22) lines.last().chop(1);
  return lines.join(u' ').trimmed() + QChar(0x2026);
}

/// A button that shows a picture, a title and a line about the sample.
class CardButton : public QPushButton {
public:
  CardButton(const QString& title, const QString& about, QWidget* parent)
      : QPushButton(parent), m_picture(new QLabel(this)), m_verdict(new QLabel(this)) {
    setAutoDefault(true);  // Return opens it
    setFixedSize(kCardWidth, kCardHeight);
    setAccessibleName(title);
    setAccessibleDescription(about);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(9, 9, 9, 8);
    column->setSpacing(3);
    m_picture->setFixedHeight(kPictureHeight);
    m_picture->setAlignment(Qt::AlignCenter);
    m_picture->setText(tr("Solving…"));
    m_picture->setProperty("role", "muted");
    auto* name = new QLabel(title, this);
    name->setFont(Theme::font(13.5, true));
    m_verdict->setProperty("role", "muted");
    auto* text = new QLabel(shortened(about), this);
    text->setProperty("role", "muted");
    text->setWordWrap(true);
    text->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    text->setFixedHeight(kLinesAbout * text->fontMetrics().lineSpacing() + 4);
    for (QLabel* label : {m_picture, name, m_verdict, text}) {
      label->setAttribute(Qt::WA_TransparentForMouseEvents);
      column->addWidget(label);
    }
    column->addStretch();
    setRichTip(*this, plainTip(about));
  }
  void setPicture(const QImage& image) { m_picture->setPixmap(QPixmap::fromImage(image)); }
  void setVerdict(const QString& text) {
    m_verdict->setText(text);
    if (m_picture->pixmap().isNull()) m_picture->clear();
  }

private:
  QLabel *m_picture, *m_verdict;
};

}  // namespace

/// Where those begin who bring nothing.
QWidget* Gallery::makeLessons(QWidget* parent) {
  auto* all = new QWidget(parent);
  auto* column = new QVBoxLayout(all);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  for (const bool asks : {true, false}) {
    auto* row = new QWidget(all);
    auto* flow = new FlowLayout(10);
    flow->setContentsMargins(0, 0, 0, 0);
    row->setLayout(flow);
    auto* text = new QLabel(asks ? tr("New here? Take a lesson:") : tr("Or a tour of the program:"), row);
    text->setMinimumHeight(26);
    flow->addWidget(text);
    for (const LibraryLesson& lesson : builtInLessons()) {
      if (lesson.asks() != asks || lesson.isTask()) continue;
      auto* button = new QPushButton(lesson.title(), row);
      button->setAutoDefault(true);
      button->setProperty("link", true);
      button->setToolTip(toQt(lesson.lesson->about));
      button->setMinimumHeight(26);
      connect(button, &QPushButton::clicked, this, [this, key = lesson.key] { Q_EMIT lessonChosen(key); });
      flow->addWidget(button);
    }
    column->addWidget(row);
  }
  return all;
}

Gallery::Gallery(JobRunner::Solve solve, QWidget* parent)
    : QWidget(parent),
      m_runner([this] { QMetaObject::invokeMethod(this, &Gallery::drain, Qt::QueuedConnection); },
               std::move(solve)) {
  setAccessibleName(tr("Samples"));
  setAutoFillBackground(true);
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(32, 26, 32, 26);
  column->setSpacing(10);
  auto* heading = new QLabel(tr("Plan how a large model is placed on a datacenter"), page);
  heading->setFont(Theme::font(22, true));
  auto* text = new QLabel(tr("Begin a plan of your own, open a sample, or drop in a scenario, a Hugging Face "
                             "config.json, or a network "
                             "file."),
                          page);
  text->setWordWrap(true);
  text->setProperty("role", "muted");
  text->setToolTip(tr("Networks: %1").arg(QString::fromStdString(namesOfFormats([](const Format& f) {
    return f.isNetwork();
  }))));
  auto* begin = new QPushButton(tr("New plan"), page);
  begin->setProperty("primary", true);
  begin->setAutoDefault(true);
  begin->setToolTip(tr("Say in one sentence what to train on what; the plan follows while you type"));
  connect(begin, &QPushButton::clicked, this, &Gallery::beginRequested);
  auto* draw = new QPushButton(tr("Draw a network"), page);
  draw->setAutoDefault(true);
  draw->setToolTip(tr("Begin a plan and draw its hosts, switches and links"));
  connect(draw, &QPushButton::clicked, this, &Gallery::drawRequested);
  auto* open = new QPushButton(tr("Open…"), page);
  open->setAutoDefault(true);
  connect(open, &QPushButton::clicked, this, &Gallery::openRequested);
  m_recent = new QWidget(page);
  m_recent->setLayout(new FlowLayout(6));
  m_recent->layout()->setContentsMargins(0, 0, 0, 0);
  auto* row = new QHBoxLayout;
  row->addWidget(begin);
  row->addWidget(draw);
  row->addWidget(open);
  row->addWidget(m_recent, 1);
  m_grid = new QGridLayout;
  m_grid->setSpacing(kCardGap);
  m_grid->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  column->addWidget(heading);
  column->addWidget(text);
  column->addLayout(row);
  column->addWidget(makeLessons(page));
  column->addSpacing(8);
  column->addLayout(m_grid);
  column->addStretch();
  auto* area = new QScrollArea(this);
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  area->setFocusPolicy(Qt::NoFocus);
  area->setWidget(page);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(area);
}

void Gallery::addCards() {
  for (const QString& path : samplePaths()) {
    auto reading = readScenarioFile(path);
    if (!reading) continue;
    Card card{path, nullptr, std::make_shared<const Scenario>(std::move(*reading.value)), nullptr};
    auto* button = new CardButton(QString::fromStdString(card.scenario->name),
                                  QString::fromStdString(card.scenario->description), this);
    connect(button, &QPushButton::clicked, this, [this, path] { Q_EMIT chosen(path); });
    card.button = button;
    m_cards.push_back(std::move(card));
  }
  arrange();
  solveNext();
}

void Gallery::arrange() {
  const int columns = std::max(1, (width() - 64 + kCardGap) / (kCardWidth + kCardGap));
  if (columns == m_columns && m_grid->count() == static_cast<int>(m_cards.size())) return;
  m_columns = columns;
  for (std::size_t i = 0; i < m_cards.size(); ++i)
    m_grid->addWidget(m_cards[i].button, static_cast<int>(i) / columns, static_cast<int>(i) % columns);
}

void Gallery::solveNext() {
  for (std::size_t i = 0; i < m_cards.size(); ++i) {
    Card& card = m_cards[i];
    if (card.context) continue;
    auto problem = buildProblem(*card.scenario);
    if (!problem) {
      card.context = std::make_shared<PlanContext>();
      continue;
    }
    m_runner.submit(
        {std::make_shared<const Problem>(std::move(*problem.value)), static_cast<int>(i), nullptr, false});
    return;
  }
}

void Gallery::drain() {
  for (const auto& message : m_runner.drain()) {
    if (!message.finished) continue;
    Card& card = m_cards[message.generation];
    auto context = std::make_shared<PlanContext>();
    context->scenario = card.scenario;
    context->problem = message.problem;
    context->outcome = message.outcome;
    if (const RankedPlan* best = message.outcome->best())
      context->plan = std::shared_ptr<const RankedPlan>(message.outcome, best);
    card.context = std::move(context);
    paintCard(card);
    solveNext();
  }
}

void Gallery::paintCard(Card& card) {
  if (!card.context || !card.context->problem) return;
  auto* button = static_cast<CardButton*>(card.button);
  const auto figures = planFigures();
  const auto topology = std::find_if(figures.begin(), figures.end(),
                                     [](const auto& f) { return f->id() == QLatin1String("topology"); });
  if (topology != figures.end()) {
    const double ratio = devicePixelRatioF();
    QImage image =
        thumbnailOf(**topology, *card.context, QSize(kCardWidth - 20, kPictureHeight) * ratio, m_theme);
    image.setDevicePixelRatio(ratio);
    button->setPicture(image);
  }
  const auto& architecture = card.scenario->model.architecture;
  if (card.context->plan) {
    const auto parts = headlineParts(
        metricsOf(*card.context->problem, architecture ? &*architecture : nullptr, *card.context->plan),
        card.context->plan->plan, *card.context->outcome);
    QStringList words;
    for (const HeadlinePart& part : parts)
      if (part.kind == HeadlinePart::Kind::StepTime || part.kind == HeadlinePart::Kind::Utilisation)
        words << QString::fromStdString(part.text);
    button->setVerdict(words.join(QStringLiteral(" · ")));
  } else {
    button->setVerdict(QString::fromStdString(words::noPlan(*card.context->outcome).title));
  }
}

void Gallery::setTheme(Theme::Kind kind) {
  m_theme = kind;
  for (Card& card : m_cards) paintCard(card);
}

void Gallery::setRecent(const QStringList& paths) {
  auto* row = m_recent->layout();
  while (QLayoutItem* item = row->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  for (qsizetype i = 0; i < std::min<qsizetype>(paths.size(), 3); ++i) {
    auto* button = new QPushButton(QFileInfo(paths[i]).fileName(), m_recent);
    button->setAutoDefault(true);
    button->setProperty("link", true);
    setRichTip(*button, plainTip(paths[i]));
    connect(button, &QPushButton::clicked, this, [this, path = paths[i]] { Q_EMIT chosen(path); });
    row->addWidget(button);
  }
}

void Gallery::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (m_cards.empty()) addCards();
}

void Gallery::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

}  // namespace nest
