#!/usr/bin/env bash
# A program of somebody else finds NestCore, links it and gets the command line's answer.
. "$(dirname "$0")/common.sh"
install_to usr library
cmake -S "$SOURCE/samples/library" -B "$work/build" -G Ninja "-DCMAKE_PREFIX_PATH=$work/usr" -DCMAKE_BUILD_TYPE=None >"$work/log" 2>&1 &&
  cmake --build "$work/build" >>"$work/log" 2>&1 || { cat "$work/log"; fail "the example does not build"; }
scenario=$SOURCE/samples/llama2-7b-h100-128.nest.json
told=$("$work/build/fastest" "$scenario")
[ "$(echo "$told" | wc -l)" -gt 5 ] || fail "$told"
device=$(python3 -c 'import json, sys; d = json.load(open(sys.argv[1]))["cluster"]["device"]; print(d if isinstance(d, str) else d["id"])' "$scenario")
time=$("$BUILD/bin/nest-plan" solve "$scenario" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["summary"])')
echo "$told" | grep -qF "  $device  $time" || fail "nest-plan has $time on $device; the example: $told"
rm -r "$work/build"
grep -rlE "$SOURCE/|$BUILD/" "$work/usr/lib" --include='*.cmake' && fail "paths of the build in the package" || true
