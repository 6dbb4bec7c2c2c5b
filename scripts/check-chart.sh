#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Whether the chart renders what kustomize does: base, cert-manager, monitoring and every scheduler.
# Needs kubectl and helm (go install helm.sh/helm/v3/cmd/helm@latest); exits 77 where one is absent.
#   scripts/check-chart.sh
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

[ -z "${KUBEBUILDER_ASSETS:-}" ] || PATH=$KUBEBUILDER_ASSETS:$PATH
for tool in kubectl helm python3; do
  if ! command -v "$tool" >/dev/null; then
    echo "${0##*/}: skipped: no $tool on PATH" >&2
    exit 77
  fi
done
work=$(mktemp -d "${TMPDIR:-/tmp}/karta-chart.XXXXXX")
trap 'rm -rf "$work"' EXIT

render() { # OUT HELM-ARGUMENTS...
  local out=$1
  shift
  helm template karta-webhook manifests/chart --namespace karta-system --include-crds \
    --kube-version 1.34.0 "$@" >"$out" 2>"$work/errors" || die "helm: $(cat "$work/errors")"
}

# same NAME KUSTOMIZATION HELM-ARGUMENTS...
failed=0
same() {
  local name=$1
  kubectl kustomize "$2" >"$work/kustomize.yaml"
  render "$work/helm.yaml" "${@:3}"
  if python3 scripts/lib/same_objects.py "$work/kustomize.yaml" "$work/helm.yaml"; then
    echo "pass  $name"
  else
    echo "FAIL  $name"
    failed=1
  fi
}

# refused WHY HELM-ARGUMENTS...: by the schema of values
refused() {
  if (render /dev/null "${@:2}") 2>/dev/null; then
    echo "FAIL  accepted: $1"
    failed=1
  else
    echo "pass  refused: $1"
  fi
}

same base manifests/base
for overlay in manifests/overlays/*/; do
  name=$(basename "$overlay")
  case $name in
  cert-manager) same "$name" "$overlay" --set certManager.enabled=true ;;
  monitoring) same "$name" "$overlay" --set monitoring.enabled=true ;;
  *) same "$name" "$overlay" --set profile="$name" ;;
  esac
done
refused "a value that nobody knows" --set replica=3
refused "text where a number belongs" --set-string replicas=two
refused "a gang that is neither opted-in nor all" --set gang=some
refused "a scheduler that has no role" --set 'schedulers={kai,slurm}'
exit $failed
