#include "formats/profiles/profile_import.h"

#include "formats/profiles/nest_artifact.h"
#include "formats/profiles/pipedream.h"
#include "formats/profiles/piper.h"
#include "formats/profiles/profile_json.h"

namespace nest {

bool isProfile(FileKind k) {
  return k == FileKind::MeasuredProfile || k == FileKind::PiperProfile || k == FileKind::NestArtifact ||
         k == FileKind::PipeDreamGraph;
}

Reading<ImportedProfile> importProfile(FileKind kind, std::string_view text, const std::string& file,
                                       std::optional<int> devices) {
  switch (kind) {
    case FileKind::PiperProfile:
      return readPiper(text, file);
    case FileKind::NestArtifact:
      return readNestArtifact(text, file, devices);
    case FileKind::PipeDreamGraph:
      return readPipeDream(text, file);
    default:
      return readProfileJson(text, file);
  }
}

}  // namespace nest
