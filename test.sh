#!/usr/bin/env bash
# Installs what is missing, builds the release with its tests, and runs all of them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. .ci/packages.sh
# shellcheck disable=SC2086
ensure_packages $packages_build $packages_python $packages_figures $packages_tests
cmake --preset release -DNEST_PYTHON=ON >/dev/null
build release
export QT_QPA_PLATFORM=offscreen
ctest --test-dir build/release --output-on-failure -j "$(nproc)" "$@"
