#include "fields/field.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cluster/graph/graph_kinds.h"
#include "fields/field_tables.h"
#include "units/at.h"

namespace nest {
namespace {

constexpr int kMostLinkKinds = 6;

/// What a job offers up to `most`: what it offers already, doubled from there.
std::vector<int> offered(std::vector<int> all, int most) {
  std::sort(all.begin(), all.end());
  std::erase_if(all, [most](int b) { return b > most; });
  if (all.empty()) all.push_back(most);
  while (all.back() * 2 <= most) all.push_back(all.back() * 2);
  if (all.back() != most) all.push_back(most);
  return all;
}

bool isIndex(std::string_view part) {
  return !part.empty() && part.size() < 9 && part.find_first_not_of("0123456789") == std::string_view::npos;
}

/// The key with * in place of numbers; the number, if there is one.
std::pair<std::string, std::optional<int>> starred(std::string_view key) {
  std::string out;
  std::optional<int> at;
  for (std::size_t begin = 0; begin < key.size();) {
    const std::size_t end = std::min(key.find('/', begin + 1), key.size());
    const std::string_view part = key.substr(begin + 1, end - begin - 1);
    if (isIndex(part)) at = std::stoi(std::string(part));
    out += '/';
    out += isIndex(part) ? "*" : part;
    begin = end;
  }
  return {out, at};
}

std::string levelName(const Setting& s, int i) {
  const auto& levels = std::get<LevelsSource>(s.cluster.network).levels;
  const std::string& name = levels[at(i)].name;
  return name.empty() ? "level " + std::to_string(i) : name;
}

/// By an example: several kinds may join the same sorts of nodes.
std::string linksName(const NetworkGraph& g, const std::vector<int>& links) {
  const NetworkLink& example = g.links[at(links.front())];
  const std::string ends = g.nodes[at(example.from)].name + " – " + g.nodes[at(example.to)].name;
  const auto others = static_cast<long long>(links.size()) - 1;
  return "Link " + ends + (others > 0 ? " and " + text::count(others) + " like it" : "");
}

std::string groupOf(const Setting& s, const Field& f, int i) {
  if (f.key.starts_with("/cluster/levels/")) return levelName(s, i);
  if (f.key.starts_with("/cluster/exceptions/"))
    return "Device " + std::to_string(std::get<LevelsSource>(s.cluster.network).exceptions[at(i)].device);
  if (f.key.starts_with("/cluster/graph/links/"))
    return linksName(std::get<GraphSource>(s.cluster.network).graph, {i});
  return f.group;
}

/// The links of a kind are alike in everything, so that a field of one is a field of all.
void addLinks(const Setting& s, std::vector<FieldAt>& out) {
  const auto* drawn = std::get_if<GraphSource>(&s.cluster.network);
  if (!drawn) return;
  int kinds = 0;
  for (const graph::Kind& kind : graph::kindsOf(drawn->graph)) {
    if (kind.of != graph::Kind::Of::Link || kind.failed || kinds++ >= kMostLinkKinds) continue;
    for (const Field& f : fields())
      if (f.key.starts_with("/cluster/graph/links/"))
        out.push_back({&f, kind.members, linksName(drawn->graph, kind.members)});
  }
}

}  // namespace

bool Field::isNumeric() const {
  return slide != Slide::None && kind() != FieldKind::Structured;
}

const std::vector<Field>& fields() {
  static const std::vector<Field> all = [] {
    std::vector<Field> out;
    addClusterFields(out);
    addModelFields(out);
    addProgramFields(out);
    addJobFields(out);
    addSearchFields(out);
    addConstraintFields(out);
    addAssumptionFields(out);
    addRunFields(out);
    return out;
  }();
  return all;
}

const Field* findField(std::string_view key) {
  const std::string wanted = starred(key).first;
  for (const Field& f : fields())
    if (f.key == wanted) return &f;
  return nullptr;
}

std::string FieldAt::pointer() const {
  const auto star = field->key.find('*');
  if (star == std::string::npos) return field->key;
  return field->key.substr(0, star) + std::to_string(at.front()) + field->key.substr(star + 1);
}

std::string FieldAt::name() const {
  const std::string& label = field->numberLabel.empty() ? field->label : field->numberLabel;
  if (!field->access.count) return label;
  return label + (field->key.starts_with("/cluster/levels/") ? " of level " : " of ") + group;
}

std::vector<FieldAt> numericFieldsOf(const Setting& s) {
  std::vector<FieldAt> out;
  // Level by level, so that what belongs together stands together.
  std::vector<const Field*> several;
  bool linksAdded = false;
  const auto flush = [&] {
    int most = 0;
    for (const Field* f : several) most = std::max(most, f->count(s));
    for (int i = 0; i < most; ++i)
      for (const Field* f : several)
        if (i < f->count(s)) out.push_back({f, {i}, groupOf(s, *f, i)});
    several.clear();
  };
  std::string stem;
  for (const Field& f : fields()) {
    const std::string own = f.access.count ? f.key.substr(0, f.key.find('*')) : "";
    if (own != stem) flush();
    stem = own;
    if (!f.isNumeric() || (f.matters && !f.matters(s))) continue;
    if (own == "/cluster/graph/links/") {
      if (!std::exchange(linksAdded, true)) addLinks(s, out);
    } else if (f.access.count) {
      several.push_back(&f);
    } else if (!std::holds_alternative<std::monostate>(f.access.get(s, 0))) {
      out.push_back({&f, {0}, f.group});
    }
  }
  flush();
  return out;
}

std::optional<FieldAt> fieldAt(const Setting& s, std::string_view key) {
  std::string pointer = key.starts_with('/') ? std::string(key) : '/' + std::string(key);
  if (!key.starts_with('/')) std::replace(pointer.begin(), pointer.end(), '.', '/');
  for (const char* suffix : {"", "_bytes_per_s", "_s", "_bytes", "_flops_per_s"}) {
    const Field* f = findField(pointer + suffix);
    if (!f) continue;
    const int i = starred(pointer).second.value_or(0);
    if (i >= f->count(s)) return std::nullopt;
    return FieldAt{f, {i}, groupOf(s, *f, i)};
  }
  return std::nullopt;
}

std::optional<double> numberOf(const Setting& s, const FieldAt& f) {
  for (const int i : f.at)
    if (i >= f.field->count(s)) return std::nullopt;
  const FieldValue v = f.field->access.get(s, f.at.front());
  if (const auto* d = std::get_if<double>(&v)) return *d;
  if (const auto* all = std::get_if<std::vector<int>>(&v); all && !all->empty())
    return *std::max_element(all->begin(), all->end());
  if (const auto* b = std::get_if<Bound>(&v); b && b->least && b->least == b->most) return *b->least;
  return std::nullopt;
}

void setNumber(Setting& s, const FieldAt& f, double v) {
  for (const int i : f.at) {
    if (i >= f.field->count(s)) return;
    const auto whole = [v] { return static_cast<int>(std::lround(v)); };
    switch (f.field->kind()) {
      case FieldKind::Wholes:
        f.field->access.set(s, i, offered(std::get<std::vector<int>>(f.field->access.get(s, i)), whole()));
        break;
      case FieldKind::Bound:
        f.field->access.set(s, i, Bound{whole(), whole()});
        break;
      default:
        if (f.field->access.move)
          f.field->access.move(s, i, v);
        else
          f.field->access.set(s, i, v);
    }
  }
}

}  // namespace nest
