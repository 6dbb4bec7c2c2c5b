#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# kartactl's live commands against a real API server: the kube-apiserver, etcd and kubectl in
# $KUBEBUILDER_ASSETS, in a folder that is removed. Ends with 77 (skipped) where that is not set.
#   kartactl_real.sh KARTACTL SOURCE_DIR
set -euo pipefail
kartactl=$1 source=$2
assets=${KUBEBUILDER_ASSETS:-}
[ -n "$assets" ] && [ -x "$assets/kube-apiserver" ] && [ -x "$assets/etcd" ] || exit 77

run=$(mktemp -d /tmp/kartactl-real-XXXXXX)
pids=()
end() {
  local status=$?
  [ ${#pids[@]} -eq 0 ] || kill "${pids[@]}" 2>/dev/null || true
  wait 2>/dev/null || true
  [ $status -eq 0 ] || tail -5 "$run"/*.log >&2
  rm -rf "$run"
}
trap end EXIT

free_port() {
  local port
  while :; do
    port=$((20000 + RANDOM))
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo $port; return; }
  done
}
await() { # await COMMAND...: for as long as the machine may need
  local end=$((SECONDS + 180))
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $end ] || { echo "not ready: $*" >&2; exit 1; }
    sleep 0.5
  done
}

port=$(free_port) etcd=$(free_port) peer=$(free_port)
openssl genrsa -out "$run/sa.key" 2048 2>/dev/null
echo 'secret,admin,admin,"system:masters"' >"$run/tokens"
"$assets/etcd" --data-dir "$run/etcd" --listen-client-urls "http://127.0.0.1:$etcd" \
  --advertise-client-urls "http://127.0.0.1:$etcd" --listen-peer-urls "http://127.0.0.1:$peer" \
  --initial-advertise-peer-urls "http://127.0.0.1:$peer" \
  --initial-cluster "default=http://127.0.0.1:$peer" >"$run/etcd.log" 2>&1 &
pids+=($!)
"$assets/kube-apiserver" --etcd-servers "http://127.0.0.1:$etcd" --bind-address 127.0.0.1 \
  --secure-port "$port" --advertise-address 127.0.0.1 --endpoint-reconciler-type none \
  --cert-dir "$run/certs" --token-auth-file "$run/tokens" --authorization-mode RBAC \
  --service-account-issuer https://kubernetes.default.svc \
  --service-account-signing-key-file "$run/sa.key" --service-account-key-file "$run/sa.key" \
  --service-cluster-ip-range 10.0.0.0/24 >"$run/apiserver.log" 2>&1 &
pids+=($!)
cat >"$run/config" <<END
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:$port", insecure-skip-tls-verify: true}}]
users: [{name: admin, user: {token: secret}}, {name: nobody, user: {token: secret, as: nobody}}]
contexts: [{name: admin, context: {cluster: c, user: admin}}, {name: nobody, context: {cluster: c, user: nobody}}]
current-context: admin
END
export KUBECONFIG=$run/config PATH=$assets:$PATH HOME=$run
await kubectl get --raw /readyz

kubectl apply -f - >/dev/null <<'END'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: jobsets.jobset.x-k8s.io}
spec:
  group: jobset.x-k8s.io
  scope: Namespaced
  names: {kind: JobSet, plural: jobsets, singular: jobset}
  versions:
  - {name: v1alpha2, served: true, storage: true,
     schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
END
await kubectl get jobsets
kubectl create namespace ml >/dev/null
await kubectl get namespace ml
kubectl create serviceaccount default -n ml >/dev/null
kubectl create -f "$source/manifests/examples/jobset.yaml" >/dev/null
jobset=$(kubectl get jobset train -n ml -o 'jsonpath={.metadata.uid}')
owner='[{"apiVersion":"jobset.x-k8s.io/v1alpha2","kind":"JobSet","name":"train","controller":true,"uid":"'$jobset'"}]'
labels='{"jobset.sigs.k8s.io/replicatedjob-name":"workers"}'
spec='{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}'
kubectl create -f - >/dev/null <<END
{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"train-workers-0","namespace":"ml",
 "ownerReferences":$owner},"spec":{"template":{"spec":$spec}}}
END
job=$(kubectl get job train-workers-0 -n ml -o 'jsonpath={.metadata.uid}')
kubectl create -f - >/dev/null <<END
{"apiVersion":"v1","kind":"Pod","metadata":{"name":"train-workers-0-0","namespace":"ml",
 "labels":$labels,"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"train-workers-0",
 "controller":true,"uid":"$job"}]},"spec":$spec}
END

expect() { # expect CODE TEXT COMMAND...: ends with that code, and prints that text somewhere
  local code=$1 text=$2 status=0 out
  shift 2
  out=$("$kartactl" "$@" 2>&1) || status=$?
  if [ "$status" -ne "$code" ] || [[ $out != *"$text"* ]]; then
    printf 'kartactl %s: ended with %s, not %s with "%s":\n%s\n' "$*" "$status" "$code" "$text" "$out" >&2
    exit 1
  fi
}
expect 0 '`-- train-workers-0-0  Pending' describe jobset/train -n ml
expect 0 'Ganged:      no' describe jobsets.jobset.x-k8s.io train -n ml
expect 0 'JobSet  train  Initializing  3     12' get --all-types -n ml
expect 0 'no workloads found' get jobs -n ml
expect 5 're-create' audit jobset/train -n ml
expect 0 'suspended (server dry run)' suspend jobset/train -n ml --dry-run
expect 0 'jobset/train suspended' suspend jobset/train -n ml
expect 0 'is suspended already' suspend jobset/train -n ml
expect 0 'Suspend' get jobsets -n ml
expect 0 'jobset/train resumed' resume jobset/train -n ml
expect 3 'not found' describe jobset/other -n ml
expect 3 'no type "nothings"' get nothings
expect 6 'is forbidden' get jobsets -n ml --context nobody
expect 6 'no such file' get jobsets --kubeconfig "$run/nowhere"
kubectl delete jobset train -n ml >/dev/null
