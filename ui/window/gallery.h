#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "document/plan_context.h"
#include "jobs/job_runner.h"
#include "theme/theme.h"

class QGridLayout;
class QPushButton;

namespace nest {

/// What is seen when no scenario is open: the samples, each with a picture of its own best plan, solved here
/// and now.
class Gallery : public QWidget {
  Q_OBJECT
public:
  Gallery(JobRunner::Solve solve, QWidget* parent = nullptr);

  void setTheme(Theme::Kind);
  void setRecent(const QStringList& paths);

Q_SIGNALS:
  void chosen(const QString& path);
  void beginRequested();
  void drawRequested();  ///< a plan on a network that is drawn
  void openRequested();
  void lessonChosen(const QString& id);

protected:
  void showEvent(QShowEvent*) override;
  void resizeEvent(QResizeEvent*) override;

private:
  struct Card {
    QString path;
    QPushButton* button;
    std::shared_ptr<const Scenario> scenario;
    PlanContextPtr context;  ///< null: not solved yet
  };
  QWidget* makeLessons(QWidget* parent);
  void addCards();
  void arrange();
  void solveNext();
  void drain();
  void paintCard(Card&);

  JobRunner m_runner;
  std::vector<Card> m_cards;
  QGridLayout* m_grid;
  QWidget* m_recent;
  int m_columns = 0;
  Theme::Kind m_theme = Theme::Kind::Light;
};

}  // namespace nest
