#pragma once

#include "figures/study/accuracy_figure.h"
#include "views/view.h"

class QComboBox;

namespace nest {

class BackgroundRun;
class FigurePane;

/// How far predictions are from measured runs: the published ones that travel with the program, or a file of
/// one's own, each under the program that ran it or all under another one.
class AccuracyView : public View {
  Q_OBJECT
public:
  explicit AccuracyView(ViewServices services, QWidget* parent = nullptr);

  QString id() const override { return QStringLiteral("accuracy"); }
  QString title() const override { return tr("Accuracy"); }
  const Figure* figure() const override { return &m_figure; }
  void compute(const Control&) override;
  QString whyNotKept() const override;
  void showBare() override;
  std::optional<SelectionItem> marked() const override { return m_run.selected(); }

  /// A file of published runs or measured sweeps; a file that cannot be read is told in the figure.
  void openFile(const QString& path);
  bool isBusy() const;

protected:
  void refresh() override;

private:
  QString chosenFile() const;
  PublishedOptions chosenOptions() const;
  void choose();
  void start();
  void take(const Reading<RunPoints>&);

  AccuracyFigure m_figure;
  Selection m_run;
  FigurePane* m_pane;
  QWidget* m_bar;
  QComboBox *m_file, *m_program;
  BackgroundRun* m_backgroundRun;
  bool m_hasRun = false;
  bool m_isBare = false;
};

}  // namespace nest
