#include "theme/icon.h"

#include <QApplication>
#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QPixmap>
#include <QSvgRenderer>

namespace nest {
namespace {

class OutlineEngine : public QIconEngine {
public:
  explicit OutlineEngine(QByteArray svg) : m_svg(std::move(svg)) {}

  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override {
    const QPalette palette = QApplication::palette();
    QColor ink =
        palette.color(mode == QIcon::Disabled ? QPalette::Disabled : QPalette::Active, QPalette::ButtonText);
    if (mode == QIcon::Disabled) ink.setAlphaF(0.45F);
    if (mode == QIcon::Selected) ink = palette.color(QPalette::HighlightedText);
    if (mode != QIcon::Disabled && state == QIcon::On) ink = palette.color(QPalette::Highlight);
    QByteArray svg = m_svg;
    svg.replace("currentColor", ink.name(QColor::HexRgb).toLatin1());
    painter->save();
    painter->setOpacity(painter->opacity() * ink.alphaF());
    QSvgRenderer(svg).render(painter, rect);
    painter->restore();
  }
  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
    if (size.isEmpty()) return {};  // of a button that has been squeezed to nothing
    QPixmap p(size);
    p.fill(Qt::transparent);
    QPainter painter(&p);
    paint(&painter, QRect(QPoint(), size), mode, state);
    return p;
  }
  QIconEngine* clone() const override { return new OutlineEngine(*this); }

private:
  QByteArray m_svg;
};

}  // namespace

QIcon themedIcon(const QString& name) {
  QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
  return file.open(QIODevice::ReadOnly) ? QIcon(new OutlineEngine(file.readAll())) : QIcon();
}

}  // namespace nest
