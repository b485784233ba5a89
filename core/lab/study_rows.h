#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lab/paper.h"
#include "lab/piper_study.h"
#include "study/journal.h"
#include "study/scaling.h"

namespace nest {

/// A study solved row by row: in shards, by many processes, and resumed. A row is the text of a JSON object
/// that holds no clock, so that what is joined is the same, whoever solved it.
class StudyRows {
public:
  virtual ~StudyRows() = default;
  virtual std::string name() const = 0;  ///< "paper"
  virtual std::size_t size() const = 0;
  /// Equal for equal studies: rows of one key belong together.
  virtual std::string key() const = 0;
  virtual std::string solve(std::size_t index, const Control&) const = 0;
  /// What the study prints with --json, made of all its rows in order.
  virtual std::string whole(const std::vector<std::string>& rows) const = 0;
};

std::unique_ptr<StudyRows> rowsOfPaper(PaperOptions, std::string published);
std::unique_ptr<StudyRows> rowsOfScaling(const Scenario&, Problem, std::vector<int> counts);
std::unique_ptr<StudyRows> rowsOfPeers(PeerSetting, std::vector<PeerOptimum>, PeerStudyOptions,
                                       const std::string& texts);

std::string journalHead(const StudyRows&);
std::string journalLine(std::size_t index, const std::string& row);
/// What a journal holds of the study, by index. Errors: it is of another one.
struct StudyJournal {
  std::map<std::size_t, std::string> rows;
  std::uint64_t bytes = 0;
};
Reading<StudyJournal> readStudyJournal(const StudyRows&, const std::string& path);

}  // namespace nest
