#include "export/export_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QVBoxLayout>

#include "document/file_path.h"

namespace nest {
namespace {

constexpr double kPixelsPerMillimetre = 96 / 25.4;
constexpr int kPreviewWidth = 420;

QDoubleSpinBox* sizeBox(QWidget* parent, double value, double most) {
  auto* box = new QDoubleSpinBox(parent);
  box->setDecimals(0);
  box->setRange(20, most);
  box->setValue(value);
  return box;
}

}  // namespace

ExportDialog::ExportDialog(const Figure& figure, const PlanContext& context, QWidget* parent)
    : QDialog(parent), m_figure(figure), m_context(context) {
  setWindowTitle(tr("Export %1").arg(figure.title().toLower()));
  const QSizeF size = figure.preferredSize(context);
  const QSettings settings;
  m_format = new QComboBox(this);
  m_format->addItems(
      {tr("SVG, for slides and drawings"), tr("PDF, for papers"), tr("PNG, for everything else")});
  m_format->setCurrentIndex(settings.value(QStringLiteral("export/format"), 0).toInt());
  m_theme = new QComboBox(this);
  m_theme->addItems({tr("Print: white, black text"), tr("Light"), tr("Dark")});
  m_theme->setCurrentIndex(settings.value(QStringLiteral("export/theme"), 0).toInt());
  m_unit = new QComboBox(this);
  m_unit->addItems({tr("px"), tr("mm")});
  m_width = sizeBox(this, size.width(), 8000);
  m_height = sizeBox(this, size.height(), 8000);
  m_pixels = sizeBox(this, 2400, 12000);
  m_pixels->setSuffix(tr(" px wide"));
  m_preview = new QLabel(this);
  m_preview->setFixedSize(kPreviewWidth, 300);
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
  m_unit->setAccessibleName(tr("Unit of length"));
  auto* form = new QFormLayout;
  form->addRow(tr("Format"), m_format);
  form->addRow(tr("Size"), sizes);
  form->addRow(tr("Pixels"), m_pixels);
  form->addRow(tr("Colours"), m_theme);
  form->addRow(m_message);
  auto* top = new QHBoxLayout;
  top->addLayout(form);
  top->addWidget(m_preview);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  auto* saveButton = buttons->addButton(tr("Save…"), QDialogButtonBox::AcceptRole);
  auto* copyButton = buttons->addButton(tr("Copy"), QDialogButtonBox::ActionRole);
  auto* column = new QVBoxLayout(this);
  column->addLayout(top);
  column->addWidget(buttons);

  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(saveButton, &QPushButton::clicked, this, &ExportDialog::save);
  connect(copyButton, &QPushButton::clicked, this, &ExportDialog::copy);
  connect(m_unit, &QComboBox::currentIndexChanged, this, &ExportDialog::changeUnit);
  const auto preview = [this] { showPreview(); };
  for (auto* box : {m_format, m_theme}) connect(box, &QComboBox::currentIndexChanged, this, preview);
  for (auto* box : {m_width, m_height}) connect(box, &QDoubleSpinBox::valueChanged, this, preview);
  showPreview();
}

ExportFormat ExportDialog::format() const {
  return m_format->currentIndex() == 0   ? ExportFormat::Svg
         : m_format->currentIndex() == 1 ? ExportFormat::Pdf
                                         : ExportFormat::Png;
}

ExportOptions ExportDialog::options() const {
  ExportOptions o;
  const double unit = m_unit->currentIndex() == 1 ? kPixelsPerMillimetre : 1;
  o.size = QSizeF(m_width->value() * unit, m_height->value() * unit);
  o.theme = m_theme->currentIndex() == 0   ? Theme::Kind::Print
            : m_theme->currentIndex() == 1 ? Theme::Kind::Light
                                           : Theme::Kind::Dark;
  o.pixelWidth = static_cast<int>(m_pixels->value());
  return o;
}

void ExportDialog::changeUnit() {
  const double factor = m_unit->currentIndex() == 1 ? 1 / kPixelsPerMillimetre : kPixelsPerMillimetre;
  const QSizeF size(m_width->value() * factor, m_height->value() * factor);
  m_width->setValue(size.width());
  m_height->setValue(size.height());
}

void ExportDialog::showPreview() {
  m_pixels->setEnabled(format() == ExportFormat::Png);
  ExportOptions o = options();
  o.pixelWidth = kPreviewWidth;
  m_preview->setPixmap(
      QPixmap::fromImage(imageOf(m_figure, m_context, o)
                             .scaled(m_preview->size(), Qt::KeepAspectRatio, Qt::SmoothTransformation)));
}

void ExportDialog::save() {
  QSettings settings;
  const QString suffix = suffixOf(format());
  const QString dir = settings.value(QStringLiteral("export/folder"), QDir::homePath()).toString();
  const QString path =
      QFileDialog::getSaveFileName(this, tr("Save figure"), QDir(dir).filePath(m_figure.id() + u'.' + suffix),
                                   tr("%1 files (*.%2)").arg(suffix.toUpper(), suffix));
  if (path.isEmpty()) return;
  if (const Diagnostics failed = writeFile(path, renderFigure(m_figure, m_context, format(), options()));
      !failed.empty()) {
    m_message->setText(tr("%1 was not written: %2.").arg(path, reasonOf(failed)));
    return;
  }
  settings.setValue(QStringLiteral("export/folder"), QFileInfo(path).absolutePath());
  settings.setValue(QStringLiteral("export/format"), m_format->currentIndex());
  settings.setValue(QStringLiteral("export/theme"), m_theme->currentIndex());
  accept();
}

void ExportDialog::copy() {
  copyAsImage(m_figure, m_context, options());
  m_message->setText(tr("Copied."));
}

}  // namespace nest
