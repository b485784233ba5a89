#include "editors/what_if/what_if_field.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "cluster/graph/graph_kinds.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr int kMostKinds = 6;  ///< of drawn links that have sliders

QString from(const std::string& s) {
  return QString::fromStdString(s);
}
LevelSpec& levelOf(Scenario& s, std::size_t l) {
  return std::get<LevelsSource>(s.cluster.network).levels[l];
}
const LevelSpec& levelOf(const Scenario& s, std::size_t l) {
  return std::get<LevelsSource>(s.cluster.network).levels[l];
}

/// What a scenario's file holds; counts are ints there.
std::optional<double> within(double v, double least, double most) {
  return v >= least && v <= most ? std::optional(v) : std::nullopt;
}

std::optional<double> readCount(const QString& text) {
  bool ok = false;
  const double v = QString(text).remove(QLatin1Char(',')).trimmed().toDouble(&ok);
  return ok ? within(std::round(v), 1, 1 << 24) : std::nullopt;
}

std::optional<double> readLatency(const QString& text) {
  const auto v = text::readTime(text.toStdString());
  return v ? within(v->value(), 0, 1e3) : std::nullopt;
}

/// "989 TFLOP/s", "1.2 PFLOP/s"; a bare number is in TFLOP/s.
std::optional<double> readRate(QString text) {
  const bool peta = text.contains(QLatin1String("PFLOP"), Qt::CaseInsensitive);
  for (const char* unit : {"PFLOP/s", "TFLOP/s"}) text.remove(QLatin1String(unit), Qt::CaseInsensitive);
  bool ok = false;
  const double v = text.trimmed().toDouble(&ok) * (peta ? 1e15 : 1e12);
  return ok ? within(v, 1e6, 1e21) : std::nullopt;
}

double unitOf(text::BandwidthUnit unit) {
  return unit == text::BandwidthUnit::GigabitsPerSecond ? 1e9 / 8 : 1e9;
}

/// Bandwidth and latency of all links of a drawn network that are alike.
void addLinks(std::vector<WhatIfField>& all, const NetworkGraph& network, const graph::Kind& kind) {
  const std::vector<int>& links = kind.members;
  const auto first = [links](const Scenario& s) -> const NetworkLink& {
    return std::get<GraphSource>(s.cluster.network).graph.links[static_cast<std::size_t>(links.front())];
  };
  const auto holds = [links](const Scenario& s) {
    const auto* g = std::get_if<GraphSource>(&s.cluster.network);
    return g && static_cast<std::size_t>(links.back()) < g->graph.links.size();
  };
  const auto edited = [links, holds](Scenario& s, const std::function<void(NetworkLink&)>& change) {
    if (!holds(s)) return;
    for (int l : links)
      change(std::get<GraphSource>(s.cluster.network).graph.links[static_cast<std::size_t>(l)]);
  };
  WhatIfField b;
  // By an example: several kinds may join the same sorts of nodes.
  const NetworkLink& example = network.links[static_cast<std::size_t>(links.front())];
  const QString ends = from(network.nodes[static_cast<std::size_t>(example.from)].name) +
                       QStringLiteral(" – ") + from(network.nodes[static_cast<std::size_t>(example.to)].name);
  b.group = links.size() == 1 ? QCoreApplication::translate("nest::WhatIfField", "Link %1").arg(ends)
                              : QCoreApplication::translate("nest::WhatIfField", "Link %1 and %2 like it")
                                    .arg(ends, from(text::count(static_cast<long long>(links.size()) - 1)));
  b.members = QString::number(qHashRange(links.begin(), links.end()), 16);
  b.id = QStringLiteral("links%1.bandwidth").arg(links.front());
  b.name = kind.parallel > 1
               ? QCoreApplication::translate("nest::WhatIfField", "Bandwidth, each of %1").arg(kind.parallel)
               : QCoreApplication::translate("nest::WhatIfField", "Bandwidth");
  b.unit = 1e9;
  b.least = kind.bandwidth.value() / 16, b.most = kind.bandwidth.value() * 16;
  b.value = [first, holds](const Scenario& s) { return holds(s) ? first(s).bandwidth.value() : 0; };
  b.set = [edited](Scenario& s, double v) {
    edited(s, [v](NetworkLink& l) { l.bandwidth = BytesPerSecond(v), l.origin = Origin::Typed; });
  };
  b.text = [](double v) { return from(text::bandwidth(BytesPerSecond(v))); };
  b.read = [](const QString& t) -> std::optional<double> {
    const auto v = text::readBandwidth(t.toStdString());
    return v ? within(v->value.value(), 1, 1e15) : std::nullopt;
  };
  all.push_back(b);
  if (!(kind.latency.value() > 0)) return;
  WhatIfField a = b;
  a.id = QStringLiteral("links%1.latency").arg(links.front());
  a.name = QCoreApplication::translate("nest::WhatIfField", "Latency");
  a.unit = 1;
  a.least = kind.latency.value() / 16, a.most = kind.latency.value() * 64;
  a.value = [first, holds](const Scenario& s) { return holds(s) ? first(s).latency.value() : 0; };
  a.set = [edited](Scenario& s, double v) { edited(s, [v](NetworkLink& l) { l.latency = Seconds(v); }); };
  a.text = [](double v) { return from(text::time(Seconds(v))); };
  a.read = readLatency;
  all.push_back(a);
}

/// What a job offers up to `most`: what it offers already, doubled from there.
void offerMicrobatches(Scenario& s, int most) {
  auto& all = s.job.microbatches;
  std::sort(all.begin(), all.end());
  std::erase_if(all, [most](int b) { return b > most; });
  if (all.empty()) all.push_back(most);
  while (all.back() * 2 <= most) all.push_back(all.back() * 2);
  if (all.back() != most) all.push_back(most);
}

void addLevel(std::vector<WhatIfField>& all, const LevelSpec& level, std::size_t l) {
  const QString group = level.name.empty()
                            ? QCoreApplication::translate("nest::WhatIfField", "Level %1").arg(l)
                            : from(level.name);
  WhatIfField b;
  b.id = QStringLiteral("level%1.bandwidth").arg(l), b.group = group,
  b.name = QCoreApplication::translate("nest::WhatIfField", "Bandwidth");
  b.unit = unitOf(level.shownAs);
  if (level.oversubscription != 1) {
    b.name += QStringLiteral(" ÷ ") + from(text::number(level.oversubscription));
    b.tip = QCoreApplication::translate("nest::WhatIfField",
                                        "As typed; what counts is this ÷ %1, the oversubscription")
                .arg(from(text::number(level.oversubscription)));
  }
  b.least = level.bandwidth.value() / 16, b.most = level.bandwidth.value() * 16;
  b.value = [l](const Scenario& s) { return levelOf(s, l).bandwidth.value(); };
  b.set = [l](Scenario& s, double v) {
    levelOf(s, l).bandwidth = BytesPerSecond(v), levelOf(s, l).origin = Origin::Typed;
  };
  b.text = [unit = level.shownAs](double v) { return from(text::bandwidth(BytesPerSecond(v), unit)); };
  b.read = [unit = level.shownAs](const QString& t) -> std::optional<double> {
    const auto v = text::readBandwidth(t.toStdString(), unit);
    return v ? within(v->value.value(), 1, 1e15) : std::nullopt;
  };
  all.push_back(b);
  if (level.latency.value() > 0) {
    WhatIfField a;
    a.id = QStringLiteral("level%1.latency").arg(l), a.group = group,
    a.name = QCoreApplication::translate("nest::WhatIfField", "Latency");
    a.least = level.latency.value() / 16, a.most = level.latency.value() * 64;
    a.value = [l](const Scenario& s) { return levelOf(s, l).latency.value(); };
    a.set = [l](Scenario& s, double v) { levelOf(s, l).latency = Seconds(v); };
    a.text = [](double v) { return from(text::time(Seconds(v))); };
    a.read = readLatency;
    all.push_back(a);
  }
  WhatIfField n;
  n.id = QStringLiteral("level%1.fanout").arg(l), n.group = group, n.whole = true;
  n.name = l == 0 ? QCoreApplication::translate("nest::WhatIfField", "Devices in each")
                  : QCoreApplication::translate("nest::WhatIfField", "Groups in each");
  n.least = 1, n.most = std::max(64, level.fanout * 8);
  n.value = [l](const Scenario& s) { return levelOf(s, l).fanout; };
  n.set = [l](Scenario& s, double v) { levelOf(s, l).fanout = static_cast<int>(v); };
  n.text = [](double v) { return from(text::count(static_cast<long long>(v))); };
  n.read = readCount;
  all.push_back(n);
}

}  // namespace

double WhatIfField::at(int step) const {
  const double v = least * std::pow(most / least, static_cast<double>(step) / kSteps);
  if (doubling > 0)
    return std::max(1.0, std::round(doubling * std::pow(2.0, std::round(std::log2(v / doubling)))));
  if (whole) return std::max(1.0, std::round(v));
  // Two digits: a slider that says 37.382 GB/s promises a precision that nobody meant.
  const double round = std::pow(10.0, std::floor(std::log10(v / unit)) - 1) * unit;
  return std::round(v / round) * round;
}

int WhatIfField::stepOf(double v) const {
  if (!(v > least)) return 0;
  return std::clamp(static_cast<int>(std::lround(std::log(v / least) / std::log(most / least) * kSteps)), 0,
                    kSteps);
}

std::vector<WhatIfField> whatIfFields(const Scenario& s) {
  std::vector<WhatIfField> all;
  if (const auto* levels = std::get_if<LevelsSource>(&s.cluster.network); levels && levels->hostSizes.empty())
    for (std::size_t l = 0; l < levels->levels.size(); ++l) addLevel(all, levels->levels[l], l);
  if (const auto* drawn = std::get_if<GraphSource>(&s.cluster.network)) {
    int kinds = 0;
    for (const graph::Kind& kind : graph::kindsOf(drawn->graph))
      if (kind.of == graph::Kind::Of::Link && !kind.failed && kinds++ < kMostKinds)
        addLinks(all, drawn->graph, kind);
  }

  const DeviceSpec& device = s.cluster.device;
  WhatIfField memory;
  memory.id = QStringLiteral("device.memory"),
  memory.group = QCoreApplication::translate("nest::WhatIfField", "Device"),
  memory.name = QCoreApplication::translate("nest::WhatIfField", "Memory");
  memory.least = device.memory.value.value() / 8, memory.most = device.memory.value.value() * 8;
  memory.unit = 1024.0 * 1024 * 1024;
  memory.value = [](const Scenario& x) { return x.cluster.device.memory.value.value(); };
  memory.set = [](Scenario& x, double v) { x.cluster.device.memory = {Bytes(v), Origin::Typed, {}}; };
  memory.text = [](double v) { return from(text::memory(Bytes(v))); };
  memory.read = [](const QString& t) -> std::optional<double> {
    const auto v = text::readMemory(t.toStdString());
    return v ? within(v->value(), 1e3, 1e15) : std::nullopt;
  };
  all.push_back(memory);

  WhatIfField speed;
  speed.id = QStringLiteral("device.peak"),
  speed.group = QCoreApplication::translate("nest::WhatIfField", "Device"),
  speed.name = QCoreApplication::translate("nest::WhatIfField", "Peak rate");
  speed.least = device.peak.value.value() / 8, speed.most = device.peak.value.value() * 8;
  speed.value = [](const Scenario& x) { return x.cluster.device.peak.value.value(); };
  speed.set = [](Scenario& x, double v) { x.cluster.device.peak = {FlopsPerSecond(v), Origin::Typed, {}}; };
  speed.text = [](double v) { return from(text::flops(FlopsPerSecond(v))); };
  speed.read = readRate;
  if (s.model.architecture) all.push_back(speed);

  const auto count = [&all](const QString& id, const QString& name, double now, double most, auto value,
                            auto set) {
    WhatIfField f;
    f.id = id, f.group = QCoreApplication::translate("nest::WhatIfField", "Job"), f.name = name,
    f.whole = true;
    f.doubling = now;
    f.least = std::max(1.0, std::floor(now / 64)), f.most = std::max(2.0, std::min(most, now * 64));
    f.value = value, f.set = set;
    f.text = [](double v) { return from(text::count(static_cast<long long>(v))); };
    f.read = readCount;
    all.push_back(f);
  };
  count(
      QStringLiteral("job.batch"), QCoreApplication::translate("nest::WhatIfField", "Global batch"),
      s.job.globalBatch, 1e6, [](const Scenario& x) -> double { return x.job.globalBatch; },
      [](Scenario& x, double v) { x.job.globalBatch = static_cast<int>(v); });
  if (s.model.architecture && !s.job.microbatches.empty())
    count(
        QStringLiteral("job.microbatch"),
        QCoreApplication::translate("nest::WhatIfField", "Largest microbatch"),
        *std::max_element(s.job.microbatches.begin(), s.job.microbatches.end()), 4096,
        [](const Scenario& x) -> double {
          const auto& sizes = x.job.microbatches;
          return sizes.empty() ? 1 : *std::max_element(sizes.begin(), sizes.end());
        },
        [](Scenario& x, double v) { offerMicrobatches(x, static_cast<int>(v)); });
  if (s.model.architecture)
    count(
        QStringLiteral("job.sequence"), QCoreApplication::translate("nest::WhatIfField", "Sequence length"),
        s.job.sequenceLength, 4e6, [](const Scenario& x) -> double { return x.job.sequenceLength; },
        [](Scenario& x, double v) { x.job.sequenceLength = static_cast<int>(v); });
  return all;
}

}  // namespace nest
