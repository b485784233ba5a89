#!/usr/bin/env bash
# Installs what is missing, builds the release, and opens the explorer on the default sample, already solved.
# Arguments are passed on. Without a display the figures are written to out/ instead.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
started_in=$PWD
cd "$here"
. .ci/packages.sh
# shellcheck disable=SC2086
ensure_packages $packages_build >&2
build release nest-explorer nest-plan >&2
cd "$started_in"
program="$here/build/release/bin/nest-explorer"
if [ $# -eq 0 ]; then
  if [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    echo "No display here: writing the figures of the default sample to $here/out" >&2
    exec "$program" --export "$here/out"
  fi
  exec "$program" "$here/samples/llama2-7b-h100-128.nest.json"
fi
exec "$program" "$@"
