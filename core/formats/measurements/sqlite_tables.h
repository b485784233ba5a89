#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace nest {

/// The tables of an SQLite file that lies in memory, to be read from begin to end. Nothing that the file
/// itself says is run: its views, virtual tables and functions are none of these tables.
class SqliteTables {
public:
  /// The bytes must outlive it.
  explicit SqliteTables(std::string_view bytes);

  static bool isSqlite(std::string_view bytes) {
    return bytes.starts_with(std::string_view("SQLite format 3", 16));
  }

  /// One row of what was asked for; columns count from 0.
  class Row {
  public:
    explicit Row(sqlite3_stmt* statement) : m_statement(statement) {}
    bool isNull(int column) const;
    long long whole(int column) const;
    std::string_view text(int column) const;  ///< until the next row

  private:
    sqlite3_stmt* m_statement;
  };

  bool hasTable(const std::string& name);
  bool hasColumn(const std::string& table, const std::string& column);
  /// False: the file is broken, or `take` has returned false; see fault().
  bool forEachRow(const std::string& table, const std::string& columns,
                  const std::function<bool(const Row&)>& take);

  /// Why it cannot be read; empty: it can.
  const std::string& fault() const { return m_fault; }

private:
  struct Close {
    void operator()(sqlite3*) const;
    void operator()(sqlite3_stmt*) const;
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Close>;
  Statement prepare(const std::string& sql);

  std::string m_copy;  ///< of a file that was left in write-ahead mode, which has no meaning in memory
  std::unique_ptr<sqlite3, Close> m_file;
  std::string m_fault;
};

}  // namespace nest
