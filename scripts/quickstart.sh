#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the server and shows what it does with one JobSet, from an empty machine.
#   scripts/quickstart.sh          stops everything that it started
#   scripts/quickstart.sh --keep   leaves the server running and says how to talk to it
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
# shellcheck source=scripts/lib/deps.sh
. scripts/lib/deps.sh

keep=no
case "${1:-}" in
"") ;;
--keep) keep=yes ;;
*)
  echo "usage: scripts/quickstart.sh [--keep]" >&2
  exit 2
  ;;
esac

server=
work=$(mktemp -d "${TMPDIR:-/tmp}/karta-quickstart.XXXXXX")
cleanup() {
  stop "$server"
  rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

deps build run
say "building (build/release)"
quietly "$work/configure.log" configure release
cmake --build --preset release --target karta-webhook kartactl
bin=build/release/bin
example=manifests/examples/jobset.yaml

port=$(free_port 9443)
[ "$port" = 9443 ] || echo "port 9443 is taken, so the server listens on $port"
metrics=$(free_port 8080)
[ "$metrics" = 8080 ] || echo "port 8080 is taken, so metrics and health are on $metrics"
url=https://127.0.0.1:$port
ca=$work/tls/ca.crt

say "starting karta-webhook on 127.0.0.1:$port"
# in a session of its own, so that --keep survives the terminal
setsid "$bin/karta-webhook" --listen "127.0.0.1:$port" --metrics-listen "127.0.0.1:$metrics" \
  --self-signed "$work/tls" --drain 0 >"$work/server.log" 2>&1 </dev/null &
server=$!
await_ready "$server" "$metrics" "$work/server.log"

# post PATH FILE: an AdmissionReview over verified TLS; the answer goes to $work/answer.json
post() {
  curl -sS --fail-with-body --cacert "$ca" -H 'Content-Type: application/json' \
    --data-binary "@$2" -o "$work/answer.json" \
    -w 'HTTP %{http_code}, certificate verified, %{size_download} bytes\n' "$url$1"
}

# field NAME: the text of the first such field in the answer
field() {
  grep -oE "\"$1\": ?\"([^\"\\\\]|\\\\.)*\"" "$work/answer.json" | head -n 1 |
    sed -E "s/^\"$1\": ?\"(.*)\"\$/\\1/; s/\\\\([\"\\\\])/\\1/g"
}

say "what the JobSet is made of: kartactl describe -f $example"
"$bin/kartactl" describe -f "$example"

say "the JobSet's AdmissionReview, sent with curl to $url/mutate/workloads"
post /mutate/workloads manifests/examples/jobset-review.json
grep -qE '"allowed": ?true' "$work/answer.json" || die "not allowed: $(cat "$work/answer.json")"
[ "$(field patchType)" = JSONPatch ] || die "no patch: $(cat "$work/answer.json")"
echo "allowed, with a JSON Patch for request $(field uid)"

say "what the server changes: kartactl mutate -f $example -o diff --server $url --ca-file $ca"
"$bin/kartactl" mutate -f "$example" -o diff --server "$url" --ca-file "$ca"

say "a definition whose jq does not compile, sent to $url/validate/definitions"
post /validate/definitions manifests/examples/broken-definition-review.json
grep -qE '"allowed": ?false' "$work/answer.json" || die "not refused: $(cat "$work/answer.json")"
echo "refused: $(field message)"

if [ "$keep" = yes ]; then
  say "the server goes on running as process $server"
  cat <<END
  describe   $bin/kartactl describe -f $example
  mutate     $bin/kartactl mutate -f $example -o diff --server $url --ca-file $ca
  review     curl --cacert $ca -H 'Content-Type: application/json' --data-binary @manifests/examples/jobset-review.json $url/mutate/workloads
  health     curl http://127.0.0.1:$metrics/readyz
  metrics    curl http://127.0.0.1:$metrics/metrics
  log        $work/server.log
  stop       kill $server && rm -r $work
END
  trap - EXIT
else
  stop "$server"
  server=
  say "done: the server is stopped"
fi
