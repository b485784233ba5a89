#pragma once

#include <QWidget>
#include <map>
#include <string>

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
  /// What the user has set here, by name: choices, switches, tabs, panes, zoom. What does not belong to this
  /// view is passed over.
  using State = std::map<std::string, double>;
  virtual State state() const;
  void setState(const State&);

  /// False: it lies behind other tabs, where Qt still calls it visible. It then marks itself dirty only.
  void setInSight(bool);
  bool isInSight() const { return isVisible() && m_inSight; }

protected:
  /// Something else that the view shows has changed: refreshes now, or when it comes into sight.
  void outdate();
  /// This widget (combo box, tab widget, checkable button, splitter) belongs to state().
  static void remember(const char* key, QWidget*);
  virtual void applyState(const State&);
  bool isRestoring() const { return m_restoring; }  ///< within setState: no choice of the user
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
  bool m_restoring = false;
};

}  // namespace nest
