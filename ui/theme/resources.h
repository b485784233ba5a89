#pragma once

namespace nest {

/// Makes fonts, icons and samples reachable under ":/". Programs that link the library statically must ask
/// for it; cheap to call again.
void loadResources();

}  // namespace nest
