#pragma once

#include <QScrollArea>
#include <initializer_list>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "document/scenario_document.h"

class QLabel;

namespace nest {

class FormSection;

/// Cluster, model, job, search and assumptions as compact forms over the document.
class ScenarioPanel : public QScrollArea {
  Q_OBJECT
public:
  explicit ScenarioPanel(ScenarioDocument&, QWidget* parent = nullptr);

  void showDiagnostics(const Diagnostics&);
  /// Focuses the field of this JSON pointer; false if the panel has none.
  bool reveal(const QString& pointer);
  QStringList foldedSections() const;
  void setFoldedSections(const QStringList&);

Q_SIGNALS:
  void loadModelRequested();
  void networkRequested();                ///< show the drawn network
  void noticed(const nest::Diagnostic&);  ///< what an edit left as it was

private:
  FormSection* section(const QString& title);
  void buildScenario();
  void buildCluster();
  void buildModel();
  void buildJob();
  void addOptimizer(FormSection*);
  void addFields(FormSection*, const char* group, std::initializer_list<const char*> first = {});
  void buildDegrees();
  void buildSearch();
  void buildConstraints();
  void buildPins(FormSection*);
  void buildRun();
  void buildAssumptions();
  void refreshModel();

  ScenarioDocument& m_document;
  QWidget* m_page;
  QLabel* m_modelFacts = nullptr;
  std::vector<FormSection*> m_sections;
};

}  // namespace nest
