#!/usr/bin/env bash
# What cmake --install puts below a prefix runs from there, and uninstalling leaves nothing.
. "$(dirname "$0")/common.sh"
install_to usr
prefix=$work/usr
"$prefix/bin/nest-plan" --version | grep -qx "nest-plan [0-9.]*" || fail "nest-plan --version"
"$prefix/bin/nest-plan" solve "$prefix/share/doc/nest-explorer/samples/teaching-6-layers-2x2.nest.json" | grep -q "optimal\|Optimal" || fail "an installed sample"
gzip -dc "$prefix/share/man/man1/nest-plan-solve.1.gz" | grep -q '^\.SH OPTIONS' || fail "manual page"
python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$prefix/share/nest-explorer/schemas/scenario.schema.json" || fail "schema"
if [ -x "$prefix/bin/nest-explorer" ]; then
  for file in applications/nest-explorer.desktop mime/packages/nest-explorer.xml thumbnailers/nest-explorer.thumbnailer \
    icons/hicolor/scalable/apps/nest-explorer.svg metainfo/org.nest_explorer.NestExplorer.metainfo.xml; do
    [ -f "$prefix/share/$file" ] || fail "$file is missing"
  done
  # What the thumbnailer's line says, as a file manager runs it.
  line=$(sed -n 's/^Exec=//p' "$prefix/share/thumbnailers/nest-explorer.thumbnailer")
  sample=$prefix/share/doc/nest-explorer/samples/teaching-6-layers-2x2.nest.json
  line=${line//%o/$work/small.png} line=${line//%s/128} line=${line//%i/$sample}
  (PATH=$prefix/bin:$PATH && eval "$line") || fail "thumbnailer"
  [ "$(head -c 4 "$work/small.png" | tail -c 3)" = PNG ] || fail "the thumbnail is no PNG"
fi
cmake -D "MANIFESTS=$BUILD" -P "$SOURCE/resources/install/uninstall.cmake" >/dev/null
left=$(find "$prefix" ! -type d)
[ -z "$left" ] || fail "uninstalling left $left"
[ ! -e "$prefix/share/nest-explorer" ] && [ ! -e "$prefix/share/doc/nest-explorer" ] || fail "uninstalling left folders"
