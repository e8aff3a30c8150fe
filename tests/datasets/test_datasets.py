"""Data sets: counts, refusal of damaged files, and a cache that only ever holds whole files."""

import gzip
import hashlib
import http.server
import os
import signal
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path

import numpy as np
import pooch
import pytest

from imbtext.datasets import (
    DamagedDataError,
    TextDataset,
    cache_folder,
    load_20newsgroups,
    load_docstrings,
    load_huffpost,
    load_reuters,
    load_stopwords,
)
from imbtext.datasets._cache import RemoteFile, fetch, find, locked, obtain
from imbtext.datasets._docstrings import _clean


@pytest.fixture
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("IMBTEXT_CACHE", str(folder))
    monkeypatch.delenv("IMBTEXT_DATA", raising=False)
    return folder


class Server(http.server.ThreadingHTTPServer):
    """A loopback server: `body` is what it sends, `cut` how much of it arrives."""

    body = b"whole file " * 1000
    cut: int | None = None
    delay = 0.0
    requests = 0


class _Handler(http.server.BaseHTTPRequestHandler):
    server: Server

    def do_GET(self):
        self.server.requests += 1
        time.sleep(self.server.delay)
        if self.path == "/missing.bin":
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.server.body)))
        self.end_headers()
        self.wfile.write(self.server.body[: self.server.cut])

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server():
    with Server(("127.0.0.1", 0), _Handler) as running:
        thread = threading.Thread(target=running.serve_forever, daemon=True)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def remote_of(server, name="data.bin", checksum=None):
    checksum = checksum or "sha256:" + hashlib.sha256(server.body).hexdigest()
    return RemoteFile(f"some/{name}", f"http://127.0.0.1:{server.server_port}/{name}", checksum)


def files_in(folder):
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


@pytest.fixture(scope="module")
def reuters(data_home):
    return load_reuters(data_home=data_home)


@pytest.fixture(scope="module")
def huffpost(data_home):
    return load_huffpost(data_home=data_home)


# The data sets themselves


def test_reuters(data_home, reuters):
    assert (len(reuters.train), len(reuters.test), len(reuters.classes)) == (7769, 3019, 90)
    assert np.array_equal(np.r_[reuters.train, reuters.test], np.arange(len(reuters)))
    assert reuters.multilabel
    assert reuters.in_class("trade")[reuters.train].sum() == 368
    assert reuters.class_sizes()["trade"] == reuters.in_class("trade").sum()
    assert reuters.texts[1] == "COMPUTER TERMINAL SYSTEMS &lt;CPML> COMPLETES SALE"
    assert all("\n" not in title for title in reuters.texts)
    full = load_reuters("full", data_home=data_home)
    assert full.checksum == reuters.checksum
    assert all(
        text.startswith(title + "\n") for text, title in zip(full.texts, reuters.texts, strict=True)
    )


@pytest.mark.slow
def test_reuters_unpacked_is_the_same(data_home, tmp_path, reuters):
    folder = tmp_path / "nltk_data" / "corpora"
    folder.mkdir(parents=True)
    with zipfile.ZipFile(data_home / "nltk_data/corpora/reuters.zip") as archive:
        archive.extractall(folder)
    unpacked = load_reuters(data_home=tmp_path)
    assert unpacked.checksum == reuters.checksum
    assert unpacked.texts == reuters.texts
    (folder / "reuters" / "test" / "14826").unlink()
    with pytest.raises(DamagedDataError, match="7769 training and 3018 test"):
        load_reuters(data_home=tmp_path)


@pytest.mark.slow
def test_huffpost(data_home, huffpost):
    titles = huffpost
    full = load_huffpost("full", data_home=data_home)
    assert len(titles) == len(full) == 189_509
    assert len(full.classes) == 42
    assert titles.train is None
    assert full.texts[0].startswith(titles.texts[0] + " Health experts said")
    assert titles.checksum == full.checksum
    assert "U.S. NEWS" in full.classes


@pytest.mark.slow
def test_newsgroups(data_home):
    raw = load_20newsgroups(data_home=data_home, remove=())
    stripped = load_20newsgroups(data_home=data_home)
    assert (len(raw.train), len(raw.test), len(raw.classes)) == (11_314, 7_532, 20)
    assert raw.texts[0].startswith("From:")
    assert not stripped.texts[0].startswith("From:")
    assert raw.labels == stripped.labels
    assert raw.checksum == stripped.checksum


def test_stopwords(data_home):
    words = load_stopwords(data_home=data_home)
    assert len(words) == 179
    assert {"the", "wouldn't", "s"} <= words


def test_docstrings_are_prose_labelled_by_subpackage():
    docstrings = load_docstrings()
    assert 2_000 < len(docstrings) < 4_000
    assert 50 < len(docstrings.classes) < 100
    assert len(set(docstrings.texts)) == len(docstrings)
    assert not any("\nExamples\n----" in text for text in docstrings.texts)
    add = next(text for text in docstrings.texts if text.startswith("Add arguments element-wise."))
    assert docstrings.labels[docstrings.texts.index(add)] == "numpy"
    counts = sorted(docstrings.class_sizes().values())
    assert counts[-1] > 100 * counts[0]


@pytest.mark.slow
def test_docstrings_do_not_depend_on_hash_seed_or_imports():
    code = (
        "import sys; sys.argv[1] == 'halving' and "
        "__import__('sklearn.experimental.enable_halving_search_cv')\n"
        "from imbtext.datasets import load_docstrings; print(load_docstrings().checksum)"
    )
    found = {
        subprocess.run(
            [sys.executable, "-W", "error::DeprecationWarning:imbtext", "-c", code, argument],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed, argument in [("1", ""), ("2", "halving")]
    }
    assert len(found) == 1


def test_clean_removes_examples_but_not_what_follows():
    text = "f(x)\n\nDo.\n\nExamples\n--------\n>>> f(1)\n\nNotes\n-----\nDone.\n"
    assert _clean(text) == "Do.\n\nNotes\n-----\nDone."


def test_importing_imbtext_stays_light():
    code = "import imbtext, sys; print('pooch' in sys.modules, 'imbtext.datasets' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


# TextDataset


def test_unknown_category_suggests_the_nearest():
    toy = TextDataset("toy", ["a"], [frozenset({"grain", "corn"})], ("corn", "grain"))
    assert toy.in_class("corn").tolist() == [True]
    with pytest.raises(ValueError, match="no class 'grian'; did you mean 'grain'"):
        toy.in_class("grian")


def test_texts_and_labels_must_match():
    with pytest.raises(ValueError, match=r"texts \(1\) does not match number of labels \(2\)"):
        TextDataset("toy", ["a"], ["x", "y"], ("x", "y"))


@pytest.mark.parametrize("load", [load_reuters, load_huffpost])
def test_unknown_text(load):
    with pytest.raises(ValueError, match="give 'titles' or 'full'"):
        load("headlines")


@pytest.mark.parametrize("remove", ["headers", ["header"]])
def test_unknown_remove(remove):
    with pytest.raises(ValueError, match="give a subset of"):
        load_20newsgroups(remove=remove)


# Damaged files are refused


def copied(data_home, name, folder):
    target = folder / name
    target.parent.mkdir(parents=True)
    target.write_bytes((data_home / name).read_bytes())
    return target


CASES = [
    ("nltk_data/corpora/reuters.zip", load_reuters),
    ("nltk_data/corpora/stopwords.zip", load_stopwords),
    ("huffpost/News_Category_Dataset_v3.json.gz", load_huffpost),
    ("scikit_learn_data/20news-bydate_py3.pkz", load_20newsgroups),
]


@pytest.mark.parametrize(("name", "load"), CASES)
@pytest.mark.parametrize("damage", ["truncated", "flipped", "empty"])
def test_damaged_copy_is_refused(data_home, tmp_path, name, load, damage):
    target = copied(data_home, name, tmp_path)
    content = bytearray(target.read_bytes())
    if damage == "truncated":
        content = content[: len(content) * 2 // 3]
    elif damage == "empty":
        content = bytearray()
    else:
        middle = len(content) // 2
        for at in range(middle, middle + 400):
            content[at] ^= 0xFF
    target.write_bytes(content)
    if damage == "flipped" and load is load_stopwords:
        # The damage lies in another language's list, which is not read.
        content[: len(content) // 2] = bytes(len(content) // 2)
        target.write_bytes(content[:-100])
    with pytest.raises(DamagedDataError, match=r"not a complete copy|holds"):
        load(data_home=tmp_path)
    assert target.exists(), "the user's own file is refused, not removed"


def test_tampered_reuters_is_refused_unless_told(data_home, tmp_path):
    target = tmp_path / "nltk_data/corpora/reuters.zip"
    target.parent.mkdir(parents=True)
    with (
        zipfile.ZipFile(data_home / "nltk_data/corpora/reuters.zip") as source,
        zipfile.ZipFile(target, "w") as changed,
    ):
        for name in source.namelist():
            body = source.read(name)
            changed.writestr(name, body.replace(b"COCOA", b"CACAO") if name[-1] == "1" else body)
    with pytest.raises(DamagedDataError, match="verify=False"):
        load_reuters(data_home=tmp_path)
    assert load_reuters(data_home=tmp_path, verify=False).texts[0] == "BAHIA CACAO REVIEW"


@pytest.fixture(scope="module")
def huffpost_lines(data_home):
    with gzip.open(data_home / "huffpost/News_Category_Dataset_v3.json.gz") as stream:
        return stream.read()


def test_huffpost_plain_and_zip(tmp_path, huffpost_lines, huffpost):
    folder = tmp_path / "huffpost"
    folder.mkdir()
    plain = folder / "News_Category_Dataset_v3.json"
    plain.write_bytes(huffpost_lines)
    assert load_huffpost(data_home=tmp_path).texts == huffpost.texts
    plain.unlink()
    with zipfile.ZipFile(folder / "archive.zip", "w") as archive:
        archive.writestr("News_Category_Dataset_v3.json", huffpost_lines)
    assert load_huffpost(data_home=tmp_path).checksum == huffpost.checksum


def test_huffpost_changed_content(tmp_path, huffpost_lines):
    folder = tmp_path / "huffpost"
    folder.mkdir()
    plain = folder / "News_Category_Dataset_v3.json"
    plain.write_bytes(huffpost_lines[: huffpost_lines.rindex(b"\n", 0, -1) + 1])
    with pytest.raises(DamagedDataError, match="209526 rows in 42"):
        load_huffpost(data_home=tmp_path)
    plain.write_bytes(huffpost_lines.replace(b"Omicron-Targeted", b"Delta-Targeted", 1))
    with pytest.raises(DamagedDataError, match="it was changed"):
        load_huffpost(data_home=tmp_path)


def test_newer_stopwords_are_refused(tmp_path):
    folder = tmp_path / "nltk_data/corpora/stopwords"
    folder.mkdir(parents=True)
    (folder / "english").write_text("\n".join(f"word{i}" for i in range(198)))
    with pytest.raises(DamagedDataError, match="198 English stopwords"):
        load_stopwords(data_home=tmp_path)


# Where files are looked for


def test_huffpost_says_where_from_and_where_to(cache):
    with pytest.raises(FileNotFoundError, match=r"kaggle\.com/datasets/rmisra") as caught:
        load_huffpost()
    assert str(cache / "huffpost") in str(caught.value)


def test_data_home_is_taken_at_its_word(tmp_path, cache):
    with pytest.raises(FileNotFoundError, match=r"does not hold nltk_data/corpora/reuters\.zip"):
        load_reuters(data_home=tmp_path)


def test_variable_comes_before_the_cache(tmp_path, cache, monkeypatch):
    for folder in (tmp_path / "named", cache):
        folder.mkdir()
        (folder / "file").write_text(folder.name)
    assert find(("file",)).parent == cache
    monkeypatch.setenv("IMBTEXT_DATA", str(tmp_path / "named"))
    assert find(("file",)).parent == tmp_path / "named"
    (tmp_path / "named" / "file").unlink()
    assert find(("file",)).parent == cache
    monkeypatch.setenv("IMBTEXT_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(FileNotFoundError, match="IMBTEXT_DATA names"):
        find(("file",))


def test_cache_folder_has_a_default(monkeypatch):
    monkeypatch.delenv("IMBTEXT_CACHE", raising=False)
    assert cache_folder().name == "imbalanced-text"


# The cache


def test_fetched_once(server, cache):
    remote = remote_of(server)
    assert obtain(remote, quiet=True).read_bytes() == server.body
    assert obtain(remote, quiet=True) == cache / "some/data.bin"
    assert server.requests == 1
    assert files_in(cache) == [".data.bin.lock", "data.bin"]


def test_wrong_checksum_is_refused_and_not_kept(server, cache):
    with pytest.raises(DamagedDataError, match="nothing was kept"):
        fetch(remote_of(server, checksum="md5:" + "0" * 32), quiet=True)
    assert files_in(cache) == [".data.bin.lock"]


def test_half_a_download_is_not_kept(server, cache):
    remote = remote_of(server)
    server.cut = 4000
    with pytest.raises((OSError, DamagedDataError), match="http://127"):
        fetch(remote, quiet=True)
    assert files_in(cache) == [".data.bin.lock"]
    server.cut = None
    assert fetch(remote, quiet=True).read_bytes() == server.body


def test_missing_page_and_dead_server(server, cache):
    with pytest.raises(OSError, match="in a folder of your choice"):
        fetch(remote_of(server, "missing.bin"), quiet=True)
    dead = RemoteFile("some/data.bin", "http://127.0.0.1:9/data.bin", "sha256:0")
    with pytest.raises(OSError, match="cannot download"):
        fetch(dead, quiet=True)


def test_damaged_cache_file_is_fetched_again(server, cache):
    remote = remote_of(server)
    obtain(remote, quiet=True).write_bytes(b"rotten")
    assert obtain(remote, quiet=True).read_bytes() == server.body
    assert server.requests == 2


def test_leftovers_of_a_killed_download_go(server, cache):
    leftover = cache / "some" / ".partial-data.bin-killed"
    leftover.mkdir(parents=True)
    (leftover / "half").write_bytes(b"half")
    fetch(remote_of(server), quiet=True)
    assert not leftover.exists()


@pytest.mark.slow
def test_processes_download_once(server, cache):
    remote = remote_of(server)
    server.delay = 0.5
    code = (
        "import sys; from imbtext.datasets._cache import RemoteFile, fetch\n"
        "fetch(RemoteFile(*sys.argv[1:]), quiet=True)"
    )
    command = [sys.executable, "-c", code, remote.path, remote.url, remote.checksum]
    workers = [subprocess.Popen(command) for _ in range(3)]
    assert [worker.wait(60) for worker in workers] == [0, 0, 0]
    assert server.requests == 1
    assert (cache / "some/data.bin").read_bytes() == server.body


def test_lock_excludes_and_is_released_by_death(tmp_path):
    target = tmp_path / "file"
    code = (
        "import sys, time; from pathlib import Path; from imbtext.datasets._cache import locked\n"
        "with locked(Path(sys.argv[1])):\n    print('held', flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(target)], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    with holder.stdout:
        assert holder.stdout.readline() == "held\n"
        entered = threading.Event()

        def enter():
            with locked(target):
                entered.set()

        waiting = threading.Thread(target=enter, daemon=True)
        waiting.start()
        assert not entered.wait(0.3)
        holder.kill()
        holder.wait()
        assert entered.wait(10)
        waiting.join()


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
def test_waiting_for_a_lock_can_be_interrupted(tmp_path):
    target = tmp_path / "file"
    code = (
        "import sys; from pathlib import Path; from imbtext.datasets._cache import locked\n"
        "print('waiting', flush=True)\n"
        "with locked(Path(sys.argv[1])):\n    print('entered')"
    )
    with locked(target):
        waiting = subprocess.Popen(
            [sys.executable, "-c", code, str(target)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        with waiting:
            assert waiting.stdout is not None
            assert waiting.stdout.readline() == "waiting\n"
            time.sleep(0.3)
            waiting.send_signal(signal.SIGINT)
            try:
                said, traceback = waiting.communicate(timeout=20)
            finally:
                waiting.kill()
    assert said == ""
    assert traceback.strip().endswith("KeyboardInterrupt")


def test_a_lock_that_cannot_be_written_names_the_cache(tmp_path):
    (tmp_path / ".file.lock").mkdir()
    with (
        pytest.raises(OSError, match=r"cannot lock .*IMBTEXT_CACHE"),
        locked(tmp_path / "file"),
    ):
        pass


def test_newsgroups_damaged_in_the_cache_are_removed(data_home, cache, monkeypatch):
    target = cache / "scikit_learn_data/20news-bydate_py3.pkz"
    target.parent.mkdir(parents=True)
    target.write_bytes((data_home / "scikit_learn_data" / target.name).read_bytes()[:100_000])
    with pytest.raises(DamagedDataError, match="not a complete copy"):
        load_20newsgroups()
    assert not target.exists()


def test_newsgroups_enter_the_cache_whole(cache, monkeypatch, tmp_path):
    import sklearn.datasets

    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "none"))

    def killed(data_home, **_):
        (Path(data_home) / "20news-bydate_py3.pkz").write_bytes(b"half")
        raise OSError("connection reset")

    monkeypatch.setattr(sklearn.datasets, "fetch_20newsgroups", killed)
    leftover = cache / "scikit_learn_data" / ".partial-20news-bydate_py3.pkz-killed"
    leftover.mkdir(parents=True)
    with pytest.raises(OSError, match="cannot download 20 Newsgroups"):
        load_20newsgroups()
    assert not leftover.exists()
    assert files_in(cache) == [".20news-bydate_py3.pkz.lock"]


def test_missing_pooch_names_the_extra(monkeypatch, tmp_path):
    monkeypatch.setenv("IMBTEXT_CACHE", str(tmp_path))
    monkeypatch.delenv("IMBTEXT_DATA", raising=False)
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(ImportError, match="pip install"):
        load_reuters()


def test_pooch_is_needed_only_where_something_must_be_downloaded(monkeypatch, data_home):
    monkeypatch.delenv("IMBTEXT_CACHE", raising=False)
    monkeypatch.setenv("IMBTEXT_DATA", str(data_home))
    monkeypatch.setitem(sys.modules, "pooch", None)
    assert len(load_stopwords()) == 179
    assert len(load_reuters("titles")) == 10_788


def test_the_cache_lies_where_pooch_puts_it(monkeypatch):
    monkeypatch.delenv("IMBTEXT_CACHE", raising=False)
    assert cache_folder() == Path(pooch.os_cache("imbalanced-text"))
