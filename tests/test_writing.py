"""Files and folders are written whole or not at all, also where others write to them meanwhile."""

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

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


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_permissions_are_those_of_the_umask_or_of_the_file_that_is_replaced(tmp_path, monkeypatch):
    previous = os.umask(0o027)
    try:
        # To read the umask is to change it, for a moment, for all threads.
        monkeypatch.setattr(os, "umask", None)
        writing.write_text("new", tmp_path / "new.txt")
        private = tmp_path / "private.txt"
        private.touch(0o600)
        with writing.written_whole(private) as partial:
            assert partial.stat().st_mode & 0o777 == 0o600
            partial.write_text("secret")
        read_only = tmp_path / "read-only.txt"
        read_only.touch(0o440)
        writing.write_text("new", read_only)
    finally:
        monkeypatch.undo()
        os.umask(previous)
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert modes == {"new.txt": 0o640, "private.txt": 0o600, "read-only.txt": 0o440}


def test_two_ways_to_name_a_file_are_one_output(tmp_path):
    (tmp_path / "folder").mkdir()
    paths = [tmp_path / "out.csv", tmp_path / "folder" / ".." / "out.csv"]
    with pytest.raises(ValueError, match="two outputs are the same file"):
        writing.check_outputs(paths, [])


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_link_to_a_folder_stays_a_link(tmp_path, overwrite):
    (tmp_path / "large disk").mkdir()
    folder, link = tmp_path / "large disk" / "out", tmp_path / "out"
    folder.mkdir()
    if overwrite:
        (folder / "part-00000.csv").touch()
        (folder / ".imbtext").touch()
    link.symlink_to(folder)
    with folder_written_whole(link, overwrite=overwrite) as partial:
        assert partial.parent == folder.parent
        (partial / "new.txt").touch()
    assert link.is_symlink()
    assert sorted(path.name for path in folder.iterdir()) == [".imbtext", "new.txt"]


PROGRAM = """
import sys
from pathlib import Path
from imbtext.writing import write_text

write_text("x" * 1_000_000, Path(sys.argv[1]))
print("still here")
"""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_whose_reader_leaves_does_not_silence_standard_output(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    command = [sys.executable, "-c", PROGRAM, str(pipe)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        with Path(pipe).open("rb") as reader:
            reader.read(10)
        assert program.communicate(timeout=60)[0] == "still here\n"
    assert program.returncode == 0


def dead_process_leaves(folder):
    """Return the unfinished file of a process that was killed while it wrote out.csv."""
    program = (
        "import os, sys\nfrom imbtext.writing import written_whole\n"
        "with written_whole(sys.argv[1]) as partial:\n"
        "    partial.write_text('half')\n    os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", program, str(folder / "out.csv")], check=False)
    (leftover,) = folder.glob(".partial-*")
    return leftover


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL on Windows")
def test_the_next_run_removes_what_a_killed_one_left_and_nothing_else(tmp_path):
    leftover = dead_process_leaves(tmp_path)
    others = tmp_path / ".partial-of-somebody.csv"
    others.write_text("mine")
    with pytest.raises(ValueError, match="a later run removes it; give it another name"):
        writing.check_outputs([tmp_path / "new.csv"], [leftover])
    assert leftover.read_text() == "half"
    program = "import sys; from imbtext.writing import write_text; write_text('whole', sys.argv[1])"
    with writing.written_whole(tmp_path / "at-work.csv") as at_work:
        at_work.write_text("at work")
        writer = [sys.executable, "-c", program, str(tmp_path / "out.csv")]
        subprocess.run(writer, check=True)
        assert at_work.exists()
    assert not leftover.exists()
    names = [".partial-of-somebody.csv", "at-work.csv", "out.csv"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names


@pytest.mark.parametrize("place", ["out", "out.partial"])
def test_a_folder_that_is_not_ours_is_never_replaced(tmp_path, place):
    folder = tmp_path / place
    folder.mkdir()
    (folder / "thesis.tex").write_text("years of work")
    with (
        pytest.raises(FileExistsError, match=r"holds thesis\.tex, which imbtext did not write"),
        folder_written_whole(tmp_path / "out", overwrite=True),
    ):
        pass
    assert (folder / "thesis.tex").read_text() == "years of work"


@pytest.mark.parametrize("name", ["scan-00001.pdf", "part-00001.docx", "part-00000.csv/mine.txt"])
def test_names_that_are_nearly_ours_are_not_replaced(tmp_path, name):
    path = tmp_path / "out" / name
    path.parent.mkdir(parents=True)
    path.write_text("mine")
    (tmp_path / "out" / ".imbtext").touch()
    with (
        pytest.raises(FileExistsError, match="which imbtext did not write"),
        folder_written_whole(tmp_path / "out", overwrite=True),
    ):
        pass
    assert path.read_text() == "mine"


def test_names_like_ours_are_not_replaced_without_our_mark(tmp_path):
    path = tmp_path / "out" / "part-00000.csv"
    path.parent.mkdir()
    path.write_text("mine")
    with (
        pytest.raises(FileExistsError, match=r"holds part-00000.csv, which imbtext did not write"),
        folder_written_whole(tmp_path / "out", overwrite=True),
    ):
        pass
    assert path.read_text() == "mine"


def test_a_folder_of_ours_is_replaced(tmp_path):
    for text in ("old", "new"):
        with folder_written_whole(tmp_path / "out", overwrite=True) as partial:
            (partial / "part-00000.csv").write_text(text)
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == [".imbtext", "part-00000.csv"]
    assert (tmp_path / "out" / "part-00000.csv").read_text() == "new"


@pytest.mark.parametrize("source", ["out/a.csv", "out.partial/a.csv", "out", "out.partial"])
def test_a_folder_of_work_is_never_an_input(tmp_path, source):
    path = tmp_path / source
    path.parent.mkdir(exist_ok=True)
    path.touch()
    with pytest.raises(ValueError, match="which holds the input"):
        writing.check_output_folder(tmp_path / "out", [None, path])
    writing.check_output_folder(tmp_path / "other", [path])
