#include "document/item_names.h"

namespace nest {

QString nameOf(ItemKind kind) {
  switch (kind) {
    case ItemKind::Stage:
      return QStringLiteral("stage");
    case ItemKind::Layer:
      return QStringLiteral("layer");
    case ItemKind::Device:
      return QStringLiteral("device");
    case ItemKind::Group:
      return QStringLiteral("group");
    case ItemKind::Level:
      return QStringLiteral("level");
    case ItemKind::Pair:
      return QStringLiteral("pair");
    case ItemKind::Task:
      break;
  }
  return QStringLiteral("task");
}

std::optional<ItemKind> itemKindNamed(const QString& name) {
  for (const ItemKind kind : {ItemKind::Stage, ItemKind::Layer, ItemKind::Device, ItemKind::Group,
                              ItemKind::Level, ItemKind::Pair, ItemKind::Task})
    if (nameOf(kind) == name) return kind;
  return std::nullopt;
}

}  // namespace nest
