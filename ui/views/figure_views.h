#pragma once

#include "views/figure_view.h"

namespace nest {

class CommunicationFigure;

class TopologyView : public FigureView {
  Q_OBJECT
public:
  explicit TopologyView(ViewServices, QWidget* parent = nullptr);
};

class StagesView : public FigureView {
  Q_OBJECT
public:
  explicit StagesView(ViewServices, QWidget* parent = nullptr);
};

class MemoryView : public FigureView {
  Q_OBJECT
public:
  explicit MemoryView(ViewServices, QWidget* parent = nullptr);
};

class CommunicationView : public FigureView {
  Q_OBJECT
public:
  explicit CommunicationView(ViewServices, QWidget* parent = nullptr);
};

class TimelineView : public FigureView {
  Q_OBJECT
public:
  explicit TimelineView(ViewServices, QWidget* parent = nullptr);
};

}  // namespace nest
