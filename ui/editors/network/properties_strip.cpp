#include "editors/network/properties_strip.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <cmath>

#include "accessible/screen_reader.h"
#include "figures/paint/phrases.h"
#include "theme/elided_label.h"

namespace nest {
namespace {

enum Page { NothingPage, NodesPage, LinksPage };

QLineEdit* fieldFor(QHBoxLayout* row, const QString& label, const QString& name, const QString& example) {
  auto* field = new QLineEdit;
  field->setAccessibleName(name);
  field->setToolTip(name);
  field->setPlaceholderText(example);
  field->setMaximumWidth(130);
  auto* text = new QLabel(label);
  text->setBuddy(field);
  row->addWidget(text);
  row->addWidget(field);
  return field;
}

/// Typed text that cannot be read is marked, and says what may stand there.
bool mark(QLineEdit* field, bool good, const QString& allowed) {
  field->setStyleSheet(good ? QString() : QStringLiteral("border: 1px solid #D55E00"));
  field->setToolTip(good ? field->accessibleName() : allowed);
  return good;
}

}  // namespace

PropertiesStrip::PropertiesStrip(NetworkCanvas* canvas, QWidget* parent)
    : QStackedWidget(parent), m_canvas(canvas) {
  setAccessibleName(tr("Properties of the selection"));
  m_what = new ElidedLabel;
  m_what->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  m_what->setTextInteractionFlags(Qt::TextSelectableByMouse);
  addRow()->addWidget(m_what);
  buildNodeRow();
  buildLinkRow();
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
}

QHBoxLayout* PropertiesStrip::addRow() {
  auto* page = new QWidget;
  auto* row = new QHBoxLayout(page);
  row->setContentsMargins(10, 4, 10, 4);
  addWidget(page);
  return row;
}

void PropertiesStrip::endRow(QHBoxLayout* row) {
  auto* effect = new ElidedLabel;
  effect->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  effect->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  row->addWidget(effect, 1);
  m_effects.push_back(effect);
}

void PropertiesStrip::buildNodeRow() {
  auto* row = addRow();
  m_nodeWhat = new QLabel;
  row->addWidget(m_nodeWhat);
  m_name = fieldFor(row, tr("Name"), tr("Name"), {});
  m_speed = fieldFor(row, tr("Speed"), tr("Speed, share of nominal"), tr("1"));
  m_memory = fieldFor(row, tr("Memory"), tr("Memory of this device"), tr("as the cluster's"));
  for (QLabel* label : row->parentWidget()->findChildren<QLabel*>())
    if (label->buddy() == m_speed || label->buddy() == m_memory) m_deviceFields.push_back(label);
  m_deviceFields.insert(m_deviceFields.end(), {m_speed, m_memory});
  endRow(row);
  connect(m_name, &QLineEdit::editingFinished, this, &PropertiesStrip::setName);
  connect(m_speed, &QLineEdit::editingFinished, this, &PropertiesStrip::setSpeed);
  connect(m_memory, &QLineEdit::editingFinished, this, &PropertiesStrip::setMemory);
}

void PropertiesStrip::buildLinkRow() {
  auto* row = addRow();
  m_linkWhat = new QLabel;
  row->addWidget(m_linkWhat);
  m_bandwidth = fieldFor(row, tr("Bandwidth"), tr("Bandwidth of one link, one way"), tr("50 GB/s"));
  m_latency = fieldFor(row, tr("Latency"), tr("Latency"), tr("2 µs"));
  m_count = new QSpinBox;
  m_count->setRange(1, 65536);
  m_count->setAccessibleName(tr("Parallel links"));
  m_count->setToolTip(m_count->accessibleName());
  m_count->setKeyboardTracking(false);
  auto* label = new QLabel(tr("Links"));
  label->setBuddy(m_count);
  row->addWidget(label);
  row->addWidget(m_count);
  endRow(row);
  connect(m_bandwidth, &QLineEdit::editingFinished, this, &PropertiesStrip::setBandwidth);
  connect(m_latency, &QLineEdit::editingFinished, this, &PropertiesStrip::setLatency);
  connect(m_count, &QSpinBox::valueChanged, this, [this](int v) {
    if (!m_filling)
      editLinks(tr("Set %1").arg(plural(v, QStringLiteral("parallel link"))),
                [v](NetworkLink& l) { l.count = v; });
  });
}

void PropertiesStrip::setName() {
  const auto name = m_name->text().trimmed().toStdString();
  const auto nodes = m_canvas->selectedNodes();
  if (m_filling || name.empty() || !m_name->isModified() || nodes.size() != 1) return;
  Q_EMIT edited(tr("Rename to %1").arg(m_name->text()), {},
                [n = nodes.front(), name](NetworkGraph& g) { g.nodes[n].name = name; });
}

void PropertiesStrip::setSpeed() {
  if (m_filling || !m_speed->isModified()) return;
  bool ok = false;
  const double v = m_speed->text().toDouble(&ok);
  if (mark(m_speed, ok && v > 0 && v <= 1, tr("A share of the nominal speed, above 0 and at most 1")))
    editDevices(tr("Set speed to %1").arg(m_speed->text()), [v](NetworkNode& n) { n.speed = v; });
}

void PropertiesStrip::setMemory() {
  if (m_filling || !m_memory->isModified()) return;
  const auto v = m_memory->text().trimmed().isEmpty() ? std::optional(Bytes(0))
                                                      : text::readMemory(m_memory->text().toStdString());
  if (mark(m_memory, v && std::isfinite(v->value()),
           tr("For example 80 GiB; empty for the cluster's device")))
    editDevices(tr("Set memory to %1").arg(m_memory->text()), [v](NetworkNode& n) { n.memory = *v; });
}

void PropertiesStrip::setBandwidth() {
  if (m_filling || !m_bandwidth->isModified()) return;
  const QString typed = m_bandwidth->text();
  const auto v = text::readBandwidth(typed.toStdString());
  if (!mark(m_bandwidth, v && v->value.value() > 0 && std::isfinite(v->value.value()),
            tr("A positive bandwidth, for example 50 GB/s or 400 Gb/s")))
    return;
  const auto links = m_canvas->selectedLinks();
  const auto latency = m_canvas->graph().links[links.empty() ? 0 : links.front()].latency;
  m_canvas->setLinkDefaults(v->value, latency);
  m_canvas->rememberUnit(*v);
  editLinks(tr("Set %1 to %2")
                .arg(links.size() == 1 ? tr("a link")
                                       : plural(static_cast<int>(links.size()), QStringLiteral("link")),
                     typed),
            [v](NetworkLink& l) { l.bandwidth = v->value, l.origin = Origin::Typed; });
}

void PropertiesStrip::setLatency() {
  if (m_filling || !m_latency->isModified()) return;
  const auto v = text::readTime(m_latency->text().toStdString());
  if (mark(m_latency, v && std::isfinite(v->value()), tr("A time, for example 2 µs")))
    editLinks(tr("Set latency to %1").arg(m_latency->text()), [v](NetworkLink& l) { l.latency = *v; });
}

void PropertiesStrip::editDevices(const QString& verb, const std::function<void(NetworkNode&)>& set) {
  Q_EMIT edited(
      verb, {},
      [nodes = graph::withContents(m_canvas->graph(), m_canvas->selectedNodes()), set](NetworkGraph& g) {
        for (int n : nodes)
          if (auto& node = g.nodes[n]; node.kind == NodeKind::Device) set(node);
      });
}

void PropertiesStrip::editLinks(const QString& verb, const std::function<void(NetworkLink&)>& set) {
  Q_EMIT edited(verb, {}, [links = m_canvas->selectedLinks(), set](NetworkGraph& g) {
    for (int l : links) set(g.links[l]);
  });
}

QString PropertiesStrip::counts() const {
  const NetworkGraph& g = m_canvas->graph();
  if (g.nodes.empty()) return tr("Nothing drawn");
  const graph::ImpliedHosts& implied = m_canvas->scene().impliedHosts();
  long long hosts = static_cast<long long>(implied.names.size()), switches = 0, inside = 0;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    hosts += g.nodes[i].kind == NodeKind::Host;
    if (g.nodes[i].kind == NodeKind::Switch) ++(implied.hostOf[i] < 0 ? switches : inside);
  }
  QStringList out{plural(g.deviceCount(), QStringLiteral("device")), plural(hosts, QStringLiteral("host")),
                  switches == 1 ? tr("1 switch") : tr("%1 switches").arg(countText(switches)),
                  plural(static_cast<long long>(g.links.size()), QStringLiteral("link"))};
  if (inside > 0)  // NVSwitches, PCIe switches, adapters
    out.insert(3, tr("%1 inside hosts").arg(plural(inside, QStringLiteral("part"))));
  return out.join(QStringLiteral(", "));
}

void PropertiesStrip::show(bool drawn, const QString& effect, const QString& remark) {
  m_filling = true;
  for (QLabel* label : m_effects) label->setText(effect), setRichTip(*label, plainTip(effect));
  const auto nodes = m_canvas->selectedNodes(), links = m_canvas->selectedLinks();
  if (!nodes.empty() && drawn) {
    showNodes(nodes);
  } else if (!links.empty() && drawn) {
    showLinks(links);
  } else {
    QString text = counts();
    for (const QString& more : {effect, remark})
      if (!more.isEmpty()) text += QStringLiteral(" · ") + more;
    m_what->setText(text);
    setRichTip(*m_what, plainTip(m_what->text()));
    setCurrentIndex(NothingPage);
  }
  m_filling = false;
}

void PropertiesStrip::showNodes(const std::vector<int>& nodes) {
  const NetworkGraph& g = m_canvas->graph();
  const NetworkNode& n = g.nodes[nodes.front()];
  const bool one = nodes.size() == 1;
  m_nodeWhat->setText(one ? QString() : tr("%1 nodes").arg(countText(static_cast<long long>(nodes.size()))));
  m_name->setEnabled(one);
  m_name->setText(one ? QString::fromStdString(n.name) : QString());
  // Figures are the devices': those of a host stand for all inside.
  const NetworkNode* device = nullptr;
  for (int inside : graph::withContents(g, {nodes.front()}))
    if (g.nodes[inside].kind == NodeKind::Device && !device) device = &g.nodes[inside];
  for (QWidget* ofDevices : m_deviceFields) ofDevices->setVisible(device);  // a switch has none
  m_speed->setText(device ? phrase(text::exact(device->speed)) : QString());
  m_memory->setText(device && device->memory.value() > 0 ? memoryText(device->memory) : QString());
  for (QLineEdit* field : {m_speed, m_memory}) mark(field, true, {});
  setCurrentIndex(NodesPage);
}

void PropertiesStrip::showLinks(const std::vector<int>& links) {
  const NetworkLink& l = m_canvas->graph().links[links.front()];
  m_linkWhat->setText(
      links.size() == 1 ? QString() : tr("%1 links").arg(countText(static_cast<long long>(links.size()))));
  m_bandwidth->setText(m_canvas->scene().bandwidthText(l.bandwidth));
  m_latency->setText(timeText(l.latency));
  m_count->setValue(l.count);
  for (QLineEdit* field : {m_bandwidth, m_latency}) mark(field, true, {});
  setCurrentIndex(LinksPage);
}

}  // namespace nest
