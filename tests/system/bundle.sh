#!/usr/bin/env bash
# The bundle runs where nothing but Debian's essential packages is; the wheel imports and solves.
. "$(dirname "$0")/common.sh"
needs patchelf strip
[ -x "$BUILD/bin/nest-explorer" ] || skip "nest-explorer is not built"
"$SOURCE/resources/install/bundle.sh" -b "$BUILD" -o "$work/nest.run" >"$work/told" || fail "$(cat "$work/told")"
size=$(stat -c %s "$work/nest.run")
[ "$size" -lt 60000000 ] || fail "the bundle has $size bytes"

# On this machine: both programs, and nothing of the system's Qt.
export XDG_CACHE_HOME=$work/cache
sample=$SOURCE/samples/llama2-7b-h100-128.nest.json
"$work/nest.run" --plan --version | grep -q '^nest-plan ' || fail "--plan does not start nest-plan"
ln -s nest.run "$work/nest-plan"
"$work/nest-plan" solve "$sample" >"$work/plan" || fail "the name nest-plan does not start it"
"$BUILD/bin/nest-plan" solve "$sample" | cut -d. -f1 | head -1 | cmp -s - <(cut -d. -f1 "$work/plan" | head -1) || fail "another answer: $(cat "$work/plan")"
unpacked=$(echo "$XDG_CACHE_HOME"/nest-explorer-bundle/*/)
find "$unpacked" -type f \( -name '*.so*' -o -perm -u+x \) -exec ldd {} + | grep -E '=> /(usr/)?lib' | grep -vE '/(libc|libm|libdl|librt|libpthread|libresolv)\.so' >"$work/foreign" &&
  fail "libraries of this system are taken: $(sort -u "$work/foreign" | head -3)"
[ -n "$(ls "$unpacked/share/doc/licences")" ] || fail "no licences of the libraries"
cp "$work/nest.run" "$work/damaged.run"
printf x | dd of="$work/damaged.run" bs=1 seek=1000000 conv=notrunc status=none
XDG_CACHE_HOME=$work/other "$work/damaged.run" --version >/dev/null 2>"$work/told" && fail "a damaged bundle starts"
grep -q damaged "$work/told" || fail "a damaged bundle says: $(cat "$work/told")"

# The wheel: its hashes are right, and it solves without the build folder.
if [ -d "$BUILD/python" ] && "$SOURCE/resources/install/wheel.sh" -b "$BUILD" -o "$work/wheel" >"$work/told" 2>&1; then
  python3 -m zipfile -e "$work"/wheel/*.whl "$work/site"
  (cd "$work" && PYTHONPATH=$work/site python3 -c "
import nest_planner, sys
plan = nest_planner.solve('$sample')
assert nest_planner.__file__.startswith('$work/site'), nest_planner.__file__
assert plan['status'] == 'optimal', plan['status']") || fail "the wheel"
else
  echo "no wheel: $(cat "$work/told")"
fi

# A bare Debian of the essential packages of this one, in a root of its own.
root=$work/root
mkdir -p "$root/proc" "$root/tmp" "$root/in/models" "$root/dev"
mknod -m 666 "$root/dev/null" c 1 3 2>/dev/null || :
for folder in bin sbin lib lib64; do
  mkdir -p "$root/usr/$folder"
  ln -s "usr/$folder" "$root/$folder"
done
essential=$(dpkg-query -W -f '${Essential} ${Package}\n' 2>/dev/null | sed -n 's/^yes //p')
packages=$(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances $essential 2>/dev/null |
  grep -E '^[a-z0-9]' | sort -u)
[ -n "$packages" ] || skip "no list of packages: the bare root was not tried"
for package in $packages; do dpkg-query -L "$package" 2>/dev/null || true; done | sort -u | while read -r file; do
  [ -d "$file" ] && [ ! -L "$file" ] || echo "${file#/}"
done >"$work/files"
tar -C / -cf - --ignore-failed-read -T "$work/files" 2>/dev/null | tar -C "$root" --keep-directory-symlink -xf - 2>/dev/null || true
[ -z "$(find "$root" -name 'libQt6*')" ] || fail "the bare root holds Qt"
cp "$work/nest.run" "$sample" "$root/in/"
cp "$SOURCE/samples/models/llama-2-7b.json" "$root/in/models/"
bare="env -i HOME=/tmp PATH=/usr/bin:/bin QT_QPA_PLATFORM=offscreen $(command -v unshare) --fork --pid --root=$root --mount-proc"
$bare /bin/true 2>"$work/told" || skip "no root of its own can be had here: $(cat "$work/told")"
$bare /in/nest.run --plan solve /in/llama2-7b-h100-128.nest.json >"$work/there" || fail "nest-plan does not start in the bare root"
$bare /in/nest.run --export /in/out --view topology /in/llama2-7b-h100-128.nest.json >"$work/there" 2>&1 || fail "in the bare root: $(cat "$work/there")"
[ -s "$root/in/out/topology.pdf" ] || fail "no figure was written in the bare root: $(cat "$work/there")"
