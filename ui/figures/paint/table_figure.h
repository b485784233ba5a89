#pragma once

#include <QCoreApplication>
#include <QStringList>
#include <functional>

#include "figures/paint/figure.h"
#include "scenario/saved_slide.h"

class QAbstractItemModel;
class QStandardItemModel;

namespace nest {

/// A table as it stands in a view, on paper: every column as wide as its text, the longest broken into lines
/// where the page is narrower.
class TableFigure : public Figure {
  Q_DECLARE_TR_FUNCTIONS(TableFigure)
public:
  /// Rows, columns and alignment are those of `model`, which must outlive this; `sentence` is asked each
  /// time.
  TableFigure(QString id, QString title, const QAbstractItemModel& model,
              std::function<QString(const PlanContext&)> sentence = {});

  QSizeF preferredSize(const PlanContext&) const override;
  QString sentence(const PlanContext& c) const { return m_sentence ? m_sentence(c) : QString(); }
  const QAbstractItemModel& model() const { return m_model; }
  void setMore(int rows) { m_more = rows; }  ///< that the model does not hold: only how many is said

protected:
  std::optional<FigureState> state(const PlanContext&, bool onPaper) const override;
  void draw(FigurePainter&, const QRectF& area, const PlanContext&) const override;
  std::optional<Hit> itemAt(const QPointF&, const QRectF&, const PlanContext&) const override {
    return std::nullopt;
  }
  QString words(const PlanContext&) const override;

private:
  struct Column {
    QString title;
    bool right = false;  ///< numbers stand below each other and are never broken
    double width = 0;
  };
  std::vector<Column> columnsFor(double width, int rows) const;
  QString textAt(int row, int column) const;

  const QAbstractItemModel& m_model;
  std::function<QString(const PlanContext&)> m_sentence;
  int m_more = 0;
};

/// The first rows of a table as they stand, and a model that shows them again.
SavedTable savedTable(const QAbstractItemModel&);
void fillModel(QStandardItemModel&, const SavedTable&);

}  // namespace nest
