#pragma once

#include <map>
#include <memory>

#include "editors/network/network_canvas.h"
#include "editors/network/network_selection.h"
#include "views/view.h"

class QLabel;
class QPushButton;

namespace nest {

class NetworkFigure;
class NetworkSide;
class NetworkToolbar;
class NetworkTraffic;
class PlanBanner;
class PropertiesStrip;
class FigureTextPane;

/// Where the cluster's network is drawn, the edit mode of Topology: tools, canvas, values of what is
/// selected, and beside it the derived levels, kinds, a table and problems. Puts these parts together and
/// carries edits to the document.
class NetworkEditor : public View {
  Q_OBJECT
public:
  NetworkEditor(ViewServices services, QWidget* parent = nullptr);
  ~NetworkEditor() override;

  QString id() const override { return QStringLiteral("network"); }
  QString title() const override { return tr("Network"); }
  const Figure* figure() const override;
  QWidget* tools() const;  ///< above the canvas, until another bar takes them
  /// Chooses by name, as a figure does: "colour", "folding".
  void setOption(const std::string& key, const std::string& name);
  NetworkCanvas& canvas() const { return *m_canvas; }
  State state() const override;
  /// Brings a node or link (−1: none) of the drawn network to the middle and selects it, unfolding what hides
  /// it.
  void jumpTo(int node, int link);
  void showSelected();  ///< brings what is selected in other views to the middle, and takes the keyboard
  void repair(const graph::Problem&);  ///< one step that can be undone
  QString trafficText() const;         ///< the most loaded link, in words; may be empty
  QString effectText() const;          ///< of the last edit on the batch time; may be empty

Q_SIGNALS:
  void optionChosen(const std::string& key, const std::string& name);  ///< among the tools

protected:
  void refresh() override;
  void searchChanged() override;
  void applyState(const State&) override;
  void resizeEvent(QResizeEvent*) override;

private:
  void showOptions();
  void buildFigure();
  void buildBanner();
  void arrange();
  void listen();
  void showTraffic();
  void showSelection();
  void showSide();
  void shareSelection();
  void followSelection();
  void followHover();
  void followPlayhead();
  void applyEdit(const QString& verb, const QString& field, const NetworkCanvas::GraphEdit&);
  void drawLevels();  ///< turns typed levels into a drawn network
  void startFromEmpty();
  void openGenerators();
  void keepChosen();
  void followHistory(int index);
  void chooseSide();
  void editSource(const QString& field, const QString& verb, const std::function<void(GraphSource&)>&);
  bool isDrawn() const;
  /// `marked`: with the excluded devices as failed ones.
  NetworkGraph shownGraph(bool marked) const;

  std::unique_ptr<NetworkFigure> m_figure;
  NetworkTraffic* m_traffic;
  NetworkCanvas* m_canvas;
  NetworkToolbar* m_bar;
  FigureTextPane* m_pane = nullptr;  ///< of the canvas
  NetworkSide* m_side;
  PropertiesStrip* m_strip;
  PlanBanner* m_verdict;  ///< nothing fits
  QWidget* m_banner;
  QWidget* m_start;  ///< buttons on the empty canvas
  NetworkSelection m_numbers;
  PlanContextPtr m_numbersFor;  ///< the context that m_numbers belongs to
  PlanContextPtr m_before;      ///< the plan that the last edit found; null: not known
  QString m_verb;               ///< of that edit
  bool m_editing = false;
  std::map<int, NetworkCanvas::Chosen> m_chosenAt;  ///< by the place in the history
  bool m_sideChosen = false;                        ///< by hand: the width no longer decides
  bool m_sharing = false;                           ///< what comes back from the selection is our own
};

}  // namespace nest
