#include <QDir>
#include <QtTest/QTest>
#include <functional>
#include <map>
#include <set>

#include "fields/program_setting.h"
#include "formats/scenario/scenario_json.h"
#include "measures/metrics.h"
#include "run/run_forecast.h"
#include "solver/even_hosts.h"
#include "solver/solve.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;

namespace {

struct Sample {
  Scenario scenario;
  Problem problem;
  Outcome outcome;

  const Plan& plan() const { return outcome.best()->plan; }
  const Evaluation& evaluation() const { return outcome.best()->evaluation; }
  PlanMetrics metrics() const {
    return metricsOf(problem, scenario.model.architecture ? &*scenario.model.architecture : nullptr,
                     *outcome.best());
  }
  /// Outermost level that any stage's communication of a kind crosses; empty: there is none.
  std::string outermost(int StageEvaluation::*level) const {
    int most = -1;
    for (const StageEvaluation& s : evaluation().stages) most = std::max(most, s.*level);
    return most < 0 ? std::string() : problem.cluster->level(most).name;
  }
};

Scenario readSample(const std::string& name) {
  const std::string path = std::string(NEST_SOURCE_DIR) + "/samples/" + name;
  return *readScenario(test::readFile(path), path, [](const std::string& beside) {
            Reading<std::string> out;
            out.value = test::readFile(std::string(NEST_SOURCE_DIR) + "/samples/" + beside);
            return out;
          }).value;
}

const Sample& solved(const std::string& name) {
  static std::map<std::string, Sample> all;
  const auto known = all.find(name);
  if (known != all.end()) return known->second;
  Scenario scenario = readSample(name);
  Problem problem = *buildProblem(scenario).value;
  Outcome outcome = solveOnEvenHosts(problem);
  return all.emplace(name, Sample{std::move(scenario), std::move(problem), std::move(outcome)}).first->second;
}

/// A phrase of a description and what makes it true.
struct Claim {
  const char* sample;
  const char* phrase;
  std::function<bool(const Sample&)> isTrue;
};

constexpr const char* kGpt = "gpt3-175b-h100-1024.nest.json";
constexpr const char* kSeven = "llama2-7b-h100-128.nest.json";
constexpr const char* kSeventy = "llama3-70b-h100-1024.nest.json";
constexpr const char* kTooSmall = "llama3-70b-a100-16-too-small.nest.json";
constexpr const char* kHalfBusy = "qwen3-30b-half-busy-h100-256.nest.json";
constexpr const char* kMixed = "llama3-8b-mixed-h100-a100.nest.json";
constexpr const char* kMixtral = "mixtral-8x7b-tpuv4-512.nest.json";
constexpr const char* kDeepSeek = "published/deepseek-v3-h800-2048.nest.json";
constexpr const char* kLlama405 = "published/llama-3-405b-h100-16384.nest.json";
constexpr const char* kTeaching = "teaching-6-layers-2x2.nest.json";
constexpr const char* kOffers = "three-offers-three-jobs.nest.json";

bool usesTensorIn(const Sample& s, const char* level) {
  return s.plan().stages.front().strategy.tensor > 1 && s.outermost(&StageEvaluation::tensorLevel) == level;
}

bool isOversubscribed(const Sample& s, const char* name, double ratio) {
  const auto& levels = std::get<LevelsSource>(s.scenario.cluster.network).levels;
  return std::any_of(levels.begin(), levels.end(),
                     [&](const LevelSpec& l) { return l.name == name && l.oversubscription == ratio; });
}

std::vector<Claim> claims() {
  return {
      {kGpt, "A deep pipeline (PP 16)", [](const Sample& s) { return s.plan().stageCount() == 16; }},
      {kGpt, "96 identical blocks",
       [](const Sample& s) { return s.scenario.model.architecture->layers == 96; }},
      {kGpt, "Two thirds of the memory stay free",
       [](const Sample& s) {
         const double used = s.metrics().peakMemory / s.metrics().capacity;
         return used < 1 / 3.0 && used > 0.25;
       }},
      {kGpt, "nothing is recomputed",
       [](const Sample& s) {
         return std::all_of(s.plan().stages.begin(), s.plan().stages.end(),
                            [](const StagePlan& p) { return p.recompute == Recompute::None; });
       }},
      {kGpt, "three chunks a stage (VPP 3) make it 8 % faster",
       [](const Sample& s) {
         Problem p = s.problem;
         p.search.chunksPerStage = {1, 3};
         const Outcome o = solve(p);
         const double faster = 1 - o.best()->evaluation.batchTime / s.evaluation().batchTime;
         return o.best()->plan.chunksPerStage() == 3 && faster > 0.075 && faster < 0.085;
       }},
      {kSeven, "a million tokens a batch",
       [](const Sample& s) { return s.problem.job.globalBatch * s.problem.job.sequenceLength == 1 << 20; }},
      {kSeven, "hosts of 8, joined by 100 Gb/s a device",
       [](const Sample& s) {
         return s.problem.cluster->uniformGroupSize(0) == 8 &&
                s.problem.cluster->level(1).bandwidth.value() == 12.5e9;
       }},
      {kSeven, "TP stays inside the host", [](const Sample& s) { return usesTensorIn(s, "host"); }},
      {kSeven, "gradients inside the leaf",
       [](const Sample& s) { return s.outermost(&StageEvaluation::dataLevel) == "leaf"; }},
      {kSeven, "only the pipeline crosses the spine",
       [](const Sample& s) { return s.outermost(&StageEvaluation::activationLevel) == "spine"; }},
      {kSeven, "four times oversubscribed", [](const Sample& s) { return isOversubscribed(s, "spine", 4); }},
      {kSeventy, "too large for a host",
       [](const Sample& s) {
         const OptimizerRegime& r = s.problem.job.optimizer;
         return parameterCount(*s.scenario.model.architecture) *
                    (r.weightBytes + r.gradientBytes + r.optimizerBytes) >
                s.problem.cluster->uniformGroupSize(0) * s.problem.cluster->device().memory.value.value();
       }},
      {kSeventy, "TP inside hosts", [](const Sample& s) { return usesTensorIn(s, "host"); }},
      {kSeventy, "a pipeline of four stages and 64 replicas across a spine",
       [](const Sample& s) {
         return s.plan().stageCount() == 4 && s.plan().dataDegree() == 64 &&
                s.outermost(&StageEvaluation::activationLevel) == "spine" &&
                s.outermost(&StageEvaluation::dataLevel) == "spine";
       }},
      {kSeventy, "four times oversubscribed",
       [](const Sample& s) { return isOversubscribed(s, "spine", 4); }},
      {kSeventy, "Compute still takes most of the step",
       [](const Sample& s) { return s.metrics().share(TimePart::Compute) > 0.6; }},
      {kTooSmall, "does not fit on 16 devices of 40 GB",
       [](const Sample& s) {
         return s.outcome.status == OutcomeStatus::Infeasible && s.problem.cluster->deviceCount() == 16 &&
                s.problem.cluster->device().memory.value.value() == 40 * 1073741824.0;
       }},
      {kTooSmall, "which stage is short, by how much, and what would make it fit",
       [](const Sample& s) {
         const auto& miss = s.outcome.nearestMiss;
         return miss && miss->stage >= 0 && miss->shortfall > Bytes(0) && !miss->remedies.empty();
       }},
      {kHalfBusy, "Sixteen of 32 hosts are idle",
       [](const Sample& s) {
         const UnplannedHosts& u = s.problem.cluster->unplanned();
         return u.allHosts == 32 && u.hosts == 16 && s.problem.cluster->deviceCount() == 16 * 8;
       }},
      {kHalfBusy, "spread over four leaves as 5, 3, 6 and 2",
       [](const Sample& s) {
         std::multiset<int> hosts;
         for (int g = 0; g < s.problem.cluster->groupCount(1); ++g) {
           const auto [begin, end] = s.problem.cluster->groupSpan(1, g);
           hosts.insert((end - begin) / 8);
         }
         return hosts == std::multiset<int>{2, 3, 5, 6};
       }},
      {kHalfBusy, "The plan takes twelve", [](const Sample& s) { return s.plan().devicesUsed() == 12 * 8; }},
      {kHalfBusy, "its first stage fills the leaf with six idle hosts",
       [](const Sample& s) {
         const Hierarchy& cluster = *s.problem.cluster;
         std::set<int> leaves;
         for (int p = 0; p < s.plan().stageWidth(0); ++p)
           leaves.insert(
               cluster.groupOf(1, s.plan().deviceOrder.empty() ? p : s.plan().deviceOrder[p].value));
         const auto [begin, end] = cluster.groupSpan(1, *leaves.begin());
         return leaves.size() == 1 && end - begin == 6 * 8;
       }},
      {kHalfBusy, "no other set or order of hosts is faster",
       [](const Sample& s) {
         return s.outcome.status == OutcomeStatus::Optimal && s.outcome.range == ProofRange::EveryLine;
       }},
      {kMixed, "of which some are in use, two of them in part",
       [](const Sample& s) {
         const UnplannedHosts& u = s.problem.cluster->unplanned();
         return u.allHosts == 8 && u.hosts == 2 && u.partlyHosts == 2;
       }},
      {kMixed, "Stages on A100s get fewer blocks",
       [](const Sample& s) {
         const Hierarchy& cluster = *s.problem.cluster;
         std::size_t slow = 0, fast = std::size_t(s.scenario.model.architecture->layers);
         int first = 0;
         for (int i = 0; i < s.plan().stageCount(); ++i) {
           const StagePlan& stage = s.plan().stages[static_cast<std::size_t>(i)];
           const int width = s.plan().stageWidth(i);
           double least = 1, most = 0;
           for (int p = first; p < first + width; ++p) {
             const DeviceIndex d = s.plan().deviceOrder.empty() ? DeviceIndex(p) : s.plan().deviceOrder[p];
             least = std::min(least, cluster.factor(d).speed), most = std::max(most, cluster.factor(d).speed);
           }
           first += width;
           if (most < 1) slow = std::max(slow, stage.layers().size());
           if (least == 1) fast = std::min(fast, stage.layers().size());
         }
         return slow > 0 && slow < fast;
       }},
      {kMixed, "the plan is within a gap of the best",
       [](const Sample& s) { return s.outcome.status == OutcomeStatus::WithinGap; }},
      {kMixtral, "fully sharded data parallelism (ZeRO-3)",
       [](const Sample& s) { return s.plan().zero == 3; }},
      {kMixtral, "TP inside the tray", [](const Sample& s) { return usesTensorIn(s, "tray"); }},
      {kMixtral, "all-to-all inside the rack",
       [](const Sample& s) { return s.outermost(&StageEvaluation::expertLevel) == "rack"; }},
      {kMixtral, "gradients across the core",
       [](const Sample& s) { return s.outermost(&StageEvaluation::dataLevel) == "core"; }},
      {kDeepSeek, "the published degrees are best: PP 16, EP 64, ZeRO-1 over 128 replicas",
       [](const Sample& s) {
         return s.plan().stageCount() == 16 &&
                s.plan().stages.front().strategy == Strategy{1, false, 1, 64} && s.plan().zero == 1 &&
                s.plan().dataDegree() == 128;
       }},
      {kDeepSeek, "Folded experts would be faster yet, with TP 2",
       [](const Sample& s) {
         Scenario folded = s.scenario;
         folded.search.expertFolding = ExpertFolding::Both;
         const Outcome o = solve(*buildProblem(folded).value);
         const Strategy& best = o.best()->plan.stages.front().strategy;
         return best.foldedExperts && best.tensor == 2 &&
                o.best()->evaluation.batchTime < s.evaluation().batchTime;
       }},
      {kLlama405, "Failures as in its 54 days",
       [](const Sample& s) {
         const auto forecast = runForecastOf(s.problem, s.plan(), s.evaluation());
         return forecast && std::abs(54 * 86400 / 419.0 / forecast->times->mtbf.value() - 1) < 0.01;
       }},
      {kLlama405, "16,384 devices in pods of 3,072",
       [](const Sample& s) {
         return s.plan().devicesUsed() == 16384 && s.problem.cluster->largestGroupSize(1) == 3072;
       }},
      {kLlama405, "seven times oversubscribed",
       [](const Sample& s) { return isOversubscribed(s, "cluster", 7); }},
      {kLlama405, "TP 8 fills a host",
       [](const Sample& s) {
         return s.plan().stages.front().strategy.tensor == 8 && usesTensorIn(s, "host");
       }},
      {kLlama405, "over those that share a pod",
       [](const Sample& s) { return s.problem.search.shardGroups == ShardGroups::Levels; }},
      {kOffers, "512 H100, 512 H200 or 256 B200",
       [](const Sample& s) {
         const auto& offers = s.scenario.purchase.clusters;
         return offers.size() == 3 && offers[0].name == "512 H100" && offers[2].name == "256 B200" &&
                s.problem.cluster->deviceCount() == 512;
       }},
      {kOffers, "1 T tokens of Llama-3 8B and 70B and of Mixtral 8x7B",
       [](const Sample& s) {
         return s.scenario.job.trainingTokens == 1e12 && s.scenario.purchase.jobs.size() == 3;
       }},
      {kOffers, "failure rates are those of the Llama 3 report",
       [](const Sample& s) {
         return s.scenario.run.deviceFailures == 0.0126 && s.scenario.run.hostFailures == 0.02;
       }},
      {kTeaching, "six blocks, two hosts of two devices",
       [](const Sample& s) {
         return s.scenario.model.architecture->layers == 6 && s.problem.cluster->deviceCount() == 4 &&
                s.problem.cluster->uniformGroupSize(0) == 2;
       }},
      {kTeaching, "the optimum equals exhaustive search",
       [](const Sample& s) {
         const Outcome all = solveExhaustively(s.problem);
         return all.best() &&
                std::abs(all.best()->evaluation.batchTime / s.evaluation().batchTime - 1) < 1e-9;
       }},
  };
}

}  // namespace

/// What a sample's description says is what its plan does.
class TestSampleClaims : public QObject {
  Q_OBJECT
private slots:
  void descriptionsAreTrue_data() {
    QTest::addColumn<int>("claim");
    const auto all = claims();
    for (std::size_t i = 0; i < all.size(); ++i)
      QTest::addRow("%s: %s", all[i].sample, all[i].phrase) << static_cast<int>(i);
  }
  void descriptionsAreTrue() {
    QFETCH(int, claim);
    const Claim c = claims()[claim];
    const Sample& s = solved(c.sample);
    QVERIFY2(s.scenario.description.find(c.phrase) != std::string::npos, s.scenario.description.c_str());
    QVERIFY(c.isTrue(s));
  }
  /// Samples as they are trained today name what trains them; those that teach run under none.
  void samplesNameWhatTrainsThem() {
    const std::map<std::string, std::string> programs = {{kGpt, "megatron-bridge-2025"},
                                                         {kSeventy, "megatron-core-2025"},
                                                         {kMixtral, "maxtext"},
                                                         {kDeepSeek, "deepseek-2024"},
                                                         {kHalfBusy, "megatron-bridge-2026"},
                                                         {kMixed, "megatron-core-2025"},
                                                         {kLlama405, "megatron-core-2024"},
                                                         {kSeven, kIdealProgram},
                                                         {kTooSmall, kIdealProgram},
                                                         {kTeaching, kIdealProgram},
                                                         {kOffers, "megatron-core-2025"}};
    for (const auto& [name, program] : programs) QCOMPARE(toText(programUse(solved(name).scenario)), program);
  }
  void everySampleIsHeldToItsWords() {
    const auto all = claims();
    const QDir samples(QString(NEST_SOURCE_DIR) + "/samples");
    QStringList names = samples.entryList({"*.nest.json"});
    for (const QString& name : QDir(samples.filePath("published")).entryList({"*.nest.json"}))
      names << "published/" + name;
    for (const QString& name : names)
      QVERIFY2(std::any_of(all.begin(), all.end(), [&](const Claim& c) { return name == c.sample; }),
               qPrintable(name));
  }
};
NEST_TEST(TestSampleClaims)
#include "test_sample_claims.moc"
