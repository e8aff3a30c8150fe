"""Compiled code checks no bounds: what is awkward must not lead it outside its arrays."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CASES = Path(__file__).with_name("bounds_checked.py")


@pytest.mark.slow
def test_every_compiled_function_stays_in_bounds(tmp_path):
    # A cache of its own: code that was compiled without the check would be taken as it is.
    checked = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    ran = subprocess.run(
        [sys.executable, CASES],
        check=False,
        capture_output=True,
        text=True,
        env=os.environ | checked | {"PYTHONPATH": os.pathsep.join(sys.path)},
        timeout=1200,
    )
    assert ran.returncode == 0, ran.stdout[-500:] + ran.stderr[-3000:]
