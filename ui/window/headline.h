#pragma once

#include <QWidget>
#include <vector>

#include "document/planning_session.h"

class QHBoxLayout;
class QLabel;
class QProgressBar;
class QToolButton;

namespace nest {

class ActionRegistry;
class NetworkTraffic;

/// The line that everyone reads first, with the solve controls at its end. Says in words when what it shows
/// is not the answer to the scenario as it is now, and what a running search has reached.
class Headline : public QWidget {
  Q_OBJECT
public:
  Headline(PlanningSession&, ActionRegistry&, QWidget* parent = nullptr);

  QString asText() const { return m_text; }
  QString statusText() const;
  /// Another plan of the scenario than the best one; null: the best one again.
  void showInstead(PlanContextPtr);
  /// What an import assumed and the user has not set, in a sentence; empty: nothing.
  void showAssumed(const QString&);

protected:
  bool eventFilter(QObject*, QEvent*) override;
  void resizeEvent(QResizeEvent*) override;

private:
  void follow();  ///< another plan is shown
  void refresh();
  void refreshActivity();
  void fitParts();
  void showParts(const QStringList& parts, const QStringList& tips, qsizetype warning = -1);
  void showMessage(const QString& heading, const QString& text, bool isError);

  PlanContextPtr shownContext() const { return m_instead ? m_instead : m_session.context(); }
  const PlanContext& shown() const { return m_instead ? *m_instead : *m_session.context(); }

  PlanningSession& m_session;
  PlanContextPtr m_instead;
  QWidget* m_line;
  QHBoxLayout *m_parts, *m_quiet;
  QLabel *m_status, *m_assumed;
  NetworkTraffic* m_traffic;  ///< of the plan over a drawn network, which may not carry it in time
  std::vector<QToolButton*> m_buttons;
  QProgressBar* m_progress;
  struct Part {
    QLabel *dot, *text;  ///< dot: null for the first
  };
  std::vector<Part> m_labels;
  QString m_text;
  bool m_running = false;
  QStringList m_words, m_overflow;  ///< all parts; those that did not fit
};

}  // namespace nest
