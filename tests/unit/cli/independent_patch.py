#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The patch of the example, applied by somebody else's RFC 6902: what it must and must not change.

usage: independent_patch.py KARTACTL OBJECT.yaml REVIEW.json
"""
import copy
import json
import subprocess
import sys

import jsonpatch

kartactl, source, review = sys.argv[1:]


def run(*arguments, text=None):
    done = subprocess.run([kartactl, *arguments], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def take(mapping, key, expected):
    """Removes `key`, which must hold `expected`."""
    found = mapping.pop(key)
    assert found == expected, f"{key}: {found!r}, not {expected!r}"


patch = run("mutate", "-f", source, "-o", "patch")
with open(review, encoding="utf-8") as file:
    original = json.load(file)["request"]["object"]
# what kubectl sends, without what the API server adds
for field in ("uid", "creationTimestamp", "generation", "managedFields"):
    del original["metadata"][field]

result = jsonpatch.apply_patch(copy.deepcopy(original), patch)
assert result == run("mutate", "-f", source, "-o", "json"), "our own result differs"

# before the result is taken to pieces, which the patch shares
again = run("mutate", "-f", "-", "-o", "patch", text=json.dumps(result))

names = set()
for job in result["spec"]["replicatedJobs"]:
    template = job["template"]["spec"]["template"]
    take(template["spec"], "schedulerName", "kai-scheduler")
    labels, annotations = template["metadata"]["labels"], template["metadata"]["annotations"]
    take(labels, "kai.scheduler/queue", "team-a")
    take(labels, "kai.scheduler/subgroup-name", job["name"])
    take(annotations, "kai.scheduler/skip-podgrouper", "true")
    names.add(annotations.pop("pod-group-name"))
    assert not labels and not annotations, "more was written than the profile says"
    take(template["metadata"], "labels", {})
    take(template["metadata"], "annotations", {})
    take(template, "metadata", {})
assert len(names) == 1, f"one workload, one group: {names}"
take(result["metadata"]["labels"], "workloadmap.dev/profile", "kai")
gang = json.loads(result["metadata"]["annotations"].pop("workloadmap.dev/gang"))
take(result["metadata"], "annotations", {})
assert [group["name"] for group in gang["groups"]] == list(names)
assert gang["groups"][0]["minMember"] == 3
assert result == original, "something else was changed"

assert again == [], f"a patched object is patched again: {again}"
