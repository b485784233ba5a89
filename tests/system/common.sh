# Sourced by the tests of this folder: BUILD is the build folder, SOURCE the checkout.
set -euo pipefail
BUILD=$1 SOURCE=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export QT_QPA_PLATFORM=offscreen LC_ALL=C.UTF-8

skip() { echo "SKIP: $*"; exit 77; }
fail() { echo "FAIL: $*" >&2; exit 1; }
needs() { for tool in "$@"; do command -v "$tool" >/dev/null || skip "$tool is not installed"; done; }

# install PREFIX [COMPONENT]: into $work/PREFIX
install_to() { cmake --install "$BUILD" --prefix "$work/$1" --component "${2:-programs}" >"$work/install.log" || { cat "$work/install.log"; fail "cmake --install"; }; }
