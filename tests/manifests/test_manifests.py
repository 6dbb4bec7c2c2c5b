# SPDX-License-Identifier: Apache-2.0
"""test_manifests.py SOURCE crds|rbac|workload|release: what must hold of all that is installed. Every
check is also tried on a broken copy of what it looks at (see `breaks`), so that none passes idly."""
import copy
import functools
import glob
import os
import re
import sys

try:
    import yaml
except ImportError:
    print("skipped: no python3-yaml")
    sys.exit(77)

SOURCE = sys.argv[1]
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml's, where it is there: ten times as fast
problems = []


def expect(holds, sentence):
    if not holds:
        problems.append(sentence)


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as stream:
        return [d for d in yaml.load_all(stream, Loader=LOADER) if d]


def read_all(pattern):
    paths = sorted(glob.glob(os.path.join(SOURCE, pattern), recursive=True))
    expect(paths, f"{pattern} names no file")
    return [d for path in paths for d in read(os.path.relpath(path, SOURCE))]


def find(documents, kind, name="karta-webhook"):
    found = [d for d in documents if d["kind"] == kind and d["metadata"]["name"] == name]
    expect(len(found) == 1, f"there are {len(found)} {kind} {name}")
    return found[0] if found else {}


def breaks(check, documents, change, sentence):
    """Whether `check` notices what `change` does to a copy."""
    broken = copy.deepcopy(documents)
    change(broken)
    before = len(problems)
    check(broken)
    noticed = len(problems) > before
    del problems[before:]
    expect(noticed, f"it would not be noticed that {sentence}")


# ---- CRDs

def walk(schema, path, seen):
    seen(schema, path)
    for key, value in schema.get("properties", {}).items():
        walk(value, f"{path}.{key}", seen)
    if isinstance(schema.get("items"), dict):
        walk(schema["items"], path + "[]", seen)
    if isinstance(schema.get("additionalProperties"), dict):
        walk(schema["additionalProperties"], path + "{}", seen)


def check_schema(schema, path):
    expect("type" in schema, f"{path} has no type, so the schema is not structural")
    expect(not schema.get("x-kubernetes-preserve-unknown-fields"), f"{path} takes anything")
    expect(schema.get("x-kubernetes-list-type") != "set", f"{path} refuses what repeats, which the webhook takes")
    if schema.get("type") == "array" and ".spec" in path:
        expect("x-kubernetes-list-type" in schema, f"{path} does not say how lists are merged")
    if ".spec" in path and not path.endswith(("[]", "{}")):
        expect("description" in schema, f"{path} has no description")


def fits(schema, value, path, wrong):
    """As far as pruning and types go."""
    if value is None:
        if not schema.get("nullable"):
            wrong(f"{path} is null")
        return
    kinds = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int}
    if not isinstance(value, kinds[schema["type"]]):
        wrong(f"{path} is no {schema['type']}")
    elif isinstance(value, dict):
        for key in schema.get("required", []):
            if key not in value:
                wrong(f"{path}.{key} is missing")
        for key, item in value.items():
            if key in schema.get("properties", {}):
                fits(schema["properties"][key], item, f"{path}.{key}", wrong)
            elif isinstance(schema.get("additionalProperties"), dict):
                fits(schema["additionalProperties"], item, f"{path}{{}}", wrong)
            else:
                wrong(f"{path}.{key} would be pruned")
    elif isinstance(value, list):
        for item in value:
            fits(schema["items"], item, path + "[]", wrong)


def schema_of(crd):
    return crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]


def check_crds(crds):
    expect(len(crds) == 3, f"there are {len(crds)} CRDs")
    for crd in crds:
        name, spec = crd["metadata"]["name"], crd["spec"]
        expect(name == f'{spec["names"]["plural"]}.{spec["group"]}', f"{name} is no name of {spec['names']}")
        expect(spec["scope"] == "Cluster", f"{name} is in namespaces")
        expect(spec["names"].get("shortNames"), f"{name} has no short name")
        expect(spec["versions"][0].get("additionalPrinterColumns"), f"{name} has no columns")
        walk(schema_of(crd), name, check_schema)


def check_documents(crds, documents):
    schemas = {crd["spec"]["names"]["kind"]: schema_of(crd) for crd in crds}
    for document in documents:
        name = f'{document["kind"]} {document["metadata"]["name"]}'
        fits(schemas[document["kind"]]["properties"]["spec"], document.get("spec"), "spec",
             lambda what, name=name: problems.append(f"{name}: {what}"))


def test_crds():
    crds = read_all("manifests/crds/*.yaml")
    documents = read_all("definitions/*.yaml") + read_all("profiles/*.yaml")
    documents += [d for d in read_all("manifests/policies/*.yaml")] if os.path.isdir(
        os.path.join(SOURCE, "manifests/policies")) else []
    check_crds(crds)
    check_documents(crds, documents)
    listed = read("manifests/crds/Kustomization")[0]["resources"]
    files = sorted(os.path.basename(p) for p in glob.glob(os.path.join(SOURCE, "manifests/crds/*.yaml")))
    expect(sorted(listed) == files, f"manifests/crds/Kustomization lists {listed}, and there are {files}")
    breaks(check_crds, crds, lambda c: schema_of(c[0])["properties"]["spec"].pop("type"), "a type is gone")
    breaks(lambda d: check_documents(crds, d), documents, lambda d: d[0]["spec"].update(other=1),
           "a field would be pruned")


# ---- rights

ALLOWED = {
    ("run.ai", "kartas"): {"get", "list", "watch"},
    ("run.ai", "kartas/status"): {"patch"},
    ("workloadmap.dev", "gangprofiles"): {"get", "list", "watch"},
    ("workloadmap.dev", "workloadpolicies"): {"get", "list", "watch"},
    ("admissionregistration.k8s.io", "mutatingwebhookconfigurations"): {"create"},
    ("admissionregistration.k8s.io", "validatingwebhookconfigurations"): {"create"},
    ("coordination.k8s.io", "leases"): {"create"},
    ("", "secrets"): {"create"},
    ("", "events"): {"create"},
    ("", "pods"): {"get", "list", "watch"},
}
BY_NAME = {
    ("admissionregistration.k8s.io", "mutatingwebhookconfigurations"): ("karta-webhook", {"get", "patch", "delete"}),
    ("admissionregistration.k8s.io", "validatingwebhookconfigurations"): ("karta-webhook", {"get", "patch", "delete"}),
    ("coordination.k8s.io", "leases"): ("karta-webhook", {"get", "update"}),
    ("", "secrets"): ("karta-webhook-tls", {"get", "update"}),
}
OWN_NAMESPACE = {("coordination.k8s.io", "leases"), ("", "secrets")}
AGGREGATE = "workloadmap.dev/aggregate-to-karta-webhook"


@functools.cache
def ganged_kinds():
    """Group and plural of every kind whose definition has a gang."""
    found = set()
    for karta in read_all("definitions/*.yaml"):
        if "gangScheduling" in karta["spec"].get("optimizationInstructions", {}):
            kind = karta["spec"]["structureDefinition"]["rootComponent"]["kind"]
            found.add((kind["group"], karta["metadata"]["annotations"]["workloadmap.dev/plural"]))
    return found


@functools.cache
def made_kinds():
    """Groups of the PodGroups that profiles make."""
    text = "".join(o for p in read_all("profiles/*.yaml") for o in p["spec"].get("objects", []))
    return {(group, "podgroups") for group in re.findall(r'apiVersion: "([^"/]+)/', text)}


def check_rule(role, rule, given):
    named = rule.get("resourceNames")
    for group in rule["apiGroups"]:
        for resource in rule["resources"]:
            key, verbs = (group, resource), set(rule["verbs"])
            expect("*" not in (group, resource) and "*" not in verbs, f"{role}: a wildcard")
            if named:
                name, most = BY_NAME.get(key, (None, set()))
                expect(named == [name] and verbs <= most, f"{role}: {verbs} on {key} {named} is not listed")
            else:
                most = ALLOWED.get(key, set())
                if key in ganged_kinds():
                    most = {"get", "list", "watch"}
                if key in made_kinds():
                    most = {"get", "list", "watch", "create", "patch", "delete"}
                expect(verbs <= most, f"{role}: {verbs} on {key} is not listed")
            given.add((key, bool(named)))


def check_rbac(documents):
    given = set()
    for d in documents:
        name = f'{d["kind"]} {d["metadata"]["name"]}'
        if d["kind"] not in ("ClusterRole", "Role"):
            continue
        for rule in d.get("rules", []):
            before = set(given)
            check_rule(name, rule, given)
            if d["kind"] == "ClusterRole":
                reached = {key for key, _ in given - before} & OWN_NAMESPACE
                expect(not reached, f"{name}: {reached} in every namespace")
    wanted = {(k, False) for k in ganged_kinds() | made_kinds() | set(ALLOWED)} | {(k, True) for k in BY_NAME}
    expect(given == wanted, f"not given: {wanted - given}; given and not needed: {given - wanted}")
    collected = find(documents, "ClusterRole", "karta-webhook-workloads")
    selectors = collected.get("aggregationRule", {}).get("clusterRoleSelectors", [])
    expect(selectors == [{"matchLabels": {AGGREGATE: "true"}}], "the small roles are not collected")
    for d in documents:
        if d["kind"].endswith("Binding"):
            subjects = [(s["kind"], s["name"], s["namespace"]) for s in d["subjects"]]
            expect(subjects == [("ServiceAccount", "karta-webhook", "karta-system")], f"{d['metadata']['name']}: {subjects}")


def test_rbac():
    documents = read_all("manifests/base/rbac*.yaml")
    check_rbac(documents)

    def widen(role, **changes):
        return lambda d: find(d, "ClusterRole", role)["rules"][0].update(changes)
    breaks(check_rbac, documents, widen("karta-webhook", verbs=["*"]), "a verb is a wildcard")
    breaks(check_rbac, documents, widen("karta-webhook", resources=["secrets"]), "secrets can be read")
    breaks(check_rbac, documents, widen("karta-webhook-ray", verbs=["get", "list", "watch", "patch"]),
           "workloads can be written")
    breaks(check_rbac, documents, lambda d: d.remove(find(d, "ClusterRole", "karta-webhook-ray")),
           "a kind with a gang cannot be read")


# ---- what runs

def container_of(documents):
    spec = find(documents, "Deployment")["spec"]["template"]["spec"]
    expect(len(spec["containers"]) == 1, "there is more than one container")
    return spec, spec["containers"][0]


def check_workload(documents):
    deployment = find(documents, "Deployment")["spec"]
    spec, container = container_of(documents)
    labels = deployment["template"]["metadata"]["labels"]
    expect(deployment["replicas"] >= 2, "there is one replica only")
    pod, own = spec["securityContext"], container["securityContext"]
    expect(pod["runAsNonRoot"] and pod["runAsUser"] > 0, "it runs as root")
    expect(pod["seccompProfile"] == {"type": "RuntimeDefault"}, "no seccomp profile")
    expect(own["readOnlyRootFilesystem"] is True, "the root can be written")
    expect(own["allowPrivilegeEscalation"] is False, "it can gain privileges")
    expect(own["capabilities"] == {"drop": ["ALL"]}, "it has capabilities")
    expect(spec.get("hostNetwork") is None, "it is in the host's network")
    ports = {p["name"]: p["containerPort"] for p in container["ports"]}
    for probe, path in (("livenessProbe", "/healthz"), ("readinessProbe", "/readyz"), ("startupProbe", "/healthz")):
        get = container[probe]["httpGet"]
        expect(get["path"] == path and get["port"] == "metrics", f"{probe} asks {get}")
    service = find(documents, "Service")["spec"]
    expect([(p["port"], p["targetPort"]) for p in service["ports"]] == [(443, "https")], "the Service's port")
    expect(ports == {"https": 9443, "metrics": 8080}, f"the ports are {ports}")
    for what, selector in (("Deployment", deployment["selector"]["matchLabels"]), ("Service", service["selector"]),
                           ("budget", find(documents, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"]),
                           ("NetworkPolicy", find(documents, "NetworkPolicy")["spec"]["podSelector"]["matchLabels"])):
        expect(selector == labels, f"the {what} selects {selector}")
    drain = int(next(a for a in container["args"] if a.startswith("--drain=")).split("=")[1])
    expect(spec["terminationGracePeriodSeconds"] >= drain + 15, "it is killed before it has drained")
    expect("cpu" not in container["resources"]["limits"], "a limit of processors throttles")
    expect("memory" in container["resources"]["limits"], "memory has no limit")
    for d in documents:
        if d["kind"] not in ("Namespace", "ClusterRole", "ClusterRoleBinding"):
            expect(d["metadata"].get("namespace") == "karta-system", f'{d["kind"]} {d["metadata"]["name"]} is elsewhere')


def known_flags():
    with open(os.path.join(SOURCE, "webhook/options_table.c"), encoding="utf-8") as stream:
        return set(re.findall(r'^    \{"([a-z-]+)",', stream.read(), re.M)) | {"tls-secret"}


def check_flags(texts):
    for text in texts:
        flags = re.findall(r"--([a-z][a-z-]*)(?==|\s|$|\"|')", text)
        expect(set(flags) <= known_flags(), f"nobody knows {set(flags) - known_flags()}")


def test_workload():
    documents = [d for d in read_all("manifests/base/*.yaml") if d["kind"] != "Kustomization"]
    check_workload(documents)
    args = container_of(documents)[1]["args"]
    check_flags(args)
    names = {os.path.basename(p)[:-5] for p in glob.glob(os.path.join(SOURCE, "profiles/*.yaml"))}
    for name in names:
        patch = read(f"manifests/overlays/{name}/kustomization.yaml")[0]["patches"][0]["patch"]
        expect(f"value: --profile={name}" in patch, f"the overlay {name} does not pick its profile")
    breaks(check_workload, documents, lambda d: container_of(d)[1]["securityContext"].pop("readOnlyRootFilesystem")
           and container_of(d)[1]["securityContext"].update(readOnlyRootFilesystem=False), "the root can be written")
    breaks(check_workload, documents, lambda d: find(d, "Service")["spec"].update(selector={"app": "x"}),
           "the Service selects nothing")
    breaks(check_flags, args, lambda a: a.append("--no-such-flag"), "a flag is misspelt")


# ---- one version everywhere

def test_release():
    with open(os.path.join(SOURCE, "CMakeLists.txt"), encoding="utf-8") as stream:
        version = re.search(r"project\(karta-webhook VERSION ([0-9.]+)", stream.read()).group(1)
    documents = [d for d in read_all("manifests/base/*.yaml") if d["kind"] != "Kustomization"]
    image = container_of(documents)[1]["image"]
    chart = read("manifests/chart/Chart.yaml")[0]
    values = read("manifests/chart/values.yaml")[0]
    expect(image == f"karta-webhook:{version}", f"the image is {image}, the version {version}")
    expect(chart["appVersion"] == version and chart["version"] == version, "the chart has another version")
    expect(values["image"]["repository"] == image.split(":")[0] and values["image"]["tag"] == "",
           "the chart has another image")
    rules = read("manifests/components/monitoring/prometheusrule.yaml")[0]["spec"]["groups"][0]["rules"]
    with open(os.path.join(SOURCE, "docs/operations.md"), encoding="utf-8") as stream:
        page = stream.read()
    sources = ""
    for path in glob.glob(os.path.join(SOURCE, "webhook/metrics/*.c")):
        with open(path, encoding="utf-8") as stream:
            sources += stream.read()
    for rule in rules:
        expect(f"`{rule['alert']}`" in page, f"docs/operations.md does not say what {rule['alert']} means")
        for metric in re.findall(r"\bkarta_[a-z_]+", rule["expr"]):
            name = re.sub(r"_(bucket|sum|count)$", "", metric)
            expect(f'"{name}' in sources, f"{rule['alert']}: nobody counts {metric}")


tests = {"crds": test_crds, "rbac": test_rbac, "workload": test_workload, "release": test_release}
tests[sys.argv[2]]()
for problem in problems:
    print(problem)
sys.exit(1 if problems else 0)
