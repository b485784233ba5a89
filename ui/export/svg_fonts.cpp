#include "export/svg_fonts.h"

#include <hb-subset.h>

#include <QFontInfo>
#include <algorithm>
#include <array>
#include <memory>

namespace nest {
namespace {

template <auto release>
struct Release {
  template <class T>
  void operator()(T* p) const {
    release(p);
  }
};
using Blob = std::unique_ptr<hb_blob_t, Release<hb_blob_destroy>>;
using HbFace = std::unique_ptr<hb_face_t, Release<hb_face_destroy>>;
using SubsetInput = std::unique_ptr<hb_subset_input_t, Release<hb_subset_input_destroy>>;

/// Before the family's name: the part is no substitute for the font where a page uses both.
const QByteArray kOwn("Figure ");

/// What a font without hints is made of.
constexpr std::array kTables = {"head", "hhea", "maxp", "OS/2", "hmtx", "cmap", "loca", "glyf",
                                "CFF ", "name", "post", "GDEF", "GSUB", "GPOS", "kern"};

/// The font as one file: the pieces of one stay alive while HarfBuzz reads it.
Blob fileOf(const QRawFont& font) {
  const HbFace builder(hb_face_builder_create());
  for (const char* name : kTables) {
    const QByteArray table = font.fontTable(name);
    if (table.isEmpty()) continue;
    const Blob blob(hb_blob_create(table.constData(), static_cast<unsigned>(table.size()),
                                   HB_MEMORY_MODE_DUPLICATE, nullptr, nullptr));
    hb_face_builder_add_table(builder.get(), hb_tag_from_string(name, 4), blob.get());
  }
  return Blob(hb_face_reference_blob(builder.get()));
}

/// Whether the font's maker allows that it is embedded in part (OpenType, OS/2 fsType: 2 restricted, 0x100 no
/// subsetting, 0x200 bitmaps only), and whether it has outlines.
bool mayBeEmbedded(const QRawFont& font) {
  const QByteArray os2 = font.fontTable("OS/2");
  if (os2.size() < 10 || (font.fontTable("glyf").isEmpty() && font.fontTable("CFF ").isEmpty())) return false;
  const int type = (static_cast<unsigned char>(os2[8]) << 8) | static_cast<unsigned char>(os2[9]);
  return (type & 0x302) == 0;
}

/// The font file with these characters; empty: it could not be made.
QByteArray partOf(const QRawFont& font, const QSet<char32_t>& characters) {
  const Blob file = fileOf(font);
  const HbFace face(hb_face_create(file.get(), 0));
  const SubsetInput input(hb_subset_input_create_or_fail());
  if (!input) return {};
  for (const char32_t c : characters) hb_set_add(hb_subset_input_unicode_set(input.get()), c);
  hb_subset_input_set_flags(input.get(), HB_SUBSET_FLAGS_NO_HINTING);
  const HbFace part(hb_subset_or_fail(face.get(), input.get()));
  if (!part) return {};
  const Blob blob(hb_face_reference_blob(part.get()));
  unsigned size = 0;
  const char* data = hb_blob_get_data(blob.get(), &size);
  return QByteArray(data, static_cast<qsizetype>(size));
}

}  // namespace

SvgFonts::Face* SvgFonts::faceOf(const QFont& font) {
  // A page asks for each of its texts, and opening a font takes longer than writing one.
  const QString key = font.key();
  auto known = m_known.find(key);
  if (known == m_known.end()) known = m_known.insert(key, indexOf(font));
  return *known < 0 ? nullptr : &m_faces[static_cast<std::size_t>(*known)];
}

/// The face of a font, a new one if there is none yet; −1: it may not be embedded.
int SvgFonts::indexOf(const QFont& font) {
  const QRawFont raw = QRawFont::fromFont(font);
  if (!raw.isValid()) return -1;
  const QByteArray family = raw.familyName().toUtf8();
  const int weight = raw.weight();
  const bool isItalic = raw.style() != QFont::StyleNormal;
  const auto face = std::find_if(m_faces.begin(), m_faces.end(), [&](const Face& f) {
    return f.family == family && f.weight == weight && f.isItalic == isItalic;
  });
  if (face != m_faces.end()) return static_cast<int>(face - m_faces.begin());
  if (family.contains('"') || family.contains('<') || family.contains(',') || !mayBeEmbedded(raw)) return -1;
  m_faces.push_back({raw, family, weight, isItalic, {}});
  return static_cast<int>(m_faces.size()) - 1;
}

QByteArray SvgFonts::attributesFor(const QFont& font, const QString& text) {
  Face* face = faceOf(font);
  if (!face) return {};
  const auto letters = text.toUcs4();
  for (const auto c : letters)
    if (c < 32 || !face->font.supportsCharacter(c)) return {};
  for (const auto c : letters) face->characters.insert(c);
  QByteArray out = " font-family=\"" + familiesOf(face->font) + "\" font-size=\"" +
                   QByteArray::number(QFontInfo(font).pixelSize()) + '"';
  if (face->weight != QFont::Normal) out += " font-weight=\"" + QByteArray::number(face->weight) + '"';
  if (face->isItalic) out += " font-style=\"italic\"";
  return out;
}

void SvgFonts::include(const QFont& font, const QString& letters) {
  if (Face* face = faceOf(font))
    for (const auto c : letters.toUcs4())
      if (face->font.supportsCharacter(c)) face->characters.insert(c);
}

QByteArray SvgFonts::familiesOf(const QRawFont& font) {
  const QByteArray family = font.familyName().toUtf8();
  return kOwn + family + ", " + family + ", Helvetica, Arial, sans-serif";
}

QByteArray SvgFonts::css() const {
  QByteArray out;
  for (const Face& f : m_faces) {
    if (f.characters.isEmpty()) continue;
    const QByteArray part = partOf(f.font, f.characters);
    if (part.isEmpty()) continue;
    out += "@font-face { font-family: \"" + kOwn + f.family +
           "\"; font-weight: " + QByteArray::number(f.weight) + (f.isItalic ? "; font-style: italic" : "") +
           "; src: url(data:font/ttf;base64," + part.toBase64() + "); }\n";
  }
  return out;
}

}  // namespace nest
