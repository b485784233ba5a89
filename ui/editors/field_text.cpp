#include "editors/field_text.h"

#include <QRegularExpression>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "units/text.h"

namespace nest::field {

std::optional<int> readWhole(const QString& text, int least, int most) {
  QString digits = text;
  digits.remove(QRegularExpression(QStringLiteral("[\\s,_']")));
  bool ok = false;
  const qlonglong v = digits.toLongLong(&ok);
  if (!ok || v < least || v > most) return std::nullopt;
  return static_cast<int>(v);
}

std::optional<std::vector<int>> readWholeList(const QString& text, int least, int most) {
  std::vector<int> all;
  for (const QString& part : text.split(QRegularExpression(QStringLiteral("[\\s,;]+")), Qt::SkipEmptyParts)) {
    const auto v = readWhole(part, least, most);
    if (!v) return std::nullopt;
    all.push_back(*v);
  }
  if (all.empty()) return std::nullopt;
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

QString listText(const std::vector<int>& values) {
  QStringList parts;
  for (const int v : values) parts += QString::number(v);
  return parts.join(QStringLiteral(", "));
}

std::optional<Bound> readBound(const QString& text) {
  const QString t = text.simplified().toLower();
  if (t.isEmpty() || t == QLatin1String("any")) return Bound{};
  static const QRegularExpression one(QStringLiteral("^(≤|<=|≥|>=|=)?\\s*(\\d{1,9})$"));
  static const QRegularExpression span(QStringLiteral("^(\\d{1,9})\\s*(?:–|-|\\.\\.|to)\\s*(\\d{1,9})$"));
  if (const auto m = one.match(t); m.hasMatch()) {
    const int v = m.captured(2).toInt();
    const QString sign = m.captured(1);
    if (sign == QStringLiteral("≤") || sign == QLatin1String("<=")) return Bound{std::nullopt, v};
    if (sign == QStringLiteral("≥") || sign == QLatin1String(">=")) return Bound{v, std::nullopt};
    return Bound{v, v};
  }
  if (const auto m = span.match(t); m.hasMatch()) {
    const Bound b{m.captured(1).toInt(), m.captured(2).toInt()};
    if (*b.least <= *b.most) return b;
  }
  return std::nullopt;
}

QString boundText(const Bound& b) {
  if (!b.least && !b.most) return QStringLiteral("any");
  if (!b.least) return QStringLiteral("≤ %1").arg(*b.most);
  if (!b.most) return QStringLiteral("≥ %1").arg(*b.least);
  if (*b.least == *b.most) return QString::number(*b.least);
  return QStringLiteral("%1–%2").arg(*b.least).arg(*b.most);
}

std::optional<std::optional<double>> readTokens(const QString& text) {
  QString t = text.simplified().toLower();
  if (t.isEmpty() || t == QLatin1String("none")) return std::optional<double>{};
  t.remove(QRegularExpression(QStringLiteral("\\s*tokens?$")));
  static const QRegularExpression form(QStringLiteral(
      "^([0-9][0-9.,_ ]*(?:e[+]?[0-9]{1,2})?)\\s*(k|m|b|t|thousand|million|billion|trillion)?$"));
  const auto m = form.match(t);
  if (!m.hasMatch()) return std::nullopt;
  QString digits = m.captured(1);
  digits.remove(QRegularExpression(QStringLiteral("[,_ ]")));
  bool ok = false;
  double v = digits.toDouble(&ok);
  const QString unit = m.captured(2);
  if (unit.startsWith(QLatin1Char('k')) || unit == QLatin1String("thousand"))
    v *= 1e3;
  else if (unit.startsWith(QLatin1Char('m')))
    v *= 1e6;
  else if (unit.startsWith(QLatin1Char('b')))
    v *= 1e9;
  else if (unit.startsWith(QLatin1Char('t')))
    v *= 1e12;
  if (!ok || !std::isfinite(v) || v < 1 || v > 1e18) return std::nullopt;
  return std::optional<double>(v);
}

QString tokensText(const std::optional<double>& tokens) {
  if (!tokens) return {};
  constexpr std::pair<double, const char*> kUnits[] = {{1e12, "T"}, {1e9, "B"}, {1e6, "M"}};
  for (const auto& [size, name] : kUnits)
    if (*tokens >= size)
      return QStringLiteral("%1 %2").arg(QString::number(*tokens / size, 'g', 10), QLatin1String(name));
  return QString::number(*tokens, 'g', 10);
}

std::optional<double> readShare(const QString& text) {
  QString t = text.simplified();
  const bool percent = t.endsWith(QLatin1Char('%'));
  if (percent) t.chop(1);
  bool ok = false;
  double v = t.trimmed().toDouble(&ok);
  if (!ok || !std::isfinite(v)) return std::nullopt;
  if (percent || v > 1) v /= 100;
  if (v < 0 || v > 1) return std::nullopt;
  return v;
}

int doubled(int value, int steps) {
  long long v = std::max(value, 1);
  for (; steps > 0 && v < (1LL << 29); --steps)
    v = static_cast<long long>(1) << static_cast<int>(std::floor(std::log2(v)) + 1);
  for (; steps < 0 && v > 1; ++steps)
    v = static_cast<long long>(1) << static_cast<int>(std::ceil(std::log2(v)) - 1);
  return static_cast<int>(v);
}

}  // namespace nest::field
