#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Takes karta-webhook out of a cluster, in the order in which nothing else is held up: first the server
# may write no more, then the webhook configurations go, then the rest.
#   scripts/uninstall.sh               all but the CRDs, and so but Kartas, profiles and policies
#   scripts/uninstall.sh --webhooks    only what could hold others up; then: helm uninstall karta-webhook
#   scripts/uninstall.sh --crds        the CRDs too, and with them every Karta
# kubectl is taken from PATH, with the context that it has.
set -euo pipefail

what=${1:-all}
case "$what" in
all | --webhooks | --crds) ;;
*)
  echo "usage: scripts/uninstall.sh [--webhooks|--crds]" >&2
  exit 2
  ;;
esac

namespace=karta-system
app=app.kubernetes.io/name=karta-webhook

# gone ARGUMENTS...: what is not there is gone already; nothing is waited for that nobody may end
gone() {
  kubectl delete --ignore-not-found --wait=false "$@"
}

configurations() {
  gone mutatingwebhookconfigurations.admissionregistration.k8s.io karta-webhook
  gone validatingwebhookconfigurations.admissionregistration.k8s.io karta-webhook
}

# without this right a replica that still runs would write them again within half a minute
gone clusterrolebindings.rbac.authorization.k8s.io karta-webhook
configurations
# a write that was under way when the right went may have come after
sleep 3
configurations
[ "$what" != --webhooks ] || exit 0

gone -n "$namespace" deployments.apps,poddisruptionbudgets.policy,services,networkpolicies.networking.k8s.io -l "$app"
gone -n "$namespace" rolebindings.rbac.authorization.k8s.io,roles.rbac.authorization.k8s.io,serviceaccounts -l "$app"
gone clusterrolebindings.rbac.authorization.k8s.io,clusterroles.rbac.authorization.k8s.io -l "$app"
gone -n "$namespace" leases.coordination.k8s.io karta-webhook
gone -n "$namespace" secrets karta-webhook-tls
if [ "$what" = --crds ]; then
  gone customresourcedefinitions.apiextensions.k8s.io -l "$app"
fi
gone namespaces "$namespace"
