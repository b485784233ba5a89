#include "export/pdf_pages.h"

#include <QMarginsF>
#include <QPageSize>

namespace nest {
namespace {
constexpr int kResolution = 1200;
}

PdfPages::PdfPages(const QString& title, const QSizeF& page, const EmbeddedScenario& inside)
    : m_buffer(&m_bytes), m_writer((m_buffer.open(QIODevice::WriteOnly), &m_buffer)) {
  m_writer.setResolution(kResolution);
  m_writer.setTitle(title);
  m_writer.setCreator(QStringLiteral("NEST Explorer"));
  m_writer.setPageSize(QPageSize(page * 72.0 / 96.0, QPageSize::Point, {}, QPageSize::ExactMatch));
  m_writer.setPageMargins(QMarginsF(0, 0, 0, 0));
  if (!inside.text.empty()) attach(QString::fromStdString(attachmentName(inside)), inside.text);
  m_painter.begin(&m_writer);
  m_painter.setRenderHint(QPainter::LosslessImageRendering);  // a heatmap is no photograph
  m_painter.scale(kResolution / 96.0, kResolution / 96.0);
}

void PdfPages::attach(const QString& name, const std::string& text) {
  m_writer.addFileAttachment(name, QByteArray::fromStdString(text), QStringLiteral("application/json"));
}

QByteArray PdfPages::finish() {
  m_painter.end();
  m_buffer.close();
  return m_bytes;
}

}  // namespace nest
