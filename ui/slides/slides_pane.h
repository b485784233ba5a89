#pragma once

#include <QWidget>

#include "document/kept_plans.h"
#include "document/plan_context.h"
#include "theme/theme.h"

class QLabel;
class QListWidget;
class QPushButton;

namespace nest {

/// The slides of the scenario as a strip: caption, order, remove, present.
class SlidesPane : public QWidget {
  Q_OBJECT
public:
  explicit SlidesPane(ScenarioDocument&, QWidget* parent = nullptr);

  void setContext(PlanContextPtr);
  void setTheme(Theme::Kind);
  int current() const;  ///< −1: none is chosen

Q_SIGNALS:
  void keepRequested();
  void stepRequested(int slide);
  void presentRequested(int from);
  void exportRequested();

protected:
  void showEvent(QShowEvent*) override;

private:
  void outdate();
  void refresh();
  void move(int step);
  void askNotes(int row);
  void openMenu(const QPoint&);

  ScenarioDocument& m_document;
  PlanContextPtr m_context;
  KeptContexts m_contexts;
  Theme::Kind m_theme = Theme::Kind::Light;
  QListWidget* m_strip;
  QLabel* m_none;
  QPushButton *m_present, *m_export, *m_earlier, *m_later;
  std::vector<SavedSlide> m_shown;
  Theme::Kind m_shownIn = Theme::Kind::Light;
  bool m_dirty = true;
};

}  // namespace nest
