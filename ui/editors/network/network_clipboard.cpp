#include "editors/network/network_clipboard.h"

#include "formats/networks/network_json.h"

namespace nest {

QString networkToClipboard(const NetworkGraph& g) {
  return QString::fromStdString(writeNetwork(g));
}

std::optional<NetworkGraph> networkFromClipboard(const QString& text) {
  auto read = readNetwork(text.toStdString(), "clipboard");
  return read && !read->nodes.empty() ? std::move(read.value) : std::nullopt;
}

}  // namespace nest
