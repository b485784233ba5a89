#pragma once

#include <QObject>
#include <compare>
#include <optional>

#include "document/exchange_player.h"
#include "evaluation/schedule_replay.h"

namespace nest {

class Playback;

enum class ItemKind { Stage, Layer, Device, Group, Level, Pair, Task };

/// One thing that can be pointed at in a view, by number alone. Group: level `level`, group `index`. Pair:
/// groups `index` and `other` of level `level`, devices with level −1. Task: of stage `index`, of TaskKind
/// `level`; `other` holds chunk and microbatch, see taskItem().
struct SelectionItem {
  ItemKind kind = ItemKind::Stage;
  int index = 0;
  int level = 0;
  int other = -1;
  friend auto operator<=>(const SelectionItem&, const SelectionItem&) = default;
};

/// A task of a stage's schedule: what it runs, of which chunk and microbatch (−1: of none).
struct TaskId {
  int stage = 0, kind = 0, chunk = 0, microbatch = 0;
  friend bool operator==(const TaskId&, const TaskId&) = default;
};
SelectionItem taskItem(const TaskId&);
std::optional<TaskId> taskOf(const SelectionItem&);

/// When the selected task runs, in seconds since the step began; the first `recompute` seconds compute again.
struct TaskTimes {
  double begin = 0, end = 0, recompute = 0;
  friend bool operator==(const TaskTimes&, const TaskTimes&) = default;
};

/// The only channel between views: what is hovered, what is selected. Ids only; every view translates for
/// itself (a hovered device lights up its stage, and so on).
class Selection : public QObject {
  Q_OBJECT
public:
  explicit Selection(QObject* parent = nullptr);

  const std::optional<SelectionItem>& hovered() const { return m_hovered; }
  const std::optional<SelectionItem>& selected() const { return m_selected; }
  /// Where the play head stands; nullopt: nowhere.
  const std::optional<ScheduleInstant>& playhead() const { return m_playhead; }
  void setPlayhead(std::optional<ScheduleInstant>);
  Playback& playback() const { return *m_playback; }  ///< what moves it
  /// The exchange that is played over the levels of the network; nullopt: none. It and the playhead take each
  /// other's place.
  const std::optional<ExchangeInstant>& exchange() const { return m_exchange; }
  void setExchange(std::optional<ExchangeInstant>);
  ExchangePlayer& exchangePlayer() const { return *m_exchangePlayer; }  ///< what plays it
  void setHovered(std::optional<SelectionItem>);
  void setSelected(std::optional<SelectionItem>);
  /// Of the selected task, as the view that selected it has simulated it; nullopt: unknown.
  const std::optional<TaskTimes>& taskTimes() const { return m_taskTimes; }
  void selectTask(const TaskId&, const TaskTimes&);

Q_SIGNALS:
  void hoveredChanged();
  void selectedChanged();
  void playheadChanged();
  void exchangeChanged();

private:
  std::optional<SelectionItem> m_hovered, m_selected;
  std::optional<ScheduleInstant> m_playhead;
  std::optional<TaskTimes> m_taskTimes;
  Playback* m_playback;
  std::optional<ExchangeInstant> m_exchange;
  ExchangePlayer* m_exchangePlayer;
};

}  // namespace nest
