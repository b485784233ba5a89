#pragma once

#include <QDir>
#include <QImage>
#include <algorithm>
#include <cstdlib>
#include <map>
#include <vector>

#include "support/test_main.h"
#include "test_paths.h"

/// Pictures against pictures that someone has looked at, in tests/golden. NEST_WRITE_GOLDEN=1 writes them
/// anew: look at what changed before committing it.
namespace nest::test {

/// Antialiasing may differ a little from one rasteriser to the next; a figure that is drawn otherwise differs
/// more: in all of it, or in one place, as where a label is missing.
inline constexpr int kChannelTolerance = 40;
inline constexpr double kShareTolerance = 0.002;
inline constexpr int kPlaceWidth = 32, kPlaceHeight = 12, kPlaceStep = 4;  ///< pixels; a short label
inline constexpr double kPlaceTolerance = 0.15;

inline int distanceOf(QRgb p, QRgb q) {
  return std::max(
      {std::abs(qRed(p) - qRed(q)), std::abs(qGreen(p) - qGreen(q)), std::abs(qBlue(p) - qBlue(q))});
}

struct PictureDifference {
  double share = 0;       ///< of the picture's pixels
  double worstPlace = 0;  ///< largest share of a place's pixels
  bool tolerable() const { return share <= kShareTolerance && worstPlace <= kPlaceTolerance; }
};

/// Of pictures of one size.
inline PictureDifference differenceOf(const QImage& a, const QImage& b) {
  const auto differ = [&](int x, int y) {
    return distanceOf(a.pixel(x, y), b.pixel(x, y)) > kChannelTolerance;
  };
  // sums[y][x]: how many differ above y and left of x.
  const int width = a.width(), height = a.height();
  std::vector<int> sums((width + 1) * (height + 1));
  const auto sum = [&](int x, int y) -> int& { return sums[static_cast<std::size_t>(y * (width + 1) + x)]; };
  for (int y = 0; y < height; ++y)
    for (int x = 0, row = 0; x < width; ++x) {
      row += differ(x, y);
      sum(x + 1, y + 1) = sum(x + 1, y) + row;
    }
  PictureDifference d;
  d.share = static_cast<double>(sum(width, height)) / (static_cast<double>(width) * height);
  for (int y = 0; y + kPlaceHeight <= height; y += kPlaceStep)
    for (int x = 0; x + kPlaceWidth <= width; x += kPlaceStep) {
      const int right = x + kPlaceWidth, below = y + kPlaceHeight;
      const int here = sum(right, below) - sum(x, below) - sum(right, y) + sum(x, y);
      d.worstPlace = std::max(d.worstPlace, static_cast<double>(here) / (kPlaceWidth * kPlaceHeight));
    }
  return d;
}

/// Few colours, none far from what it stands for: a figure then takes a third of the bytes, without another
/// look.
inline QImage withPalette(const QImage& image) {
  std::map<QRgb, int> count;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) ++count[image.pixel(x, y) | 0xff000000U];
  std::vector<std::pair<int, QRgb>> order;
  for (const auto& [colour, n] : count) order.emplace_back(n, colour);
  std::sort(order.rbegin(), order.rend());
  QList<QRgb> table;
  for (int within = 0; table.isEmpty() || table.size() > 256; within += 2) {
    table.clear();
    for (const auto& [n, colour] : order)
      if (std::none_of(table.begin(), table.end(), [&](QRgb c) { return distanceOf(c, colour) <= within; }))
        table << colour;
  }
  return image.convertToFormat(QImage::Format_Indexed8, table, Qt::ThresholdDither);
}

inline QString goldenDir() {
  return QStringLiteral(NEST_SOURCE_DIR) + QStringLiteral("/tests/golden");
}

/// Empty: the picture is as it was. Otherwise what to say about it.
inline QString differenceFromGolden(const QImage& now, const QString& name) {
  const QString path = QStringLiteral("%1/%2.png").arg(goldenDir(), name);
  if (qEnvironmentVariableIsSet("NEST_WRITE_GOLDEN")) {
    const bool written = QDir().mkpath(goldenDir()) && withPalette(now).save(path, "PNG", 0);
    return written ? QString() : QStringLiteral("%1 cannot be written").arg(path);
  }
  const QImage then(path);
  if (then.isNull()) return QStringLiteral("%1 cannot be read").arg(path);
  if (now.size() != then.size()) return QStringLiteral("%1 has another size").arg(path);
  const PictureDifference d = differenceOf(now, then.convertToFormat(QImage::Format_RGB32));
  if (d.tolerable()) return {};
  const QString saved = QDir::temp().filePath(name + QStringLiteral("-now.png"));
  now.save(saved);
  return QStringLiteral("%1 % of the picture differs from %2, %3 % in one place; it is now %4")
      .arg(d.share * 100)
      .arg(path)
      .arg(d.worstPlace * 100)
      .arg(saved);
}

}  // namespace nest::test
