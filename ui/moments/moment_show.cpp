#include "moments/moment_show.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QShortcut>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "moments/moment_edits.h"
#include "moments/moment_sight.h"
#include "views/view.h"

namespace nest {

MomentShow::MomentShow(std::shared_ptr<const Scenario> scenario, PlanContextPtr own, Theme::Kind theme,
                       QWidget* parent)
    : QWidget(parent, Qt::Window),
      m_scenario(std::move(scenario)),
      m_own(std::move(own)),
      m_theme(theme),
      m_caption(new QLabel(this)),
      m_place(new QLabel(this)),
      m_middle(new QVBoxLayout) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Slides of %1").arg(QString::fromStdString(m_scenario->name)));
  setAccessibleName(windowTitle());
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);
  m_caption->setFont(Theme::font(30, true));
  m_caption->setWordWrap(true);
  m_caption->setTextFormat(Qt::PlainText);
  m_place->setFont(Theme::font(14));
  m_place->setProperty("role", "muted");
  auto* foot = new QHBoxLayout;
  auto* keys = new QLabel(tr("← → to move, Esc to exit"), this);
  keys->setFont(Theme::font(14));
  keys->setProperty("role", "muted");
  foot->addWidget(keys);
  foot->addStretch();
  foot->addWidget(m_place);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(44, 30, 44, 18);
  all->setSpacing(14);
  all->addWidget(m_caption);
  all->addLayout(m_middle, 1);
  all->addLayout(foot);
  const auto key = [this](std::initializer_list<int> codes, auto run) {
    for (const int k : codes) connect(new QShortcut(QKeySequence(k), this), &QShortcut::activated, this, run);
  };
  key({Qt::Key_Right, Qt::Key_Down, Qt::Key_Space, Qt::Key_PageDown}, [this] { next(); });
  key({Qt::Key_Left, Qt::Key_Up, Qt::Key_Backspace, Qt::Key_PageUp}, [this] { back(); });
  key({Qt::Key_Home}, [this] { showMoment(0); });
  key({Qt::Key_End}, [this] { showMoment(count() - 1); });
  key({Qt::Key_Escape}, [this] { close(); });
  setFocusPolicy(Qt::StrongFocus);
  showMoment(0);
}

MomentShow::~MomentShow() = default;

int MomentShow::count() const {
  return static_cast<int>(m_scenario->moments.size());
}

void MomentShow::showMoment(int wanted) {
  const int i = std::clamp(wanted, 0, std::max(0, count() - 1));
  if (i == m_current || count() == 0) return;
  m_current = i;
  const SavedMoment& moment = m_scenario->moments[static_cast<std::size_t>(i)];
  m_sight.reset();
  m_sight = std::make_unique<MomentSight>(moment, contextOf(moment, *m_scenario, m_own, m_contexts),
                                          *m_scenario, m_theme, this);
  m_caption->setText(m_sight->caption());
  m_caption->setVisible(!m_caption->text().isEmpty());
  m_place->setText(tr("%1 of %2").arg(i + 1).arg(count()));
  setAccessibleDescription(m_sight->caption());
  if (View* view = m_sight->view()) {
    m_middle->addWidget(view);
    view->show();
  }
  setFocus();
}

}  // namespace nest
