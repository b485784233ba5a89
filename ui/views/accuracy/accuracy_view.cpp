#include "views/accuracy/accuracy_view.h"

#include <QComboBox>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QVBoxLayout>

#include "program/program.h"
#include "views/background_run.h"
#include "views/figure_pane.h"
#include "views/flow_layout.h"

namespace nest {
namespace {

const QString& publishedRuns() {
  static const QString path = QStringLiteral(":/samples/published/training_runs.json");
  return path;
}

QString nameOfFile(const QString& path) {
  return path == publishedRuns() ? AccuracyView::tr("published runs") : QFileInfo(path).fileName();
}

Reading<RunPoints> runsOf(const QString& path, const PublishedOptions& options) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly))
    return {std::nullopt,
            {error("file-unreadable", {path.toStdString(), 0, 0, ""}, file.errorString().toStdString())}};
  return readRunPoints(file.readAll().toStdString(), path.toStdString(), options);
}

}  // namespace

AccuracyView::AccuracyView(ViewServices services, QWidget* parent) : View(services, parent) {
  m_pane = new FigurePane(m_figure, m_run);
  m_pane->setLeastHeight(300);
  m_file = new QComboBox;
  m_file->setAccessibleName(tr("Runs"));
  m_file->addItem(tr("Published runs"), publishedRuns());
  m_file->addItem(tr("Open…"), QString());
  m_file->setToolTip(
      tr("Published runs, or a file of your own: nest-plan study validation --help and "
         "study ranking --help describe its format"));
  m_program = new QComboBox;
  m_program->setAccessibleName(tr("Program"));
  m_program->setToolTip(tr("The program that each run is predicted for"));
  m_program->addItem(tr("As run"), QString());
  for (const auto& [id, name] : programNames())
    m_program->addItem(QString::fromStdString(name), QString::fromStdString(id));
  m_backgroundRun = new BackgroundRun(tr("The figure stays as it is"));

  m_bar = new QWidget;
  auto* bar = new FlowLayout(6);
  m_bar->setLayout(bar);
  bar->setContentsMargins(8, 6, 8, 6);
  auto* runs = new QLabel(tr("Runs"));
  auto* program = new QLabel(tr("Program"));
  for (QWidget* w : std::initializer_list<QWidget*>{runs, m_file, program, m_program, m_backgroundRun})
    bar->addWidget(w);
  auto* buttons = new QWidget;
  auto* row = new QHBoxLayout(buttons);
  row->setContentsMargins(0, 0, 0, 0);
  m_pane->addButtons(row);
  bar->setTrailing(buttons);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_bar);
  column->addWidget(m_pane, 1);
  setAccessibleName(title());
  remember("program", m_program);
  connect(m_file, &QComboBox::activated, this, &AccuracyView::choose);
  connect(m_program, &QComboBox::currentIndexChanged, this, &AccuracyView::start);
  connect(m_backgroundRun, &BackgroundRun::ended, this, [this] { m_pane->show(context(), theme()); });
}

bool AccuracyView::isBusy() const {
  return m_backgroundRun->isBusy();
}

QString AccuracyView::chosenFile() const {
  return m_file->currentData().toString();
}

PublishedOptions AccuracyView::chosenOptions() const {
  PublishedOptions options;
  const std::string id = m_program->currentData().toString().toStdString();
  if (!id.empty()) options.program = findProgram(id);
  return options;
}

/// The last entry asks for a file; what is given up leaves the one before.
void AccuracyView::choose() {
  if (!chosenFile().isEmpty()) return start();
  m_file->setCurrentIndex(0);
  const QString path = QFileDialog::getOpenFileName(this, tr("Open measured runs"), {},
                                                    tr("Measured runs (*.json);;All files (*)"));
  if (!path.isEmpty()) openFile(path);
}

void AccuracyView::openFile(const QString& path) {
  int at = m_file->findData(path);
  if (at < 0) {
    at = m_file->count() - 1;
    m_file->insertItem(at, nameOfFile(path), path);
  }
  m_file->setCurrentIndex(at);
  start();
}

void AccuracyView::start() {
  m_hasRun = true;
  m_backgroundRun->start(tr("Predicting …"), [this, path = chosenFile(), options = chosenOptions()](
                                                 const Control&, const BackgroundTask::Deliver& deliver) {
    deliver([this, reading = runsOf(path, options)] { take(reading); });
  });
}

void AccuracyView::take(const Reading<RunPoints>& reading) {
  QString why;
  for (const Diagnostic& d : reading.diagnostics)
    if (d.severity == Severity::Error)
      why += (why.isEmpty() ? QString() : QStringLiteral("\n")) + QString::fromStdString(d.message);
  if (!why.isEmpty())
    why += tr("\nWhat such a file holds: nest-plan study validation --help, nest-plan study ranking --help");
  if (reading && reading->points.empty() && why.isEmpty())
    why = tr("The file holds no run that can be predicted.");
  m_run.setSelected(std::nullopt);
  m_figure.setRuns(reading ? *reading : RunPoints{}, nameOfFile(chosenFile()), why);
}

void AccuracyView::compute(const Control&) {
  m_hasRun = true;
  take(runsOf(chosenFile(), chosenOptions()));
}

QString AccuracyView::whyNotKept() const {
  if (chosenFile() == publishedRuns()) return {};
  return tr("A slide shows the published runs only: export the figure of %1 instead")
      .arg(nameOfFile(chosenFile()));
}

void AccuracyView::showBare() {
  m_isBare = true;
  m_hasRun = false;
}

void AccuracyView::refresh() {
  // A slide is painted, and printed, as soon as it is there.
  if (!m_hasRun) m_isBare ? compute({}) : start();
  m_pane->show(context(), theme());
}

}  // namespace nest
