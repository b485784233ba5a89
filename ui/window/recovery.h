#pragma once

#include <QObject>
#include <functional>

#include "document/journal.h"

namespace nest {

class MessageBar;
class ScenarioFiles;

/// Unsaved work that a crash has left: offered in a bar of its own, one entry after the other. In another it
/// says while a crash would lose edits.
class Recovery : public QObject {
  Q_OBJECT
public:
  /// `mayDiscard`: whether what is open may go.
  Recovery(ScenarioFiles&, MessageBar& offers, MessageBar& protection, std::function<bool()> mayDiscard);

  void offer();

private:
  void restore(const Journal::Entry&);
  void showDifferences(const Journal::Entry&);
  void discard(const Journal::Entry&);

  ScenarioFiles& m_files;
  MessageBar& m_offers;
  std::function<bool()> m_mayDiscard;
};

}  // namespace nest
