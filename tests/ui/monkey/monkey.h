#pragma once

#include <QObject>
#include <QPointer>
#include <QStringList>
#include <memory>
#include <random>
#include <string>

#include "window/main_window.h"

class QMenu;

namespace nest::test {

/// Somebody who does anything at all to a whole window: commands of the registry, clicks, keys, the wheel,
/// drags, texts into fields, samples opened one after the other, dialogs answered this way and that, files
/// only below `folder`. The same seed does the same, as far as background searches end at the same time.
class Monkey : public QObject {
  Q_OBJECT
public:
  Monkey(std::uint64_t seed, const QString& folder);
  ~Monkey() override;

  /// The action of this number, whichever went before. What has gone wrong by then is in faults().
  void act(int number);
  /// Ends whatever is open, waits for the search, takes everything back and does it again.
  void undoAllAndRedoAll();

  const QStringList& faults() const { return m_faults; }
  /// What was done last, a line each, the latest last, to standard error: also from a signal's handler.
  static void printLastActions();

private:
  void step();
  void keepAnswering();  ///< dialogs and menus, from within their own event loops
  void answerPopup(QWidget*);
  void answerDialog(QWidget*);

  void trigger();
  void click();
  void press();
  void type();
  void wheel();
  void drag();
  void context();
  void openSample();
  void failAPart();
  void look();
  void resize();
  void rest();

  QWidget* someWidget(QWidget* within = nullptr);
  QPoint somePoint(const QWidget*);
  int below(qsizetype n) { return n <= 0 ? 0 : static_cast<int>(m_engine() % static_cast<std::uint64_t>(n)); }
  bool chance(double p) { return static_cast<double>(m_engine() >> 11) * 0x1.0p-53 < p; }
  void note(const QString& what);
  void fault(const QString& what);

  std::mt19937_64 m_engine;
  std::uint64_t m_seed;
  QString m_folder;
  std::unique_ptr<MainWindow> m_window;
  std::string m_opened;  ///< the scenario as it was opened
  QStringList m_faults;
  int m_number = -1, m_files = 0, m_answers = 0;
};

}  // namespace nest::test
