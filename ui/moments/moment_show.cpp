#include "moments/moment_show.h"

#include <QGraphicsScene>
#include <QGraphicsView>
#include <QHBoxLayout>
#include <QLabel>
#include <QShortcut>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "moments/moment_edits.h"
#include "moments/moment_sight.h"
#include "views/view.h"

namespace nest {
namespace {
constexpr int kHintMs = 4000;
}

MomentShow::MomentShow(std::shared_ptr<const Scenario> scenario, PlanContextPtr own, Theme::Kind theme,
                       QWidget* parent)
    : QWidget(parent, Qt::Window),
      m_scenario(std::move(scenario)),
      m_own(std::move(own)),
      m_theme(theme),
      m_slide(new QWidget),
      m_stage(new QGraphicsView(this)),
      m_caption(new QLabel(m_slide)),
      m_place(new QLabel(m_slide)),
      m_middle(new QVBoxLayout) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Slides of %1").arg(QString::fromStdString(m_scenario->name)));
  setAccessibleName(windowTitle());
  m_slide->setAutoFillBackground(true);
  m_slide->setBackgroundRole(QPalette::Base);
  m_stage->setScene(new QGraphicsScene(m_stage));
  m_stage->scene()->addWidget(m_slide);
  m_stage->setFrameShape(QFrame::NoFrame);
  m_stage->setFocusPolicy(Qt::NoFocus);
  m_stage->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_stage->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_stage->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  m_stage->setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing |
                          QPainter::SmoothPixmapTransform);
  auto* whole = new QVBoxLayout(this);
  whole->setContentsMargins(0, 0, 0, 0);
  whole->addWidget(m_stage);
  m_caption->setFont(Theme::font(24, true));
  m_caption->setWordWrap(true);
  m_caption->setTextFormat(Qt::PlainText);
  m_place->setFont(Theme::font(11));
  m_place->setProperty("role", "muted");
  auto* foot = new QHBoxLayout;
  auto* keys = new QLabel(tr("← → to move, Esc to exit"), m_slide);
  keys->setFont(Theme::font(11));
  keys->setProperty("role", "muted");
  QSizePolicy place = keys->sizePolicy();
  place.setRetainSizeWhenHidden(true);
  keys->setSizePolicy(place);
  keys->setObjectName(QStringLiteral("keys"));
  QTimer::singleShot(kHintMs, keys, &QWidget::hide);  // who presents knows them by then
  foot->addWidget(keys);
  foot->addStretch();
  foot->addWidget(m_place);
  auto* all = new QVBoxLayout(m_slide);
  all->setContentsMargins(30, 20, 30, 10);
  all->setSpacing(8);
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

MomentShow::~MomentShow() {
  m_sight.reset();  // its view stands on the slide
}

double MomentShow::enlargement() const {
  return std::max(0.25, std::min(width() / kSlide.width(), height() / kSlide.height()));
}

/// Where the screen has another shape than the slide, the slide is wider or higher.
void MomentShow::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  const double by = enlargement();
  m_stage->setTransform(QTransform::fromScale(by, by));
  m_slide->resize((QSizeF(size()) / by).toSize());
  m_stage->setSceneRect(QRectF(QPointF(), QSizeF(size()) / by));
}

int MomentShow::count() const {
  return static_cast<int>(m_scenario->moments.size());
}

void MomentShow::showMoment(int wanted) {
  const int i = std::clamp(wanted, 0, std::max(0, count() - 1));
  if (i == m_current || count() == 0) return;
  m_current = i;
  const SavedMoment& moment = m_scenario->moments[i];
  m_sight.reset();
  m_sight = std::make_unique<MomentSight>(moment, contextOf(moment, *m_scenario, m_own, m_contexts),
                                          *m_scenario, m_theme, m_slide);
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
