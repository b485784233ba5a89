#!/usr/bin/env bash
# Installs what is missing, builds the release, and opens the explorer on the default sample, already solved.
# Arguments are passed on. Without a display the figures are written to out/ instead. --install [PREFIX] builds and installs
# below the prefix (/usr/local); cmake --build build/release --target uninstall takes it away again.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
started_in=$PWD
program="$here/build/release/bin/nest-explorer"
if [ "${1:-}" = --help ] || [ "${1:-}" = -h ]; then
  sed -n '2,4s/^# //p' "${BASH_SOURCE[0]}"
  [ ! -x "$program" ] || { echo; "$program" --help; }
  exit
fi
cd "$here"
. .ci/packages.sh
# shellcheck disable=SC2086
ensure_packages $packages_build >&2
if [ "${1:-}" = --install ]; then
  prefix=${2:-/usr/local}
  build release nest-explorer nest-plan manual changelog >&2
  as_owner=""
  mkdir -p "$prefix" 2>/dev/null && [ -w "$prefix" ] || as_owner=sudo
  $as_owner cmake --install build/release --component programs --prefix "$prefix"
  for update in "update-mime-database $prefix/share/mime" "update-desktop-database $prefix/share/applications" \
    "gtk-update-icon-cache -q -t -f $prefix/share/icons/hicolor"; do
    ! command -v "${update%% *}" >/dev/null || $as_owner $update || true
  done
  exit
fi
build release nest-explorer nest-plan >&2
cd "$started_in"
if [ $# -eq 0 ]; then
  if [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    echo "No display here: writing the figures of the default sample to $here/out" >&2
    exec "$program" --export "$here/out"
  fi
  exec "$program" "$here/samples/llama2-7b-h100-128.nest.json"
fi
exec "$program" "$@"
