"""Fixtures that tests of several rooms share."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# Examples are the same on every run, and a busy machine is no failure.
settings.register_profile("imbtext", deadline=None, derandomize=True)
settings.load_profile("imbtext")


@pytest.fixture(scope="session")
def data_home() -> Path:
    """Folder of the paper's data: ``IMBTEXT_DATA``, else shared/data beside the repository."""
    named = os.environ.get("IMBTEXT_DATA")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"the paper's data sets are not at {folder}; name their folder in IMBTEXT_DATA")
    return folder
