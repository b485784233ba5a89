#!/usr/bin/env bash
# The installed Python module, and the example that uses it.
. "$(dirname "$0")/common.sh"
[ -d "$BUILD/python" ] || skip "the Python module is not built (pybind11-dev, python3-dev)"
install_to usr python
module=$(dirname "$(find "$work/usr" -name 'nest_planner*.so')")
python3 "$SOURCE/tests/system/python.py" "$BUILD" "$SOURCE" "$module"
cd "$work" && PYTHONPATH=$module python3 "$SOURCE/samples/notebook/best_plans.py" >"$work/told"
grep -q 'GB are sent per step' "$work/told" || fail "$(cat "$work/told")"
