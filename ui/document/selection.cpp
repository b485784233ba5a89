#include "document/selection.h"

#include <utility>

#include "document/playback.h"

namespace nest {
namespace {

constexpr int kChunkShift = 24;  ///< of SelectionItem::other: below it the microbatch, counted from 1

}  // namespace

SelectionItem taskItem(const TaskId& t) {
  return {ItemKind::Task, t.stage, t.kind, (t.chunk << kChunkShift) | (t.microbatch + 1)};
}

std::optional<TaskId> taskOf(const SelectionItem& item) {
  if (item.kind != ItemKind::Task || item.other < 0) return std::nullopt;
  return TaskId{item.index, item.level, item.other >> kChunkShift,
                (item.other & ((1 << kChunkShift) - 1)) - 1};
}

Selection::Selection(QObject* parent)
    : QObject(parent), m_playback(new Playback(*this)), m_exchangePlayer(new ExchangePlayer(*this)) {}

void Selection::setHovered(std::optional<SelectionItem> item) {
  if (m_hovered == item) return;
  m_hovered = item;
  Q_EMIT hoveredChanged();
}

void Selection::setSelected(std::optional<SelectionItem> item) {
  if (m_selected == item) return;
  m_selected = item;
  m_taskTimes.reset();
  Q_EMIT selectedChanged();
}

void Selection::selectTask(const TaskId& task, const TaskTimes& times) {
  const SelectionItem item = taskItem(task);
  if (m_selected == item && m_taskTimes == times) return;
  m_selected = item;
  m_taskTimes = times;
  Q_EMIT selectedChanged();
}

void Selection::setPlayhead(std::optional<ScheduleInstant> playhead) {
  if (m_playhead == playhead) return;
  m_playhead = std::move(playhead);
  if (m_playhead) m_exchangePlayer->hide();
  Q_EMIT playheadChanged();
}

void Selection::setExchange(std::optional<ExchangeInstant> exchange) {
  if (m_exchange == exchange) return;
  m_exchange = std::move(exchange);
  if (m_exchange) m_playback->hide();
  Q_EMIT exchangeChanged();
}

}  // namespace nest
