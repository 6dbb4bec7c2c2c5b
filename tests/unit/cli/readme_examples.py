#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands that README.md shows the output of, and compares.

What is in a cluster comes from the recordings in live/ (tests/support/kubectl). A command stands in a comment on the line before its block: <!-- kartactl ... -->
usage: readme_examples.py KARTACTL README.md [--write]
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys

kartactl, readme, *write = sys.argv[1:]
path = pathlib.Path(readme)
text = path.read_text(encoding="utf-8")
example = re.compile(r"(<!-- kartactl ([^\n]*) -->\n```\w*\n)(.*?)(```\n)", re.DOTALL)


here = pathlib.Path(__file__).resolve().parent
environment = dict(os.environ, SOURCE_DATE_EPOCH="1796050800", KUBECTL_REPLAY=str(here / "live"),
                   PATH=f"{here.parent.parent / 'support' / 'kubectl'}:/usr/bin:/bin")
environment.pop("KUBECONFIG", None)
environment.pop("KUBECTL_REAL", None)


def output(command):
    done = subprocess.run([kartactl, *shlex.split(command)], cwd=path.parent or ".",
                          capture_output=True, text=True, env=environment)
    assert not done.stderr, f"kartactl {command}: {done.stderr}"
    return done.stdout


found = example.findall(text)
assert found, "no examples"
if write:
    path.write_text(example.sub(lambda m: m[1] + output(m[2]) + m[4], text), encoding="utf-8")
else:
    for _, command, shown, _ in found:
        printed = output(command)
        assert printed == shown, f"README.md shows for kartactl {command}:\n{shown}\nnow:\n{printed}"
