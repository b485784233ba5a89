#pragma once

#include <QWidget>

#include "document/plan_context.h"
#include "document/selection.h"
#include "theme/theme.h"

namespace nest {

class Figure;
class ScenarioDocument;
class PlanningSession;

/// What every view is given besides its plan.
struct ViewServices {
  Selection* selection = nullptr;
  ScenarioDocument* document = nullptr;  ///< for views that edit; null: show only
  PlanningSession* session = nullptr;    ///< for views that ask for solves
};

/// A dockable picture of one plan. Refreshes when shown: a hidden view only marks itself dirty.
class View : public QWidget {
  Q_OBJECT
public:
  View(ViewServices services, QWidget* parent = nullptr);

  virtual QString id() const = 0;                           ///< "stages"; command line, settings, export
  virtual QString title() const = 0;                        ///< "Stages"
  virtual const Figure* figure() const { return nullptr; }  ///< for export and copy

  const PlanContext& context() const { return *m_context; }  ///< never null; empty at first
  const PlanContextPtr& contextPtr() const { return m_context; }
  void setContext(PlanContextPtr);
  void setTheme(Theme::Kind);
  const Theme& theme() const { return *m_theme; }
  /// False: it lies behind other tabs, where Qt still calls it visible. It then marks itself dirty only.
  void setInSight(bool);

protected:
  /// Something else that the view shows has changed: refreshes now, or when it comes into sight.
  void outdate();
  bool isInSight() const { return isVisible() && m_inSight; }
  /// The context or theme has changed and the view is visible.
  virtual void refresh() = 0;
  void showEvent(QShowEvent*) override;
  Selection& selection() const { return *m_services.selection; }
  const ViewServices& services() const { return m_services; }

private:
  void refreshIfSeen();

  ViewServices m_services;
  PlanContextPtr m_context;
  const Theme* m_theme;
  bool m_dirty = true;
  bool m_inSight = true;
};

}  // namespace nest
