#pragma once

#include <QByteArray>
#include <QString>

#include "document/plan_context.h"
#include "formats/results/report_page.h"
#include "study/improvements.h"
#include "views/report_sources.h"

namespace nest {

enum class ReportFormat { Html, Pdf };

/// What a report is called and when it was made.
struct ReportChoice {
  QString fileName;  ///< of the scenario, as others are to save it: "llama.nest.json"
  QString date;      ///< "27 November 2026"; empty: none is printed
  QString firstFileName =
      {};  ///< of the first scenario of a difference; empty: that of the second with "before-"
};

/// Program, date, the scenarios and how a reader saves them; figures and style are still to come. The last of
/// the scenarios is what the page opens as.
PageContent pageContent(std::vector<PageScenario>, ReportFormat, const ReportChoice&);

/// A page about a plan to send: finding, figures, tables, what was not searched, assumptions with their
/// sources, and the scenario. HTML stands alone in one file (see writeReportPage()); PDF has A4 pages and the
/// same words. The scenario and its outcome must be there. `improvements`: as reportStudies() finds them;
/// empty where nothing fits.
QByteArray reportOf(const PlanContextPtr&, const ReportSources&, const std::vector<Improvement>& improvements,
                    ReportFormat, const ReportChoice&);
/// The same about two plans: what differs between the scenarios and the plans, and which part of the time
/// makes the difference. Both have a plan, or an outcome that says why not.
QByteArray differenceReportOf(const PlanContextPtr& first, const PlanContextPtr& second, ReportFormat,
                              const ReportChoice&);

}  // namespace nest
