#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Throughput of /mutate/workloads against the floor: an echo server with the same libmicrohttpd
# options, the same ECDSA key and the same body. 16 kept-alive connections, alternating, median of 5.
#   scripts/bench.sh [SECONDS a run, default 5]
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
# shellcheck source=scripts/lib/deps.sh
. scripts/lib/deps.sh

seconds=${1:-5}
rounds=5
webhook=
echo_server=
work=$(mktemp -d "${TMPDIR:-/tmp}/karta-bench.XXXXXX")
cleanup() {
  stop "$webhook"
  stop "$echo_server"
  rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

deps build bench
say "building (build/release)"
quietly "$work/configure.log" configure release
cmake --build --preset release --target karta-webhook bench_echo
bin=build/release/bin
port=$(free_port 19443)
metrics=$(free_port 18080)
echo_port=$(free_port "$((port + 1))")

"$bin/karta-webhook" --listen "127.0.0.1:$port" --metrics-listen "127.0.0.1:$metrics" \
  --self-signed "$work/tls" --drain 0 --log-level error >"$work/server.log" 2>&1 &
webhook=$!
await_ready "$webhook" "$metrics" "$work/server.log"
"$bin/echo" --listen "127.0.0.1:$echo_port" --tls-cert-file "$work/tls/tls.crt" \
  --tls-key-file "$work/tls/tls.key" >"$work/echo.log" 2>&1 &
echo_server=$!
sleep 0.5
kill -0 "$echo_server" 2>/dev/null || die "the echo server did not start: $(cat "$work/echo.log")"

export KARTA_BODY=manifests/examples/jobset-review.json
# run PORT: requests per second; a run with errors counts for nothing
run() {
  wrk -t 2 -c 16 -d "${seconds}s" -s scripts/lib/post.lua \
    "https://127.0.0.1:$1/mutate/workloads" >"$work/wrk.log" 2>&1
  if grep -qE 'Non-2xx|Socket errors' "$work/wrk.log"; then
    cat "$work/wrk.log" >&2
    die "errors in a run"
  fi
  awk '/^Requests\/sec/ {print $2}' "$work/wrk.log"
}

median() {
  sort -n "$1" | sed -n "$(((rounds + 1) / 2))p"
}

say "$rounds rounds of ${seconds}s each, $(nproc) cores, body of $(wc -c <"$KARTA_BODY") bytes"
for ((round = 1; round <= rounds; round++)); do
  run "$echo_port" >>"$work/echo.txt"
  run "$port" >>"$work/mutate.txt"
  printf 'round %d: echo %s/s, /mutate/workloads %s/s\n' "$round" \
    "$(tail -n 1 "$work/echo.txt")" "$(tail -n 1 "$work/mutate.txt")"
done
floor=$(median "$work/echo.txt")
ours=$(median "$work/mutate.txt")
awk -v floor="$floor" -v ours="$ours" 'BEGIN {
  printf "median: echo %d/s, /mutate/workloads %d/s, ratio %.2f\n", floor, ours, ours / floor
}'
