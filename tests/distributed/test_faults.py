"""Real worker processes and real faults: the same rows come out, or nothing that looks whole."""

import os
import signal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from imbtext import EMCO, minority_share
from imbtext.bulk.sizes import ClassSizes
from imbtext.bulk.streaming import Oversampling
from imbtext.distributed import Form, oversample_files
from imbtext.tabular import DocumentColumns, Layout, open_tables

pytestmark = pytest.mark.slow

SETTINGS = Oversampling(ClassSizes(share=0.3), gamma=0.5, seed=7)
FORM = Form(Layout("parquet"), DocumentColumns("body", "topic"))


@pytest.fixture
def source(tmp_path, table):
    folder = tmp_path / "in"
    folder.mkdir()
    whole = pa.Table.from_pandas(table)
    for i in range(10):
        pq.write_table(whole.slice(40 * i, 40), folder / f"{i}.parquet")
    return folder


def oversampled(source, out, **options):
    with open_tables(source, Layout()) as tables:
        return oversample_files(tables, out, FORM, SETTINGS, **options)


def assert_whole(out, table):
    sampler = EMCO(0.5, sampling_strategy=minority_share(0.3), random_state=7)
    expected = sampler.fit_resample(table["body"].tolist(), table["topic"].tolist())
    rows = pq.read_table(out)
    assert (rows["body"].to_pylist(), rows["topic"].to_pylist()) == expected
    assert all(path.name.startswith(("part-", "synthetic-")) for path in out.iterdir())
    assert not out.with_name("out.partial").exists()


def patched(module, name, flag, then):
    """Run in a worker: the first call of a function, in whichever worker, does `then` instead."""
    import importlib

    owner = importlib.import_module(module)
    *path, last = name.split(".")
    for part in path:
        owner = getattr(owner, part)
    original = getattr(owner, last)

    def call(*arguments, **options):
        try:
            os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return original(*arguments, **options)
        return then(original, *arguments, **options)

    setattr(owner, last, call)


def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize(
    ("module", "name", "then"),
    [
        ("imbtext.distributed._files", "_count", die),
        ("imbtext.distributed._files", "_write_synthetic", die),
    ],
    ids=["counting", "drawing"],
)
def test_worker_killed(client, source, tmp_path, table, module, name, then):
    flag = str(tmp_path / "flag")
    before = set(client.scheduler_info()["workers"])
    client.run(patched, module, name, flag, then)
    oversampled(source, tmp_path / "out")
    assert Path(flag).exists(), "the fault never happened"
    assert set(client.scheduler_info()["workers"]) != before, "no worker died"
    assert_whole(tmp_path / "out", table)
    client.restart(timeout=180)
