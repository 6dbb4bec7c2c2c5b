#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds everything and runs the tests, from an empty machine.
#   scripts/test.sh [dev|asan|tsan|release] [ctest arguments...]
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
# shellcheck source=scripts/lib/deps.sh
. scripts/lib/deps.sh

preset=${1:-dev}
[ $# -eq 0 ] || shift
case "$preset" in
dev | asan | tsan | release) ;;
*)
  echo "usage: scripts/test.sh [dev|asan|tsan|release] [ctest arguments...]" >&2
  exit 2
  ;;
esac

deps build test
say "building (build/$preset)"
configure "$preset"
cmake --build --preset "$preset"

# a thread sanitizer of 2022 does not start under the address randomisation of newer kernels
fixed=()
if [ "$preset" = tsan ] && setarch "$(uname -m)" -R true 2>/dev/null; then
  fixed=(setarch "$(uname -m)" -R)
fi
say "testing (build/$preset)"
# three times as many as processors: what takes long is waiting for leases, deadlines and drains
"${fixed[@]}" ctest --preset "$preset" -j "$((3 * $(nproc)))" "$@"
