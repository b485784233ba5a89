#include "figures/plan/communication_matrix.h"

#include <algorithm>

#include "figures/paint/figure_painter.h"
#include "figures/paint/phrases.h"
#include "figures/plan/seat_map.h"
#include "units/at.h"

namespace nest {
namespace {

constexpr int kMostBuckets = 512;
constexpr int kReadableBuckets = 256;
constexpr int kFewGroups = 16;  ///< fewer say too little
constexpr int kFewBins = 64;

/// Groups of a level that have devices in [begin, end): [first, last).
std::pair<int, int> groupsWithin(const Hierarchy& h, int level, int begin, int end) {
  return {h.groupOf(level, begin), h.groupOf(level, end - 1) + 1};
}

/// Devices while their cells can be seen, else the innermost groups that are neither too many nor too few
/// within [begin, end). −1 also where there are none: then even bins are compared.
int automaticGroups(const Hierarchy& h, int begin, int end) {
  if (end - begin <= kReadableBuckets) return -1;
  for (int l = 0; l < h.levelCount(); ++l) {
    const auto [first, last] = groupsWithin(h, l, begin, end);
    if (last - first >= kFewGroups && last - first <= kReadableBuckets && h.groupCount(l) <= kMostBuckets)
      return l;
  }
  return -1;
}

/// Bins within [begin, end), as many as can be read, along whole groups where these divide them; what lies
/// before and behind is one bin each.
std::vector<int> binsWithin(const Hierarchy& h, int begin, int end) {
  std::vector<int> starts;
  if (begin > 0) starts.push_back(0);
  const int span = end - begin;
  int size = (span + kReadableBuckets - 1) / kReadableBuckets;
  for (int l = 0; l < h.levelCount() && size > 1; ++l) {
    const int group = h.uniformGroupSize(l);
    // The next whole group, as long as enough bins are left.
    if (group >= size && span / group >= kFewGroups) {
      size = group;
      break;
    }
  }
  for (int at = begin; at < end; at += size) starts.push_back(at);
  starts.push_back(end);
  if (end < h.deviceCount()) starts.push_back(h.deviceCount());
  return starts;
}

Bytes sentOf(const Traffic& traffic, Exchange kind, int alone) {
  return alone >= 0 ? traffic.total(kind, alone) : traffic.total(kind);
}

/// Of the exchanges of one kind and over one level, where the figure shows those alone.
QString bytesSentence(const Traffic& traffic, const PlanContext& c, const std::optional<Exchange>& kind,
                      int alone) {
  double total = 0;
  auto shown = Exchange(0);
  for (int k = 0; k < kExchangeCount; ++k) {
    total += sentOf(traffic, Exchange(k), alone).value();
    if (sentOf(traffic, Exchange(k), alone) > sentOf(traffic, shown, alone)) shown = Exchange(k);
  }
  if (kind) shown = *kind;
  const Bytes sent = sentOf(traffic, shown, alone);
  if (!(total > 0))
    return alone >= 0 ? QStringLiteral("Nothing crosses the %1 level").arg(levelName(c, alone))
                      : QStringLiteral("No device sends anything");
  const QString share = phrase(text::percent(sent.value() / total)), name = nameOfKind(shown);
  // What goes over the innermost level does not leave its group.
  const auto path = [&](int level) {
    return level == 0 ? QStringLiteral("stay inside a %1").arg(levelName(c, level))
                      : QStringLiteral("cross the %1 level").arg(levelName(c, level));
  };
  if (kind && !(sent.value() > 0))
    return alone >= 0 ? QStringLiteral("%1: nothing crosses the %2 level").arg(name, levelName(c, alone))
                      : QStringLiteral("%1: nothing is sent").arg(name);
  if (alone >= 0)
    return kind ? QStringLiteral("%1: %2 per step %3, %4 of all that does")
                      .arg(name, memoryText(sent), path(alone), share)
                : QStringLiteral("%1 per step %2, %3 of it %4")
                      .arg(memoryText(Bytes(total)), path(alone), share, name);
  double outer = 0;
  int level = c.problem->cluster->levelCount() - 1;
  for (; level >= 0 && outer <= 0; --level)
    for (int k = 0; k < kExchangeCount; ++k)
      if (!kind || Exchange(k) == *kind) outer += traffic.total(Exchange(k), level).value();
  const QString crossing = level + 1 == 0
                               ? QStringLiteral("all of it inside a %1").arg(levelName(c, 0))
                               : QStringLiteral("%1 %2").arg(memoryText(Bytes(outer)), path(level + 1));
  return kind ? QStringLiteral("%1: %2 per step, %3 of all; %4").arg(name, memoryText(sent), share, crossing)
              : QStringLiteral("%1 per step, %2 of it %3; %4")
                    .arg(memoryText(Bytes(total)), share, name, crossing);
}

}  // namespace

QColor levelColor(int level, int levels, const Theme& theme) {
  return theme.magnitude(levels > 1 ? 0.12 + 0.88 * level / (levels - 1) : 0.6);
}

QString CommunicationFigure::Matrix::what() const {
  const QString kind = nameOfKind(options.kind);
  return level < 0 ? kind : QStringLiteral("%1 over %2").arg(kind, levelName(context, level));
}

QString CommunicationFigure::Matrix::bucket() const {
  if (grouped) return levelName(context, groups);
  const int size = binSize();
  if (size == 1) return QStringLiteral("device");
  QString out = plural(size, QStringLiteral("device"));
  const Hierarchy& h = *context.problem->cluster;
  for (int l = h.levelCount() - 1; l >= 0; --l)
    if (const int group = h.uniformGroupSize(l); group > 1 && size % group == 0)
      return out + QStringLiteral(" (%1 × %2)").arg(countText(size / group), levelName(context, l));
  return out;
}

QString CommunicationFigure::Matrix::nameOf(int bucket) const {
  const Hierarchy& h = *context.problem->cluster;
  const int begin = cells.starts[at(bucket)], end = cells.starts[at(bucket) + 1];
  if (end - begin == 1) return deviceName(h, begin);
  if (grouped) return phrase(h.groupName(groups, bucket));
  return QStringLiteral("devices %1–%2 (%3)")
      .arg(countText(begin), countText(end - 1), hostSpan(h, begin, end));
}

int CommunicationFigure::Matrix::bucketOf(int device) const {
  return static_cast<int>(std::upper_bound(cells.starts.begin(), cells.starts.end(), device) -
                          cells.starts.begin()) -
         1;
}

double CommunicationFigure::Matrix::positionOf(int device) const {
  if (device >= cells.starts.back()) return cells.buckets();
  const int bucket = bucketOf(device), begin = cells.starts[at(bucket)], end = cells.starts[at(bucket) + 1];
  return bucket + static_cast<double>(device - begin) / (end - begin);
}

/// Of what the cells show: their sum of bytes, or the longest time in any of them.
QString CommunicationFigure::Matrix::sentence() const {
  const QString bytes = bytesSentence(*traffic, context, options.kind, level);
  if (!showsTime()) return bytes;
  const auto found = std::max_element(cells.time.begin(), cells.time.end());
  if (found == cells.time.end() || !(*found > Seconds(0))) return bytes;  // that nothing is sent
  const auto cell = static_cast<std::size_t>(found - cells.time.begin());
  const int n = cells.buckets(), row = static_cast<int>(cell) / n, column = static_cast<int>(cell) % n;
  QString out = options.kind ? nameOfKind(options.kind) + QStringLiteral(": a") : QStringLiteral("A");
  out += QStringLiteral(" device sends for up to %1 per step %2 %3%4")
             .arg(timeText(*found), row == column ? QStringLiteral("within") : QStringLiteral("to"),
                  binSize() > 1 ? QString() : QStringLiteral("one "), bucket());
  out += QStringLiteral("; over the %1 level").arg(levelName(context, cells.level[cell]));
  const auto isAsLong = [&](Seconds t) { return t > *found * (1 - 1e-9); };
  if (std::count_if(cells.time.begin(), cells.time.end(), isAsLong) == 1)
    out += row == column ? QStringLiteral(", inside %1").arg(nameOf(row))
                         : QStringLiteral(", from %1 to %2").arg(nameOf(row), nameOf(column));
  return out;
}

void CommunicationFigure::Matrix::findRuns() {
  const int n = context.problem->cluster->deviceCount();
  const SeatMap seats(*context.shownPlan(), n);
  for (int d = 0; d < n; ++d)
    if (const int stage = seats.at(d).stage; runs.empty() || runs.back().stage != stage)
      runs.push_back({d, d + 1, stage});
    else
      runs.back().end = d + 1;
}

void CommunicationFigure::Matrix::fill() {
  const Hierarchy& h = *context.problem->cluster;
  ExchangeMask mask = kEveryExchange;
  if (options.kind) {
    mask.fill(false);
    mask[*options.kind] = true;
  }
  const bool isWhole = rangeBegin == 0 && rangeEnd == h.deviceCount(),
             automatic = options.groups == Options::kAutomatic;
  groups = automatic ? automaticGroups(h, rangeBegin, rangeEnd) : options.groups;
  grouped = groups >= 0 && groups < h.levelCount() && h.groupCount(groups) <= kMostBuckets;
  level = options.level < h.levelCount() ? options.level : Options::kEveryLevel;
  const std::vector<int> starts = grouped ? groupBuckets(h, groups)
                                  : automatic && isWhole && h.deviceCount() > kReadableBuckets
                                      ? bucketsAlongGroups(h, kFewBins, kReadableBuckets)
                                  : isWhole ? evenBuckets(h, kMostBuckets)
                                            : binsWithin(h, rangeBegin, rangeEnd);
  cells = traffic->matrix(starts, mask, level);
  firstBucket = bucketOf(rangeBegin), lastBucket = bucketOf(rangeEnd - 1) + 1;
  if (showsTime()) {
    const bool isAll = mask == kEveryExchange && level < 0;
    const TrafficMatrix whole = isAll ? cells : traffic->matrix(starts);
    longest = {whole.longest,
               whole.time.empty() ? Seconds(0) : *std::max_element(whole.time.begin(), whole.time.end())};
  }
  double smallest = 0, largest = 0;
  const auto take = [&](double v) {
    if (v <= 0) return;
    smallest = smallest > 0 ? std::min(smallest, v) : v;
    largest = std::max(largest, v);
  };
  const bool time = showsTime();
  for (int row = firstBucket; row < lastBucket; ++row)
    for (int column = firstBucket; column < lastBucket; ++column)
      if (const std::size_t i = cells.cell(row, column); sends(i))
        take(time ? cells.time[i].value() : cells.bytes[i].value());
  scale = MagnitudeScale(smallest, largest, options.logarithmic,
                         time ? MagnitudeScale::Unit::Time : MagnitudeScale::Unit::Data);
  theme = nullptr;
}

const QImage& CommunicationFigure::Matrix::imageFor(const Theme& wanted) {
  if (theme == &wanted) return image;
  theme = &wanted;
  const int n = visible(), levels = context.problem->cluster->levelCount();
  image = QImage(n, n, QImage::Format_RGB32);
  const QRgb nothing = wanted.color(Theme::Role::Canvas).rgb();
  for (int row = 0; row < n; ++row) {
    auto* line = reinterpret_cast<QRgb*>(image.scanLine(row));
    for (int column = 0; column < n; ++column) {
      const std::size_t i = cells.cell(firstBucket + row, firstBucket + column);
      if (!sends(i))
        line[column] = nothing;
      else if (options.value == Value::Level)
        line[column] = levelColor(cells.level[i], levels, wanted).rgb();
      else
        line[column] =
            scale.color(showsTime() ? cells.time[i].value() : cells.bytes[i].value(), wanted).rgb();
    }
  }
  return image;
}

}  // namespace nest
