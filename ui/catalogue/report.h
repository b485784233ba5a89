#pragma once

#include <QByteArray>
#include <QString>

#include "document/plan_context.h"

namespace nest {

enum class ReportFormat { Html, Pdf };

/// What a report is called and when it was made.
struct ReportChoice {
  QString fileName;  ///< of the scenario, as others are to save it: "llama.nest.json"
  QString date;      ///< "27 November 2026"; empty: none is printed
};

/// A page about a plan to send: finding, figures, tables, what was not searched, assumptions with their
/// sources, and the scenario. HTML stands alone in one file (see writeReportPage()); PDF has A4 pages and the
/// same words. The scenario and its outcome must be there.
QByteArray reportOf(const PlanContext&, ReportFormat, const ReportChoice&);

}  // namespace nest
