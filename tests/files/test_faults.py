"""Workers die, files are broken, disks are full: the same rows, or nothing that looks whole."""

import shutil
import signal
import subprocess

import pytest
from distributed import Client

from imbtext.tables import TableError
from tests.files.conftest import local_cluster
from tests.files.faults import (
    assert_nothing_else,
    assert_whole,
    die,
    die_half_written,
    oversampled,
    patched,
    write_source,
)

resource = pytest.importorskip("resource", reason="no limits of file sizes on this system")

pytestmark = pytest.mark.slow


@pytest.fixture
def client():
    """A cluster for one test: what a killed worker leaves behind is not for others."""
    with local_cluster() as cluster, Client(cluster) as client:
        yield client


@pytest.fixture
def source(tmp_path, table):
    return write_source(tmp_path / "in", table)


@pytest.mark.parametrize(
    ("module", "name", "then"),
    [
        ("imbtext.files._in_parts", "_copy_part", die),
        ("imbtext.files._counting", "sum_counts", die),
        ("imbtext.files._synthetic", "SyntheticRows.of", die),
        ("imbtext.files._in_parts", "_write_run", die),
        ("imbtext.tables._parquet", "ParquetWriter._write_waiting", die_half_written),
    ],
    ids=["copying", "adding", "learning", "drawing", "writing"],
)
def test_worker_killed(client, source, tmp_path, table, module, name, then):
    flag = tmp_path / "flag"
    before = set(client.scheduler_info()["workers"])
    client.run(patched, module, name, str(flag), then)
    oversampled(source, tmp_path / "out")
    assert flag.exists(), "the fault never happened"
    assert set(client.scheduler_info()["workers"]) != before, "no worker died"
    assert_whole(tmp_path / "out", table)


def test_corrupt_file_among_many(client, source, tmp_path):
    path = source / "7.parquet"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(TableError, match=r"7\.parquet is not a whole Parquet file"):
        oversampled(source, tmp_path / "out")
    # The footer is well, the data are not: found by the worker that reads them.
    path.write_bytes(whole[:4] + b"\xff" * 200 + whole[204:])
    with pytest.raises(TableError, match=r"7\.parquet is not a whole Parquet file"):
        oversampled(source, tmp_path / "out")
    assert not list(tmp_path.glob("out*"))


def limit_file_size(n_bytes):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, resource.RLIM_INFINITY))


def test_no_room_for_a_file(client, source, tmp_path):
    client.run(limit_file_size, 1500)
    try:
        with pytest.raises(OSError, match=r"cannot write .*\.parquet: File too large"):
            oversampled(source, tmp_path / "out")
    finally:
        client.run(limit_file_size, resource.RLIM_INFINITY)
    assert not list(tmp_path.glob("out*"))


@pytest.fixture
def small_disk(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    if shutil.which("mount") is None:
        pytest.skip("there is no mount command")
    command = ["mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", str(folder)]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("only root can mount a small disk")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_full_disk(client, source, small_disk):
    with pytest.raises(OSError, match=r"cannot write .*: No space left on device; free some space"):
        oversampled(source, small_disk / "out")
    assert not list(small_disk.iterdir())
    assert_nothing_else(small_disk / "out")
