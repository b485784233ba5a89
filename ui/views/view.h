#pragma once

#include <QStringList>
#include <QVariant>
#include <QWidget>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "document/plan_context.h"
#include "document/selection.h"
#include "scenario/saved_slide.h"
#include "solver/control.h"
#include "theme/theme.h"

class QComboBox;
class QMenu;

namespace nest {

class Figure;
class ScenarioDocument;
class PlanningSession;

/// What every view is given besides its plan.
struct ViewServices {
  Selection* selection = nullptr;
  ScenarioDocument* document = nullptr;  ///< for views that edit; null: show only
  PlanningSession* session = nullptr;    ///< for views that ask for solves
  bool remembers = true;                 ///< false: slides and exports, whatever was chosen in a window
};

/// A dockable picture of one plan. Refreshes when shown: a hidden view only marks itself dirty.
class View : public QWidget {
  Q_OBJECT
public:
  View(ViewServices services, QWidget* parent = nullptr);

  virtual QString id() const = 0;                           ///< "stages"; command line, settings, export
  virtual QString title() const = 0;                        ///< "Stages"
  virtual const Figure* figure() const { return nullptr; }  ///< for export and copy

  /// All figures that it can show at present, the one in front first.
  virtual std::vector<const Figure*> figures() const {
    return figure() ? std::vector{figure()} : std::vector<const Figure*>();
  }
  /// Computes at once what is otherwise computed when a button is pressed.
  virtual void compute(const Control&) {}
  /// What is shown follows the context, hidden or not.
  void bringUpToDate();

  const PlanContext& context() const { return *m_context; }  ///< never null; empty at first
  /// The plan that is looked at: that of the context, or one that was made of it here.
  virtual PlanContextPtr shownContext() const { return m_context; }
  const PlanContextPtr& contextPtr() const { return m_context; }
  void setContext(PlanContextPtr);
  void setTheme(Theme::Kind);
  const Theme& theme() const { return *m_theme; }
  /// What the user has set here, by name: choices, switches, tabs, panes, zoom. What does not belong to this
  /// view is passed over.
  using State = FigureOptions;
  virtual State state() const;
  void setState(const State&);

  /// Another plan in the same picture.
  struct PlanBeside {
    QString name, note;
    PlanContextPtr context;  ///< never null, with a plan
  };
  /// What it shows besides its own plan: a slide keeps it along, and a view is given it back before its
  /// context.
  virtual std::vector<PlanBeside> plansBeside() const { return {}; }
  virtual void showBeside(std::vector<PlanBeside>) {}
  /// The two plans whose difference it shows, the first and the second; null: it shows none.
  virtual std::pair<PlanContextPtr, PlanContextPtr> plansCompared() const { return {}; }
  virtual std::optional<StudyRecord> study() const { return std::nullopt; }
  virtual void showStudy(const StudyRecord&) {}
  virtual std::optional<SavedTable> table() const { return std::nullopt; }
  virtual void showTable(const SavedTable&) {}       ///< after showBare()
  virtual bool showsFront() const { return false; }  ///< of the outcome of its context
  /// Why a slide could not show this again, as a sentence; empty: it could.
  virtual QString whyNotKept() const { return {}; }
  /// Its figure is to stand on a slide: what has to be asked for or waited for is there at once, and nothing
  /// is said of what can be done with the mouse. Called before the context comes.
  virtual void showBare() {}
  /// What figure() is painted of.
  virtual PlanContextPtr drawnContext() const { return m_context; }
  /// The item that figure() marks as selected.
  virtual std::optional<SelectionItem> marked() const { return selection().selected(); }
  /// What a slide says above figure(), in lines: `sentence`, the figure's own, and what the view says
  /// besides.
  virtual QStringList slideText(const QString& sentence) const { return {sentence}; }
  /// figure() is of the plan of its context alone: whether that runs is said with it.
  virtual bool isOfOnePlan() const { return false; }

  /// How its pane stands in the window.
  struct PaneLook {
    bool bearsTitle = false;  ///< no tab has its name, nor its buttons
    bool alone = false;       ///< no other view is in sight
    bool canEnlarge = true;   ///< others could stand next to it
    bool enlarged = false;    ///< and its first button brings them back
  };
  /// False: it has no bar of its own that could bear its name, so that its pane gets a title line.
  virtual bool showPane(const PaneLook&) { return false; }
  /// What works here, for the menu of its pane.
  virtual void addToPaneMenu(QMenu&) {}

  /// What can be done with a plan wherever it is named.
  enum class PlanUse {
    Show,     ///< in all views, until the scenario or its plan changes
    Compare,  ///< with the best plan
    Keep,
    Pin,  ///< its degrees become constraints of the scenario
  };
  struct NamedPlan {
    QString name;
    PlanContextPtr context;  ///< null, or without a plan: there is none yet
    QString whyNotKept;      ///< empty: it can be kept
    bool isBefore = false;   ///< the present plan is what became of it
  };
  /// Adds what can be done with it; each asks by planRequested().
  void addPlanActions(QMenu&, const NamedPlan&);

  /// False: it lies behind other tabs, where Qt still calls it visible. It then marks itself dirty only.
  void setInSight(bool);
  bool isInSight() const { return isVisible() && m_inSight; }

Q_SIGNALS:
  void pulled(const QPoint& global);  ///< held by its name
  void enlargeRequested();            ///< or, of an enlarged one, the others back
  void paneMenuRequested(const QPoint& global);
  void planRequested(nest::View::PlanUse, const nest::View::NamedPlan&);

protected:
  /// Something else that the view shows has changed: refreshes now, or when it comes into sight.
  void outdate();
  /// This widget (combo box, tab widget, checkable button, splitter) belongs to state().
  static void remember(const char* key, QWidget*);
  /// The name of what is chosen; a place among the choices where these have no names.
  static OptionValue chosen(const QComboBox&);
  static std::string nameIn(const QComboBox&);
  /// Chooses by name, or by the place that stood in files of earlier versions.
  static void select(QComboBox&, const OptionValue&);
  virtual void applyState(const State&);
  /// What the user chose here the last time; `usual`: nothing, or this view does not remember.
  QVariant setting(const QString& key, const QVariant& usual = {}) const;
  void keepSetting(const QString& key, const QVariant&) const;
  bool isRestoring() const { return m_restoring; }  ///< within setState: no choice of the user
  /// The context or theme has changed and the view is visible.
  virtual void refresh() = 0;
  /// The search whose result takes the place of what is shown has begun, come further or ended. Called while
  /// in sight, and whenever it comes into sight.
  virtual void searchChanged();
  /// isInSight() has changed.
  virtual void sightChanged() {}
  void showEvent(QShowEvent*) override;
  void hideEvent(QHideEvent*) override;
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
