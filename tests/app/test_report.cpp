#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest/QTest>

#include "formats/scenario/embedded_scenario.h"
#include "ran.h"
#include "test_paths.h"

using namespace nest::test;

/// A page about a plan, as its readers get it.
class TestReport : public QObject {
  Q_OBJECT
  QTemporaryDir m_dir;

  QByteArray page(const QString& scenario, const char* name, int code = 0) {
    const QString file = m_dir.filePath(name);
    const Ran r = run({"report", scenario, "-o", file});
    if (r.code != code) qWarning("%s", qPrintable(r.all()));
    QFile written(file);
    return r.code == code && written.open(QIODevice::ReadOnly) ? written.readAll() : QByteArray();
  }

private slots:
  void initTestCase() {
    if (!QFile::exists(QStringLiteral(NEST_BINARY_DIR "/nest-explorer"))) QSKIP("nest-explorer is not built");
  }

  /// The words of `solve`, and nothing that a network would have to bring.
  void aPageStandsAlone() {
    const QByteArray html = page(sample("llama3-70b-h100-1024"), "a.html");
    QVERIFY(html.size() > 100'000 && html.size() < 2'000'000);
    QString outside = QString::fromUtf8(html);
    outside.remove(QRegularExpression("xmlns(:xlink)?=\"http[^\"]*\""));
    outside.remove(QRegularExpression("<table>.*</table>", QRegularExpression::DotMatchesEverythingOption));
    static const QRegularExpression asks("(src|href)=\"(?!#|data:)|url\\((?!#|data:)|@import|https?://");
    QVERIFY2(!asks.match(outside).hasMatch(), qPrintable(asks.match(outside).captured()));
    const QString said = run({"solve", sample("llama3-70b-h100-1024")}).out;
    for (const QString& part : said.section('\n', 1, 1).split(" · "))
      if (!part.startsWith("Optimal in")) QVERIFY2(html.contains(part.toUtf8()), qPrintable(part));
    for (const char* id : {"topology", "stages", "memory", "timeline", "communication"})
      QVERIFY2(html.contains(QByteArray("id=\"figure-") + id), id);
    QVERIFY(html.contains("within the error") && html.contains("What the times rest on"));
    // As nest-plan improve says it.
    const QString first = run({"improve", sample("llama3-70b-h100-1024")}).out.section('\n', 0, -1);
    static const QRegularExpression gain("(−20 % compute time): (−[0-9.]+ %)");
    const auto best = gain.match(first);
    QVERIFY2(best.hasMatch(), qPrintable(first));
    QVERIFY(html.contains(best.captured(1).toUtf8()) && html.contains(best.captured(2).toUtf8()));
    QVERIFY(html.contains("id=\"improvements\""));
    QCOMPARE(html.count(" id=\"f0-"), html.count("id=\"f0-"));
    QCOMPARE(html.count("@font-face"), 2);  // once for all figures
    QVERIFY(html.contains("<h2><span class=\"kind\">Stages</span> Stage 1 is slowest"));
    // How it scales stands there without being asked for; other plans have to be kept.
    QVERIFY(html.contains("<h2><span class=\"kind\">Throughput") && html.contains("% of linear"));
    QVERIFY(!html.contains("id=\"figure-compare\"") && html.contains("<li>Compare: the scenario keeps no"));
    const auto stages = html.count("data-stage=\"3\"");
    QVERIFY2(stages >= 4, QByteArray::number(stages));
  }

  /// The stage under the pointer lights up in every figure, and in none when the pointer leaves.
  void stagesLightUpTogether() {
    const QString browser = QStandardPaths::findExecutable(QStringLiteral("chromium"));
    if (browser.isEmpty()) QSKIP("chromium is not installed");
    QByteArray html = page(sample("teaching-6-layers-2x2"), "hover.html");
    const auto second = html.count("data-stage=\"1\"");
    QVERIFY(second >= 3);
    html.replace("</body>", R"(<script>
const one = document.querySelector('[data-stage="1"]');
const lit = () => document.querySelectorAll('.lit[data-stage="1"]').length + '/' + document.querySelectorAll('.lit').length;
one.dispatchEvent(new MouseEvent('mouseenter'));
const over = lit();
one.dispatchEvent(new MouseEvent('mouseleave'));
document.body.dataset.lit = over + ' then ' + lit();
</script></body>)");
    const QString file = m_dir.filePath("hovered.html");
    QFile out(file);
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write(html);
    out.close();
    QProcess chromium;
    chromium.start(browser, {"--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
                             "--user-data-dir=" + m_dir.filePath("profile"), "file://" + file});
    QVERIFY(chromium.waitForFinished(120000));
    const QByteArray wanted = QStringLiteral("data-lit=\"%1/%1 then 0/0\"").arg(second).toUtf8();
    QVERIFY2(chromium.readAllStandardOutput().contains(wanted), wanted.constData());
  }

  /// Of what a scenario keeps, its study takes the place of the computed one, and its plans stand side by
  /// side.
  void whatIsKeptIsShown() {
    const QString plain = sample("llama2-7b-h100-128");
    const QString plan = m_dir.filePath("plan.json");
    QCOMPARE(run({"export", plain, "--as", "plan", "-o", plan}).code, 0);
    QFile own(plan);
    QVERIFY(own.open(QIODevice::ReadOnly));
    const QByteArray first = page(plain, "first.html");
    const std::string inside = nest::embeddedIn({first.data(), static_cast<std::size_t>(first.size())}).text;
    QJsonObject s = QJsonDocument::fromJson(QByteArray::fromStdString(inside)).object();
    QJsonObject kept = QJsonDocument::fromJson(own.readAll()).object();
    for (const char* key : {"format", "version"}) kept.remove(QLatin1String(key));
    QJsonObject job = s["job"].toObject();
    job["global_batch"] = 512;
    s["kept_plans"] = QJsonArray{
        QJsonObject{{"name", "Twice the <batch>"}, {"plan", kept}, {"setting", QJsonObject{{"job", job}}}}};
    const auto value = [](double x, const char* text) { return QJsonObject{{"x", x}, {"text", text}}; };
    const auto result = [](double y, const char* text) {
      return QJsonObject{{"y", y}, {"text", text}, {"plan", "TP2"}};
    };
    s["moments"] = QJsonArray{QJsonObject{
        {"view", "study"},
        {"study", QJsonObject{{"quantity", "Step time, s"},
                              {"across_name", "microbatches"},
                              {"across", QJsonArray{value(1, "one"), value(2, "two")}},
                              {"results", QJsonArray{result(2, "2.00 s"), result(1, "1.00 s")}}}}}};
    QFile file(m_dir.filePath("kept.nest.json"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QJsonDocument(s).toJson());
    file.close();
    const QByteArray html = page(file.fileName(), "kept.html");
    QVERIFY(html.contains("id=\"figure-compare\"") && html.contains(">Twice the &lt;batch&gt;</td>"));
    QVERIFY(html.contains("2.00 s at one to 1.00 s at two"));
    QVERIFY(!html.contains("% of linear"));
    QVERIFY(page(file.fileName(), "kept.pdf").startsWith("%PDF-"));
  }

  /// Opened again, it gives the same answer, whatever files stood beside the scenario.
  void theScenarioIsInside() {
    const QByteArray html = page(sample("llama2-7b-h100-128"), "b.html");
    const std::string inside = nest::embeddedIn({html.data(), static_cast<std::size_t>(html.size())}).text;
    QVERIFY(!inside.empty());
    const QString before =
        run({"solve", sample("llama2-7b-h100-128"), "--json"}).json()["batch_time_s"].toVariant().toString();
    const Ran after = run({"solve", "-", "--json"}, QByteArray::fromStdString(inside));
    QCOMPARE(after.code, 0);
    QCOMPARE(after.json()["batch_time_s"].toVariant().toString(), before);
    QVERIFY(page(sample("llama2-7b-h100-128"), "b.pdf").startsWith("%PDF-"));
    for (const char* name : {"b.html", "b.pdf"}) {
      const Ran opened = run({"solve", m_dir.filePath(name), "--json"});
      QVERIFY2(opened.code == 0, qPrintable(opened.err));
      QCOMPARE(opened.json()["batch_time_s"].toVariant().toString(), before);
    }
  }

  /// A picture that somebody was sent is opened as the plan that it shows.
  void figuresOpenAgain() {
    const QString folder = m_dir.filePath("figures");
    const Ran made = runProgram("nest-explorer",
                                {"--export", folder, "--view", "stages", "--", sample("llama2-7b-h100-128")});
    QCOMPARE(made.code, 0);
    const QString before =
        run({"solve", sample("llama2-7b-h100-128"), "--json"}).json()["batch_time_s"].toVariant().toString();
    for (const char* name : {"stages.svg", "stages.png", "stages.pdf"}) {
      const Ran opened = run({"solve", folder + '/' + name, "--json"});
      QVERIFY2(opened.code == 0, qPrintable(opened.err));
      QCOMPARE(opened.json()["batch_time_s"].toVariant().toString(), before);
    }
  }

  /// Names may hold anything; a page shows it and runs none of it.
  void namesAreNoMarkup() {
    QJsonObject s = QJsonDocument::fromJson([] {
                      QFile f(sample("teaching-6-layers-2x2"));
                      return f.open(QIODevice::ReadOnly) ? f.readAll() : QByteArray();
                    }())
                        .object();
    s["name"] = "<script>x()</script> & \"a\"";
    s["description"] = "</script><!--<script><img src=x onerror=x()>";
    QFile file(m_dir.filePath("evil.nest.json"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QJsonDocument(s).toJson());
    file.close();
    const QByteArray html = page(file.fileName(), "evil.html");
    QVERIFY(html.contains("&lt;script&gt;x()&lt;/script&gt; &amp; &quot;a&quot;"));
    QVERIFY(!html.contains("<script>x()") && !html.contains("<img") && !html.contains("<!--"));
    QCOMPARE(html.count("</script>"), 2);
  }

  void whatDoesNotFitIsSaid() {
    const QByteArray html = page(sample("llama3-70b-a100-16-too-small"), "none.html", 1);
    QVERIFY(html.contains("<b>Does not fit.</b>") && html.contains("Each of these would make one fit:"));
  }

  /// From one scenario to another: the cause, both plans, and both scenarios inside.
  void twoScenariosGiveTheirDifference() {
    const QString before = sample("llama3-70b-h100-1024"), after = m_dir.filePath("after.nest.json");
    const QByteArray first = page(before, "first.html");
    const std::string inside = nest::embeddedIn({first.data(), static_cast<std::size_t>(first.size())}).text;
    QJsonObject s = QJsonDocument::fromJson(QByteArray::fromStdString(inside)).object();
    QVERIFY(!s.isEmpty());
    QJsonObject job = s["job"].toObject();
    job["global_batch"] = job["global_batch"].toInt() / 2;
    s["job"] = job, s["name"] = "Half the batch";
    QFile file(after);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QJsonDocument(s).toJson());
    file.close();
    for (const char* name : {"d.html", "d.pdf"}) {
      const QString difference = m_dir.filePath(name);
      const Ran r = run({"report", before, after, "-o", difference});
      QVERIFY2(r.code == 0, qPrintable(r.all()));
      // It opens as the second.
      QCOMPARE(run({"solve", difference, "--json"}).json()["batch_time_s"],
               run({"solve", after, "--json"}).json()["batch_time_s"]);
    }
    QFile html(m_dir.filePath("d.html"));
    QVERIFY(html.open(QIODevice::ReadOnly));
    const QByteArray text = html.readAll();
    QVERIFY(text.size() < 2'000'000);
    for (const char* part :
         {"slower per token", "→ Half the batch", "global batch 2,048 → 1,024", "id=\"figure-difference\"",
          "id=\"figure-stages-first\"", "id=\"figure-memory-second\"", "errs by ±", "id=\"nest-scenario-1\"",
          "data-from=\"nest-scenario\"", "Save llama3-70b-h100-1024.nest.json"})
      QVERIFY2(text.contains(part), part);
    QCOMPARE(text.count("id=\"assumptions\""), 1);  // both rest on the same
    // One that does not fit is set against one that does.
    const QString none = m_dir.filePath("one-fits.html");
    QCOMPARE(run({"report", before, sample("llama3-70b-a100-16-too-small"), "-o", none}).code, 1);
    QFile written(none);
    QVERIFY(written.open(QIODevice::ReadOnly));
    QVERIFY(written.readAll().contains("Only the first fits: "));
  }

  /// Of one name, as both sides of a what-if are, each is named by its side; the scenarios inside keep it.
  void sidesOfOneNameAreNamed() {
    const QString one = sample("llama3-70b-h100-1024"), same = m_dir.filePath("same.html");
    QCOMPARE(run({"report", one, one, "-o", same}).code, 0);
    QFile written(same);
    QVERIFY(written.open(QIODevice::ReadOnly));
    const QByteArray html = written.readAll(), name = "Llama-3 70B on 1,024 H100";
    QVERIFY(html.contains(name + ", before → " + name + ", after"));
    QVERIFY(html.contains("Stages: " + name + ", before") && html.contains("Stages: " + name + ", after"));
    QVERIFY(html.contains("\"name\": \"" + name + "\"") && !html.contains("\"name\": \"" + name + ", "));
  }

  /// A deck is sent as its plan is; pictures of a heatmap come in both colours.
  void slidesGiveAPage() {
    const QByteArray first = page(sample("llama2-7b-h100-128"), "plan.html");
    const std::string inside = nest::embeddedIn({first.data(), static_cast<std::size_t>(first.size())}).text;
    QJsonObject s = QJsonDocument::fromJson(QByteArray::fromStdString(inside)).object();
    s["moments"] = QJsonArray{QJsonObject{{"view", "stages"}, {"caption", "Balance <b>matters</b>"}},
                              QJsonObject{{"view", "communication"}, {"notes", "not for the audience"}}};
    QFile file(m_dir.filePath("deck.nest.json"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QJsonDocument(s).toJson());
    file.close();
    const Ran r = run({"report", "--slides", file.fileName(), "-o", m_dir.filePath("deck.html")});
    QVERIFY2(r.code == 0 && r.err.isEmpty(), qPrintable(r.all()));
    QFile deck(m_dir.filePath("deck.html"));
    QVERIFY(deck.open(QIODevice::ReadOnly));
    const QByteArray text = deck.readAll();
    QVERIFY(text.contains("id=\"figure-slide-2\"") && !text.contains("id=\"figure-slide-3\""));
    const QByteArray shown = text.mid(text.indexOf("<body>"));
    QVERIFY(shown.contains(">Balance &lt;b&gt;matters&lt;/b&gt;</text>") &&
            !shown.contains("not for the audience"));
    QCOMPARE(shown.count("<image class=\"on-light\""), shown.count("<image class=\"on-dark\""));
    QVERIFY(shown.count("<image class=\"on-light\"") > 0);
    QCOMPARE(run({"report", "--slides", sample("llama2-7b-h100-128"), "-o", m_dir.filePath("x.html")}).code,
             2);
    QCOMPARE(run({"report", "--slides", file.fileName(), "-o", m_dir.filePath("x.pdf")}).code, 2);
  }

  /// Each answer, and what gives it away, is behind a click.
  void aLessonGivesAPage() {
    QFile lesson(QStringLiteral(NEST_SOURCE_DIR "/samples/lessons/slow-link.lesson.json"));
    QVERIFY(lesson.open(QIODevice::ReadOnly));
    const QByteArray source = lesson.readAll();
    const QByteArray html = page(lesson.fileName(), "lesson.html");
    const auto kinds = [&](const char* kind) {
      return source.count(QByteArray("\"kind\": \"") + kind + '"');
    };
    const auto questions = kinds("number") + kinds("choose") + kinds("draw");
    QVERIFY(questions > 0 && kinds("reveal") > 0);
    QCOMPARE(html.count("<summary>Answer</summary>"), questions);
    QCOMPARE(html.count("<summary>What comes out</summary>"), kinds("reveal"));
    QCOMPARE(html.count("<details>"), html.count("</details>"));
    QVERIFY(html.contains("<svg") && !html.contains("{base") && html.size() < 2'000'000);
    QCOMPARE(run({"solve", m_dir.filePath("lesson.html")}).code, 0);
    QCOMPARE(run({"report", lesson.fileName(), "-o", m_dir.filePath("lesson.pdf")}).code, 2);
    // Bars to draw are listed as those that are given.
    const QByteArray bars = page(
        QStringLiteral(NEST_SOURCE_DIR "/resources/lessons/class-02-tp-stays-in-the-host.json"), "bars.html");
    QVERIFY(bars.contains("TP 1</th><td class=\"l\">1.20 s") && bars.contains("TP 8</th><td class=\"l\">?"));
  }

  void misuseIsRefused() {
    QCOMPARE(run({"report"}).code, 2);
    const QString teaching = sample("teaching-6-layers-2x2");
    QCOMPARE(run({"report", teaching, teaching, teaching}).code, 2);
    QCOMPARE(run({"report", sample("teaching-6-layers-2x2"), "-o", "x.txt"}).code, 2);
    QCOMPARE(run({"report", "/none.nest.json", "-o", m_dir.filePath("n.html")}).code, 2);
    QVERIFY(!QFile::exists(m_dir.filePath("n.html")));
    QCOMPARE(run({"report", sample("teaching-6-layers-2x2"), "-o", "/none/x.html"}).code, 2);
  }
};

NEST_TEST(TestReport)
#include "test_report.moc"
