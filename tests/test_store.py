import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from imbtext import store
from imbtext.store import Store, UnitKey

KEY = UnitKey("reuters-titles", 0, "tin", 0.1, "ros", 0, 42, "abc")


def test_a_result_is_kept_once_and_the_first_one_stands(tmp_path):
    with Store(tmp_path / "units.sqlite") as store:
        assert store.add(KEY, {"recall": 0.25}, seconds=1.0)
        assert not store.add(KEY, {"recall": 0.75}, seconds=1.0)
        assert not store.add_failure(KEY, "Traceback ...", seconds=1.0)
        assert store.frame()["recall"].to_list() == [0.25]
        assert store.failures() == []


def test_every_part_of_the_key_tells_units_apart(tmp_path):
    others = [
        replace(KEY, experiment="reuters-full"),
        replace(KEY, fold=1),
        replace(KEY, category="zinc"),
        replace(KEY, ratio=0.2),
        replace(KEY, method="mco"),
        replace(KEY, repetition=1),
        replace(KEY, seed=1),
        replace(KEY, settings="abd"),
    ]
    with Store(tmp_path / "units.sqlite") as store:
        store.add(KEY, {"recall": 0.0}, seconds=0.0)
        assert all(store.add(key, {"recall": 1.0}, seconds=0.0) for key in others)
        assert store.finished() == {KEY, *others}
        assert store.finished([KEY, replace(KEY, seed=9)]) == {KEY}


def test_a_failure_is_recorded_with_its_traceback_and_gives_way_to_a_result(tmp_path):
    with Store(tmp_path / "units.sqlite") as store:
        store.add_failure(KEY, "Traceback: no luck", seconds=0.5)
        assert store.failures() == [(KEY, "Traceback: no luck")]
        assert store.finished() == set()
        assert store.frame().is_empty()
        assert store.add(KEY, {"recall": 0.5}, seconds=0.5)
        assert store.failures() == []
        assert store.finished() == {KEY}


def test_scores_come_back_to_the_last_bit(tmp_path):
    value = 0.1 + 0.2
    with Store(tmp_path / "units.sqlite") as store:
        store.add(KEY, {"recall": value}, seconds=0.0)
    with Store(tmp_path / "units.sqlite") as store:
        assert store.frame()["recall"].item() == value


def test_arrays_come_back_to_the_last_bit_and_only_once(tmp_path):
    arrays = {
        "decision": np.array([0.1 + 0.2, -np.inf, np.nan], np.float32),
        "words": np.frombuffer("oil\x00ä".encode(), np.uint8),
        "empty": np.zeros((0, 3), np.int64),
    }
    path = tmp_path / "units.sqlite"
    with Store(path) as store:
        store.add_failure(KEY, "Traceback", seconds=0.0)
        with pytest.raises(KeyError):
            store.arrays(KEY)
        assert store.add(KEY, {"recall": 0.5}, 0.0, arrays)
        assert not store.add(KEY, {"recall": 0.5}, 0.0, {"decision": np.zeros(3)})
        without = replace(KEY, seed=1)
        store.add(without, {"recall": 0.5}, 0.0)
        assert store.frame().width == len(KEY.__dataclass_fields__) + 2
    with Store(path) as store:
        assert store.arrays(without) == {}
        read = store.arrays(KEY)
    assert read.keys() == arrays.keys()
    for name, values in arrays.items():
        assert (read[name].dtype, read[name].shape) == (values.dtype, values.shape)
        assert read[name].tobytes() == values.tobytes()


def test_damaged_arrays_are_refused_and_objects_are_not_stored(tmp_path):
    path = tmp_path / "units.sqlite"
    with Store(path) as store:
        with pytest.raises(ValueError, match="'a' holds objects; store numbers"):
            store.add(KEY, {}, 0.0, {"a": np.array([{}])})
        store.add(KEY, {}, 0.0, {"a": np.arange(100)})
        store._connection.execute("UPDATE units SET arrays = substr(arrays, 1, 60)")
        with pytest.raises(ValueError, match="is damaged or is not a store of results"):
            store.arrays(KEY)


WRITER = """
import sys
from contextlib import closing
from dataclasses import replace
from imbtext import store
from imbtext.store import Store, UnitKey
key = UnitKey("e", 0, "c", 0.1, "m", 0, 42, "s")
with Store(sys.argv[1]) as store:
    for repetition in range(int(sys.argv[2])):
        unit = replace(key, repetition=repetition)
        store.add(unit, {"recall": 0.5, "by": float(sys.argv[3])}, 0.0)
        print(repetition, flush=True)
"""


def _writer(path, n, name):
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), str(n), name], stdout=subprocess.PIPE, text=True
    )


@pytest.mark.slow
def test_kill_minus_nine_loses_nothing_that_was_finished(tmp_path):
    path = tmp_path / "units.sqlite"
    writer = _writer(path, 1_000_000, "1")
    reported = -1
    for line in writer.stdout:
        reported = int(line)
        if reported >= 20:
            break
    writer.kill()
    writer.wait()
    writer.stdout.close()
    with Store(path) as store:
        repetitions = {key.repetition for key in store.finished()}
        assert set(range(reported + 1)) <= repetitions
        assert repetitions == set(range(len(repetitions)))
        assert store.add(KEY, {"recall": 1.0}, seconds=0.0)
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


def test_two_writers_at_once_neither_corrupt_nor_duplicate(tmp_path):
    path = tmp_path / "units.sqlite"
    writers = [_writer(path, 150, name) for name in ("1", "2")]
    outputs = [writer.communicate(timeout=60)[0] for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0]
    assert all(len(output.splitlines()) == 150 for output in outputs)
    with Store(path) as store:
        frame = store.frame()
    assert sorted(frame["repetition"].to_list()) == list(range(150))


def test_many_can_create_the_store_at_the_same_moment(tmp_path):
    errors = []

    def create(path, barrier):
        barrier.wait()
        try:
            Store(path).close()
        except Exception as error:
            errors.append(error)

    for attempt in range(20):
        barrier = threading.Barrier(8)
        path = tmp_path / f"{attempt}.sqlite"
        threads = [threading.Thread(target=create, args=(path, barrier)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert errors == []


def test_a_file_that_is_no_store_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "units.sqlite"
    path.write_bytes(b"this is not a database at all, just text" * 30)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="is not a store of results"):
        Store(path)
    assert path.read_bytes() == before
    with pytest.raises(IsADirectoryError, match="it is a folder"):
        Store(tmp_path)


def test_a_store_of_another_format_is_refused(tmp_path):
    path = tmp_path / "units.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(ValueError, match="has the format 99"):
        Store(path)


def test_a_reader_does_not_wait_for_a_writer(tmp_path):
    path = tmp_path / "units.sqlite"
    with Store(path) as store:
        store.add(KEY, {"recall": 0.5}, seconds=0.0)
        blocker = sqlite3.connect(path, isolation_level=None)
        blocker.execute("BEGIN IMMEDIATE")
        start = time.monotonic()
        assert store.finished() == {KEY}
        assert time.monotonic() - start < 5
        blocker.execute("ROLLBACK")
        blocker.close()


def test_a_full_disk_is_an_os_error_that_names_the_store(tmp_path):
    with Store(tmp_path / "units.sqlite") as store:
        pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
        store._connection.execute(f"PRAGMA max_page_count = {pages + 1}")
        with pytest.raises(OSError, match=r"cannot use the store .*units\.sqlite: .*full"):
            store.add_failure(KEY, "x" * 1_000_000, seconds=0.0)


def test_a_disk_that_refuses_the_log_is_told_without_waiting_for_a_lock(tmp_path, monkeypatch):
    attempts = []

    class Refusing(sqlite3.Connection):
        def execute(self, query, *values):
            if "journal_mode" in query:
                attempts.append(query)
                error = sqlite3.OperationalError("disk I/O error")
                error.sqlite_errorcode = sqlite3.SQLITE_IOERR
                raise error
            return super().execute(query, *values)

    connect = sqlite3.connect
    monkeypatch.setattr(
        sqlite3, "connect", lambda path, **options: connect(path, factory=Refusing, **options)
    )
    monkeypatch.setattr(store, "_PATIENCE", 2.0)
    with pytest.raises(OSError, match=r"cannot use the store .*: disk I/O error"):
        Store(tmp_path / "units.sqlite")
    assert len(attempts) == 1


def test_a_closed_store_is_not_called_damaged(tmp_path):
    closed = Store(tmp_path / "units.sqlite")
    closed.close()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        closed.finished()


def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "units.sqlite"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE bookmarks (url TEXT)")
    before = path.read_bytes()
    with pytest.raises(ValueError, match="database of another program, with the table 'bookmarks'"):
        Store(path)
    assert path.read_bytes() == before


def test_a_store_with_other_columns_is_refused(tmp_path):
    path = tmp_path / "units.sqlite"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE units (a TEXT)")
        other.execute("PRAGMA user_version = 2")
    with pytest.raises(ValueError, match="its columns are not those of a store"):
        Store(path)


def test_damage_anywhere_is_a_clear_error_or_no_matter(tmp_path):
    path = tmp_path / "units.sqlite"
    with Store(path) as store:
        for repetition in range(200):
            store.add(replace(KEY, repetition=repetition), {"recall": 0.5}, seconds=0.0)
        store._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = path.read_bytes()
    refusals = []
    for place in range(0, len(content), len(content) // 40):
        path.write_bytes(content[:place] + b"\xff" * 200 + content[place + 200 :])
        try:
            with Store(path) as store:
                store.finished()
                store.frame()
                store.add(replace(KEY, seed=1), {"recall": 0.5}, seconds=0.0)
        except (ValueError, OSError) as error:
            refusals.append(str(error))
        for beside in tmp_path.glob("units.sqlite-*"):
            beside.unlink()
    assert len(refusals) > 5
    assert all("units.sqlite" in refusal for refusal in refusals)
