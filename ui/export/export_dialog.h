#pragma once

#include <QDialog>

#include "document/plan_context.h"
#include "export/figure_export.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QPushButton;

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
  void showSize();
  void takeSize();
  QSizeF sizeOfWidth(double) const;
  bool isTooLarge() const;

  const Figure& m_figure;
  PlanContext m_context;
  QSizeF m_size;                  ///< in pixels at 96 dpi, whatever the unit
  bool m_heightIsChosen = false;  ///< until then it follows the width
  QComboBox* m_format;
  QComboBox* m_unit;
  QComboBox* m_theme;
  QCheckBox *m_outlines, *m_footer;
  QDoubleSpinBox* m_width;
  QDoubleSpinBox* m_height;
  QDoubleSpinBox* m_pixels;
  QLabel* m_preview;
  QLabel* m_message;
  QPushButton *m_save, *m_copy;
};

}  // namespace nest
