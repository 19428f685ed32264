#!/bin/bash
# Installs what is needed on Debian 12, builds, runs all tests, and prints lit's
# summary and a last line "N passed, N failed". Further arguments are lit's.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh

printf '\n== Testing\n'
export PATH=/usr/lib/llvm-22/bin:$PATH
results=build/test/results.json
rm -f $results
status=0
lit -sv --output $results "$@" build/test || status=$?
[ -f $results ] || { echo "tools/test.sh: error: lit ran no test" >&2; exit 1; }
/usr/bin/python3 - $results <<'EOF'
import json, sys
codes = [test["code"] for test in json.load(open(sys.argv[1]))["tests"]]
passed, skipped = codes.count("PASS") + codes.count("XFAIL"), codes.count("UNSUPPORTED")
print(f"{passed} passed, {len(codes) - passed - skipped} failed" + (f", {skipped} skipped" if skipped else ""))
EOF
exit $status
