#include "formats/profile_import.h"

#include "formats/nest_artifact.h"
#include "formats/pipedream.h"
#include "formats/piper.h"
#include "formats/profile_json.h"

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
