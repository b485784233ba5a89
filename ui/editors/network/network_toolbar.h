#pragma once

#include <QToolBar>
#include <map>
#include <string>

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
  std::optional<Exchange> trafficKind() const;  ///< which exchange is painted; nullopt: all of them
  std::string traffic() const;                  ///< both by name: "none", "all" or an exchange
  void setTraffic(const std::string&);          ///< for this time: the next window begins as before
  /// What can be chosen for this key ("colour", "folding"), and is.
  void setOption(const FigureOption&);
  QAction* textAction() const { return m_text; }  ///< checkable: the network as text
  QAction* sideAction() const { return m_side; }  ///< checkable: the panel beside the canvas

Q_SIGNALS:
  void generateRequested();
  void exportRequested();
  void trafficChanged();  ///< whether, or which kind
  void optionChosen(const std::string& key, const std::string& name);

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
  std::map<std::string, QMenu*> m_options;
  QAction *m_traffic = nullptr, *m_text = nullptr, *m_side = nullptr;
  void refreshSelectionEdits();
  void chooseStyle();

  bool m_drawn = false;
  bool m_restoring = false;
  std::vector<QAction*> m_edits;
  std::vector<QAction*> m_selectionEdits;  ///< those that need something selected
};

}  // namespace nest
