#include "moments/moments_pdf.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QMarginsF>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>

#include "document/kept_plans.h"
#include "moments/moment_edits.h"
#include "moments/moment_sight.h"

namespace nest {

QByteArray momentsAsPdf(const Scenario& s, const PlanContextPtr& own) {
  constexpr int kResolution = 1200;
  constexpr double kMargin = 36, kCaption = 56, kFoot = 26;
  const Theme& theme = Theme::of(Theme::Kind::Print);
  QByteArray out;
  QBuffer buffer(&out);
  buffer.open(QIODevice::WriteOnly);
  QPdfWriter writer(&buffer);
  writer.setResolution(kResolution);
  writer.setTitle(QString::fromStdString(s.name));
  writer.setCreator(QStringLiteral("NEST Explorer"));
  writer.setPageSize(QPageSize(kSlide * 72.0 / 96.0, QPageSize::Point, {}, QPageSize::ExactMatch));
  writer.setPageMargins(QMarginsF(0, 0, 0, 0));
  QPainter painter(&writer);
  painter.setRenderHint(QPainter::LosslessImageRendering);  // a heatmap is no photograph
  painter.scale(kResolution / 96.0, kResolution / 96.0);
  KeptContexts contexts;
  for (std::size_t i = 0; i < s.moments.size(); ++i) {
    if (i > 0) writer.newPage();
    const SavedMoment& moment = s.moments[i];
    const MomentSight sight(moment, contextOf(moment, s, own, contexts), s, Theme::Kind::Print, nullptr);
    const QRectF page = QRectF(QPointF(), kSlide).adjusted(kMargin, kMargin / 2, -kMargin, -kMargin / 3);
    painter.setPen(theme.color(Theme::Role::Text));
    painter.setFont(Theme::font(24, true));
    painter.drawText(QRectF(page.left(), page.top(), page.width(), kCaption),
                     Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap, sight.caption());
    painter.save();
    sight.paint(painter, page.adjusted(0, kCaption, 0, -kFoot));
    painter.restore();
    painter.setPen(theme.color(Theme::Role::MutedText));
    painter.setFont(Theme::font(12));
    const QRectF foot(page.left(), page.bottom() - kFoot, page.width(), kFoot);
    painter.drawText(foot, Qt::AlignLeft | Qt::AlignBottom, QString::fromStdString(s.name));
    painter.drawText(
        foot, Qt::AlignRight | Qt::AlignBottom,
        QCoreApplication::translate("nest::MomentShow", "%1 of %2").arg(i + 1).arg(s.moments.size()));
  }
  painter.end();
  return out;
}

}  // namespace nest
