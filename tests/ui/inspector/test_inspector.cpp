#include <QAbstractItemModelTester>
#include <QAbstractTextDocumentLayout>
#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QMenu>
#include <QTest>
#include <QTextBlock>
#include <QTextDocument>
#include <QTextLayout>
#include <QTimer>
#include <QTreeView>

#include "evaluation/traffic.h"
#include "figures/paint/phrases.h"
#include "figures/plan/kinds.h"
#include "inspector/inspector.h"
#include "inspector/selection_facts.h"
#include "inspector/term_model.h"
#include "support/desk.h"
#include "theme/appearance.h"

using namespace nest;
using test::Desk;

namespace {

/// The inspector beside a solved sample, and its parts.
struct Opened {
  Desk desk;
  Inspector inspector{desk.selection};

  Opened() {
    inspector.setContext(desk.snapshot());
    inspector.resize(420, 800);
    inspector.show();
    (void)QTest::qWaitForWindowExposed(&inspector);
  }
  QTreeView& tree() const { return *inspector.findChild<QTreeView*>(); }
  QLabel& detail() const {
    for (auto* label : inspector.findChildren<QLabel*>())
      if (label->accessibleName() == QStringLiteral("Formula of the chosen term")) return *label;
    qFatal("the inspector has no detail");
  }
  QString currentId() const { return tree().currentIndex().data(TermModel::kIdRole).toString(); }
};

void eachIndex(const QAbstractItemModel& model, const QModelIndex& at,
               const std::function<void(const QModelIndex&)>& visit) {
  for (int r = 0; r < model.rowCount(at); ++r) {
    visit(model.index(r, 0, at));
    eachIndex(model, model.index(r, 0, at), visit);
  }
}

}  // namespace

class TestInspector : public QObject {
  Q_OBJECT
private slots:
  /// A search that ends while it is open takes the term away that it was opened on.
  void aMenuOutlivesItsTerm() {
    Opened o;
    const QModelIndex term = o.tree().model()->index(0, 0);
    QVERIFY(term.isValid());
    QTimer::singleShot(0, &o.inspector, [&] {
      auto* menu = o.inspector.findChild<QMenu*>();
      QVERIFY(menu);
      o.inspector.setContext(std::make_shared<PlanContext>());
      QTest::qWait(300);  // it follows shortly after
      for (QAction* action : menu->actions()) action->trigger();
      menu->close();
    });
    Q_EMIT o.tree().customContextMenuRequested(o.tree().visualRect(term).center());
    QVERIFY(!QApplication::clipboard()->text().isEmpty());
  }

  /// A part of a stage's time has the name that the figures give it.
  void aPartHasOneName() {
    Desk desk;
    const StageEvaluation& e = desk.context.plan->evaluation.stages[1];
    const auto parts = loadParts(e);
    std::map<QString, QString> rows;
    for (const auto& [name, value] : factsOf(desk.context, SelectionItem{ItemKind::Stage, 1}).rows)
      QVERIFY2(rows.emplace(name, value).second, qPrintable(name));
    for (int k = 0; k < kLoadPartsInLoad; ++k)
      if (const Seconds t(parts[std::size_t(k)]); t > Seconds(0))
        QCOMPARE(rows[nameOf(LoadPart(k))], timeText(t));
  }
  void aPairTellsWhatItExchanges() {
    Desk desk;
    const auto told = [&](const SelectionItem& item, const PlanContext& c) {
      const Facts f = factsOf(c, item);
      QString out = f.title;
      for (const auto& [name, value] : f.rows) out += u'\n' + name + QStringLiteral(": ") + value;
      return out;
    };
    const QString inHost = told({ItemKind::Pair, 0, -1, 1}, desk.context);
    for (const char* word : {"host0 #0 and host0 #1", "Joined by: host",
                             "Bandwidth: ", "Latency: ", "TP communication, each way: ", " per step, "})
      QVERIFY2(inHost.contains(QLatin1String(word)), qPrintable(inHost));
    const QString across = told({ItemKind::Pair, 0, 0, 1}, desk.context);
    QVERIFY2(across.startsWith(QStringLiteral("host0 and host1\n")), qPrintable(across));
    QVERIFY2(across.contains(QStringLiteral("PP communication")), qPrintable(across));
    // The numbers are those of the traffic.
    const Traffic traffic(*desk.context.problem, *desk.context.shownPlan());
    ExchangeMask tensor{};
    tensor[Exchange::Tensor] = true;
    const auto cells = traffic.matrix({0, 1, 2, 3, 4}, tensor);
    QVERIFY(
        inHost.contains(QString::fromStdString(text::memory(cells.bytes[cells.cell(0, 1)]) + " per step")));
    // Without a plan it says how the two are joined, and a pair that does not exist is passed over.
    PlanContext bare = desk.context;
    bare.plan = nullptr, bare.outcome = nullptr;
    QVERIFY(told({ItemKind::Pair, 0, -1, 1}, bare).contains(QStringLiteral("Joined by")));
    QVERIFY(!told({ItemKind::Pair, 0, -1, 999}, desk.context).contains(QStringLiteral("Joined by")));
    desk.selection.setSelected(SelectionItem{ItemKind::Pair, 0, -1, 1});
    Inspector inspector(desk.selection);
    inspector.setContext(desk.snapshot());
    inspector.show();
    QTRY_VERIFY(inspector.asText().contains(QStringLiteral("TP communication")));
  }

  void namesOfFactsFollowTheTheme() {
    Opened o;
    const auto written = [&](Theme::Kind kind) {
      const QString colour = Theme::of(kind).color(Theme::Role::MutedText).name();
      for (auto* label : o.inspector.findChildren<QLabel*>())
        if (label->text().contains(colour)) return true;
      return false;
    };
    const Theme::Kind before = dressedAs();
    const Theme::Kind other = before == Theme::Kind::Dark ? Theme::Kind::Light : Theme::Kind::Dark;
    QTRY_VERIFY(written(before));
    dress(other);
    QTRY_VERIFY(written(other) && !written(before));
    dress(before);
    QTRY_VERIFY(written(before));
  }
  void theTermsAreAProperModel() {
    const Desk desk;
    TermModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const auto tree = std::make_shared<const CostTerm>(
        explain(*desk.context.problem, desk.context.plan->plan, desk.context.plan->evaluation));
    model.setTree(tree);
    QVERIFY(model.indexOf(QStringLiteral("batch")).isValid());
    model.setTree(tree, 0);
    QVERIFY(!model.indexOf(QStringLiteral("batch")).isValid());
    model.setTree(nullptr);
    QCOMPARE(model.rowCount(), 0);
  }

  void theConstantsStandThereWithTheirSources() {
    const Opened o;
    QTRY_VERIFY(o.tree().model()->rowCount() > 0);
    const QModelIndex i =
        static_cast<const TermModel*>(o.tree().model())->indexOf(QStringLiteral("constants"));
    QVERIFY(i.isValid());
    o.tree().setCurrentIndex(i);
    const QString html = o.detail().text();
    const AnalyticConstants k;
    for (const auto& c : {k.backwardTraffic, k.attentionBackwardWork, k.attentionHalfLength, k.fp32Rate,
                          k.lossTraffic, k.lossWorkspace})
      QVERIFY2(html.contains(QString::fromStdString(c.citation).toHtmlEscaped()), c.citation.c_str());
  }

  /// What is long in one row takes no room from the others: a name wraps only beside a value that needs it
  /// to.
  void namesStayOnOneLine() {
    Desk desk("llama3-70b-h100-1024.nest.json");
    Inspector inspector(desk.selection);
    inspector.setContext(desk.snapshot());
    inspector.resize(330, 800);
    inspector.show();
    QLabel* facts = nullptr;
    const auto written = [&] {
      for (auto* label : inspector.findChildren<QLabel*>())
        if (label->text().contains(QStringLiteral("Step time</font>"))) facts = label;
      return facts != nullptr;
    };
    QTRY_VERIFY(written());
    QTextDocument page;
    page.setDefaultFont(facts->font());
    page.setDocumentMargin(0);
    page.setHtml(facts->text());
    page.setTextWidth(310);
    int names = 0;
    for (QTextBlock b = page.begin(); b.isValid(); b = b.next())
      if (b.text() == QStringLiteral("Time goes to") || b.text() == QStringLiteral("Fullest stage")) {
        (void)page.documentLayout()->blockBoundingRect(b);
        QVERIFY2(b.layout()->lineCount() == 1, qPrintable(b.text()));
        ++names;
      }
    QCOMPARE(names, 2);
  }

  /// What only lists values has no number of its own.
  void aProgramWithoutValuesShowsNone() {
    const Opened o;
    QTRY_VERIFY(o.tree().model()->rowCount() > 0);
    const auto* model = static_cast<const TermModel*>(o.tree().model());
    const QModelIndex program = model->indexOf(QStringLiteral("program"));
    QVERIFY(program.isValid() && model->term(program)->inputs.empty());
    QCOMPARE(program.siblingAtColumn(TermModel::Value).data().toString(), QString());
    o.tree().setCurrentIndex(program);
    QVERIFY2(!o.detail().text().contains(QStringLiteral("= 0")), qPrintable(o.detail().text()));
    const QModelIndex constants = model->indexOf(QStringLiteral("constants"));
    QCOMPARE(constants.siblingAtColumn(TermModel::Value).data().toString(),
             QStringLiteral("%1 values").arg(model->term(constants)->inputs.size()));
  }

  /// Every figure opens into a formula, and what has no parts says where each of its inputs comes from.
  void everyFigureOpens() {
    const Opened o;
    QTRY_VERIFY(o.tree().model()->rowCount() > 0);
    int opened = 0, sourced = 0;
    eachIndex(*o.tree().model(), {}, [&](const QModelIndex& i) {
      o.tree().setCurrentIndex(i);
      const QString html = o.detail().text();
      const CostTerm* term = static_cast<const TermModel*>(o.tree().model())->term(i);
      QVERIFY2(!term->formula.empty(), term->id.c_str());
      QVERIFY2(html.contains(QString::fromStdString(term->formula).toHtmlEscaped()), term->id.c_str());
      for (const TermInput& in : term->inputs) {
        QVERIFY2(!in.meaning.empty(), term->id.c_str());
        QVERIFY2(html.contains(QString::fromStdString(in.meaning).toHtmlEscaped()), term->id.c_str());
        ++sourced;
      }
      QVERIFY2(!html.contains(QStringLiteral("<br>0 ×")) && !html.contains(QStringLiteral("= <br>")) &&
                   !html.endsWith(QStringLiteral("= ")),
               qPrintable(html));
      // What is nothing needs no source.
      QVERIFY2(!term->children.empty() || !term->inputs.empty() || term->reference || term->value == 0,
               term->id.c_str());
      ++opened;
    });
    QVERIFY(opened > 20);
    QVERIFY(sourced > 20);
  }

  void aLinkLeadsToItsTerm() {
    const Opened o;
    QTRY_VERIFY(o.tree().model()->rowCount() > 0);
    QCOMPARE(o.currentId(), QStringLiteral("batch"));
    QVERIFY(o.detail().text().contains(QStringLiteral("href='term:")));
    const auto* model = static_cast<const TermModel*>(o.tree().model());
    int followed = 0;
    for (const CostTerm& part : model->term(o.tree().currentIndex())->children) {
      Q_EMIT o.detail().linkActivated(QStringLiteral("term:") + QString::fromStdString(part.id));
      QCOMPARE(o.currentId(), QString::fromStdString(part.id));
      ++followed;
    }
    QVERIFY(followed > 0);
  }

  void aLinkLeadsOutOfTheStageAndToItsLevel() {
    Opened o;
    QTRY_VERIFY(o.tree().model()->rowCount() > 0);
    o.desk.selection.setSelected(SelectionItem{ItemKind::Stage, 0});
    QVERIFY(o.currentId() != QStringLiteral("batch"));
    Q_EMIT o.detail().linkActivated(QStringLiteral("term:batch"));
    QCOMPARE(o.currentId(), QStringLiteral("batch"));
    Q_EMIT o.detail().linkActivated(QStringLiteral("level:1"));
    QCOMPARE(*o.desk.selection.selected(), (SelectionItem{ItemKind::Level, 1}));
    QVERIFY2(o.inspector.asText().startsWith(QStringLiteral("Level 1")), qPrintable(o.inspector.asText()));
    QVERIFY(o.inspector.asText().contains(QStringLiteral("Bandwidth")));
  }

  /// What binds: named for the plan, for every stage, and for a layer and a device through their stage.
  void saysWhatBinds() {
    const Desk desk;
    const auto textOf = [&](const std::optional<SelectionItem>& item) {
      QString all;
      for (const auto& [name, value] : factsOf(desk.context, item).rows) all += name + u'=' + value + u'\n';
      return all;
    };
    QVERIFY(textOf(std::nullopt).contains(QStringLiteral("Time goes to=compute ")));
    for (int i = 0; i < desk.context.plan->plan.stageCount(); ++i)
      QVERIFY(textOf(SelectionItem{ItemKind::Stage, i}).contains(QStringLiteral("Time goes to=")));
    QVERIFY(textOf(SelectionItem{ItemKind::Layer, 2}).contains(QStringLiteral("Time goes to=")));
    QVERIFY(textOf(SelectionItem{ItemKind::Device, 0}).contains(QStringLiteral("Stage=1")));
  }

  /// Layers by their runs, also where chunks lie apart; and no time is said to be spent in memory.
  void factsAreTrue() {
    const Desk desk("llama3-70b-a100-16-too-small.nest.json");
    QVERIFY(desk.context.isNearestMiss());
    const auto valueOf = [](const Facts& facts, const char* name) {
      for (const auto& [key, value] : facts.rows)
        if (key == QLatin1String(name)) return value;
      return QString();
    };
    const Facts plan = factsOf(desk.context, std::nullopt);
    QVERIFY(valueOf(plan, "Time goes to").contains(QStringLiteral("recompute ")));
    QVERIFY(valueOf(plan, "Time goes to").contains(u'%'));
    QVERIFY(!valueOf(plan, "Time goes to").contains(QStringLiteral("memory")));
    const Facts stage = factsOf(desk.context, SelectionItem{ItemKind::Stage, 0});
    QCOMPARE(valueOf(stage, "Layers"), QStringLiteral("embedding, block 1–40 (41)"));
  }

  void saysSoWithoutAPlan() {
    Selection selection;
    Inspector inspector(selection);
    inspector.show();
    for (const ItemKind kind : {ItemKind::Stage, ItemKind::Layer, ItemKind::Device, ItemKind::Level,
                                ItemKind::Group, ItemKind::Pair}) {
      selection.setSelected(SelectionItem{kind, 3, 1, 2});
      QVERIFY(!inspector.asText().trimmed().isEmpty());
    }
    const auto says = [&](const char* words) {
      for (auto* label : inspector.findChildren<QLabel*>())
        if (label->text().contains(QLatin1String(words)) && !label->text().contains(QStringLiteral("Solve ")))
          return true;
      return false;
    };
    QTRY_VERIFY(says("Nothing is open"));
    auto unsolved = std::make_shared<PlanContext>();
    unsolved->scenario = std::make_shared<Scenario>();
    unsolved->problem = std::make_shared<Problem>();
    selection.setSelected(std::nullopt);
    auto search = std::make_shared<SearchState>();
    unsolved->search = search;
    inspector.setContext(unsolved);
    QTRY_VERIFY(says("No plan yet"));
    *search = {.running = true,
               .lasting = true,
               .step = "stages",
               .fraction = 0.4,
               .best = Seconds(16.9),
               .elapsed = Seconds(2)};
    inspector.followSearch();
    QVERIFY(says("Searching stages, 40 % after 2 s; best so far 16.9 s"));
  }
};
NEST_TEST(TestInspector)
#include "test_inspector.moc"
