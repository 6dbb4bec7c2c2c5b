#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kartactl mutate --server against the real server, over TLS that is verified.

usage: kartactl_server.py KARTACTL KARTA-WEBHOOK SOURCE
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

kartactl, webhook, source = sys.argv[1:]
os.environ["no_proxy"] = "127.0.0.1"
example = f"{source}/manifests/examples/jobset.yaml"
deployment = f"{source}/manifests/examples/deployment.yaml"


def run(*arguments):
    done = subprocess.run([kartactl, *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def https_port(log, server):
    """The port that the system chose, from the log, within 20 s."""
    for _ in range(200):
        found = re.search(r"what=https address=127\.0\.0\.1:(\d+)", log.read_text(encoding="utf-8"))
        if found:
            return found[1]
        assert server.poll() is None, log.read_text(encoding="utf-8")
        time.sleep(0.1)
    raise AssertionError(log.read_text(encoding="utf-8"))


def check(url, ca, other_ca):
    asked = ["mutate", "--server", url, "--ca-file", ca]
    code, patched, err = run(*asked, "-f", example, "-o", "json")
    assert (code, err) == (0, ""), (code, err)
    pods = [job["template"]["spec"]["template"]
            for job in json.loads(patched)["spec"]["replicatedJobs"]]
    assert [pod["spec"]["schedulerName"] for pod in pods] == ["kai-scheduler"] * 2
    group = {pod["metadata"]["annotations"]["pod-group-name"] for pod in pods}
    assert len(group) == 1 and re.fullmatch(r"train-jobset-[0-9a-f]{8}", group.pop())

    code, diff, err = run(*asked, "-f", example, "-o", "diff")
    assert (code, err) == (0, ""), (code, err)
    lines = diff.splitlines()
    assert lines[:2] == ["--- input", "+++ mutated"], diff
    assert not [line for line in lines[2:] if line.startswith("-")], diff

    # nobody opted it in, so nothing is done and nothing is said
    assert run(*asked, "-f", deployment, "-o", "patch") == (0, "[]\n", "")

    code, out, err = run("mutate", "--server", url, "--ca-file", other_ca, "-f", example)
    assert (code, out) == (6, ""), (code, out)
    assert err.startswith(f"kartactl: {url}/mutate/workloads: "), err
    code, out, err = run("mutate", "--server", url + "/nowhere", "--ca-file", ca, "-f", example)
    assert (code, out) == (1, ""), (code, out)
    assert err.startswith(f"kartactl: {url}/nowhere/mutate/workloads: HTTP 404"), err


with tempfile.TemporaryDirectory(prefix="karta-test-") as folder:
    other = f"{folder}/other.crt"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj", "/CN=other",
                    "-keyout", f"{folder}/other.key", "-out", other],
                   check=True, capture_output=True)
    log = pathlib.Path(folder, "log")
    with open(log, "w", encoding="utf-8") as output:
        server = subprocess.Popen([webhook, "--listen", "127.0.0.1:0", "--metrics-listen", "",
                                   "--self-signed", f"{folder}/tls", "--drain", "0"],
                                  stdout=output, stderr=output)
    try:
        port = https_port(log, server)
        check(f"https://127.0.0.1:{port}", f"{folder}/tls/ca.crt", other)
    finally:
        server.terminate()
        end = server.wait(timeout=30)
    assert end == 0, (end, log.read_text(encoding="utf-8"))
