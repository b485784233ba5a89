#!/usr/bin/env bash
# The desktop's own checkers on what is installed for it.
. "$(dirname "$0")/common.sh"
needs desktop-file-validate appstreamcli update-mime-database
install_to usr
share=$work/usr/share
[ -d "$share/applications" ] || skip "nest-explorer is not built"
told=$(desktop-file-validate "$share/applications/nest-explorer.desktop") && [ -z "$told" ] || fail "$told"
appstreamcli validate --no-net "$share"/metainfo/*.metainfo.xml || fail "AppStream metainfo"
told=$(XDG_DATA_DIRS=$share update-mime-database "$share/mime" 2>&1) && [ -z "$told" ] || fail "$told"
grep -qx '80:application/x-nest-scenario+json:\*\.nest\.json' "$share/mime/globs2" || fail "*.nest.json is not known"
program=$(sed -n 's/^Exec=\([^ ]*\).*/\1/p' "$share/applications/nest-explorer.desktop")
[ -x "$work/usr/bin/$program" ] || fail "the desktop entry starts $program"
