// How long the charts take to paint: Pareto front, study curve and grid, accuracy, with tens and with
// thousands of points. Median of 15 paints at 1400 x 850 of a figure that was changed, of one painted again,
// and of finding what the mouse is on and painting it (as on hovering), in ms of processor time.
//   bench_charts [FOLDER] [-platform offscreen]
// With FOLDER also writes each as PNG, SVG and PDF: light, dark and on paper, small and large.
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QImage>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>

#include "../../ui/figures/plan_contexts.h"
#include "export/figure_export.h"
#include "figures/study/accuracy_figure.h"
#include "figures/study/curve_figure.h"
#include "figures/study/front_figure.h"
#include "figures/study/sweep_figure.h"

using namespace nest;

namespace {

PlanContext frontOf(int plans) {
  PlanContext context = test::contextOf({});
  auto outcome = std::make_shared<Outcome>(*context.outcome);
  for (int i = 0; i < plans; ++i) {
    RankedPlan p = *context.plan;
    const double share = static_cast<double>(i) / std::max(1, plans - 1);
    p.plan.dataOuter = std::max(1, context.plan->plan.dataOuter - i * 4 / plans);
    p.evaluation.batchTime = context.plan->evaluation.batchTime * std::pow(10.0, share);
    for (auto& s : p.evaluation.stages)
      s.memory[MemoryPart::Stash] = s.memory[MemoryPart::Stash] * ((1 - share) * (1 + 0.1 * (i % 4)));
    outcome->front.push_back(p);
  }
  outcome->front.front() = *context.plan;
  outcome->frontReach = FrontReach::Complete;
  context.outcome = outcome;
  return context;
}

StudyRecord curveOf(int values) {
  StudyRecord r;
  r.quantity = "Throughput, samples/s", r.acrossName = "devices", r.heldBatch = 1536;
  r.others = {"Manual", "MCMC"};
  for (int i = 0; i < values; ++i) {
    const int x = static_cast<int>(64 * std::pow(2.0, 8.0 * i / values)) + i;
    r.across.push_back({static_cast<double>(x), std::to_string(x), i == values / 2});
    const double y = i == 0 ? 0 : 0.13 * x / (1 + x / 20000.0);
    StudyRecord::Result result{y,
                               std::to_string(y) + " samples/s",
                               "TP 8 · PP 4 · DP " + std::to_string(i),
                               i % 3 == 1 ? "DP" : "",
                               {0.9 * y, i * 10 < values * 7 ? 0.8 * y : 0}};
    if (i == 0) result.none = "does not fit";
    r.results.push_back(result);
  }
  return r;
}

StudyRecord gridOf(int side) {
  StudyRecord r;
  r.quantity = "Throughput, samples/s", r.acrossName = "devices", r.upName = "bandwidth of host";
  for (int i = 1; i <= side; ++i) {
    r.across.push_back({1.0 * i, std::to_string(64 * i), i == 1});
    r.up.push_back({1.0 * i, std::to_string(50 * i) + " GB/s", i == 1});
  }
  for (int i = 0; i < side * side; ++i) {
    const double y = i % 17 == 3 ? 0 : 8.0 * (1 + i % side) * std::sqrt(1.0 + i / side);
    StudyRecord::Result result{
        y, std::to_string(y) + " samples/s", "TP 8 · PP " + std::to_string(i % 7), "", {}};
    if (!(y > 0)) result.none = "does not fit";
    r.results.push_back(result);
  }
  return r;
}

RunPoints runsOf(int runs) {
  RunPoints out;
  out.summary = "Predictions err by 7 % (median)";
  for (int i = 0; i < runs; ++i) {
    RunPoint p;
    p.name = "run " + std::to_string(i), p.program = "megatron", p.device = "h100";
    p.measured = i % 29 == 7 ? 0 : 0.3 * std::pow(100.0, std::fmod(i * 0.618, 1.0));
    p.predicted = (p.measured > 0 ? p.measured : 1.0 + i % 5) * (1 + 0.3 * std::sin(i * 1.7));
    p.fitted = i % 7 == 0, p.experts = i % 3 == 0, p.isCompared = i % 11 != 0, p.fits = i % 2;
    out.points.push_back(p);
  }
  return out;
}

double medianMs(const std::function<void()>& step) {
  std::vector<double> ms;
  for (int k = 0; k < 15; ++k) {
    const std::clock_t before = std::clock();
    step();
    ms.push_back(1e3 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
  }
  std::nth_element(ms.begin(), ms.begin() + 7, ms.end());
  return ms[7];
}

void measure(const QString& name, const Figure& figure, const PlanContext& context,
             const std::function<void()>& change) {
  QImage page(1400, 850, QImage::Format_RGB32);
  const auto paint = [&] {
    QPainter painter(&page);
    figure.paint(painter, QRectF(page.rect()), context, {});
  };
  paint();
  const double changed = medianMs([&] { change(), paint(); });
  const double again = medianMs(paint);
  int step = 0;
  const double hover = medianMs([&] {
    QPainter painter(&page);
    FigureStyle style;
    if (const auto hit =
            figure.hit({100.0 + 80 * (step % 15), 120.0 + 40 * (step % 15)}, QRectF(page.rect()), context))
      style.hovered = hit->item;
    ++step;
    figure.paint(painter, QRectF(page.rect()), context, style);
  });
  std::printf("  %-28s changed %7.2f   again %7.2f   hover %7.2f\n", qPrintable(name), changed, again, hover);
  std::fflush(stdout);
}

void write(const QString& folder, const QString& name, const Figure& figure, const PlanContext& context) {
  const auto put = [&](const QString& file, const QByteArray& bytes) {
    QFile out(QDir(folder).filePath(name + u'-' + file));
    if (out.open(QIODevice::WriteOnly)) out.write(bytes);
  };
  const auto picture = [&](const QString& file, const QSizeF& size, Theme::Kind theme) {
    put(file,
        renderFigure(figure, context, ExportFormat::Png, {size, theme, static_cast<int>(size.width())}));
  };
  picture(QStringLiteral("print.png"), {900, 560}, Theme::Kind::Print);
  picture(QStringLiteral("light.png"), {900, 560}, Theme::Kind::Light);
  picture(QStringLiteral("dark.png"), {900, 560}, Theme::Kind::Dark);
  picture(QStringLiteral("small.png"), {320, 240}, Theme::Kind::Light);
  picture(QStringLiteral("large.png"), {3840, 2160}, Theme::Kind::Light);
  put(QStringLiteral("print.svg"), renderFigure(figure, context, ExportFormat::Svg, {{900, 560}}));
  put(QStringLiteral("print.pdf"), renderFigure(figure, context, ExportFormat::Pdf, {{900, 560}}));
}

}  // namespace

int main(int argc, char** argv) {
  QApplication app(argc, argv);
  const QString folder = app.arguments().value(1);
  if (!folder.isEmpty()) QDir().mkpath(folder);
  for (const int points : {12, 400, 4000, 10000}) {
    const auto each = [&](const char* title, const Figure& figure, const PlanContext& context,
                          const std::function<void()>& change) {
      const QString name = QStringLiteral("%1-%2").arg(QLatin1String(title)).arg(points);
      measure(name, figure, context, change);
      if (!folder.isEmpty() && points < 4000) write(folder, name, figure, context);
    };
    PlanContext front = frontOf(points);
    each("front", FrontFigure(), front, [&] { front.outcome = std::make_shared<Outcome>(*front.outcome); });
    CurveFigure curve;
    const StudyRecord record = curveOf(points);
    curve.setRecord(record);
    each("curve", curve, front, [&] { curve.setRecord(record); });
    SweepFigure sweep;
    const StudyRecord grid = gridOf(static_cast<int>(std::sqrt(points)));
    sweep.setRecord(grid);
    each("sweep", sweep, front, [&] { sweep.setRecord(grid); });
    AccuracyFigure accuracy;
    const RunPoints runs = runsOf(points);
    accuracy.setRuns(runs, QStringLiteral("published runs"));
    each("accuracy", accuracy, front, [&] { accuracy.setRuns(runs, QStringLiteral("published runs")); });
  }
}
