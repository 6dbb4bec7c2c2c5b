# SPDX-License-Identifier: Apache-2.0
"""kind_crds.py FILE...: CRDs for the kinds that these Kartas are about, as far as they are not
Kubernetes' own. They take anything, but that JobSets cannot change their jobs, as the real ones."""
import sys

import yaml

OWN = {"", "apps", "batch"}
ANYTHING = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
FIXED = {"type": "object", "properties": {"replicatedJobs": {
    "type": "array", "items": ANYTHING,
    "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "field is immutable"}]}}}


def main():
    crds = {}
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as stream:
            karta = yaml.safe_load(stream)
        kind = karta["spec"]["structureDefinition"]["rootComponent"]["kind"]
        plural = karta["metadata"]["annotations"]["workloadmap.dev/plural"]
        if kind["group"] in OWN:
            continue
        name = f'{plural}.{kind["group"]}'
        crd = crds.setdefault(name, {
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": name},
            "spec": {"group": kind["group"], "scope": "Namespaced", "versions": [],
                     "names": {"kind": kind["kind"], "plural": plural}}})
        # a group that ends so is only Kubernetes' to define, unless somebody there agreed
        if kind["group"].endswith((".k8s.io", ".kubernetes.io")):
            crd["metadata"]["annotations"] = {"api-approved.kubernetes.io": "unapproved, a trial"}
        versions = crd["spec"]["versions"]
        spec = FIXED if kind["kind"] == "JobSet" else ANYTHING
        versions.append({"name": kind["version"], "served": True, "storage": not versions,
                         "subresources": {"status": {}},
                         "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                             "spec": spec, "status": ANYTHING}}}})
    yaml.SafeDumper.ignore_aliases = lambda *_: True
    print(yaml.safe_dump_all(crds.values(), sort_keys=False))


main()
