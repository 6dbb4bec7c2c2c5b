# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Debian packages, by what they are for. README.md says why each is needed.

karta_packages_build=(gcc libc6-dev cmake ninja-build pkg-config libjansson-dev libyaml-dev libjq-dev
 libmicrohttpd-dev libgnutls28-dev libssl-dev libcurl4-openssl-dev libcmocka-dev)
karta_packages_run=(curl ca-certificates diffutils)
# kubectl (kubernetes-client) is not among them: it is large, and often there from elsewhere, where
# Debian's would be in its way. The test that wants it skips itself.
karta_packages_test=(curl diffutils openssl python3 python3-jsonpatch)
karta_packages_check=(valgrind)
karta_packages_bench=(wrk curl)

# deps GROUP...: installs what is missing of these groups, by apt, as root or with sudo
deps() {
  local group package missing=() as_root=()
  for group in "$@"; do
    local -n packages="karta_packages_$group"
    for package in "${packages[@]}"; do
      if [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
        missing+=("$package")
      fi
    done
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "run as root, or install sudo: these are missing: ${missing[*]}"
    as_root=(sudo)
  fi
  say "installing ${missing[*]}"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends "${missing[@]}"
}
