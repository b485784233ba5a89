#pragma once

#include <QDir>
#include <QImage>
#include <algorithm>
#include <cstdlib>
#include <map>

#include "support/test_main.h"

/// Pictures against pictures that someone has looked at, in tests/golden. NEST_WRITE_GOLDEN=1 writes them
/// anew: look at what changed before committing it.
namespace nest::test {

/// Antialiasing may differ a little from one rasteriser to the next; a figure that is drawn otherwise differs
/// more.
inline constexpr int kChannelTolerance = 40;
inline constexpr double kShareTolerance = 0.02;

inline double shareThatDiffers(const QImage& a, const QImage& b) {
  long long differ = 0;
  for (int y = 0; y < a.height(); ++y)
    for (int x = 0; x < a.width(); ++x) {
      const QRgb p = a.pixel(x, y), q = b.pixel(x, y);
      differ += std::abs(qRed(p) - qRed(q)) > kChannelTolerance ||
                std::abs(qGreen(p) - qGreen(q)) > kChannelTolerance ||
                std::abs(qBlue(p) - qBlue(q)) > kChannelTolerance;
    }
  return static_cast<double>(differ) / (static_cast<double>(a.width()) * a.height());
}

/// The most frequent colours: with them a figure fits a palette, and a third of the bytes, without another
/// look.
inline QImage withPalette(const QImage& image) {
  std::map<QRgb, int> count;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) ++count[image.pixel(x, y) | 0xff000000U];
  std::vector<std::pair<int, QRgb>> order;
  for (const auto& [colour, n] : count) order.emplace_back(n, colour);
  std::sort(order.rbegin(), order.rend());
  QList<QRgb> table;
  for (std::size_t i = 0; i < order.size() && i < 256; ++i) table << order[i].second;
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
  const double share = shareThatDiffers(now, then.convertToFormat(QImage::Format_RGB32));
  if (share <= kShareTolerance) return {};
  const QString saved = QDir::temp().filePath(name + QStringLiteral("-now.png"));
  now.save(saved);
  return QStringLiteral("%1 % of the picture differs from %2; it is now %3")
      .arg(share * 100)
      .arg(path, saved);
}

}  // namespace nest::test
