#!/usr/bin/env bash
# The Debian packages: lintian finds nothing, and what they need is what they link.
. "$(dirname "$0")/common.sh"
needs cpack dpkg-shlibdeps lintian
[ -x "$BUILD/bin/nest-explorer" ] || skip "nest-explorer is not built"
cpack --config "$BUILD/CPackConfig.cmake" -G DEB -B "$work" >"$work/cpack.log" 2>&1 || { tail -20 "$work/cpack.log"; fail "cpack"; }
# Only of interest to Debian's archive: a bug that asks for the package, and a mail address that is answered.
unasked=initial-upload-closes-no-bugs,bogus-mail-host
for package in "$work"/*.deb; do
  told=$(lintian --allow-root --tag-display-limit 0 --suppress-tags $unasked --fail-on error,warning "$package" 2>&1) || fail "$(basename "$package"): $told"
done
package=$(echo "$work"/nest-explorer_*.deb)
for library in libc6 libharfbuzz-subset0 libqt6widgets6 libqt6charts6 libpugixml1v5 libsqlite3-0 zlib1g; do
  dpkg-deb -f "$package" Depends | grep -q "$library" || fail "it does not depend on $library"
done
mkdir "$work/root"
dpkg-deb -x "$package" "$work/root"
for program in nest-plan nest-explorer; do
  "$work/root/usr/bin/$program" --version >/dev/null || fail "$program of the package"
done
[ -f "$work/root/usr/share/doc/nest-explorer/copyright" ] || fail "no copyright"
