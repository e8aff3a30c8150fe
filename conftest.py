"""What holds for every run of pytest: which files it reads, what may be skipped, who runs what."""

import os
import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from xdist.scheduler import LoadFileScheduling

# A worker has one core. More threads would wait for each other, and waiting threads of BLAS and
# torch burn a core: the tests of the LSTM took ten times their time on a busy machine.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Doctests of modules and pages that need an optional package.
NEEDS = {
    "torch": [
        "docs/guides/generators.md",
        "src/imbtext/neural/*",
        "paper/lstm_classifier.py",
        "paper/lstm_networks.py",
        "paper/network.py",
        "paper/side_by_side.py",
    ],
    "wordllama": ["docs/guides/encoders.md", "src/imbtext/features/_meaning.py"],
}
collect_ignore_glob = [
    path for package, paths in NEEDS.items() if find_spec(package) is None for path in paths
]

# Its code is files of the package, which tests/docs/test_sampler_in_three_files.py writes and runs.
collect_ignore = ["docs/guides/sampler_in_three_files.md"]

# Reasons of skips that something to install, build or fetch would mend. All others say something
# about the test: an example that is not run, a check that does not apply, another system.
WANTING = re.compile(
    r"install|not built|could not import|no module named|IMBTEXT_DATA|chromium|wordnet|torch|extra",
    re.IGNORECASE,
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--no-skips``."""
    parser.addoption(
        "--no-skips",
        action="store_true",
        help="fail if a test is skipped for want of something that can be installed",
    )


def pytest_sessionfinish(session: pytest.Session) -> None:
    """With ``--no-skips``, turn skips into a failure that lists them."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if not session.config.getoption("--no-skips") or reporter is None:
        return
    reasons = [str(report.longrepr[2]) for report in reporter.stats.get("skipped", [])]
    missed = sorted({reason for reason in reasons if WANTING.search(reason)})
    if missed and not session.exitstatus:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    for reason in missed:
        reporter.write_line(f"--no-skips: {reason}", red=True)


@pytest.fixture(scope="session")
def data_home() -> Path:
    """Folder of the paper's data: ``IMBTEXT_DATA``, else shared/data beside the repository."""
    named = os.environ.get("IMBTEXT_DATA")
    folder = Path(named) if named else Path(__file__).resolve().parents[1] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"the paper's data sets are not at {folder}; name their folder in IMBTEXT_DATA")
    return folder


class OneClusterAtATime(LoadFileScheduling):
    """A file goes to one worker as a whole; all files that start clusters go to the same."""

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        starts_clusters = file.startswith(("tests/files/", "paper/tests/test_dask"))
        return "tests/files" if starts_clusters else file


def pytest_xdist_make_scheduler(config, log):
    """Give each worker files, unless another distribution was asked for."""
    return OneClusterAtATime(config, log) if config.getoption("dist") == "loadfile" else None
