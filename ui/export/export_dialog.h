#pragma once

#include <QDialog>

#include "document/plan_context.h"
#include "export/figure_export.h"

class QComboBox;
class QDoubleSpinBox;
class QLabel;

namespace nest {

/// Asks how a figure is to be written: format, size in mm or pixels, theme; shows what will come out; saves
/// or copies it.
class ExportDialog : public QDialog {
  Q_OBJECT
public:
  ExportDialog(const Figure&, const PlanContext&, QWidget* parent = nullptr);

  ExportFormat format() const;
  ExportOptions options() const;

public Q_SLOTS:
  void save();
  void copy();

private:
  void showPreview();
  void changeUnit();

  const Figure& m_figure;
  PlanContext m_context;
  QComboBox* m_format;
  QComboBox* m_unit;
  QComboBox* m_theme;
  QDoubleSpinBox* m_width;
  QDoubleSpinBox* m_height;
  QDoubleSpinBox* m_pixels;
  QLabel* m_preview;
  QLabel* m_message;
};

}  // namespace nest
