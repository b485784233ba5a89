#include "text/yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <sstream>
#include <unordered_set>
#include <utility>

namespace nest {
namespace {

constexpr std::size_t kMostValues = 200'000, kMostDepth = 32;

/// Thrown through the parser to stop it; the reason has been reported.
struct Stop {};

/// Builds the tree from events, so that nothing is expanded behind our back.
class TreeBuilder : public YAML::EventHandler {
public:
  explicit TreeBuilder(SourceText& source) : m_source(source) {}

  YamlValue root;

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    add({YamlValue::Kind::Null, {}, {}, {}, at(mark)});
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    m_source.error(at(mark), "yaml-alias", "aliases (*name) are not read", "write the value out");
    throw Stop();
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string& value) override {
    add({YamlValue::Kind::Scalar, value, {}, {}, at(mark)});
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open({YamlValue::Kind::Sequence, {}, {}, {}, at(mark)});
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    open({YamlValue::Kind::Map, {}, {}, {}, at(mark)});
  }
  void OnMapEnd() override { close(); }

private:
  struct Frame {
    YamlValue value;
    YamlValue::Entry pending;
    bool hasKey = false;
    std::unordered_set<std::string> keys;
  };

  Place at(const YAML::Mark& mark) const {
    Place p = m_source.whole();
    p.line = mark.line + 1;
    p.column = mark.column + 1;
    return p;
  }

  void open(YamlValue v) {
    if (m_open.size() >= kMostDepth) {
      m_source.error(v.place, "yaml-too-deep", "values are nested more than 32 deep");
      throw Stop();
    }
    m_open.push_back({std::move(v), {}, false, {}});
  }
  void close() {
    YamlValue v = std::move(m_open.back().value);
    m_open.pop_back();
    add(std::move(v));
  }
  void add(YamlValue v) {
    if (++m_values > kMostValues) {
      m_source.error(v.place, "yaml-too-large", "more than 200,000 values");
      throw Stop();
    }
    if (m_open.empty()) {
      root = std::move(v);
      return;
    }
    Frame& f = m_open.back();
    if (f.value.kind == YamlValue::Kind::Sequence) {
      f.value.items.push_back(std::move(v));
    } else if (!f.hasKey) {
      if (v.kind != YamlValue::Kind::Scalar)
        m_source.error(v.place, "yaml-key", "a key must be plain text");
      else if (!f.keys.insert(v.scalar).second)
        m_source.error(v.place, "yaml-key-twice", "the key " + quoted(v.scalar) + " is duplicated");
      f.pending = {std::move(v.scalar), v.place, {}};
      f.hasKey = true;
    } else {
      f.pending.value = std::move(v);
      f.value.entries.push_back(std::move(f.pending));
      f.hasKey = false;
    }
  }

  SourceText& m_source;
  std::vector<Frame> m_open;
  std::size_t m_values = 0;
};

}  // namespace

const YamlValue* YamlValue::find(std::string_view key) const {
  for (const Entry& e : entries)
    if (e.key == key) return &e.value;
  return nullptr;
}

namespace {

/// At most so many documents.
std::vector<YamlValue> readDocuments(SourceText& source, std::size_t most, std::string_view format,
                                     std::size_t count) {
  std::vector<YamlValue> documents;
  if (!source.isReadable(most, format)) return documents;
  TreeBuilder builder(source);
  try {
    std::istringstream in{std::string(source.text())};
    YAML::Parser parser(in);
    while (documents.size() < count && parser.HandleNextDocument(builder))
      documents.push_back(std::exchange(builder.root, {}));
    if (documents.empty()) source.error(source.whole(), "yaml-empty", "the file is empty");
  } catch (const Stop&) {
  } catch (const YAML::Exception& e) {
    Place p = source.whole();
    p.line = e.mark.line + 1;
    p.column = e.mark.column + 1;
    source.error(p, "yaml-syntax", "not well-formed YAML: " + e.msg);
  }
  if (source.failed()) documents.clear();
  return documents;
}

}  // namespace

YamlValue readYamlTree(SourceText& source, std::size_t most, std::string_view format) {
  auto documents = readDocuments(source, most, format, 1);
  return documents.empty() ? YamlValue{} : std::move(documents.front());
}

std::vector<YamlValue> readYamlTrees(SourceText& source, std::size_t most, std::string_view format) {
  return readDocuments(source, most, format, 100'000);
}

}  // namespace nest
