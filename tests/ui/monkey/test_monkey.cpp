#include <unistd.h>
#include <QApplication>
#include <QDesktopServices>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>

#include "monkey.h"
#include "support/test_main.h"

using namespace nest;

namespace {

constexpr const char* kSchemes[] = {"http", "https", "file", "mailto"};
constexpr unsigned kStuckSeconds = 300;  ///< one action; far beyond any machine's slowness

QStringList* warnings = nullptr;
char seedText[60];  ///< of the life that is lived

/// Qt's own remarks on a screen without windows, and on what only a test does.
bool isNoFault(const QString& text) {
  for (const char* known : {"This plugin does not support", "Mouse event occurs outside",
                            "propagateSizeHints", "QFileSystemWatcher::removePaths"})
    if (text.contains(QLatin1String(known))) return true;
  return false;
}

void hear(QtMsgType type, const QMessageLogContext&, const QString& text) {
  if (type == QtDebugMsg || type == QtInfoMsg || isNoFault(text)) return;
  if (warnings) *warnings += text;
}

/// Says what led here, as far as a program can that is about to end.
void lastWords(int signal) {
  std::signal(signal, SIG_DFL);
  static const char kHead[] = "\nA signal ended the program, after\n";
  (void)!write(STDERR_FILENO, kHead, sizeof kHead - 1);
  test::Monkey::printLastActions();
  (void)!write(STDERR_FILENO, seedText, strnlen(seedText, sizeof seedText));
  std::raise(signal);
}

double secondsAsked() {
  const char* asked = std::getenv("NEST_SECONDS");
  return asked ? std::atof(asked) : 0;
}

/// The actions that are asked for, of those of a life; empty: all.
std::set<int> numbersAsked() {
  std::set<int> all;
  for (const QByteArray& number : qgetenv("NEST_ONLY").split(' '))
    if (!number.isEmpty()) all.insert(number.toInt());
  return all;
}

}  // namespace

/// One life is a window to which anything is done, and all of it taken back at the end. --seed N: the first
/// life's seed, the next have N + 1, …; --seconds N: so long in place of a few lives. NEST_LIVES: so many.
/// NEST_ACTIONS: of each life. NEST_ONLY: the numbers of the actions to carry out; shrink.py finds the few
/// that matter.
class TestMonkey : public QObject {
  Q_OBJECT
public Q_SLOTS:
  void passBy(const QUrl&) {}

private Q_SLOTS:
  void initTestCase() {
    QApplication::setQuitOnLastWindowClosed(false);
    for (const char* scheme : kSchemes)
      QDesktopServices::setUrlHandler(QLatin1String(scheme), this, "passBy");
  }
  void nothingBreaksTheWindow() {
    const char* seed = std::getenv("NEST_SEED");
    const char* asked = std::getenv("NEST_ACTIONS");
    const std::uint64_t first = seed ? std::strtoull(seed, nullptr, 10) : 1;
    const int actions = asked ? std::atoi(asked) : 150;
    const char* some = std::getenv("NEST_LIVES");
    const std::uint64_t enough = some ? std::strtoull(some, nullptr, 10) : 2;
    const double seconds = secondsAsked();
    const std::set<int> only = numbersAsked();
    for (const int s : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGALRM}) std::signal(s, lastWords);
    const QtMessageHandler before = qInstallMessageHandler(hear);
    QElapsedTimer clock;
    clock.start();
    std::uint64_t lives = 0;
    QStringList faults;
    while (faults.isEmpty() && (seconds > 0 ? clock.elapsed() < seconds * 1000 : lives < enough)) {
      const std::uint64_t own = first + lives++;
      std::snprintf(seedText, sizeof seedText, "seed %llu\n", static_cast<unsigned long long>(own));
      const QTemporaryDir folder;
      QStringList heard;
      warnings = &heard;
      {
        test::Monkey monkey(own, folder.path());
        for (int k = 0; k < actions && heard.isEmpty() && monkey.faults().isEmpty(); ++k) {
          if (!only.empty() && !only.count(k)) continue;
          alarm(kStuckSeconds);
          monkey.act(k);
        }
        alarm(kStuckSeconds);
        if (heard.isEmpty()) monkey.undoAllAndRedoAll();
        faults = monkey.faults();
        for (const QString& text : heard) faults += QStringLiteral("Qt said: ") + text;
      }
      if (!faults.isEmpty()) test::Monkey::printLastActions();
      alarm(0);
      warnings = nullptr;
    }
    qInstallMessageHandler(before);
    qInfo("%llu lives of %d actions from seed %llu", static_cast<unsigned long long>(lives), actions,
          static_cast<unsigned long long>(first));
    QVERIFY2(faults.isEmpty(), qPrintable(QLatin1String(seedText) + faults.join(QLatin1Char('\n'))));
  }
  void cleanupTestCase() {
    for (const char* scheme : kSchemes) QDesktopServices::unsetUrlHandler(QLatin1String(scheme));
  }
};
NEST_TEST(TestMonkey)
#include "test_monkey.moc"
