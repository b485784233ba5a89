#pragma once

#include "views/figure_view.h"

namespace nest {

class FailureStrip;
class NetworkEditor;

/// The plan on its network; in edit mode the network itself, with the tools that change it, in the same
/// place. Both show what is selected, and colour ranks alike.
class TopologyView : public FigureView {
  Q_OBJECT
public:
  explicit TopologyView(ViewServices, QWidget* parent = nullptr);

  bool isEditing() const;
  /// As by its button: edit mode takes the keyboard and shows what is selected.
  void setEditing(bool);
  NetworkEditor* editor() const { return m_editor; }  ///< null: there is no document to edit

  /// That of the figure in front: what is on a slide is called as its export is.
  QString title() const override { return figure()->title(); }
  const Figure* figure() const override;
  std::vector<const Figure*> figures() const override;
  State state() const override;
  QStringList slideText(const QString& sentence) const override;
  bool isDrawnOn() const { return isEditing() && isInSight(); }

Q_SIGNALS:
  void drawnOn(bool);  ///< somebody begins to draw, or ends

protected:
  void refresh() override;
  void applyState(const State&) override;
  void sightChanged() override;

private:
  void addEditor();
  void showMode();
  void takeFocus();
  void shareOptions();
  void addToMenu(QMenu*);

  FailureStrip* m_loss;
  QToolButton* m_edit = nullptr;
  NetworkEditor* m_editor = nullptr;
};

}  // namespace nest
