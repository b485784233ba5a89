#pragma once

#include "text/source_text.h"

namespace pugi {
class xml_document;
class xml_node;
}  // namespace pugi

namespace nest {

/// What an XML format begins with, and how it is refused.
struct XmlFormat {
  const char* name;          ///< "NCCL topology XML"; for messages
  const char* root;          ///< its root element
  const char* notThis;       ///< code of the error when the root is another
  std::size_t most;          ///< bytes
  bool keepsBlanks = false;  ///< text of blanks alone counts
};

/// Parses the text and finds the root element; empty after an error was reported ("xml-syntax", the format's
/// own, those of SourceText::isReadable). Entities beside the five of XML stay as they are written, so that
/// none can grow.
pugi::xml_node readXml(SourceText&, pugi::xml_document&, const XmlFormat&);

/// Where an element begins.
Place placeOf(const SourceText&, const pugi::xml_node&);

}  // namespace nest
