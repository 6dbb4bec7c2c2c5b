#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests in a Debian 13 chroot (libjq 1.7, libmicrohttpd 1.0). By hand, as root.
#   KARTA_TRIXIE=DIR   a chroot that exists already; default: one made in build/trixie
#   KARTA_MIRROR=URL   where debootstrap finds packages; default: debootstrap's own
#   scripts/test-trixie.sh [what scripts/test.sh takes]
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
# shellcheck source=scripts/lib/deps.sh
. scripts/lib/deps.sh

[ "$(id -u)" -eq 0 ] || die "a chroot needs root"
root=${KARTA_TRIXIE:-build/trixie}
if [ ! -x "$root/bin/bash" ]; then
  # shellcheck disable=SC2034 # deps reads it by its name
  karta_packages_trixie=(debootstrap)
  deps trixie
  say "making a Debian 13 chroot in $root"
  mkdir -p "$root"
  debootstrap --variant=minbase trixie "$root" ${KARTA_MIRROR:+"$KARTA_MIRROR"}
fi

say "copying the source into $root/src/karta"
mkdir -p "$root/src/karta"
# the build folder in the chroot stays, so that a second run builds only what changed
find "$root/src/karta" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
tar -c --exclude=./build --exclude=./.git . | tar -x -C "$root/src/karta"

# a mount namespace of our own: /proc and /dev are gone again when the tests end, however they end
# shellcheck disable=SC2016 # expanded by the inner shell
exec unshare --mount --propagation private bash -c '
  set -e
  root=$1
  shift
  mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
  mountpoint -q "$root/dev" || mount --rbind /dev "$root/dev"
  exec chroot "$root" /usr/bin/env HOME=/root LANG=C.UTF-8 \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    /src/karta/scripts/test.sh "$@"
' bash "$(realpath "$root")" "$@"
