#pragma once

#include <string>
#include <vector>

namespace nest {

/// Columns aligned with blanks for a fixed-width terminal; widths count characters, not bytes.
class TextTable {
public:
  enum class Align { Left, Right };
  struct Column {
    std::string title;
    Align align = Align::Right;
  };

  explicit TextTable(std::vector<Column> columns) : m_columns(std::move(columns)) {}
  void add(std::vector<std::string> cells);  ///< one per column
  /// Title line, rule, rows; two blanks between columns, no blanks at line ends. `indent` blanks before each
  /// line.
  std::string text(int indent = 0) const;

  const std::vector<Column>& columns() const { return m_columns; }
  const std::vector<std::vector<std::string>>& rows() const { return m_rows; }

private:
  std::vector<Column> m_columns;
  std::vector<std::vector<std::string>> m_rows;
};

}  // namespace nest
