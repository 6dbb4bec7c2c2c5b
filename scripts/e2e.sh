#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The server against a real API server: kube-apiserver and etcd from KUBEBUILDER_ASSETS, started here.
# The manifests are installed as they are; the server runs outside of the cluster, with the rights of
# its service account. One line for each thing that is checked; exits 77 where there is no API server.
#   scripts/e2e.sh
#   KARTA_BIN=DIR    programs that are built already (default: build/release/bin, built if need be)
#   KARTA_TLS=MODE   secret: our own CA in a Secret; self-signed: in a folder (default: secret, where the
#                    server knows it)
#   KEEP=yes         leaves logs and all in the folder that is named at the end
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
# shellcheck source=scripts/lib/deps.sh
. scripts/lib/deps.sh
# shellcheck source=scripts/lib/kube.sh
. scripts/lib/kube.sh

kube_assets
karta_packages_e2e=(curl openssl python3 python3-yaml diffutils)
if [ -z "${KARTA_BIN:-}" ]; then
  deps build e2e
fi
# Debian's python3 has Debian's yaml, whatever another one on PATH has
python=/usr/bin/python3

work=$(mktemp -d "${TMPDIR:-/tmp}/karta-e2e.XXXXXX")
etcd_pid='' api_pid='' server=''
declare -A replica=()
cleanup() {
  stop "$server"
  for name in "${!replica[@]}"; do
    stop "${replica[$name]}"
  done
  kube_stop
  if [ "${KEEP:-no}" = yes ]; then
    echo "what was written is in $work"
  else
    rm -rf "$work"
  fi
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

passed=0 failed=0
pass() {
  echo "pass  $*"
  passed=$((passed + 1))
}
fail() {
  echo "FAIL  $*"
  failed=$((failed + 1))
}
# check WHAT COMMAND...: passes where the command succeeds; its output is shown where it does not
check() {
  local what=$1
  shift
  if "$@" >"$work/out" 2>&1; then
    pass "$what"
  else
    fail "$what"
    sed 's/^/        /' "$work/out" | tail -n 20
  fi
}
# eventually COMMAND...: within 30 s
eventually() {
  local tries
  for ((tries = 0; tries < 150; tries++)); do
    ! "$@" >/dev/null 2>&1 || return 0
    sleep 0.2
  done
  "$@"
}
# refused TEXT COMMAND...: it fails, and says so
refused() {
  local text=$1
  shift
  if "$@" >"$work/refused" 2>&1; then
    cat "$work/refused"
    echo "it was accepted"
    return 1
  fi
  [ -z "$text" ] || grep -qF "$text" "$work/refused" || {
    cat "$work/refused"
    echo "it does not say: $text"
    return 1
  }
}
k() {
  kubectl "$@"
}

say "starting etcd and kube-apiserver from $assets"
kube_start
if [ -z "${KARTA_BIN:-}" ]; then
  say "building (build/release)"
  quietly "$work/configure.log" configure release
  quietly "$work/build.log" cmake --build --preset release --target karta-webhook kartactl
  KARTA_BIN=build/release/bin
fi
tls=${KARTA_TLS:-$("$KARTA_BIN/karta-webhook" --help | grep -q -- --tls-secret && echo secret || echo self-signed)}

# ---- the manifests, on a cluster that has nothing but Kubernetes
install_base() {
  # rights and a namespace come first in the stream; a CRD is served a moment after it is made
  eventually k apply --validate=strict -k manifests/base
}
say "installing (kubectl apply -k manifests/base)"
check "base installs on a stock cluster" install_base
# kubectl sends the selector of a PodDisruptionBudget anew each time
check "it installs again, and nothing changes" \
  bash -c '! kubectl apply -k manifests/base | grep -vE " unchanged$|^poddisruptionbudget"'
for overlay in manifests/overlays/*/; do
  case $overlay in
  */cert-manager/ | */monitoring/) ;; # of kinds that this cluster does not have
  *) check "$(basename "$overlay") is valid for this API server" \
    k apply --dry-run=server --validate=strict -k "$overlay" ;;
  esac
done
check "CRDs are established" k wait --for=condition=Established --timeout=30s \
  crd/kartas.run.ai crd/gangprofiles.workloadmap.dev crd/workloadpolicies.workloadmap.dev

# No controller-manager runs here, which would collect these roles into one.
for role in $(k get clusterroles -l workloadmap.dev/aggregate-to-karta-webhook=true -o name); do
  name=${role##*/}
  k create clusterrolebinding "$name" --clusterrole="$name" \
    --serviceaccount=karta-system:karta-webhook >/dev/null
done
k create namespace ml >/dev/null
k create serviceaccount default -n ml >/dev/null

# ---- kinds of frameworks, defined here
$python scripts/lib/kind_crds.py definitions/*.yaml >"$work/kinds.yaml"
cat >>"$work/kinds.yaml" <<'END'
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: podgroups.scheduling.run.ai}
spec: &any
  group: scheduling.run.ai
  scope: Namespaced
  names: {kind: PodGroup, plural: podgroups}
  versions:
  - name: v2alpha2
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: trains.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Train, plural: trains}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
END
check "CRDs of the frameworks" k create -f "$work/kinds.yaml"

# ---- the server, with what its service account may
port=$(free_port 9443)
metrics=$(free_port 8080)
url=https://127.0.0.1:$port
k create token karta-webhook -n karta-system --duration=1h >"$work/token"

# start_server ARGUMENTS...
start_server() {
  POD_NAMESPACE=karta-system "$KARTA_BIN/karta-webhook" --listen "127.0.0.1:$port" \
    --metrics-listen "127.0.0.1:$metrics" --kube-api "$api_url" --kube-token-file "$work/token" \
    --kube-ca-file "$work/pki/ca.crt" --webhook-url "$url" --drain 0 "$@" >>"$work/server.log" 2>&1 &
  server=$!
  await_ready "$server" "$metrics" "$work/server.log"
}
stop_server() {
  stop "$server"
  server=
}
own_tls=(--self-signed "$work/tls")
[ "$tls" != secret ] || own_tls=(--tls-secret karta-system/karta-webhook-tls)
say "starting the server (certificate: $tls)"
start_server "${own_tls[@]}"
pass "the server is ready with the rights of its service account"

configured() {
  k get mutatingwebhookconfiguration karta-webhook -o jsonpath='{.webhooks[*].rules[*].resources[*]}' |
    grep -q "$1"
}
check "the webhook configurations are written" eventually configured jobsets
check "they name no wildcard" \
  bash -c '! kubectl get mutatingwebhookconfigurations,validatingwebhookconfigurations -o jsonpath="{.items[*].webhooks[*].rules}" | grep -F "*"'

# ---- workloads
jobset=manifests/examples/jobset.yaml

# ganged TYPE NAME [NAMESPACE]: label, annotation, and the key in as many templates as there are
ganged() {
  k get "$1" "$2" -n "${3:-ml}" -o json >"$work/object.json" &&
    grep -q '"workloadmap.dev/profile": "kai"' "$work/object.json" &&
    grep -q '"workloadmap.dev/gang":' "$work/object.json" &&
    grep -q '"schedulerName": "kai-scheduler"' "$work/object.json"
}
templates() {
  grep -c '"pod-group-name":' "$work/object.json"
}
# create_ganged TYPE NAME FILE: anew until it is, since configurations take a moment to count
create_ganged() {
  k delete "$1" "$2" -n ml --ignore-not-found --wait=false >/dev/null
  k create -f "$3" && ganged "$1" "$2"
}
check "a JobSet is created ganged" eventually create_ganged jobsets train "$jobset"
check "in both of its templates" test "$(templates)" = 2
# the PodGroup that the JobSet's pods will ask for, which goes when the JobSet does
made() {
  local group
  group=$(k get jobset train -n ml \
    -o jsonpath='{.spec.replicatedJobs[0].template.spec.template.metadata.annotations.pod-group-name}')
  test "$(k get podgroups.scheduling.run.ai "$group" -n ml \
    -o jsonpath='{.metadata.ownerReferences[0].kind} {.spec.subGroups[*].minMember}')" = "JobSet 1 2"
}
check "and its PodGroup is made" eventually made
check "a Job is created ganged" eventually create_ganged jobs allreduce manifests/examples/job.yaml
sed '/kai.scheduler.queue/d; s/labels:/labels: {}/; s/name: train/name: plain/' "$jobset" >"$work/plain.yaml"
check "a workload that did not opt in is created" k create -f "$work/plain.yaml"
check "and left alone" bash -c '! kubectl get jobset plain -n ml -o yaml | grep -E "kai|gang"'
k delete jobset plain -n ml >/dev/null

uid() {
  k get jobset train -n ml -o jsonpath='{.metadata.uid} {.spec.replicatedJobs[*].template.spec.template.metadata.annotations.pod-group-name}'
}
before=$(uid)
check "kubectl replace of the original file is accepted" k replace -f "$jobset"
check "and the keys stay" test "$(uid)" = "$before"
check "kubectl delete" k delete -f "$jobset"
check "kubectl apply" k apply -f "$jobset"
check "kubectl diff of the original file is clean" k diff -f "$jobset"
version() {
  k get jobset train -n ml -o jsonpath='{.metadata.resourceVersion}'
}
before=$(version)
k apply -f "$jobset" >/dev/null
check "a second apply changes nothing" test "$(version)" = "$before"
k delete -f "$jobset" >/dev/null
dry_run() {
  k create --dry-run=server -f "$jobset" -o yaml >"$work/dry.yaml" && grep -q pod-group-name "$work/dry.yaml"
}
check "a dry run shows the gang" dry_run
check "and stores nothing" refused "not found" k get jobset train -n ml
check "server-side apply" k apply --server-side --field-manager=team -f "$jobset"
check "again, without a conflict" k apply --server-side --field-manager=team -f "$jobset"
check "and the JobSet is ganged" ganged jobsets train
check "kubectl delete again" k delete -f "$jobset"

# ---- Kartas
check "a bad Karta is refused, with the sentence" refused \
  'spec.structureDefinition.rootComponent.scaleDefinition.replicasPath: the "(" that opens here is never closed, at column 1 of `(.spec.replicas // 1`' \
  k create -f manifests/examples/broken-definition.yaml
cat >"$work/karta.yaml" <<'END'
apiVersion: run.ai/v1alpha1
kind: Karta
metadata:
  name: train
  annotations: {workloadmap.dev/plural: trains}
spec:
  structureDefinition:
    rootComponent:
      name: train
      kind: {group: example.com, version: v1, kind: Train}
      specDefinition: {podTemplateSpecPath: .spec.template}
      scaleDefinition: {replicasPath: .spec.replicas // 1}
      statusDefinition: {statusMappings: {}}
      podSelector: {componentTypeSelector: {keyPath: '.metadata.labels["example.com/train"]'}}
  optimizationInstructions:
    gangScheduling: {podGroup: {name: train, subGroups: [{componentName: train}]}}
END
cat >"$work/train.yaml" <<'END'
apiVersion: example.com/v1
kind: Train
metadata: {name: express, namespace: ml, labels: {kai.scheduler/queue: team-a}}
spec:
  replicas: 3
  template: {spec: {containers: [{name: main, image: registry.example.com/train:1.0}]}}
END
check "a Karta for a kind of one's own" k apply -f "$work/karta.yaml"
# its role: one more for the collection (here bound by hand)
k create clusterrole karta-webhook-train --verb=get,list,watch --resource=trains.example.com >/dev/null
k create clusterrolebinding karta-webhook-train --clusterrole=karta-webhook-train \
  --serviceaccount=karta-system:karta-webhook >/dev/null
check "takes effect" eventually create_ganged trains express "$work/train.yaml"
labelled() {
  test "$(k get karta train -o jsonpath='{.metadata.labels.run\.ai/karta-kind}')" = Train
}
check "and has the labels by which others find it" labelled
check "a second Karta for the same kind is refused" refused 'is covered by Karta "train" already' \
  bash -c "sed 's/^  name: train/  name: other/' $work/karta.yaml | kubectl create -f -"
k delete karta train >/dev/null
# what earns warnings only: null, a list that repeats itself, an unknown field, a level that is left out
cat >"$work/doubtful.yaml" <<'END'
apiVersion: run.ai/v1alpha1
kind: Karta
metadata: {name: doubtful}
spec:
  other: 1
  structureDefinition:
    rootComponent:
      name: Train_1
      kind: {group: example.com, version: v1, kind: Train}
      ownerRef: null
      instanceIdPath: null
      specDefinition: {podTemplateSpecPath: .spec.template, podSpecPath: null}
      scaleDefinition: {replicasPath: .spec.replicas, minReplicasPath: null}
      statusDefinition: {statusMappings: {running: null, failed: [{byPhase: null, byExpression: {expression: .x, expectedResult: ""}}]}}
      podSelector: {componentTypeSelector: {keyPath: null, matchLabels: {a: b}}, replicaSelector: null}
    childComponents: null
    additionalChildKinds: [{group: example.com, version: v1, kind: Train}, {version: v1, kind: Service}, {group: serving.knative.dev, version: v1, kind: Service}]
  optimizationInstructions:
    gangScheduling:
      podGroups:
      - {name: train, members: [{componentName: Train_1, filters: ["true", "true"], groupByKeyPaths: null}]}
END
check "a Karta that earns warnings only is stored" k create --validate=ignore -f "$work/doubtful.yaml"
k delete karta doubtful --ignore-not-found >/dev/null
check "the whole catalog can be applied" k apply -f definitions/
check "every Karta becomes Ready" k wait --for=condition=Ready --timeout=60s kartas --all
k get kartas -o json >"$work/kartas.json"
check "and is stored as it was written" $python scripts/lib/unchanged.py "$work/kartas.json" definitions/*.yaml
check "the profiles too" k apply -f profiles/
k get gangprofiles -o json >"$work/profiles.json"
check "and they are stored as they were written" \
  $python scripts/lib/unchanged.py "$work/profiles.json" profiles/*.yaml

# ---- policies
cat >"$work/policy.yaml" <<'END'
apiVersion: workloadmap.dev/v1alpha1
kind: WorkloadPolicy
metadata: {name: few-gpus}
spec:
  matchConstraints: {namespaces: ["m*"]}
  validations:
  - expression: .totals.gpus <= 8
    messageExpression: '"asks for \(.totals.gpus) GPUs; 8 are allowed"'
END
check "a WorkloadPolicy" k apply -f "$work/policy.yaml"
denied() {
  k delete jobset train -n ml --ignore-not-found >/dev/null
  refused "asks for 12 GPUs; 8 are allowed" k create -f "$jobset"
}
check "denies" eventually denied
k delete workloadpolicy few-gpus >/dev/null
check "and is gone when it is deleted" eventually create_ganged jobsets train "$jobset"

# ---- certificates
job() { # NAME
  sed "s/name: allreduce/name: $1/" manifests/examples/job.yaml
}
if [ "$tls" = secret ]; then
  k get secret karta-webhook-tls -n karta-system -o json >"$work/secret.json"
  check "the Secret has CA and certificate" \
    bash -c "grep -q tls.crt $work/secret.json && grep -q ca.crt $work/secret.json"
  k patch secret karta-webhook-tls -n karta-system --type=merge \
    -p '{"data":{"tls.crt":"bm9uc2Vuc2U=","ca.crt":"bm9uc2Vuc2U="}}' >/dev/null
  noticed() {
    grep -q "karta-webhook-tls: " "$work/server.log"
  }
  check "a Secret edited into nonsense is told of" eventually noticed
  counted() {
    curl -fsS "http://127.0.0.1:$metrics/metrics" |
      grep -q '^karta_reload_total{what="certificate",result="failure"} [1-9]'
  }
  check "and counted, for the alert" eventually counted
  check "and what was served before is served on" eventually create_ganged jobs allreduce manifests/examples/job.yaml
  k delete secret karta-webhook-tls -n karta-system >/dev/null
  check "a Secret that is deleted is made again" eventually k get secret karta-webhook-tls -n karta-system
  check "and the API server goes on trusting us" eventually create_ganged jobs allreduce manifests/examples/job.yaml
fi
stop_server

# Somebody else's certificates, as cert-manager's: files that are swapped, a caBundle from elsewhere. With
# Fail every create that could not be asked about is an error here.
say "rotating certificates under creates"
kube_certificates "$work/other" IP:127.0.0.1
mkdir "$work/mounted"
swap() {
  kube_leaf "$work/other" server IP:127.0.0.1
  cp "$work/other/server.key" "$work/mounted/tls.key"
  cp "$work/other/server.crt" "$work/mounted/tls.crt"
}
swap
# cert-manager's injector, in three lines
inject() {
  local kind webhook count
  for kind in mutating validating; do
    count=$(k get "${kind}webhookconfiguration" karta-webhook -o jsonpath='{.webhooks[*].name}' | wc -w)
    for ((webhook = 0; webhook < count; webhook++)); do
      k patch "${kind}webhookconfiguration" karta-webhook --type=json --field-manager=injector -p \
        "[{\"op\":\"add\",\"path\":\"/webhooks/$webhook/clientConfig/caBundle\",\"value\":\"$(base64 -w0 "$work/other/ca.crt")\"}]" >/dev/null
    done
  done
}
start_server --tls-cert-file "$work/mounted/tls.crt" --tls-key-file "$work/mounted/tls.key" --failure-policy Fail
fails() {
  k get mutatingwebhookconfiguration karta-webhook \
    -o jsonpath='{.webhooks[?(@.name=="workloads.mutate.workloadmap.dev")].failurePolicy}' | grep -q Fail
}
check "another failure policy is written" eventually fails
inject
check "a caBundle of cert-manager's is trusted" eventually create_ganged jobs allreduce manifests/examples/job.yaml
serial() {
  curl -fsS "http://127.0.0.1:$metrics/metrics" | grep '^karta_tls_certificate_serial'
}
another() {
  test "$(serial)" != "$last"
}
creates() { # NAME
  local i
  for ((i = 0; i < 60; i++)); do
    job "$1-$i" | k create -f - || return 1
  done
}
creates rotated >"$work/creates" 2>&1 &
creating=$!
swaps=0
while kill -0 "$creating" 2>/dev/null; do
  last=$(serial)
  swap
  eventually another || break
  swaps=$((swaps + 1))
done
if wait "$creating"; then
  pass "60 Jobs were created during $swaps rotations, without one error"
else
  fail "a create failed during a rotation: $(tail -n 1 "$work/creates")"
fi
check "there was more than one rotation" test "$swaps" -gt 1
# gangs NAME: all of them, but those for which a starved machine had no tenth of a second: those are let
# through with a warning, and the log says so
gangs() {
  local i late=0
  for ((i = 0; i < 60; i++)); do
    if ! k get job "$1-$i" -n ml -o jsonpath='{.metadata.labels}' | grep -q '"workloadmap.dev/profile":"kai"'; then
      grep -q "object=ml/$1-$i .*the deadline passed" "$work"/*.log || return 1
      late=$((late + 1))
    fi
  done
  test "$late" -lt 6
}
check "and all 60 are ganged" gangs rotated
k delete jobs -n ml --all --wait=false >/dev/null
stop_server

# ---- two replicas behind the Service, which share a Secret: the API server resolves the Service itself,
# from EndpointSlices that stand in for those of the controllers
address=$(hostname -I 2>/dev/null | cut -d' ' -f1)
slice() { # REPLICA PORT READY
  k apply -f - >/dev/null <<END
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: karta-webhook-$1, namespace: karta-system, labels: {kubernetes.io/service-name: karta-webhook}}
addressType: IPv4
ports: [{name: https, port: $2, protocol: TCP}]
endpoints: [{addresses: ["$address"], conditions: {ready: $3}}]
END
}
declare -A https=() health=()
start_replica() { # REPLICA
  POD_NAMESPACE=karta-system "$KARTA_BIN/karta-webhook" --listen "$address:${https[$1]}" \
    --metrics-listen "127.0.0.1:${health[$1]}" --kube-api "$api_url" --kube-token-file "$work/token" \
    --kube-ca-file "$work/pki/ca.crt" --webhook-service karta-system/karta-webhook --drain 3 \
    --failure-policy Fail --tls-secret karta-system/karta-webhook-tls >>"$work/replica-$1.log" 2>&1 &
  replica[$1]=$!
  await_ready "${replica[$1]}" "${health[$1]}" "$work/replica-$1.log"
  slice "$1" "${https[$1]}" true
}
stop_replica() { # REPLICA: as a Deployment's pod ends
  slice "$1" "${https[$1]}" false
  stop "${replica[$1]}"
  replica[$1]=
}
serial_of() {
  curl -fsS "http://127.0.0.1:${health[$1]}/metrics" | grep '^karta_tls_certificate_serial'
}
share() {
  test "$(serial_of a)" = "$(serial_of b)"
}
if [ "$tls" = secret ] && [ -n "$address" ]; then
  say "two replicas behind the Service"
  k delete secret karta-webhook-tls -n karta-system >/dev/null
  for name in a b; do
    https[$name]=$(free_port $((19443 + ${#https[@]})))
    health[$name]=$(free_port $((18080 + ${#health[@]})))
    start_replica "$name"
  done
  check "replicas share one certificate, made anew" eventually share
  check "the Service is asked" eventually create_ganged jobs allreduce manifests/examples/job.yaml
  creates rolled >"$work/creates" 2>&1 &
  creating=$!
  restarts=0
  for name in a b a b; do
    stop_replica "$name"
    start_replica "$name"
    restarts=$((restarts + 1))
  done
  if wait "$creating"; then
    pass "60 Jobs were created during $restarts restarts of one of two replicas, without one error"
  else
    fail "a create failed during a restart: $(tail -n 1 "$work/creates")"
  fi
  check "and all 60 are ganged" gangs rolled
  check "the certificate is the same after all restarts" share
  k delete jobs -n ml --all --wait=false >/dev/null
  stop_replica a
  stop_replica b
  k delete secret karta-webhook-tls -n karta-system >/dev/null
else
  echo "skip  two replicas: needs a Secret and an address beside the loopback"
fi
start_server "${own_tls[@]}"
ignored() {
  ! fails && create_ganged jobs allreduce manifests/examples/job.yaml
}
check "back to our own certificate and Ignore" eventually ignored

# ---- while nobody answers
stop_server
say "the server is stopped"
check "what is ganged can be deleted" k delete job allreduce -n ml
check "a workload can be created, without a gang" k create -f manifests/examples/job.yaml
check "a Karta cannot be written past the check" refused "failed calling webhook" k apply -f "$work/karta.yaml"
check "but deleted" k delete karta jobset-x-k8s-io-jobset-v1alpha2
check "pods that are nobody's of ours are not held up" \
  k run plain -n ml --image=registry.example.com/plain:1.0

# ---- gone
say "removing (scripts/uninstall.sh)"
start_server "${own_tls[@]}"
check "uninstall.sh" scripts/uninstall.sh
sleep 5 # a server that still runs would write them again
left() {
  k get mutatingwebhookconfigurations,validatingwebhookconfigurations -o name | grep karta ||
    k get clusterroles,clusterrolebindings -l app.kubernetes.io/name=karta-webhook -o name | grep karta ||
    k get all,secrets,roles,rolebindings -n karta-system -l app.kubernetes.io/name=karta-webhook -o name | grep karta
}
check "leaves nothing of ours behind, though a server still ran" refused "" left
check "Kartas are still there" k get karta ray-io-raycluster-v1
check "and can be written" k annotate karta ray-io-raycluster-v1 note=after

say "$passed passed, $failed failed"
[ "$failed" = 0 ]
