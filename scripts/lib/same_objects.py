# SPDX-License-Identifier: Apache-2.0
"""same_objects.py KUSTOMIZE HELM: whether two streams of YAML hold the same objects. Helm makes no
Namespace (helm install --create-namespace does), so that one is left out of both."""
import difflib
import json
import sys

import yaml


def read(path):
    with open(path, encoding="utf-8") as stream:
        documents = [d for d in yaml.safe_load_all(stream) if d and d["kind"] != "Namespace"]
    found = {}
    for d in documents:
        metadata = d["metadata"]
        key = f'{d["kind"]} {metadata.get("namespace", "")}/{metadata["name"]}'
        if key in found:
            sys.exit(f"{path}: {key} is there twice")
        found[key] = json.dumps(d, sort_keys=True, indent=1)
    return found


def main():
    one, other = read(sys.argv[1]), read(sys.argv[2])
    same = True
    for key in sorted(one.keys() | other.keys()):
        if one.get(key) == other.get(key):
            continue
        same = False
        print(f"{key} differs:")
        lines = difflib.unified_diff(one.get(key, "").splitlines(), other.get(key, "").splitlines(),
                                     "kustomize", "helm", lineterm="")
        print("\n".join(lines))
    print(f"{len(one)} objects" if same else "not the same")
    return 0 if same and one else 1


sys.exit(main())
