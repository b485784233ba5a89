#pragma once

class QWidget;

namespace nest {

class ActionRegistry;

/// Every command with its keys, by menu, to look at and to change.
void showShortcutSheet(ActionRegistry&, QWidget* parent);
/// Every word of the program with its meaning.
void showGlossary(QWidget* parent);
/// Version, licence, and whose work it stands on.
void showAbout(QWidget* parent);

}  // namespace nest
