"""What the tests of faults share: a folder to oversample, and faults that workers meet once."""

import importlib
import os
import signal
import time

import pyarrow as pa
import pyarrow.parquet as pq

from imbtext import EMCO, minority_share
from imbtext.distributed import DaskPool
from imbtext.files import oversample_files

N_FILES = 10


def write_source(folder, table):
    """Write a table to files; return their folder."""
    folder.mkdir()
    whole = pa.Table.from_pandas(table)
    for i in range(N_FILES):
        pq.write_table(whole.slice(40 * i, 40), folder / f"{i}.parquet")
    return folder


def oversampled(source, out, **options):
    """Bring the rare class of the files to a share of 30%."""
    sampler = EMCO(0.5, sampling_strategy=minority_share(0.3), random_state=7)
    columns = {"text": "body", "label": "topic"}
    return oversample_files(source, out, **columns, sampler=sampler, pool=DaskPool(), **options)


def assert_whole(out, table):
    """Hold that a folder has every row of memory once, in order, and nothing else."""
    sampler = EMCO(0.5, sampling_strategy=minority_share(0.3), random_state=7)
    expected = sampler.fit_resample(table["body"].tolist(), table["topic"].tolist())
    rows = pq.read_table(out)
    assert (rows["body"].to_pylist(), rows["topic"].to_pylist()) == expected
    names = (".imbtext", "part-", "synthetic-")
    assert all(path.name.startswith(names) for path in out.iterdir())
    assert_nothing_else(out)


def assert_nothing_else(out):
    """Hold that no unfinished folder lies beside `out`."""
    assert [path.name for path in out.parent.glob(f"{out.name}*") if path != out] == []


def patched(module, name, flag, then):
    """Run in a worker: the first call of a function, in whichever worker, does `then` instead."""
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
        return then(*arguments, **options)

    setattr(owner, last, call)


def die(*_, **__):
    """End this process as the kernel does when memory is short."""
    os.kill(os.getpid(), signal.SIGKILL)


def die_half_written(writer):
    """Leave half a file behind."""
    writer.stream.write(b"PAR1 and then nothing")
    writer.stream.flush()
    die()


def take_memory(*_, **__):
    """Take more and more memory, until somebody ends this process."""
    held = []
    while True:
        held.append(b"x" * 30_000_000)
        time.sleep(0.02)
