# Sourced by run.sh, test.sh and .ci/run: Debian 12 packages, installed only where missing.
packages_build="g++ cmake ninja-build mold ccache qt6-base-dev qt6-charts-dev qt6-svg-dev libqt6opengl6-dev nlohmann-json3-dev libspdlog-dev libfmt-dev libyaml-cpp-dev libpugixml-dev libsqlite3-dev zlib1g-dev libharfbuzz-dev"
packages_sanitizers="clang-16 libclang-rt-16-dev"
packages_figures="librsvg2-bin poppler-utils"
packages_python="python3-dev pybind11-dev"
packages_tests="python3-jsonschema lintian desktop-file-utils appstream shared-mime-info fish zsh man-db slurmctld slurmd slurm-client munge patchelf python3-wheel"

ensure_packages() {
  local missing="" package
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q '^install ok installed' || missing="$missing $package"
  done
  [ -n "$missing" ] || return 0
  local sudo=""
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { echo "These packages are missing and this user cannot install them:$missing" >&2; return 1; }
    sudo=sudo
  fi
  echo "Installing:$missing"
  # shellcheck disable=SC2086
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing >/dev/null 2>&1 ||
    { $sudo apt-get update -q >/dev/null && $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing >/dev/null; }
}

# build PRESET [TARGET…]: configure and build; the configure log shows only if it fails.
build() {
  local preset=$1 log
  shift
  log=$(mktemp)
  cmake --preset "$preset" >"$log" 2>&1 || { cat "$log"; rm -f "$log"; return 1; }
  rm -f "$log"
  cmake --build --preset "$preset" ${1:+--target "$@"}
}
