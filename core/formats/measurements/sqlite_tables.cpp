#include "formats/measurements/sqlite_tables.h"

#include <sqlite3.h>

namespace nest {
namespace {

constexpr std::size_t kWriteVersion = 18, kReadVersion = 19;  ///< of the file's head; 2: write-ahead

}  // namespace

void SqliteTables::Close::operator()(sqlite3* file) const {
  sqlite3_close_v2(file);
}
void SqliteTables::Close::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

SqliteTables::SqliteTables(std::string_view bytes) {
  if (!isSqlite(bytes) || bytes.size() < 512) {
    m_fault = isSqlite(bytes) ? "it is cut off" : "it is not an SQLite file";
    return;
  }
  if (bytes[kReadVersion] == 2) {
    m_copy = bytes;
    m_copy[kWriteVersion] = m_copy[kReadVersion] = 1;
    bytes = m_copy;
  }
  sqlite3* file = nullptr;
  const int opened = sqlite3_open_v2(":memory:", &file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, nullptr);
  m_file.reset(file);
  // Read only: the bytes are never written to.
  auto* const content = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));
  const auto size = static_cast<sqlite3_int64>(bytes.size());
  if (opened != SQLITE_OK ||
      sqlite3_deserialize(file, "main", content, size, size, SQLITE_DESERIALIZE_READONLY) != SQLITE_OK) {
    m_fault = file ? sqlite3_errmsg(file) : "there is no memory for it";
    return;
  }
  sqlite3_db_config(file, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(file, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(file, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(file, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_exec(file, "PRAGMA cell_size_check = ON", nullptr, nullptr, nullptr);
  forEachRow("sqlite_master", "name", [](const Row&) { return true; });
}

SqliteTables::Statement SqliteTables::prepare(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  if (!m_fault.empty()) return {};
  if (sqlite3_prepare_v2(m_file.get(), sql.c_str(), -1, &statement, nullptr) != SQLITE_OK)
    m_fault = sqlite3_errmsg(m_file.get());
  return Statement(statement);
}

bool SqliteTables::forEachRow(const std::string& table, const std::string& columns,
                              const std::function<bool(const Row&)>& take) {
  const Statement statement = prepare("SELECT " + columns + " FROM " + table);
  if (!statement) return false;
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(statement.get())) == SQLITE_ROW)
    if (!take(Row(statement.get()))) return false;
  if (code != SQLITE_DONE) m_fault = sqlite3_errmsg(m_file.get());
  return code == SQLITE_DONE;
}

bool SqliteTables::hasTable(const std::string& name) {
  bool found = false;
  // A view has no root, nor has a virtual table.
  forEachRow("sqlite_master", "type, name, rootpage", [&](const Row& row) {
    found = found || (row.text(0) == "table" && row.text(1) == name && row.whole(2) > 0);
    return true;
  });
  return found;
}

bool SqliteTables::hasColumn(const std::string& table, const std::string& column) {
  bool found = false;
  forEachRow("pragma_table_info('" + table + "')", "name", [&](const Row& row) {
    found = found || row.text(0) == column;
    return true;
  });
  return found;
}

bool SqliteTables::Row::isNull(int column) const {
  return sqlite3_column_type(m_statement, column) == SQLITE_NULL;
}
long long SqliteTables::Row::whole(int column) const {
  return sqlite3_column_int64(m_statement, column);
}
std::string_view SqliteTables::Row::text(int column) const {
  const auto* const begin = reinterpret_cast<const char*>(sqlite3_column_text(m_statement, column));
  return begin ? std::string_view(begin, static_cast<std::size_t>(sqlite3_column_bytes(m_statement, column)))
               : std::string_view();
}

}  // namespace nest
