#include "text/text_table.h"

#include <algorithm>

#include "text/printable.h"

namespace nest {
namespace {

std::size_t width(const std::string& s) {
  return static_cast<std::size_t>(
      std::count_if(s.begin(), s.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

void TextTable::add(std::vector<std::string> cells) {
  cells.resize(m_columns.size());
  for (std::string& cell : cells) cell = printable(cell, false);  // names may hold line breaks
  m_rows.push_back(std::move(cells));
}

std::string TextTable::text(int indent) const {
  std::vector<std::size_t> widths;
  for (const Column& c : m_columns) widths.push_back(width(c.title));
  for (const auto& row : m_rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  std::string out;
  const auto line = [&](auto&& cell) {
    std::string one(static_cast<std::size_t>(indent), ' ');
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
      const std::string s = cell(i);
      const std::string pad(widths[i] - width(s), ' ');
      if (i > 0) one += "  ";
      one += m_columns[i].align == Align::Right ? pad + s : s + pad;
    }
    one.erase(one.find_last_not_of(' ') + 1);
    out += one + '\n';
  };
  line([&](std::size_t i) { return m_columns[i].title; });
  line([&](std::size_t i) {
    std::string rule;
    for (std::size_t k = 0; k < widths[i]; ++k) rule += "─";
    return rule;
  });
  for (const auto& row : m_rows) line([&](std::size_t i) { return row[i]; });
  return out;
}

}  // namespace nest
