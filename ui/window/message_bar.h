#pragma once

#include <QWidget>
#include <functional>
#include <vector>

#include "diagnostics/diagnostic.h"

class QHBoxLayout;
class QLabel;
class QUndoStack;

namespace nest {

/// One message above the views that asks for nothing to stop: what happened, and buttons for what can be done
/// about it.
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

  explicit MessageBar(QWidget* parent = nullptr);

  /// Replaces what is shown. Every choice also closes the bar, and so does its cross.
  /// `topic` names it for withdraw().
  void show(Tone, const QString& text, std::vector<Choice> choices = {}, const QString& topic = {});
  /// Says this, too, below what is shown, whose choices stay; with nothing shown, alone.
  void add(Tone, const QString& text);
  void withdraw(const QString& topic);  ///< what it says is no longer so
  QString text() const;

private:
  void say(Tone, const QString& text);

  QLabel *m_icon, *m_text;
  QString m_topic;
  Tone m_tone = Tone::Note;
  int m_shown = 0;  ///< messages so far
  QHBoxLayout* m_choices;
};

/// "line 2: the host is duplicated; name it once": the file is named by the sentence around it.
QString inWords(const Diagnostic&);

}  // namespace nest
