#pragma once

#include <memory>

#include "figures/paint/interactive_figure.h"
#include "views/view.h"

class QMenu;
class QToolButton;

namespace nest {

class FigureCanvas;
class FigurePane;
class FlowLayout;
class PaneButtons;
class PaneHandle;

/// A view that shows one figure: what the figure offers to set above it, the figure or its text below, and a
/// menu of what can be done with it. Options are remembered per view, by name.
class FigureView : public View {
  Q_OBJECT
public:
  FigureView(std::unique_ptr<InteractiveFigure> figure, ViewServices services, QWidget* parent = nullptr);
  ~FigureView() override;

  QString id() const override { return m_figure->id(); }
  QString title() const override { return m_figure->title(); }
  const Figure* figure() const override { return m_figure.get(); }
  FigureCanvas* canvas() const;
  FigurePane* pane() const { return m_pane; }

  State state() const override;
  /// Of its options, whatever was chosen and remembered.
  const State& defaults() const { return m_defaults; }
  bool isOfOnePlan() const override { return true; }
  bool showPane(const PaneLook&) override;
  void addToPaneMenu(QMenu&) override;

  bool showsText() const;
  /// Everything that works here, in the order of the context menu. Owned by the caller.
  QMenu* makeMenu(QWidget* parent);

public Q_SLOTS:
  void copyImage();
  void copyText();
  void exportFigure();
  void setShowsText(bool);

protected:
  void resizeEvent(QResizeEvent*) override;
  void refresh() override;
  void applyState(const State&) override;

  /// The figure given to the constructor, by its own type.
  template <class F>
  F& figureAs() {
    return static_cast<F&>(*m_figure);
  }
  void figureChanged();  ///< after an option: paints again

  QString settingsKey(const QString& key) const;
  QComboBox* choice(const std::string& key) const;  ///< of an option; null: there is none
  /// Of an option that few change: it stands in the menu of the pane, and in the bar only where this view is
  /// alone.
  void keepInMenu(const char* key);
  /// The first thing in the bar.
  QToolButton* addFirstButton(const QString& text, const QString& tip);
  /// A widget below the figure, in its own row.
  void addBelow(QWidget*);
  /// What can take the place of the figure, and its tools that of the options and buttons in the bar.
  void addBeside(QWidget*, QWidget* tools);
  void showBeside(bool);

private:
  struct Option {
    std::string key;
    QWidget* widget;
    bool isRare = false;
  };
  void addChoice(const FigureOption&);
  void addSwitch(const FigureOption&);
  /// One line: what it has no room for stands in the menu of the pane.
  void fitBar();
  void addHiddenOptions(QMenu&);
  void renameChoices();
  void set(const std::string& key, const std::string& name);

  std::unique_ptr<InteractiveFigure> m_figure;
  FlowLayout* m_bar = nullptr;  ///< options, then the buttons
  QWidget *m_beside = nullptr, *m_besideTools = nullptr;
  QWidget* m_buttons;
  PaneHandle* m_handle;
  PaneButtons* m_paneButtons;
  FigurePane* m_pane = nullptr;
  std::vector<Option> m_options;
  PaneLook m_look;
  bool m_inPane = false, m_showsBeside = false;
  State m_defaults;
};

}  // namespace nest
