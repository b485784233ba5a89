#!/usr/bin/env bash
# A Python wheel of the planner (nest_planner), with the libraries that it links, for the Python that the module was built for.
#   resources/install/wheel.sh [-b BUILD] [-o FOLDER]      (defaults: build/release, out)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source=$(cd "$here/../.." && pwd)
build=$source/build/release out=$source/out
while getopts b:o: option; do
  case $option in b) build=$OPTARG ;; o) out=$OPTARG ;; *) sed -n '2,3s/^# \{0,1\}//p' "$0"; exit 2 ;; esac
done
packer=
for python in python3 /usr/bin/python3; do
  "$python" -c 'import wheel' 2>/dev/null && { packer=$python; break; }
done
[ -n "$packer" ] && command -v patchelf >/dev/null || { echo "wheel: it takes python3-wheel and patchelf (Debian: apt-get install python3-wheel patchelf)" >&2; exit 2; }
module=$(find "$build/python" -name 'nest_planner.cpython-*.so' 2>/dev/null | head -1)
[ -n "$module" ] || { echo "wheel: no module below $build/python: configure with -DNEST_PYTHON=ON and build nest_planner" >&2; exit 2; }
version=$(sed -n 's/^project(nest-explorer VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
abi=cp$(basename "$module" | sed 's/.*cpython-\([0-9]*\)-.*/\1/')
glibc=$(objdump -T "$module" | grep -o 'GLIBC_2\.[0-9]*' | sort -t. -k2 -n | tail -1 | cut -d. -f2)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/nest_planner-$version
libraries=$root/nest_planner.libs info=$root/nest_planner-$version.dist-info
mkdir -p "$libraries" "$info"
install -s "$module" "$root/"
module=$root/$(basename "$module")
# Each library under a name of its own: another module of the same process may bring another build of it.
ldd "$module" | awk '$2 == "=>" && $3 ~ /^\// {print $3}' |
  grep -vE '/(libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+|ld-linux.*)\.so' | while read -r library; do
  own=$(basename "$library" | sed "s/\.so/-$(sha256sum "$library" | cut -c1-8).so/")
  install "$library" "$libraries/$own"
  patchelf --set-soname "$own" "$libraries/$own"
  printf '%s %s\n' "$(basename "$library")" "$own" >>"$work/names"
done
for file in "$module" "$libraries"/*; do
  while read -r name own; do patchelf --replace-needed "$name" "$own" "$file"; done <"$work/names"
done
patchelf --force-rpath --set-rpath '$ORIGIN' "$libraries"/*
patchelf --force-rpath --set-rpath '$ORIGIN/nest_planner.libs' "$module"
for library in "$libraries"/*; do
  needed=$(objdump -T "$library" | grep -o 'GLIBC_2\.[0-9]*' | sort -t. -k2 -n | tail -1 | cut -d. -f2)
  [ "${needed:-0}" -le "$glibc" ] || glibc=$needed
done
tag=$abi-$abi-manylinux_2_${glibc}_$(uname -m)
printf 'Wheel-Version: 1.0\nGenerator: nest-explorer (%s)\nRoot-Is-Purelib: false\nTag: %s\n' "$version" "$tag" >"$info/WHEEL"
cat >"$info/METADATA" <<META
Metadata-Version: 2.1
Name: nest-planner
Version: $version
Summary: Plan how a large model is placed on a datacenter
License: GPL-3.0-or-later
Requires-Python: >=3.8
Classifier: License :: OSI Approved :: GNU General Public License v3 or later (GPLv3+)
Description-Content-Type: text/markdown

$(cat "$source/README.md")
META
cp "$source/LICENSE" "$here/copyright" "$info/"
mkdir -p "$out"
"$packer" -m wheel pack --dest-dir "$out" "$root" >/dev/null
file=$out/nest_planner-$version-$tag.whl
echo "$file: $(($(stat -c %s "$file") / 1000)) kB"
