#pragma once

#include <QByteArray>
#include <QFont>
#include <QHash>
#include <QRawFont>
#include <QSet>
#include <QString>
#include <vector>

namespace nest {

/// The fonts of one SVG or of one page of several, with the characters that were written in each: what is
/// embedded is a part of the font with these alone, so that the text looks the same wherever it is read and
/// can be searched and copied.
class SvgFonts {
public:
  /// Attributes of a <text> in this font: family, size, weight. Empty: the font lacks one of the characters,
  /// or may not be taken apart, so that the text must be drawn.
  QByteArray attributesFor(const QFont&, const QString& text);
  /// Characters that are embedded whether or not they are written; those that the font lacks are left out.
  void include(const QFont&, const QString& letters);
  /// What CSS and attributes call the font, with those that stand in for it.
  static QByteArray familiesOf(const QRawFont&);
  /// @font-face rules of all fonts that were written in; empty: none was.
  QByteArray css() const;

private:
  struct Face {
    QRawFont font;
    QByteArray family;
    int weight = 400;
    bool isItalic = false;
    QSet<char32_t> characters;
  };
  Face* faceOf(const QFont&);
  int indexOf(const QFont&);

  std::vector<Face> m_faces;
  QHash<QString, int> m_known;  ///< by QFont::key(): which of the faces; −1: none may be embedded
};

}  // namespace nest
