#pragma once

#include <QToolBar>

#include "editors/network/network_canvas.h"

class QActionGroup;

namespace nest {

/// What can be done on the canvas, as buttons: tools, edits of what is selected, what is shown. Names go
/// where there is no room for them; tooltips and accessible names stay.
class NetworkToolbar : public QToolBar {
  Q_OBJECT
public:
  explicit NetworkToolbar(NetworkCanvas* canvas, QWidget* parent = nullptr);

  void setDrawn(bool drawn);  ///< false: the cluster is typed as levels, edits are off
  bool showsTraffic() const { return m_traffic->isChecked(); }
  /// Which exchange is painted; −1: all of them.
  int trafficKind() const;
  /// What the devices can be coloured by, and are.
  void setColours(const FigureOption&);
  QAction* sideAction() const { return m_side; }  ///< checkable: the panel beside the canvas

Q_SIGNALS:
  void generateRequested();
  void exportRequested();
  void trafficChanged();  ///< whether, or which kind
  void colourChosen(const std::string& name);

protected:
  void resizeEvent(QResizeEvent*) override;

private:
  QAction* button(const QString& icon, const QString& name, const QString& tip);
  QAction* edit(const QString& icon, const QString& name, const QString& tip, void (NetworkCanvas::*f)());
  void addTools();
  void addEdits();
  void addFolding();
  void addTraffic();
  QMenu* giveMenu(QAction*);
  void askForCopies();

  NetworkCanvas* m_canvas;
  QActionGroup *m_tools, *m_kinds = nullptr;
  QMenu* m_colours = nullptr;
  QAction *m_traffic = nullptr, *m_side = nullptr;
  void refreshSelectionEdits();

  bool m_drawn = false;
  std::vector<QAction*> m_edits;
  std::vector<QAction*> m_selectionEdits;  ///< those that need something selected
};

}  // namespace nest
