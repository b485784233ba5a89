#pragma once

#include <QWidget>
#include <vector>

#include "document/planning_session.h"

class QHBoxLayout;
class QLabel;
class QProgressBar;
class QPushButton;
class QToolButton;

namespace nest {

class ActionRegistry;
class NetworkTraffic;

/// What everyone reads first, in three ranks, with the solve controls at its end: the step's time large, a
/// few columns with captions, and a quiet line below. Says in words when what it shows is not the answer to
/// the scenario as it is now, and what a running search has reached.
class Headline : public QWidget {
  Q_OBJECT
public:
  Headline(PlanningSession&, ActionRegistry&, QWidget* parent = nullptr);

  QString asText() const { return m_text; }
  QString statusText() const;
  /// Another plan of the scenario than the best one; null: the best one again.
  void showInstead(PlanContextPtr);
  /// While somebody draws, parts that are not joined yet are no error.
  void setDrawing(bool);
  /// Whether the search may be widened from here: in a lesson it would be undone.
  void setOffersWider(bool);
  /// In place of the plan's values, while a lesson asks for one of them; empty: the values.
  void setVeil(const QString&);
  /// What an import assumed and the user has not set, in a sentence; empty: nothing.
  void showAssumed(const QString&);

Q_SIGNALS:
  void widerRequested();  ///< the search is to try what its options leave out

protected:
  bool eventFilter(QObject*, QEvent*) override;
  void resizeEvent(QResizeEvent*) override;

private:
  void follow();  ///< another plan is shown
  void refresh();
  void refreshActivity();
  void refreshWider();
  void fitParts();
  struct Shown {
    QString text, caption, tip;
    bool isWarning = false, isQuiet = false;  ///< quiet: of the line below
    double share = -1;                        ///< how full a bar next to it is; negative: it has none
  };
  void showParts(const std::vector<Shown>&);
  void showMessage(const QString& heading, const QString& text, bool isError);

  PlanContextPtr shownContext() const { return m_instead ? m_instead : m_session.context(); }
  const PlanContext& shown() const { return m_instead ? *m_instead : *m_session.context(); }

  bool m_offersWider = true;
  QString m_veil;
  PlanningSession& m_session;
  PlanContextPtr m_instead;
  QWidget* m_line;
  QHBoxLayout *m_columns, *m_quiet;
  QLabel *m_status, *m_assumed;
  QPushButton* m_wider;
  NetworkTraffic* m_traffic;  ///< of the plan over a drawn network, which may not carry it in time
  std::vector<QToolButton*> m_buttons;
  QProgressBar* m_progress;
  class ShareBar;
  struct Part {
    QWidget* box;
    QLabel *caption, *text, *unit;  ///< unit: behind a large text; of the first only
    ShareBar* bar;
  };
  Part makePart(bool isFirst);
  std::vector<Part> m_labels;
  QString m_text;
  bool m_running = false, m_drawing = false;
  std::vector<Shown> m_parts;
  QStringList m_overflow;  ///< quiet parts, and those that the line above has no room for
};

}  // namespace nest
