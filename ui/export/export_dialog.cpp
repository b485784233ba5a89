#include "export/export_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "export/save_path.h"
#include "figures/paint/page.h"
#include "figures/paint/phrases.h"

namespace nest {
namespace {

constexpr double kPixelsPerMillimetre = 96 / 25.4;
constexpr QSize kPreview(420, 300);
constexpr double kLeastSide = 20, kMostSide = 8000;
constexpr double kMostPixels = 250e6;  ///< of a PNG: a gigabyte while it is painted

}  // namespace

ExportDialog::ExportDialog(const Figure& figure, const PlanContext& context, QWidget* parent)
    : QDialog(parent), m_figure(figure), m_context(context), m_size(paperSizeOf(figure, context)) {
  setWindowTitle(tr("Export “%1”").arg(figure.title()));
  const QSettings settings;
  // In the order in which they are seen, which is that of Tab.
  m_format = new QComboBox(this);
  m_format->addItems(
      {tr("SVG, for slides and drawings"), tr("PDF, for papers"), tr("PNG, for everything else")});
  m_format->setCurrentIndex(settings.value(QStringLiteral("export/format"), 0).toInt());
  m_width = new QDoubleSpinBox(this);
  m_height = new QDoubleSpinBox(this);
  m_unit = new QComboBox(this);
  m_unit->addItems({tr("px"), tr("mm")});
  m_pixels = new QDoubleSpinBox(this);
  m_pixels->setDecimals(0);
  m_pixels->setRange(20, 12000);
  m_pixels->setValue(2400);
  m_pixels->setSuffix(tr(" px wide"));
  m_theme = new QComboBox(this);
  m_theme->addItems({tr("Print: white, black text"), tr("Light"), tr("Dark")});
  m_theme->setCurrentIndex(settings.value(QStringLiteral("export/theme"), 0).toInt());
  m_outlines = new QCheckBox(tr("Text as outlines"), this);
  m_outlines->setToolTip(tr("For programs that ignore the font inside of an SVG"));
  m_outlines->setChecked(settings.value(QStringLiteral("export/outlines"), false).toBool());
  m_footer = new QCheckBox(tr("Footer with name, date, version and hash"), this);
  m_footer->setChecked(settings.value(QStringLiteral("export/footer"), false).toBool());
  m_preview = new QLabel(this);
  m_preview->setFixedSize(kPreview);
  m_preview->setAlignment(Qt::AlignCenter);
  m_preview->setAccessibleName(tr("Preview"));
  m_message = new QLabel(this);
  m_message->setWordWrap(true);

  auto* sizes = new QHBoxLayout;
  sizes->addWidget(m_width);
  sizes->addWidget(new QLabel(QStringLiteral("×"), this));
  sizes->addWidget(m_height);
  sizes->addWidget(m_unit);
  m_width->setAccessibleName(tr("Width"));
  m_height->setAccessibleName(tr("Height"));
  m_height->setToolTip(tr("Follows the width until you set it"));
  m_unit->setAccessibleName(tr("Unit of length"));
  auto* form = new QFormLayout;
  form->addRow(tr("Format"), m_format);
  form->addRow(tr("Size"), sizes);
  form->addRow(tr("Pixels"), m_pixels);
  form->addRow(tr("Colours"), m_theme);
  form->addRow(QString(), m_outlines);
  form->addRow(QString(), m_footer);
  form->addRow(m_message);
  auto* top = new QHBoxLayout;
  top->addLayout(form);
  top->addWidget(m_preview);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  m_save = buttons->addButton(tr("Save…"), QDialogButtonBox::AcceptRole);
  m_copy = buttons->addButton(tr("Copy"), QDialogButtonBox::ActionRole);
  auto* column = new QVBoxLayout(this);
  column->addLayout(top);
  column->addWidget(buttons);

  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(m_save, &QPushButton::clicked, this, &ExportDialog::save);
  connect(m_copy, &QPushButton::clicked, this, &ExportDialog::copy);
  connect(m_unit, &QComboBox::currentIndexChanged, this, &ExportDialog::showSize);
  const auto preview = [this] { showPreview(); };
  for (auto* box : {m_format, m_theme}) connect(box, &QComboBox::currentIndexChanged, this, preview);
  connect(m_pixels, &QDoubleSpinBox::valueChanged, this, preview);
  connect(m_footer, &QCheckBox::toggled, this, preview);
  for (auto* box : {m_width, m_height})
    connect(box, &QDoubleSpinBox::valueChanged, this, &ExportDialog::takeSize);
  showSize();
  showPreview();
}

ExportFormat ExportDialog::format() const {
  return m_format->currentIndex() == 0   ? ExportFormat::Svg
         : m_format->currentIndex() == 1 ? ExportFormat::Pdf
                                         : ExportFormat::Png;
}

ExportOptions ExportDialog::options() const {
  ExportOptions o;
  o.size = m_size;
  o.theme = m_theme->currentIndex() == 0   ? Theme::Kind::Print
            : m_theme->currentIndex() == 1 ? Theme::Kind::Light
                                           : Theme::Kind::Dark;
  o.pixelWidth = static_cast<int>(m_pixels->value());
  o.isOutlined = m_outlines->isChecked();
  o.hasFooter = m_footer->isChecked();
  return o;
}

/// In the figure's proportions, or as high as its type needs to stay as large as the width allows.
QSizeF ExportDialog::sizeOfWidth(double width) const {
  const QSizeF wanted = paperSizeOf(m_figure, m_context);
  const double least = std::min(kLeastPage.height(), width * kLeastPage.height() / kLeastPage.width());
  return {width, std::clamp(width * wanted.height() / wanted.width(), least, kMostSide)};
}

/// Another unit changes what is written there, never the size.
void ExportDialog::showSize() {
  const bool millimetres = m_unit->currentIndex() == 1;
  const double unit = millimetres ? kPixelsPerMillimetre : 1;
  for (auto* box : {m_width, m_height}) {
    const QSignalBlocker quiet(box);
    box->setDecimals(millimetres ? 1 : 0);
    box->setRange(kLeastSide / unit, kMostSide / unit);
    box->setValue((box == m_width ? m_size.width() : m_size.height()) / unit);
  }
}

void ExportDialog::takeSize() {
  const double unit = m_unit->currentIndex() == 1 ? kPixelsPerMillimetre : 1;
  const bool isHeight = sender() == m_height;
  const double length = static_cast<const QDoubleSpinBox*>(sender())->value() * unit;
  m_heightIsChosen = m_heightIsChosen || isHeight;
  if (m_heightIsChosen) {
    (isHeight ? m_size.rheight() : m_size.rwidth()) = length;
  } else {
    m_size = sizeOfWidth(length);
    const QSignalBlocker quiet(m_height);
    m_height->setValue(m_size.height() / unit);
  }
  showPreview();
}

bool ExportDialog::isTooLarge() const {
  return m_pixels->value() * m_pixels->value() * m_size.height() / m_size.width() > kMostPixels;
}

void ExportDialog::showPreview() {
  const bool png = format() == ExportFormat::Png;
  m_pixels->setEnabled(png);
  m_outlines->setEnabled(format() == ExportFormat::Svg);
  m_save->setEnabled(!png || !isTooLarge());
  m_copy->setEnabled(!isTooLarge());
  m_message->setText(
      png && isTooLarge()
          ? tr("A picture of %1 × %2 pixels is too large: make it less wide or less high.")
                .arg(countText(std::llround(m_pixels->value())),
                     countText(std::llround(m_pixels->value() * m_size.height() / m_size.width())))
          : QString());
  ExportOptions o = options();
  const QSizeF shown = m_size.scaled(kPreview, Qt::KeepAspectRatio);
  o.pixelWidth = std::max(1, static_cast<int>(std::lround(shown.width())));
  m_preview->setPixmap(QPixmap::fromImage(imageOf(m_figure, m_context, o)));
}

void ExportDialog::save() {
  const QString suffix = suffixOf(format());
  const Written written = saveExport(this, tr("Save figure"), m_figure.id() + u'.' + suffix,
                                     tr("%1 files (*.%2)").arg(suffix.toUpper(), suffix), [this] {
                                       return renderFigure(m_figure, m_context, format(), options());
                                     });
  if (written.path.isEmpty()) return;
  if (!written.problem.isEmpty()) return m_message->setText(written.problem);
  QSettings settings;
  settings.setValue(QStringLiteral("export/format"), m_format->currentIndex());
  settings.setValue(QStringLiteral("export/theme"), m_theme->currentIndex());
  settings.setValue(QStringLiteral("export/outlines"), m_outlines->isChecked());
  settings.setValue(QStringLiteral("export/footer"), m_footer->isChecked());
  accept();
}

void ExportDialog::copy() {
  copyAsImage(m_figure, m_context, options());
  m_message->setText(tr("Copied."));
}

}  // namespace nest
