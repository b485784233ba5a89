// Lessons with questions, taken as a student takes them: in one window, one after the other.
#include <QAbstractSlider>
#include <QLabel>
#include <QLineEdit>
#include <QRadioButton>
#include <QSignalSpy>
#include <QTextDocumentFragment>

#include "lessons/bars_question.h"
#include "lessons/lesson_answers.h"
#include "lessons/lesson_library.h"
#include "lessons/lesson_page.h"
#include "lessons/lessons_pane.h"
#include "theme/qt_text.h"
#include "units/at.h"
#include "window/headline.h"
#include "window/lesson_stage.h"
#include "window/lessons_controller.h"
#include "window/message_bar.h"
#include "window_bench.h"

using namespace nest;
using namespace nest::test;

namespace {

constexpr const char* kStudent = "17";

/// A file of a lecturer's own with one question.
QByteArray ownLesson(const QByteArray& steps, const QByteArray& more = {}) {
  return R"({"format": "nest-lesson", "version": 2, "title": "Mine", "about": "A try.",
 "scenario": "teaching-6-layers-2x2.nest.json",)" +
         more + R"("cases": {"one": {"set": {"job.global_batch": 8}}}, "steps": [)" + steps + "]}";
}
const QByteArray kReadIt = R"({"kind": "do", "text": "Read this.", "case": "one"})";
const QByteArray kAsk = R"({"kind": "number", "id": "mem", "text": "How much memory?", "unit": "GiB",
 "answer": "one.memory", "tolerance": 0.02, "points": 2, "hints": ["A lot.", "Less."]})";
const QByteArray kTell =
    R"({"kind": "reveal", "of": "mem", "view": "memory", "text": "You said {said}; it is {right}.",
 "gap": [{"when": "said < right", "text": "Too little."}, {"text": "Enough."}]})";

}  // namespace

class TestClassLessons : public QObject {
  Q_OBJECT

  std::unique_ptr<WindowBench> m_bench;
  QTemporaryDir m_dir;

  MainWindow& window() { return m_bench->window; }
  LessonsPane* pane() { return window().findChild<LessonsPane*>(); }
  LessonPlay* play() { return pane()->play(); }
  LessonStage* stage() { return window().findChild<LessonStage*>(); }
  void press(const QString& text) {
    QPushButton* b = m_bench->button(text);
    QVERIFY2(b, qPrintable(text));
    QVERIFY2(b->isEnabled(), qPrintable(text));
    b->click();
    QApplication::processEvents();
  }
  QString said() {
    QString all;
    if (pane()->page())
      for (const auto* label : pane()->page()->findChildren<QLabel*>())
        all += QTextDocumentFragment::fromHtml(label->text()).toPlainText() + u'\n';
    return all;
  }
  void begin(const QString& key) {
    Q_EMIT pane()->startRequested(key);
    QTRY_VERIFY(play() && play()->source().key == key && play()->isReady());
    if (auto* student = pane()->findChild<QLineEdit*>(QStringLiteral("student"))) {
      student->setText(QLatin1String(kStudent));
      press(QStringLiteral("Begin"));
      QTRY_VERIFY(play() && play()->isReady() && pane()->page());
    }
    QTRY_VERIFY(m_bench->window.session().context()->outcome && m_bench->window.session().context()->current);
    QApplication::processEvents();
  }
  void leave() {
    if (!play()) return;
    Q_EMIT pane()->leaveRequested();
    QTRY_VERIFY(!play() && m_bench->solved());
  }
  /// Puts an answer into what asks for it.
  void answer(const std::vector<double>& values) {
    LessonQuestion* question = pane()->page()->question();
    QVERIFY(question);
    if (auto* bars = qobject_cast<BarsQuestion*>(question)) {
      for (std::size_t i = 0; i < bars->bars().size(); ++i)
        if (!bars->bars()[i]->isGiven()) bars->bars()[i]->setAmount(values[i]);
      Q_EMIT bars->edited();
    } else if (auto* field = question->findChild<QLineEdit*>(QStringLiteral("answer"))) {
      field->setText(QString::number(values.front(), 'g', 6));
    } else {
      question->findChildren<QRadioButton*>()[static_cast<int>(values.front()) - 1]->click();
    }
  }
  static bool isOffered(const LessonPlay& play, const View& view) {
    const auto& ids = *play.screen().views;
    return std::find(ids.begin(), ids.end(), view.id().toStdString()) != ids.end();
  }
  QString write(const QString& name, const QByteArray& text) {
    const QString path = m_dir.filePath(name);
    QFile file(path);
    file.open(QIODevice::WriteOnly);
    file.write(text);
    return path;
  }
  /// Which views and panels are there, and where.
  QStringList arrangement() {
    QStringList out;
    for (const View* view : window().views().views()) {
      QDockWidget* dock = window().views().dockOf(view->id());
      out << QStringLiteral("%1 %2 %3 %4")
                 .arg(view->id())
                 .arg(dock->isHidden())
                 .arg(window().views().dockWidgetArea(dock))
                 .arg(window().views().tabifiedDockWidgets(dock).size());
    }
    for (const char* name : {"panel", "inspector", "below", "lessons"})
      out << QStringLiteral("%1 %2")
                 .arg(QLatin1String(name))
                 .arg(window().findChild<QDockWidget*>(QLatin1String(name))->isHidden());
    return out;
  }
  bool isCovered(const std::string& view) {
    return window().views().dockOf(toQt(view))->widget() != window().views().view(toQt(view));
  }

private Q_SLOTS:
  void initTestCase() {
    m_bench = std::make_unique<WindowBench>(teachingSample());
    QTRY_VERIFY(m_bench->solved());
  }
  void cleanup() { leave(); }

  /// Each question is answered rightly, as core computes it, and what shows the answer is covered before.
  void lessonsAreTakenToTheirEnd_data() {
    QTest::addColumn<QString>("key");
    // One of each kind: all are checked against the solver by core/lessons.
    for (const LibraryLesson& l : builtInLessons())
      if (l.lesson->id.starts_with("class-0") || l.lesson->id == "task-01-state")
        QTest::newRow(qPrintable(l.key)) << l.key;
  }
  void lessonsAreTakenToTheirEnd() {
    QFETCH(QString, key);
    const QStringList before = arrangement();
    begin(key);
    const Lesson& lesson = play()->lesson();
    LessonSolver solver(lesson, variablesOf(lesson, kStudent), lessonNamed(key).loader());
    std::string why;
    while (!play()->isOver()) {
      const LessonStep& step = *play()->step();
      const int at = play()->shown();
      if (play()->screen().views)
        for (const View* view : window().views().views())
          QVERIFY2(isOffered(*play(), *view) || window().views().dockOf(view->id())->isHidden(),
                   qPrintable(view->id()));
      if (step.isQuestion()) {
        const LessonStep* reveal = play()->revealAhead();
        QVERIFY(reveal);
        QVERIFY2(reveal->view.empty() || isCovered(reveal->view), step.id.c_str());
        QVERIFY(window().headline().asText().startsWith(QStringLiteral("Answer first")));
        QVERIFY(!m_bench->button(QStringLiteral("Lock answer"))->isEnabled());
        const auto right = rightAnswer(step, solver, why);
        QVERIFY2(right, why.c_str());
        std::vector<double> values;
        for (const LessonValue& v : *right)
          values.push_back(step.kind == StepKind::Choose ? v.value : v.value / step.unit.scale);
        answer(values);
        press(QStringLiteral("Lock answer"));
        QCOMPARE(play()->shown(), at + 1);
        QVERIFY2(said().contains(QStringLiteral("Right.")), qPrintable(said()));
        QVERIFY(reveal->view.empty() || !isCovered(reveal->view));
      } else if (step.kind == StepKind::Reveal || (step.done.empty() && !step.until)) {
        press(at + 1 == play()->count() ? QStringLiteral("Finish") : QStringLiteral("Next"));
      } else if (step.until) {
        auto reached = play()->scenarioOf(step.reachedBy);
        QVERIFY(reached);
        reached->model.reference.clear();  // the open scenario holds its model itself
        window().document().closeStep();
        window().document().edit({}, QStringLiteral("x"),
                                 [&](Scenario& s) { static_cast<Setting&>(s) = reached->setting(); });
        QTRY_VERIFY(play()->isMet());
        QCOMPARE(play()->shown(), at);  // the plan that was reached stays in sight
        QVERIFY(!m_bench->button(QStringLiteral("Skip")) ||
                !m_bench->button(QStringLiteral("Skip"))->isVisible());
        press(QStringLiteral("Next"));
        QVERIFY2(!window().messages().text().contains(QStringLiteral("undone")),
                 qPrintable(window().messages().text()));
      } else {
        press(QStringLiteral("Skip"));
      }
      QTRY_VERIFY(m_bench->window.session().context()->outcome &&
                  m_bench->window.session().context()->current);
      QCOMPARE(play()->shown(), at + 1);
    }
    const QString points = toQt(valueText(LessonValue{lesson.points()}));
    QVERIFY2(said().contains(QStringLiteral("%1 of %1 point").arg(points)), qPrintable(said()));
    QVERIFY(pane()->isFinished(key));
    // The file that is handed in is worth as much.
    const auto sheet = readAnswers(window().findChild<LessonsController*>()->record().answersFile(), "x");
    QVERIFY(sheet);
    QCOMPARE(sheet->student, std::string(kStudent));
    AnswerSheet mine = *sheet;
    const auto graded = gradeLesson(*mine.progressIn(lesson.id), mine.student, "x", solver);
    QVERIFY(graded);
    QCOMPARE(graded->points, lesson.points());
    leave();
    QCOMPARE(arrangement(), before);
  }

  /// A wrong answer is said without scorn, explained, and final; hints cost a tenth each.
  void wrongAnswersStand() {
    const QString path =
        write(QStringLiteral("own.lesson.json"), ownLesson(kReadIt + ',' + kAsk + ',' + kTell));
    QVERIFY(window().openPath(path));
    QTRY_VERIFY(play() && play()->isReady());
    press(QStringLiteral("Next"));
    press(QStringLiteral("Hint (costs a tenth)"));
    QVERIFY(said().contains(QStringLiteral("A lot.")));
    QVERIFY(!said().contains(QStringLiteral("Less.")));
    auto* field = pane()->page()->findChild<QLineEdit*>(QStringLiteral("answer"));
    field->setText(QStringLiteral("many"));
    QVERIFY(!m_bench->button(QStringLiteral("Lock answer"))->isEnabled());
    QVERIFY(said().contains(QStringLiteral("This is not a number in GiB.")));
    for (const char* typed : {"1e6 B", "0.001 GB", "976.5625 KiB"}) {
      field->setText(QLatin1String(typed));
      QString whyNot;
      const auto given = pane()->page()->question()->given(whyNot);
      QVERIFY2(given, typed);
      QVERIFY2(std::abs(given->front() - 1e6 / (1024.0 * 1024 * 1024)) < 1e-9, typed);
    }
    field->setText(QStringLiteral("0.5 GiB"));
    QTest::keyClick(field, Qt::Key_Return);
    QTRY_COMPARE(play()->shown(), 2);
    QVERIFY2(said().contains(QStringLiteral("You said 0.500 GiB")) ||
                 said().contains(QStringLiteral("You said 0.5 GiB")),
             qPrintable(said()));
    QVERIFY2(said().contains(QStringLiteral("Too little.")), qPrintable(said()));
    QVERIFY2(said().contains(QStringLiteral("0 of 2 points")), qPrintable(said()));
    press(QStringLiteral("Back"));
    QVERIFY(!m_bench->button(QStringLiteral("Lock answer")));
    QVERIFY(!pane()->page()->findChild<QLineEdit*>(QStringLiteral("answer"))->isEnabled());
    QVERIFY(said().contains(QStringLiteral("Your answer is locked.")));
    QCOMPARE(play()->answer()->hints, 1);
  }

  /// What was answered, and the step that was reached, are there when the lesson is begun again.
  void aLessonGoesOnWhereItWasLeft() {
    const QString path =
        write(QStringLiteral("again.lesson.json"), ownLesson(kReadIt + ',' + kAsk + ',' + kTell));
    begin(path);
    press(QStringLiteral("Next"));
    press(QStringLiteral("Hint (costs a tenth)"));
    leave();
    begin(path);
    QCOMPARE(play()->shown(), 1);
    QVERIFY(said().contains(QStringLiteral("A lot.")));  // opened is opened
    press(QStringLiteral("Skip"));
    QVERIFY2(said().contains(QStringLiteral("You skipped this question.")), qPrintable(said()));
    press(QStringLiteral("Finish"));
    QVERIFY(play()->isOver());
    leave();
    begin(path);
    QVERIFY(play()->isOver());
    QVERIFY(said().contains(QStringLiteral("skipped")));
  }

  /// From one lesson to the next, nothing is an edit of the student's.
  void theNextLessonIsNoEdit() {
    const QByteArray locked = R"("screen": {"views": ["memory"], "fields": {}},)";
    const QString first = write(QStringLiteral("first.lesson.json"), ownLesson(kReadIt, locked));
    begin(first);
    Q_EMIT pane()->startRequested(QStringLiteral("class-01-zero-is-fsdp"));
    QTRY_VERIFY(play() && play()->source().key == QLatin1String("class-01-zero-is-fsdp") &&
                play()->isReady());
    QApplication::processEvents();
    QVERIFY2(!window().messages().text().contains(QStringLiteral("undone")),
             qPrintable(window().messages().text()));
  }

  /// Options are chosen and locked with the keyboard alone.
  void optionsAreChosenWithKeys() {
    const QByteArray ask = R"({"kind": "choose", "id": "which", "text": "Which?", "options": [
 {"text": "Less", "right": "0"}, {"text": "More", "right": "1"}]})";
    const QByteArray told =
        R"({"kind": "reveal", "of": "which", "view": "memory", "text": "More.", "gap": [{"text": "Yes."}]})";
    const QString path =
        write(QStringLiteral("keys.lesson.json"), ownLesson(kReadIt + ',' + ask + ',' + told));
    begin(path);
    m_bench->button(QStringLiteral("Next"))->setFocus();
    press(QStringLiteral("Next"));
    QTRY_VERIFY(qobject_cast<QRadioButton*>(QApplication::focusWidget()));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
    QApplication::processEvents();
    QCOMPARE(play()->shown(), 1);  // the first Return chooses
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Down);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
    QTRY_COMPARE(play()->shown(), 2);
    QVERIFY2(said().contains(QStringLiteral("Right.")), qPrintable(said()));
  }

  /// The lecturer fixes a lesson: what was answered stays where the question does.
  void answersOutliveAnotherVersion() {
    const QByteArray other = R"({"kind": "number", "id": "batch", "text": "How large is the batch?",
 "answer": "one.batch", "unit": ""})";
    const auto lesson = [&](const QByteArray& last) {
      return write(QStringLiteral("fixed.lesson.json"),
                   ownLesson(kReadIt + ',' + kAsk + ',' + kTell + ',' + last));
    };
    begin(lesson(other));
    press(QStringLiteral("Next"));
    pane()->page()->findChild<QLineEdit*>(QStringLiteral("answer"))->setText(QStringLiteral("2 GiB"));
    press(QStringLiteral("Lock answer"));
    leave();
    begin(lesson(kReadIt));
    QVERIFY2(window().messages().text().contains(QStringLiteral("Mine has changed since you answered")),
             qPrintable(window().messages().text()));
    QCOMPARE(play()->shown(), 2);
    QVERIFY2(said().contains(QStringLiteral("You said 2")), qPrintable(said()));
    leave();
    begin(lesson(kReadIt));
    QVERIFY(!window().messages().text().contains(QStringLiteral("has changed")));
  }

  /// The lessons of a folder are listed, as many as there is room for, and the rest is said.
  void aFolderOfLessonsIsListed() {
    QDir folder(m_dir.path());
    QVERIFY(folder.mkpath(QStringLiteral("week 3")));
    for (int i = 0; i < 102; ++i)
      write(QStringLiteral("week 3/l%1.lesson.json").arg(i, 3, 10, QChar(u'0')), ownLesson(kReadIt));
    QVERIFY(window().openPath(folder.filePath(QStringLiteral("week 3"))));
    QTRY_VERIFY(pane()->isVisible());
    QString listed;
    for (const auto* label : pane()->findChildren<QLabel*>()) listed += label->text() + u'\n';
    QVERIFY2(listed.contains(QStringLiteral("Lessons in week 3")), qPrintable(listed));
    QVERIFY2(listed.contains(QStringLiteral("2 more files in this folder are not listed")),
             qPrintable(listed));
  }

  /// Only what the step names may be changed, and its views alone are there.
  void editsOutsideTheStepAreRefused() {
    const QByteArray limits = R"("screen": {"views": ["memory"], "fields": {"job.global_batch": [4, 16]}},)";
    const QString path =
        write(QStringLiteral("limits.lesson.json"), ownLesson(kReadIt + ',' + kAsk + ',' + kTell, limits));
    begin(path);
    for (const View* view : window().views().views())
      QCOMPARE(!window().views().dockOf(view->id())->isHidden(), view->id() == QLatin1String("memory"));
    window().views().reveal(QStringLiteral("timeline"));
    m_bench->trigger("view.explore");
    QVERIFY(window().views().dockOf(QStringLiteral("timeline"))->isHidden());
    const auto edit = [&](auto change) {
      window().document().closeStep();
      window().document().edit({}, QStringLiteral("x"), change);
      QApplication::processEvents();
    };
    auto* field = pane()->page()->findChild<BoundLine*>(QStringLiteral("/job/global_batch"));
    QVERIFY(field && field->isVisible());  // without the panel
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("12"));
    QTest::keyClick(field, Qt::Key_Tab);
    QCOMPARE(m_bench->scenario().job.globalBatch, 12);
    edit([](Scenario& s) { s.job.globalBatch = 32; });
    QCOMPARE(m_bench->scenario().job.globalBatch, 12);
    QVERIFY2(window().messages().text().contains(QStringLiteral("from 4 to 16")),
             qPrintable(window().messages().text()));
    edit([](Scenario& s) { s.cluster.device.memory.value = Bytes(9e9); });
    QVERIFY(m_bench->scenario().cluster.device.memory.value.value() != 9e9);
    QVERIFY2(window().messages().text().contains(QStringLiteral("only Global batch")),
             qPrintable(window().messages().text()));
    leave();
    QVERIFY(!window().views().dockOf(QStringLiteral("timeline"))->isHidden());
  }

  /// A lesson file that cannot be taken says where and why, and nothing changes.
  void hostileFilesAreRefused_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("said");
    QTest::newRow("not JSON") << QByteArray("{\"format\": \"nest-lesson\",") << QStringLiteral("line");
    QTest::newRow("empty") << QByteArray() << QString();
    QTest::newRow("no steps") << ownLesson({}) << QStringLiteral("step");
    QTest::newRow("unknown case") << ownLesson(R"({"kind": "do", "text": "a", "case": "two"})")
                                  << QStringLiteral("there is no case");
    QTest::newRow("script") << ownLesson(R"({"kind": "do", "text": "<script>x</script>"})")
                            << QStringLiteral("only <b>");
    QTest::newRow("no such field") << ownLesson(kReadIt).replace("job.global_batch", "job.nothing")
                                   << QStringLiteral("nothing");
    QTest::newRow("a value that is none")
        << ownLesson(kReadIt + R"(,{"kind": "do", "text": "{one.load(99)}"})")
        << QStringLiteral("cannot be computed");
  }
  void hostileFilesAreRefused() {
    QFETCH(QByteArray, text);
    QFETCH(QString, said);
    const std::string name = m_bench->scenario().name;
    const int batch = m_bench->scenario().job.globalBatch;
    window().messages().dismiss();
    window().openPath(write(QStringLiteral("bad.lesson.json"), text));
    QTRY_VERIFY(!play() && window().messages().text().contains(QStringLiteral("cannot be")));
    QVERIFY2(window().messages().text().contains(said), qPrintable(window().messages().text()));
    QTRY_VERIFY(m_bench->solved());
    QCOMPARE(m_bench->scenario().name, name);
    QCOMPARE(m_bench->scenario().job.globalBatch, batch);
  }

  /// Bars are drawn with the keyboard as with the mouse.
  void barsAreDrawn() {
    LessonStep step;
    step.kind = StepKind::Draw;
    step.unit = lessonUnit("s");
    step.bars.resize(2);
    step.bars[0].label = "A", step.bars[0].isGiven = true;
    step.bars[1].label = "B";
    BarsQuestion question(step, {1, 2});
    question.resize(200, 200);
    question.show();
    QString whyNot;
    QVERIFY(!question.given(whyNot) && !whyNot.isEmpty());
    DrawnBar* bar = question.bars()[1];
    bar->setFocus();
    QSignalSpy entered(&question, &LessonQuestion::entered);
    QTest::keyClick(bar, Qt::Key_Return);
    QCOMPARE(entered.count(), 1);
    QTest::keyClick(bar, Qt::Key_Up);
    QTest::keyClick(bar, Qt::Key_PageUp);
    const auto byKeys = question.given(whyNot);
    QVERIFY(byKeys);
    QCOMPARE(byKeys->front(), 1.0);
    QVERIFY(byKeys->back() > 1.5);
    QTest::mousePress(bar, Qt::LeftButton, {}, QPoint(bar->width() / 2, bar->height() - 40));
    QVERIFY(question.given(whyNot)->back() < byKeys->back());
    QVERIFY(bar->accessibleName().startsWith(QStringLiteral("B: ")));
    QTest::mousePress(question.bars()[0], Qt::LeftButton, {}, QPoint(10, 60));
    QCOMPARE(question.given(whyNot)->front(), 1.0);
    const auto drawn = *question.given(whyNot);
    question.showAnswer(drawn, {1, 2});
    QTest::mousePress(bar, Qt::LeftButton, {}, QPoint(bar->width() / 2, 30));
    QCOMPARE(*question.given(whyNot), drawn);
  }
};

NEST_TEST(TestClassLessons)
#include "test_class_lessons.moc"
