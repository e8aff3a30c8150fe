"""Damaged and crafted files of every format are read, or refused in our words."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CAMPAIGN = Path(__file__).with_name("crafted_files.py")


@pytest.mark.skipif(sys.platform != "linux", reason="the limits of memory are those of Linux")
@pytest.mark.parametrize(
    ("seed", "number"), [(0, 200), pytest.param(1, 5000, marks=pytest.mark.slow)]
)
def test_crafted_files_are_read_or_refused(seed, number):
    # In a process of its own: a crash is a failure, and not the end of the tests.
    ran = subprocess.run(
        [sys.executable, CAMPAIGN, "--seed", str(seed), "--number", str(number)],
        check=False,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        timeout=1800,
    )
    last = ran.stdout.splitlines()[-1:]
    assert ran.returncode == 0, f"{last}\n{ran.stderr[-4000:]}"
