# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A Kubernetes API server of our own: etcd, kube-apiserver and nothing else (no garbage collection, no
# nodes), with certificates made here. Source it after common.sh; it uses $work for all that it writes.

# kube_assets: where the programs are, by the convention of kubebuilder's envtest
kube_assets() {
  assets=${KUBEBUILDER_ASSETS:-/usr/local/kubebuilder/bin}
  local program missing=()
  for program in etcd kube-apiserver kubectl; do
    [ -x "$assets/$program" ] || missing+=("$program")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  cat >&2 <<END
${0##*/}: skipped: no ${missing[*]} in $assets
Set KUBEBUILDER_ASSETS to a folder with etcd, kube-apiserver and kubectl. Where Go is:
  go install sigs.k8s.io/controller-runtime/tools/setup-envtest@latest
  export KUBEBUILDER_ASSETS=\$(setup-envtest use -p path 1.34.x)
END
  exit 77
}

# kube_certificates DIR ADDRESS-SAN...
kube_certificates() {
  local dir=$1
  shift
  mkdir -p "$dir"
  openssl ecparam -name prime256v1 -genkey -noout -out "$dir/ca.key"
  openssl req -x509 -new -key "$dir/ca.key" -sha256 -days 30 -subj "/CN=$(basename "$dir") CA" \
    -addext keyUsage=critical,keyCertSign,digitalSignature -out "$dir/ca.crt" 2>/dev/null
  kube_leaf "$dir" server "$@"
}

# kube_leaf DIR NAME SAN...: DIR/NAME.crt and .key, signed by DIR's CA
kube_leaf() {
  local dir=$1 name=$2 sans
  shift 2
  sans=$(IFS=,; echo "$*")
  openssl ecparam -name prime256v1 -genkey -noout -out "$dir/$name.key"
  openssl req -new -key "$dir/$name.key" -subj "/CN=$name" -out "$dir/$name.csr"
  printf 'basicConstraints=critical,CA:FALSE\nextendedKeyUsage=serverAuth\nsubjectAltName=%s\n' \
    "$sans" >"$dir/$name.ext"
  openssl x509 -req -in "$dir/$name.csr" -CA "$dir/ca.crt" -CAkey "$dir/ca.key" -sha256 -days 10 \
    -set_serial "0x$(openssl rand -hex 16)" -extfile "$dir/$name.ext" -out "$dir/$name.crt" 2>/dev/null
}

# kube_await NAME PID CURL-ARGUMENTS...: at most 120 s
kube_await() {
  local name=$1 pid=$2 tries
  shift 2
  for ((tries = 0; tries < 600; tries++)); do
    if curl -fsS --max-time 5 -o /dev/null "$@" 2>/dev/null; then
      return
    fi
    if ! kill -0 "$pid" 2>/dev/null; then
      tail -20 "$work/$name.log" >&2
      die "$name ended"
    fi
    sleep 0.2
  done
  tail -20 "$work/$name.log" >&2
  die "$name was not ready within 120 s"
}

# kube_start: Services are called by their EndpointSlices, since nobody here routes their addresses. Sets etcd_pid, api_pid, api_url; exports KUBECONFIG and puts kubectl on PATH
kube_start() {
  local etcd_port peer_port api_port pki=$work/pki token
  etcd_port=$(free_port 23790)
  peer_port=$(free_port $((etcd_port + 1)))
  api_port=$(free_port 26443)
  api_url=https://127.0.0.1:$api_port
  kube_certificates "$pki" IP:127.0.0.1 DNS:kubernetes.default.svc
  openssl genrsa -out "$pki/sa.key" 2048 2>/dev/null
  openssl rsa -in "$pki/sa.key" -pubout -out "$pki/sa.pub" 2>/dev/null
  token=$(openssl rand -hex 32)
  echo "$token,admin,admin,\"system:masters\"" >"$pki/tokens.csv"

  "$assets/etcd" --data-dir "$work/etcd" --listen-client-urls "http://127.0.0.1:$etcd_port" \
    --advertise-client-urls "http://127.0.0.1:$etcd_port" --listen-peer-urls "http://127.0.0.1:$peer_port" \
    --initial-advertise-peer-urls "http://127.0.0.1:$peer_port" \
    --initial-cluster "default=http://127.0.0.1:$peer_port" >"$work/etcd.log" 2>&1 &
  etcd_pid=$!
  kube_await etcd "$etcd_pid" "http://127.0.0.1:$etcd_port/health"
  "$assets/kube-apiserver" --etcd-servers "http://127.0.0.1:$etcd_port" --bind-address 127.0.0.1 \
    --secure-port "$api_port" --endpoint-reconciler-type none --cert-dir "$work/apiserver" \
    --tls-cert-file "$pki/server.crt" --tls-private-key-file "$pki/server.key" \
    --client-ca-file "$pki/ca.crt" --token-auth-file "$pki/tokens.csv" --authorization-mode RBAC \
    --service-account-issuer https://kubernetes.default.svc --service-account-signing-key-file "$pki/sa.key" \
    --service-account-key-file "$pki/sa.pub" --service-cluster-ip-range 10.0.0.0/24 \
    --enable-aggregator-routing=true --profiling=false >"$work/kube-apiserver.log" 2>&1 &
  api_pid=$!
  kube_await kube-apiserver "$api_pid" --cacert "$pki/ca.crt" -H "Authorization: Bearer $token" \
    "$api_url/readyz"

  cat >"$work/kubeconfig" <<END
apiVersion: v1
kind: Config
clusters: [{name: e2e, cluster: {server: $api_url, certificate-authority: $pki/ca.crt}}]
users: [{name: admin, user: {token: $token}}]
contexts: [{name: e2e, context: {cluster: e2e, user: admin}}]
current-context: e2e
END
  export KUBECONFIG=$work/kubeconfig PATH=$assets:$PATH
}

kube_stop() {
  stop "${api_pid:-}"
  stop "${etcd_pid:-}"
}
