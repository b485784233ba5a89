#include <QtTest/QTest>
#include <algorithm>
#include <map>
#include <set>

#include "cluster/devices/device_catalog.h"
#include "core/formats/launch_fixture.h"
#include "fields/program_setting.h"
#include "formats/launch/launch_assumptions.h"

using namespace nest;
using namespace nest::test;
using Kind = Encoding::Kind;

namespace {

/// What resources/programs.json may set that plans are priced with.
bool isPriced(const std::string& field) {
  return field.starts_with("/assumptions/") || field.starts_with("/model/") || field.starts_with("/job/");
}

bool reads(const Program& p, const LaunchTarget& t) {
  return std::find(p.launches.begin(), p.launches.end(), t.id) != p.launches.end();
}

/// One stage of all layers, or two.
Plan planOf(int replicas, const Strategy& strategy, int zero, Recompute recompute, bool staged = false) {
  Plan p = plan(replicas, 1);
  if (!staged) {
    p.stages.resize(1);
    for (int l = 4; l < 9; ++l) p.stages[0].chunks[0].push_back(LayerIndex(l));
  }
  for (auto& s : p.stages) s.strategy = strategy, s.recompute = recompute;
  p.zero = zero;
  return p;
}

std::vector<Plan> plans() {
  return {planOf(4, {2, true, 1, 2, true}, 1, Recompute::None),
          planOf(4, {2, true, 1, 2, true}, 2, Recompute::None),
          planOf(4, {1, false, 1, 4, true}, 3, Recompute::Full),
          planOf(4, {2, true, 1, 1}, 1, Recompute::Full),
          planOf(4, {2, true, 1, 1}, 2, Recompute::Selective),
          planOf(4, {2, true, 1, 1}, 0, Recompute::Selective),
          planOf(4, {2, true, 1, 1}, 0, Recompute::None),
          planOf(4, {1, false, 2, 1}, 2, Recompute::None),
          planOf(4, {1, false, 2, 1}, 1, Recompute::None),
          planOf(2, {2, false, 1, 1}, 0, Recompute::None, true),
          planOf(2, {2, false, 1, 1}, 2, Recompute::None, true),
          planOf(1, {2, true, 1, 1}, 0, Recompute::None, true),
          planOf(2, {1, false, 1, 1}, 3, Recompute::None, true)};
}

Fixture modelOf(bool experts) {
  Fixture f = teaching([](Scenario& s) { s.cluster.device = *findDevice("h100-sxm"); });
  TransformerArchitecture& m = *f.scenario.model.architecture;
  m.family = experts ? "qwen3_moe" : "llama";
  if (experts) m.experts = ExpertLayers{};
  return f;
}

/// The fixture with its program's values, and one field apart from them.
void price(Fixture& f, const std::string& program, const Field* field = nullptr, FieldValue value = {}) {
  setProgram(f.scenario, *findProgram(program));
  if (field) field->access.set(f.scenario, 0, value);
  f.problem.assumptions = f.scenario.assumptions;
  f.problem.job = f.scenario.job;
}

/// All that a target says of a plan, and whether it takes it.
std::pair<std::string, bool> saidOf(const LaunchTarget& t, const Fixture& f, const Plan& p) {
  const auto r = writeLaunch(t, f.source(), p);
  std::string all = r.value.value_or("");
  for (const Diagnostic& d : r.diagnostics) all += d.message + '\n';
  return {all, r.value.has_value()};
}

/// Values that the programs give a field; of numbers the least and the largest, since a file says on or off.
std::vector<FieldValue> valuesOf(const Field& field) {
  std::vector<FieldValue> out;
  for (const Program& p : programs()) {
    const FieldValue v = field.access.get(usualSetting(p.id), 0);
    if (std::find(out.begin(), out.end(), v) == out.end()) out.push_back(v);
  }
  if (field.kind() != FieldKind::Number || out.size() < 3) return out;
  const auto [least, most] = std::minmax_element(out.begin(), out.end(), [](const auto& x, const auto& y) {
    return std::get<double>(x) < std::get<double>(y);
  });
  return {*least, *most};
}

}  // namespace

class TestLaunchAssumptions : public QObject {
  Q_OBJECT
private slots:
  void everyFieldThatAProgramPricesHasAnEntry() {
    std::set<std::string> entries;
    for (const LaunchAssumption& a : launchAssumptions()) {
      QVERIFY2(findField(a.field), a.field);
      QVERIFY2(entries.insert(a.field).second, a.field);
    }
    for (const Program& p : programs())
      for (const ProgramValue& v : p.values)
        QVERIFY2(!isPriced(v.field) || entries.contains(v.field),
                 (p.id + ": launch files are not told of " + v.field).c_str());
  }
  /// What a framework does whatever its files say cannot differ between the programs that read them.
  void whatHoldsAlwaysHoldsForAllItsPrograms() {
    for (const LaunchTarget* t : programTargets())
      for (const LaunchAssumption& a : launchAssumptions()) {
        if (a.encoding(*t).kind != Kind::Always) continue;
        std::optional<FieldValue> first;
        for (const Program& p : programs()) {
          if (!reads(p, *t)) continue;
          const FieldValue v = findField(a.field)->access.get(usualSetting(p.id), 0);
          QVERIFY2(v == first.value_or(v), (std::string(t->id) + ": " + a.field + " of " + p.id).c_str());
          first = v;
        }
      }
  }
  /// Every value that some program has of an option, and every one that a framework does not do, is seen in
  /// its files or told.
  void anotherValueIsWrittenOrWarnedOf() {
    std::map<const LaunchTarget*, int> options, refusals;
    for (const bool experts : {false, true})
      for (const Plan& p : plans())
        for (const LaunchTarget* t : programTargets()) {
          Fixture f = modelOf(experts);
          price(f, "ideal");
          if (!saidOf(*t, f, p).second) continue;
          const ReportSource source = f.source();
          const LaunchPlan launch(source, p, *t);
          for (const LaunchAssumption& a : launchAssumptions()) {
            const Encoding& encoding = a.encoding(*t);
            if (a.matters && !a.matters(launch)) continue;
            const Field& field = *findField(a.field);
            std::vector<std::string> seen;
            for (const FieldValue& v : valuesOf(field)) {
              const bool isOwn = std::any_of(programs().begin(), programs().end(), [&](const Program& x) {
                return (reads(x, *t) || x.id == kIdealProgram) &&
                       field.access.get(usualSetting(x.id), 0) == v;
              });
              if (encoding.kind == Kind::Always && isOwn) continue;
              if (encoding.kind != Kind::Always && encoding.kind != Kind::Option) continue;
              Fixture g = modelOf(experts);
              price(g, "ideal", &field, v);
              const std::string said = saidOf(*t, g, p).first;
              const std::string what = std::string(t->id) + ' ' + a.field;
              if (encoding.kind == Kind::Always) {
                QVERIFY2(said.find(field.label + " = ") != std::string::npos, what.c_str());
                ++refusals[t];
                continue;
              }
              for (const std::string& other : seen) QVERIFY2(said != other, what.c_str());
              seen.push_back(said);
              ++options[t];
            }
          }
        }
    for (const LaunchTarget* t : programTargets()) {
      QVERIFY2(options[t] >= 10, t->id.data());
      QVERIFY2(refusals[t] >= 10, t->id.data());
    }
  }
  void filesSayWhatTheirProgramsAssume_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("target");
    QTest::addColumn<int>("experts");
    QTest::addColumn<QStringList>("parts");
    QTest::addColumn<QStringList>("without");
    const auto row = [](const char* program, const LaunchTarget& t, int experts, const QStringList& parts,
                        const QStringList& without = {}) {
      QTest::addRow("%s %s %d", program, t.id.data(), experts)
          << program << QString::fromUtf8(t.id) << experts << parts << without;
    };
    row("megatron-bridge-2025", to("megatron"), 0,
        {"--tp-comm-overlap\n", "--cross-entropy-loss-fusion\n", "--overlap-grad-reduce\n"});
    row("megatron-core-2025", to("megatron"), 0, {}, {"--tp-comm-overlap", "loss-fusion"});
    row("megatron-2021", to("megatron"), 0,
        {"--no-gradient-accumulation-fusion\n", "--attention-backend unfused\n"}, {"--overlap-grad-reduce"});
    row("megatron-bridge-2025", to("megatron"), 2,
        {"--moe-token-dispatcher-type flex\n", "--moe-flex-dispatcher-backend deepep\n",
         "--moe-router-dtype fp32\n"});
    row("megatron-core-2025", to("megatron"), 2, {"--moe-token-dispatcher-type alltoall\n"}, {"deepep"});
    row("megatron-bridge-2025", to("megatron"), 1, {"--moe-token-dispatcher-type alltoall\n"});
    row("megatron-bridge-2025", to("megatron-bridge"), 2,
        {"++comm_overlap=null\n",
         "++comm_overlap._target_=megatron.bridge.training.comm_overlap.CommOverlapConfig\n",
         "++comm_overlap.tp_comm_overlap=true\n", "++comm_overlap.overlap_grad_reduce=true\n",
         "++model.cross_entropy_loss_fusion=true\n", "++model.moe_token_dispatcher_type=flex\n",
         "++model.moe_flex_dispatcher_backend=deepep\n", "++model.moe_shared_expert_overlap=false\n"});
    row("megatron-core-2025", to("megatron-bridge"), 2,
        {"++comm_overlap.tp_comm_overlap=false\n", "++model.cross_entropy_loss_fusion=false\n",
         "++model.moe_token_dispatcher_type=alltoall\n"});
    row("megatron-bridge-2025", to("nemo"), 2,
        {"MegatronCommOverlapCallback, tp_comm_overlap=True", "config.moe_enable_deepep = True\n",
         "config.moe_token_dispatcher_type = \"flex\"\n"});
    row("torchtitan-2024", to("torchtitan"), 0,
        {"[compile]\nenable = false\n", "enable_async_tensor_parallel = false\n",
         "context_parallel_rotate_method = \"allgather\"\n"});
    row("torchtitan-2024-compiled", to("torchtitan"), 0,
        {"[compile]\nenable = true\n", "enable_async_tensor_parallel = false\n"});
    row("torchtitan-2026", to("torchtitan"), 0,
        {"[compile]\nenable = true\n", "enable_async_tensor_parallel = true\n"});
    row("torchtitan-2026", to("torchtitan-py"), 0,
        {"config.compile.enable = True\n", "config.compile.enable_async_tensor_parallel = True\n"});
    row("nemo-automodel-2025", to("torchtitan"), 2, {"expert_parallel_comm_backend = \"deepep\"\n"});
    row("nanotron", to("nanotron"), 0,
        {"tp_linear_async_communication: true\n", "tp_recompute_allgather: true\n"});
  }
  void filesSayWhatTheirProgramsAssume() {
    QFETCH(QString, program);
    QFETCH(QString, target);
    QFETCH(int, experts);
    QFETCH(QStringList, parts);
    QFETCH(QStringList, without);
    const LaunchTarget& t = to(target.toStdString());
    const bool titan = t.id == "torchtitan" || t.id == "torchtitan-py";
    Fixture f = modelOf(experts > 0);
    price(f, program.toStdString());
    std::string all;
    for (const Strategy& s :
         {Strategy{2, true, 1, std::max(1, experts), titan && experts > 1}, Strategy{1, false, 2, 1}}) {
      if (experts > 0 && s.context > 1) continue;
      const auto r = writeLaunch(t, f.source(), planOf(4, s, titan ? 2 : 1, Recompute::None));
      QVERIFY2(r, codes(r.diagnostics, Severity::Error).c_str());
      all += *r;
    }
    for (const QString& part : parts)
      QVERIFY2(all.find(part.toStdString()) != std::string::npos, all.c_str());
    for (const QString& part : without)
      QVERIFY2(all.find(part.toStdString()) == std::string::npos, all.c_str());
  }
  void whatAFileCannotSayIsTold() {
    const auto told = [](const char* device, const std::string& program, const LaunchTarget& t,
                         const Plan& p) {
      Fixture f = modelOf(true);
      Fixture other = teaching([&](Scenario& s) { s.cluster.device = *findDevice(device); });
      f.problem.cluster = other.problem.cluster;
      price(f, program);
      std::string out;
      for (const Diagnostic& d : writeLaunch(t, f.source(), p).diagnostics)
        if (d.code == "assumption") out += d.message + '\n';
      return out;
    };
    const Plan spread = planOf(4, {1, false, 1, 4}, 1, Recompute::None);
    const std::string program = "megatron-bridge-2025";
    QCOMPARE(told("h100-sxm", program, to("megatron"), spread), std::string());
    QVERIFY(told("mi300x", program, to("megatron"), spread).find("Expert exchange = ") != std::string::npos);
    QVERIFY(told("b200", program, to("nemo"), spread).find("flex dispatcher") != std::string::npos);
    QCOMPARE(told("b200", program, to("megatron-bridge"), spread), std::string());
    // Userbuffers need sequence parallelism.
    Fixture f = modelOf(false);
    price(f, program);
    const auto r = writeLaunch(to("megatron"), f.source(), planOf(2, {2, false, 1, 1}, 1, Recompute::None));
    QVERIFY(r && !has(r, "tp-comm-overlap"));
    QVERIFY(codes(r.diagnostics, Severity::Warning).find("assumption") != std::string::npos);
    // Expert exchanges beside another microbatch: only with virtual stages where there is a pipeline.
    Fixture g = modelOf(true);
    price(g, program, findField("/assumptions/overlap/expert"), 0.45);
    QVERIFY(has(writeLaunch(to("megatron"), g.source(), spread), "--overlap-moe-expert-parallel-comm\n"));
    const Plan staged = planOf(4, {1, false, 1, 4}, 1, Recompute::None, true);
    const auto left = writeLaunch(to("megatron"), g.source(), staged);
    QVERIFY(left && !has(left, "overlap-moe"));
    QVERIFY(codes(left.diagnostics, Severity::Warning).find("assumption") != std::string::npos);
  }
};
NEST_TEST(TestLaunchAssumptions)
#include "test_launch_assumptions.moc"
