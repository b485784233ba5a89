#!/usr/bin/env bash
# One file that holds both programs and all that they need: it runs on any Linux of x86-64 with glibc 2.36 or later (Debian 12,
# Ubuntu 23.04, Fedora 37), whether Qt is installed there or not.
#   resources/install/bundle.sh [-b BUILD] [-o FILE]      (defaults: build/release, out/NEST-Explorer-VERSION-x86_64.run)
# The file unpacks itself once per version into the user's cache and starts nest-explorer from there, or nest-plan where it is
# called by that name or with --plan first.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source=$(cd "$here/../.." && pwd)
build=$source/build/release out=
while getopts b:o: option; do
  case $option in b) build=$OPTARG ;; o) out=$OPTARG ;; *) sed -n '2,6s/^# //p' "$0"; exit 2 ;; esac
done
for tool in patchelf ldd cmake tar gzip strip; do
  command -v "$tool" >/dev/null || { echo "bundle: $tool is not installed (Debian: apt-get install $tool)" >&2; exit 2; }
done
[ -x "$build/bin/nest-explorer" ] || { echo "bundle: $build/bin/nest-explorer is missing: build it first (./run.sh)" >&2; exit 2; }
version=$(sed -n 's/^project(nest-explorer VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
out=${out:-$source/out/NEST-Explorer-$version-$(uname -m).run}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
cmake --install "$build" --component programs --prefix "$root" --strip >"$work/install.log" || { cat "$work/install.log" >&2; exit 1; }

# Qt loads these by name, so that ldd cannot find them. No OpenGL: the program paints without it, and a driver of another
# system would bring its own libraries in.
plugins=$(qtpaths6 --query QT_INSTALL_PLUGINS 2>/dev/null || echo /usr/lib/"$(gcc -dumpmachine)"/qt6/plugins)
for plugin in platforms/libqxcb platforms/libqoffscreen platforms/libqminimal platforms/libqwayland-generic \
  wayland-shell-integration/libxdg-shell iconengines/libqsvgicon imageformats/libqsvg imageformats/libqjpeg \
  platforminputcontexts/libcomposeplatforminputcontextplugin platforminputcontexts/libibusplatforminputcontextplugin \
  platformthemes/libqxdgdesktopportal printsupport/libcupsprintersupport; do
  [ -e "$plugins/$plugin.so" ] || continue  # of packages that the program does without
  install -D "$plugins/$plugin.so" "$root/plugins/$plugin.so"
done
[ -e "$root/plugins/platforms/libqxcb.so" ] || { echo "bundle: no platform plugin of Qt below $plugins" >&2; exit 1; }
printf '[Paths]\nPrefix = ..\nPlugins = plugins\n' >"$root/bin/qt.conf"

# Everything that is linked, but the C library and its loader: those belong to the kernel and the system's own settings.
mkdir -p "$root/lib"
find "$root/bin" "$root/plugins" -type f \( -name '*.so' -o -perm -u+x \) -exec ldd {} + | awk '$2 == "=>" && $3 ~ /^\// {print $3}' | sort -u |
  grep -vE '/(libc|libm|libdl|librt|libpthread|libresolv|libnss_[a-z]+|ld-linux.*)\.so' | while read -r library; do
  cp -L "$library" "$root/lib/"
done
# RPATH, not RUNPATH: it holds for what a library loads in turn. Each file names its own, so that no Qt of the system is taken.
set_path() { find "$2" -type f \( -name '*.so*' -o -perm -u+x \) -exec patchelf --force-rpath --set-rpath "$1" {} +; }
strip --strip-unneeded "$root"/lib/*.so* 2>/dev/null || true
set_path '$ORIGIN/../lib' "$root/bin"
set_path '$ORIGIN/../../lib' "$root/plugins"
set_path '$ORIGIN' "$root/lib"

# A system without fonts gets one for the signs that the program's own lacks, and the list that fontconfig asks for.
mkdir -p "$root/share/fonts"
cp /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf "$root/share/fonts/" 2>/dev/null || true
cat >"$root/share/fonts/fonts.conf" <<'CONF'
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">.</dir>
  <dir>/usr/share/fonts</dir>
  <dir prefix="xdg">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
CONF

# What the bundled libraries ask of their receivers: the licences, by Debian package.
mkdir -p "$root/share/doc/licences"
find "$root/lib" "$root/plugins" -type f -printf '%f\n' | while read -r name; do dpkg-query -S "*/$name" 2>/dev/null || true; done |
  sed 's/:.*//' | sort -u | while read -r package; do
  [ ! -e "/usr/share/doc/$package/copyright" ] || cp -L "/usr/share/doc/$package/copyright" "$root/share/doc/licences/$package"
done

tar -C "$root" --sort=name --mtime='2026-01-01 UTC' --owner=0 --group=0 --numeric-owner -cf "$work/payload.tar" .
gzip -n "$work/payload.tar"
hash=$(sha256sum "$work/payload.tar.gz" | cut -c1-16)
cat >"$work/head" <<HEAD
#!/bin/sh
# NEST Explorer $version for Linux. Help: sh this-file --help. The rest of this file is a compressed archive:
# tail -n +LINES_OF_HEAD this-file | tar xz -C FOLDER unpacks it anywhere.
set -eu
cache=\${XDG_CACHE_HOME:-\${HOME:-/tmp}/.cache}/nest-explorer-bundle
home=\$cache/$version-$hash
if [ ! -e "\$home/complete" ]; then
  mkdir -p "\$cache" || { echo "nest-explorer: \$cache cannot be written; set XDG_CACHE_HOME to a folder that can" >&2; exit 1; }
  fresh=\$(mktemp -d "\$cache/unpacking.XXXXXX")
  trap 'rm -rf "\$fresh"' EXIT
  [ "\$(tail -n +LINES_OF_HEAD "\$0" | sha256sum | cut -c1-16)" = $hash ] || { echo "nest-explorer: \$0 is damaged: copy it again" >&2; exit 1; }
  tail -n +LINES_OF_HEAD "\$0" | tar xz -C "\$fresh" || { echo "nest-explorer: \$cache: no room to unpack 130 MB; set XDG_CACHE_HOME to another folder" >&2; exit 1; }
  : >"\$fresh/complete"
  mv -T "\$fresh" "\$home" 2>/dev/null || [ -e "\$home/complete" ]  # another start of it may have been first
  rm -rf "\$fresh"
  trap - EXIT
fi
[ -e /etc/fonts/fonts.conf ] || export FONTCONFIG_FILE="\$home/share/fonts/fonts.conf"
program=nest-explorer
case \$(basename "\$0") in nest-plan*) program=nest-plan ;; esac
if [ "\${1:-}" = --plan ]; then program=nest-plan; shift; fi
exec "\$home/bin/\$program" "\$@"
HEAD
sed -i "s/LINES_OF_HEAD/$(($(wc -l <"$work/head") + 1))/g" "$work/head"
mkdir -p "$(dirname "$out")"
cat "$work/head" "$work/payload.tar.gz" >"$out.part"
chmod +x "$out.part"
mv "$out.part" "$out"
echo "$out: $(($(stat -c %s "$out") / 1000000)) MB, $(find "$root/lib" -type f | wc -l) libraries"
