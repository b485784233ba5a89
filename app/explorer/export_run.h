#pragma once

#include <QString>

#include "catalogue/export_all.h"

namespace nest {

/// Solves a scenario (empty: the default sample) and writes its figures into `folder`; says on standard
/// output and error what it did and which figures it left out, and why. Returns the exit code: 0 done, 1 no
/// plan fits (the nearest miss is written), 2 bad input or unwritable, 3 stopped before a plan was found.
int runExport(const QString& folder, const QString& scenario, const ExportChoice&);

/// Solves a scenario and writes a page about it, HTML or PDF by the file's ending. Returns what runExport()
/// does.
int writeReport(const QString& file, const QStringList& scenarios);
int writeSlides(const QString& file, const QString& scenario);

/// For file managers: the network with the best plan that is found within two seconds on it, or with none, as
/// PNG of at most `pixels` in width and height. Returns 0, or 2 where the scenario or the place is bad.
int writeThumbnail(const QString& picture, int pixels, const QString& scenario, Theme::Kind);

}  // namespace nest
