#pragma once

class QMainWindow;

namespace nest {

/// What is docked at the left or right stands there from top to bottom. Layouts that Qt restores bring their
/// own corners, those of earlier versions other ones: call again after that.
void giveSidesTheirCorners(QMainWindow&);

}  // namespace nest
