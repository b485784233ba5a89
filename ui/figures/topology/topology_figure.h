#pragma once

#include <memory>

#include "cluster/levels/lost_parts.h"
#include "evaluation/traffic.h"
#include "figures/paint/interactive_figure.h"
#include "figures/topology/microbatch_tokens.h"
#include "figures/topology/topology_key.h"
#include "figures/topology/topology_layout.h"
#include "figures/topology/topology_painter.h"

namespace nest {

/// The cluster as nested boxes, the placement painted on its devices.
class TopologyFigure : public InteractiveFigure {
public:
  TopologyFigure() : InteractiveFigure(QStringLiteral("topology"), QStringLiteral("Topology"), {1200, 750}) {}

  void setFolding(Folding f) { m_folding = f; }
  Folding folding() const { return m_folding; }
  /// Whose traffic tints the boxes of each level: −1 nothing, −2 every kind, else an Exchange.
  static constexpr int kNoTraffic = -1, kAllTraffic = -2;
  void setTraffic(int kind) { m_trafficKind = kind, m_levelTraffic.reset(); }
  int traffic() const { return m_trafficKind; }
  /// What the ranks of one colour have in common.
  void setColouredBy(Together t) { m_colouredBy = t; }
  Together colouredBy() const { return m_colouredBy; }
  /// What colours say instead of that.
  void setShade(DeviceShade s) { m_shade = s; }
  DeviceShade shade() const { return m_shade; }
  /// The one level whose traffic is looked at, sender by sender; −1, or a level that is not there: all.
  void setTrafficLevel(int level) { m_trafficLevel = level, m_levelTraffic.reset(); }

  std::vector<FigureOption> offeredOptions(const PlanContext&) const override;
  void setOption(const std::string& key, const std::string& name) override;

  bool showsPlayhead() const override { return true; }
  bool canZoom() const override { return true; }
  void zoomAt(const QPointF&, double factor, const QRectF& area, const PlanContext&) override;
  void panBy(const QPointF&, const QRectF& area, const PlanContext&) override;
  void fit() override { m_zoom = 1, m_pan = {}; }
  std::map<std::string, double> viewport() const override;
  void setViewport(const std::map<std::string, double>&) override;

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
  /// What is needed to paint or to point: where the boxes go, and how units become pixels.
  struct Shown {
    const TopologyLayout* layout = nullptr;
    QRectF canvas;
    double scale = 1;
    QPointF origin;

    QPointF toUnits(const QPointF& p) const { return (p - origin) / scale; }
    QRectF toPixels(const QRectF& r) const { return {origin + r.topLeft() * scale, r.size() * scale}; }
  };
  Shown show(const QRectF& area, const PlanContext&, bool standalone) const;
  const TopologyClasses& classesOf(const PlanContext&) const;
  QString sentence(const PlanContext&) const;
  QString deviceTip(int device, const PlanContext&) const;
  QString groupTip(const TopologyLayout::Box&, const PlanContext&) const;

  const StagePlaces& placesOf(const PlanContext&) const;
  const LevelTraffic& trafficOf(const PlanContext&) const;
  const LostParts& lostOf(const PlanContext&) const;
  const std::vector<UnplannedGroup>& unplannedOf(const PlanContext&) const;
  QRectF unplannedRows(const QRectF& body, const PlanContext&) const;  ///< above the boxes

  Folding m_folding = Folding::Automatic;
  int m_trafficKind = kNoTraffic, m_trafficLevel = -1;
  Together m_colouredBy = Together::Stage;
  DeviceShade m_shade = DeviceShade::None;
  double m_zoom = 1;
  QPointF m_pan;  ///< of the middle of the canvas, in units

  mutable std::shared_ptr<const TopologyClasses> m_classes;
  mutable std::unique_ptr<TopologyLayout> m_layout;
  mutable std::unique_ptr<StagePlaces> m_places;
  mutable std::unique_ptr<Traffic> m_traffic;
  mutable std::optional<LevelTraffic> m_levelTraffic;
  mutable std::shared_ptr<const Scenario> m_lostIn;
  mutable LostParts m_lost;
  mutable std::shared_ptr<const Scenario> m_unplannedIn;
  mutable std::vector<UnplannedGroup> m_unplanned;
};

}  // namespace nest
