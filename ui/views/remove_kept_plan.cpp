#include "views/remove_kept_plan.h"

#include <QMessageBox>
#include <QPushButton>

#include "document/kept_plans.h"
#include "document/scenario_document.h"
#include "figures/phrases.h"

namespace nest {

void askToRemoveKeptPlan(QWidget& asker, ScenarioDocument& document, const QString& name) {
  if (const int slides = slidesOf(document.scenario(), name); slides > 0) {
    QMessageBox box(QMessageBox::Warning, ScenarioDocument::tr("Slides show this plan"),
                    ScenarioDocument::tr("%1 of this plan will be removed with \"%2\".")
                        .arg(plural(slides, ScenarioDocument::tr("slide")), name),
                    QMessageBox::Cancel, asker.window());
    box.setTextFormat(Qt::PlainText);
    const auto* remove = box.addButton(ScenarioDocument::tr("Remove"), QMessageBox::DestructiveRole);
    box.setDefaultButton(QMessageBox::Cancel);
    box.exec();
    if (box.clickedButton() != remove) return;
  }
  removeKeptPlan(document, name);
}

}  // namespace nest
