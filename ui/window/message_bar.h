#pragma once

#include <QWidget>
#include <functional>
#include <vector>

#include "diagnostics/diagnostic.h"

class QHBoxLayout;
class QLabel;
class QTimer;
class QUndoStack;

namespace nest {

/// One message over the lower right corner of the window, where it moves nothing: what happened, and buttons
/// for what can be done about it. A note goes by itself, later where it offers something; a warning and an
/// error stay until they are closed.
class MessageBar : public QWidget {
  Q_OBJECT
public:
  enum class Tone { Note, Warning, Error };
  struct Choice {
    QString text;
    std::function<void()> run;
    /// Offered only while this stands where it stood when the message was shown; when that is undone, what
    /// the message says is no longer so, and it goes. nullptr: always.
    const QUndoStack* whileAt = nullptr;
  };
  /// Undoes the last edit of a history, for as long as it is the last.
  static Choice undoing(QUndoStack&);

  explicit MessageBar(QWidget* window);
  /// A note stays, too.
  void setStays(bool stays) { m_stays = stays; }
  /// Above this one, while both are shown.
  void stackOn(MessageBar* below);

  /// Replaces what is shown. Every choice also closes the bar, and so does its cross.
  /// `topic` names it for withdraw().
  void show(Tone, const QString& text, std::vector<Choice> choices = {}, const QString& topic = {});
  /// Says this, too, below what is shown, whose choices stay; with nothing shown, alone.
  void add(Tone, const QString& text);
  /// Other words for what goes on, while it is shown; its choices stay.
  void goOn(const QString& topic, const QString& text);
  void withdraw(const QString& topic);  ///< what it says is no longer so
  void dismiss();
  /// What was said last, also when it has gone by itself; empty once it was closed or is no longer so.
  QString text() const;

protected:
  bool event(QEvent*) override;
  bool eventFilter(QObject*, QEvent*) override;
  void showEvent(QShowEvent*) override;
  void hideEvent(QHideEvent*) override;

private:
  void say(Tone, const QString& text);
  void place();
  void leave();

  QLabel *m_icon, *m_text;
  QString m_topic;
  QTimer* m_leave;
  MessageBar *m_below = nullptr, *m_above = nullptr;
  bool m_stays = false, m_hasLeft = false;
  Tone m_tone = Tone::Note;
  int m_shown = 0;  ///< messages so far
  QHBoxLayout* m_choices;
};

/// "line 2: the host is duplicated; name it once": the file is named by the sentence around it.
QString inWords(const Diagnostic&);

}  // namespace nest
