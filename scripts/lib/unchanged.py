# SPDX-License-Identifier: Apache-2.0
"""unchanged.py LIST FILE...: whether the list (kubectl get -o json) holds every document of the files
with the spec and the annotations that stand there."""
import json
import sys

import yaml


def main():
    with open(sys.argv[1], encoding="utf-8") as stream:
        stored = {o["metadata"]["name"]: o for o in json.load(stream)["items"]}
    failed = 0
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as stream:
            document = yaml.safe_load(stream)
        held = stored.get(document["metadata"]["name"], {"metadata": {}})
        annotations = document["metadata"].get("annotations", {})
        there = held["metadata"].get("annotations", {})
        if held.get("spec") != document["spec"] or any(there.get(k) != v for k, v in annotations.items()):
            print(f"{path} is stored otherwise")
            failed = 1
    return failed


sys.exit(main())
