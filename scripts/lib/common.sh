# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the scripts share. Source it after `set -euo pipefail`; it changes to the top of the source.

cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# what we start listens on the loopback, which no proxy can reach
export no_proxy="127.0.0.1,localhost${no_proxy:+,$no_proxy}" NO_PROXY="127.0.0.1,localhost${NO_PROXY:+,$NO_PROXY}"

say() {
  printf '\n==> %s\n' "$*"
}

die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# quietly LOG COMMAND...: the output goes to LOG and is shown only when the command fails
quietly() {
  local log=$1
  shift
  if ! "$@" >"$log" 2>&1; then
    cat "$log" >&2
    die "failed: $*"
  fi
}

# configure PRESET: once; afterwards the build itself sees what changed in the CMake files
configure() {
  [ -f "build/$1/build.ninja" ] || cmake --preset "$1"
}

port_taken() {
  (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# free_port FIRST: prints the first port from there on that nobody listens on
free_port() {
  local port
  for ((port = $1; port < $1 + 200; port++)); do
    if ! port_taken "$port"; then
      echo "$port"
      return
    fi
  done
  die "no free port from $1 to $port on 127.0.0.1"
}

# await_ready PID PORT LOG: until the server with this metrics port is ready, at most 15 s
await_ready() {
  local tries
  for ((tries = 0; tries < 150; tries++)); do
    if curl -fsS -o /dev/null "http://127.0.0.1:$2/readyz" 2>/dev/null; then
      return
    fi
    if ! kill -0 "$1" 2>/dev/null; then
      cat "$3" >&2
      die "the server ended before it was ready"
    fi
    sleep 0.1
  done
  cat "$3" >&2
  die "the server was not ready within 15 s"
}

# stop PID: asks a process of ours to end, and waits for it
stop() {
  [ -n "${1:-}" ] || return 0
  kill "$1" 2>/dev/null || true
  wait "$1" 2>/dev/null || true
}
