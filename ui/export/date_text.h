#pragma once

#include <QDate>
#include <QLocale>
#include <QString>

namespace nest {

/// "27 November 2026", on whatever system.
inline QString dateText(const QDate& date = QDate::currentDate()) {
  return QLocale(QLocale::English).toString(date, QStringLiteral("d MMMM yyyy"));
}

}  // namespace nest
