#include "figures/paint/table_figure.h"

#include <QStandardItemModel>
#include <algorithm>
#include <utility>

#include "figures/paint/figure_painter.h"
#include "figures/paint/frame.h"
#include "figures/paint/phrases.h"

namespace nest {
namespace {

using Role = Theme::Role;
constexpr double kTableLine = 16, kPad = 6, kColumnGap = 16;
constexpr int kMostTableRows = 40;  ///< of a page; the text has all

}  // namespace

TableFigure::TableFigure(QString id, QString title, const QAbstractItemModel& model,
                         std::function<QString(const PlanContext&)> sentence)
    : Figure(std::move(id), std::move(title), {960, 540}), m_model(model), m_sentence(std::move(sentence)) {}

QString TableFigure::textAt(int row, int column) const {
  return m_model.index(row, column).data().toString();
}

QSizeF TableFigure::preferredSize(const PlanContext& c) const {
  const int rows = std::min(kMostTableRows, m_model.rowCount()) + 2;
  return {Figure::preferredSize(c).width(), std::max(240.0, 110 + rows * (kTableLine + kPad))};
}

std::optional<FigureState> TableFigure::state(const PlanContext& c, bool) const {
  if (m_model.rowCount() > 0) return std::nullopt;
  if (auto none = stateOf(c, title().toLower())) return none;
  return FigureState{tr("Nothing to list"), {}};
}

/// As wide as the text of the first rows; what is too much is taken from the widest columns of words.
std::vector<TableFigure::Column> TableFigure::columnsFor(double width, int rows) const {
  std::vector<Column> out;
  double rest = width;
  std::vector<double> words;
  for (int k = 0; k < m_model.columnCount(); ++k) {
    Column column{m_model.headerData(k, Qt::Horizontal).toString(), false, 0};
    const QVariant align = m_model.index(0, k).data(Qt::TextAlignmentRole);
    column.right = align.isValid() && (align.toInt() & Qt::AlignRight) != 0;
    column.width = FigurePainter::width(column.title, FigurePainter::kBody);
    for (int r = 0; r < rows; ++r)
      column.width = std::max(column.width, FigurePainter::width(textAt(r, k), FigurePainter::kBody));
    column.width += kColumnGap;
    if (column.right)
      rest -= column.width;
    else
      words.push_back(column.width);
    out.push_back(std::move(column));
  }
  std::sort(words.begin(), words.end());
  double widest = words.empty() ? 0 : words.back();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const double share = rest / double(words.size() - i);
    if (words[i] > share) {
      widest = std::max(share, 40.0);
      break;
    }
    rest -= words[i];
  }
  for (Column& column : out)
    if (!column.right) column.width = std::min(column.width, widest);
  return out;
}

void TableFigure::draw(FigurePainter& ink, const QRectF& area, const PlanContext& c) const {
  paintFrame(ink, area, c, title(), m_sentence ? m_sentence(c) : QString());
  const QRectF body = bodyOf(area, c, ink.style().standalone);
  const int n = m_model.rowCount();
  const int most = std::clamp(static_cast<int>(body.height() / (kTableLine + kPad)), 1, n);
  const std::vector<Column> columns = columnsFor(body.width(), most);
  const auto cell = [&](const Column& column, double x, double y, const QString& text, Role role) {
    ink.label(QRectF(x, y, column.width - kColumnGap + 1, kTableLine), text,
              (column.right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter, FigurePainter::kBody,
              ink.color(role));
  };
  double y = body.top(), x = body.left();
  const auto sayMore = [&](int rows) {
    ink.leaveOut();
    ink.label({body.left(), y + kPad / 2, body.width(), kTableLine},
              tr("… and %1 more rows").arg(countText(rows)), Qt::AlignLeft | Qt::AlignVCenter,
              FigurePainter::kBody, ink.color(Role::MutedText));
  };
  for (const Column& column : columns) {
    cell(column, x, y, column.title, Role::MutedText);
    x += column.width;
  }
  y += kTableLine + kPad / 2;
  ink.line({body.left(), y}, {body.right(), y}, ink.color(Role::Border));
  for (int r = 0; r < n; ++r) {
    std::vector<QStringList> cells;
    qsizetype lines = 1;
    for (int k = 0; k < static_cast<int>(columns.size()); ++k) {
      const Column& column = columns[k];
      const QString text = textAt(r, k);
      cells.push_back(column.right
                          ? QStringList(text)
                          : FigurePainter::lines(text, column.width - kColumnGap + 1, FigurePainter::kBody));
      lines = std::max(lines, cells.back().size());
    }
    const double height = double(lines) * kTableLine + kPad;
    const double further =
        r + 1 < n || m_more > 0 ? kTableLine + kPad : 0;  // room to say how many are left out
    if (r > 0 && y + height + further > body.bottom() + 1) return sayMore(n - r + m_more);
    x = body.left();
    for (std::size_t k = 0; k < columns.size(); ++k) {
      for (qsizetype l = 0; l < cells[k].size(); ++l)
        cell(columns[k], x, y + kPad / 2 + double(l) * kTableLine, cells[k][l], Role::Text);
      x += columns[k].width;
    }
    y += height;
    ink.line({body.left(), y}, {body.right(), y},
             mixed(ink.color(Role::Canvas), ink.color(Role::Border), 0.5), 0.5);
  }
  if (m_more > 0) sayMore(m_more);
}

QString TableFigure::words(const PlanContext& c) const {
  QString out = title() + u'\n';
  if (m_sentence) out += m_sentence(c) + u'\n';
  for (int r = -1; r < m_model.rowCount(); ++r) {
    QStringList cells;
    for (int k = 0; k < m_model.columnCount(); ++k)
      cells << (r < 0 ? m_model.headerData(k, Qt::Horizontal).toString() : textAt(r, k));
    out += cells.join(u'\t') + u'\n';
  }
  return out;
}

SavedTable savedTable(const QAbstractItemModel& model) {
  SavedTable t;
  for (int k = 0; k < model.columnCount(); ++k) {
    const QVariant align = model.index(0, k).data(Qt::TextAlignmentRole);
    t.columns.push_back({model.headerData(k, Qt::Horizontal).toString().toStdString(),
                         align.isValid() && (align.toInt() & Qt::AlignRight) != 0});
  }
  const int rows = std::min(kMostTableRows, model.rowCount());
  for (int r = 0; r < rows; ++r) {
    std::vector<std::string> cells;
    for (int k = 0; k < model.columnCount(); ++k)
      cells.push_back(model.index(r, k).data().toString().toStdString());
    t.rows.push_back(std::move(cells));
  }
  t.more = model.rowCount() - rows;
  return t;
}

void fillModel(QStandardItemModel& model, const SavedTable& t) {
  model.clear();
  QStringList heads;
  for (const SavedTable::Column& c : t.columns) heads << QString::fromStdString(c.name);
  for (const auto& row : t.rows) {
    QList<QStandardItem*> items;
    for (std::size_t k = 0; k < row.size(); ++k) {
      items << new QStandardItem(QString::fromStdString(row[k]));
      if (t.columns[k].right) items.back()->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    }
    model.appendRow(items);
  }
  model.setColumnCount(static_cast<int>(t.columns.size()));
  model.setHorizontalHeaderLabels(heads);
}

}  // namespace nest
