"""Folders are written whole or not at all, also where others write to them meanwhile."""

import shutil
import threading

import pytest

from imbtext import writing
from imbtext.writing import folder_written_whole


def test_a_writer_that_has_not_heard_of_the_failure_leaves_nothing(tmp_path, monkeypatch):
    rmtree, late = shutil.rmtree, iter(range(3))

    def disturbed(folder, **options):
        rmtree(folder, **options)
        if next(late, None) is not None:  # as if a file had come between the listing and the end
            folder.mkdir(exist_ok=True)
            (folder / "late").touch()

    monkeypatch.setattr(writing.shutil, "rmtree", disturbed)
    with pytest.raises(RuntimeError, match="failed"), folder_written_whole(tmp_path / "out"):
        raise RuntimeError("failed")
    assert not list(tmp_path.iterdir())


def test_writers_at_work_do_not_keep_a_folder_alive(tmp_path):
    stop = threading.Event()

    def write(folder):
        n = 0
        while not stop.is_set() and n < 20_000:
            try:
                (folder / f"{n % 50}").touch()
            except FileNotFoundError:
                return
            n += 1

    writers = []

    def fail():
        with folder_written_whole(tmp_path / "out") as partial:
            writers.extend(threading.Thread(target=write, args=(partial,)) for _ in range(4))
            for writer in writers:
                writer.start()
            raise RuntimeError("failed")

    with pytest.raises(RuntimeError, match="failed"):
        fail()
    stop.set()
    for writer in writers:
        writer.join()
    assert not list(tmp_path.iterdir())


def test_an_error_in_our_words_is_not_its_own_cause(tmp_path):
    with (
        pytest.raises(OSError, match="the input changed") as caught,
        writing.written_whole(tmp_path / "out.txt"),
    ):
        raise OSError("the input changed")
    assert caught.value.__cause__ is None
