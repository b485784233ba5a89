#include "text/xml_source.h"

#include <algorithm>
#include <pugixml.hpp>

namespace nest {
namespace {

std::size_t offsetOf(std::ptrdiff_t offset) {
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, offset));
}

}  // namespace

pugi::xml_node readXml(SourceText& source, pugi::xml_document& document, const XmlFormat& format) {
  if (!source.isReadable(format.most, format.name)) return {};
  const unsigned options = pugi::parse_default | (format.keepsBlanks ? pugi::parse_ws_pcdata_single : 0);
  const auto parsed =
      document.load_buffer(source.text().data(), source.text().size(), options, pugi::encoding_utf8);
  if (!parsed) {
    source.error(source.place(offsetOf(parsed.offset)), "xml-syntax",
                 std::string("not well-formed XML: ") + parsed.description());
    return {};
  }
  const auto root = document.child(format.root);
  if (!root)
    source.error(placeOf(source, document.document_element()), format.notThis,
                 std::string(format.name) + " begins with <" + format.root + ">; found " +
                     quoted(document.document_element().name()));
  return root;
}

Place placeOf(const SourceText& source, const pugi::xml_node& node) {
  return source.place(offsetOf(node.offset_debug()));
}

}  // namespace nest
