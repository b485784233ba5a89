#!/usr/bin/env bash
# Everything that --json prints, plans and profiles satisfy the schemas that are installed.
. "$(dirname "$0")/common.sh"
python3 -c 'import jsonschema' 2>/dev/null || skip "python3-jsonschema is not installed"
python3 "$SOURCE/tests/system/schemas.py" "$BUILD" "$SOURCE" "$work"
