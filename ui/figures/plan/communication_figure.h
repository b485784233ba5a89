#pragma once

#include <map>
#include <memory>
#include <utility>

#include "evaluation/traffic.h"
#include "figures/paint/interactive_figure.h"

namespace nest {

class FigurePainter;

/// Heatmap of who sends to whom: rows send, columns receive; devices or groups. Zooms into a run of devices,
/// whose bins become finer: pods, leaves, hosts, devices.
class CommunicationFigure : public InteractiveFigure {
public:
  enum class Value { Level, Volume, Duration };
  struct Options {
    Value value = Value::Volume;
    std::optional<Exchange> kind;  ///< nullopt: all
    static constexpr int kAutomatic = -2;
    int groups = kAutomatic;  ///< level of the groups compared; −1: devices; kAutomatic: by their number
    static constexpr int kEveryLevel = -1;
    int level = kEveryLevel;  ///< only what crosses this network level
    bool logarithmic = true;
    friend bool operator==(const Options&, const Options&) = default;
  };

  CommunicationFigure();
  ~CommunicationFigure() override;

  void setOptions(const Options& o) { m_options = o; }
  std::vector<FigureOption> offeredOptions(const PlanContext&) const override;
  void setOption(const std::string& key, const std::string& name) override;
  const Options& shown() const { return m_options; }

  bool canZoom() const override { return true; }
  void zoomAt(const QPointF&, double factor, const QRectF& area, const PlanContext&) override;
  void panBy(const QPointF&, const QRectF& area, const PlanContext&) override;
  void fit() override { m_from = 0, m_span = 1; }
  std::map<std::string, double> viewport() const override;
  void setViewport(const std::map<std::string, double>&) override;
  /// What a row is: "host", "device", "64 devices (2 × leaf)".
  QString bucketName(const PlanContext&) const;

protected:
  std::optional<FigureState> state(const PlanContext&, bool onPaper) const override;
  void draw(FigurePainter&, const QRectF& area, const PlanContext&) const override;
  std::optional<Hit> itemAt(const QPointF&, const QRectF& area, const PlanContext&) const override;
  std::optional<SelectionItem> stepFrom(const std::optional<SelectionItem>&, Step,
                                        const PlanContext&) const override;
  std::optional<Hit> placeOf(const SelectionItem&, const QRectF& area, const PlanContext&) const override;
  QString sentenceOf(const SelectionItem&, const PlanContext&) const override;
  QString words(const PlanContext&) const override;

private:
  struct Matrix;  ///< traffic of the plan shown, and the cells under the options
  const Matrix& matrixOf(const PlanContext&) const;
  SelectionItem itemOf(int row, int column, const PlanContext&) const;
  std::optional<std::pair<int, int>> cellOf(const SelectionItem&, const PlanContext&) const;
  void paintLegendOf(FigurePainter&, const QRectF& bar, const Matrix&) const;
  std::optional<Hit> cellHit(int row, int column, const QRectF& area, const PlanContext&) const;

  /// The devices that are visible, [first, last).
  std::pair<int, int> range(const PlanContext&) const;

  Options m_options;
  double m_from = 0, m_span = 1;  ///< visible shares of the devices, in the order of the network
  mutable std::unique_ptr<Matrix> m_matrix;
};

QString nameOfKind(const std::optional<Exchange>&);  ///< "All traffic", "TP", …

}  // namespace nest
