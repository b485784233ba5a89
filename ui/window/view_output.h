#pragma once

#include "catalogue/report.h"
#include "document/planning_session.h"

namespace nest {

class MessageBar;
class ViewsArea;

/// What leaves the window: figures as files and on the clipboard. Told in the message bar.
void exportFront(const ViewsArea&, MessageBar&);  ///< the view in front
void copyFront(const ViewsArea&, MessageBar&, bool asImage);
/// A page about the difference of the two plans that the view in front compares, HTML or PDF, to send; asks
/// where to, beginning in `folder`.
void exportDifference(QWidget* window, const QString& folder, const ViewsArea&, MessageBar&);
/// Asks where a page goes; empty: nowhere.
QString askForPage(QWidget* window, const QString& title, const QString& folder, const QString& name);
ReportFormat pageFormatOf(const QString& path);
/// What a page at this path calls its scenario, and today's date.
ReportChoice choiceFor(const QString& path);
void writeAndReport(const QString& path, const QByteArray& content, MessageBar&);

}  // namespace nest
