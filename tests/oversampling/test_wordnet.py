"""WordNet's dict files: found in order, read as NLTK reads them, refused when damaged."""

import re
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

from imbtext.oversampling import _wordnet as module
from imbtext.oversampling._wordnet import WordNet, find_wordnet

POS_LETTERS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}


def write_wordnet(folder, synsets, exceptions=None):
    """Write a WordNet of the given synsets, {part of speech: [[lemma, ...], ...]}."""
    folder.mkdir(parents=True, exist_ok=True)
    for part, letter in POS_LETTERS.items():
        data, senses = "  1 a licence line\n", {}
        for lemmas in synsets.get(part, [["thing"]]):
            offset = len(data.encode())
            words = " ".join(f"{lemma} {i % 16:x}" for i, lemma in enumerate(lemmas))
            data += f"{offset:08d} 03 {letter} {len(lemmas):02x} {words} 000 | a gloss (x)\n"
            for lemma in lemmas:
                senses.setdefault(re.sub(r"\(.*", "", lemma).lower(), []).append(offset)
        index = "  1 a licence line\n"
        for lemma, offsets in sorted(senses.items()):
            numbers = " ".join(f"{offset:08d}" for offset in offsets)
            index += f"{lemma} {letter} {len(offsets)} 1 @ {len(offsets)} 0 {numbers}  \n"
        (folder / f"data.{part}").write_bytes(data.encode())
        (folder / f"index.{part}").write_bytes(index.encode())
        (folder / f"{part}.exc").write_text((exceptions or {}).get(part, ""))
    return folder


@pytest.fixture
def small(tmp_path):
    synsets = {
        "noun": [["food_grain", "grain", "cereal"], ["grain", "24-hour_Interval"], ["man", "1"]],
        "verb": [["run", "scat"], ["bus"]],
        "adj": [["good", "Salutary(p)"]],
    }
    return write_wordnet(tmp_path / "small", synsets, {"verb": "ran run\n"})


@pytest.mark.parametrize(
    ("word", "synonyms"),
    [
        ("grain", ("cereal", "food grain", "hour interval")),
        ("Grains", ("cereal", "food grain", "grain", "hour interval")),
        ("cereal", ("food grain", "grain")),
        ("men", ("man",)),
        ("man", ()),
        ("ran", ("run", "scat")),
        ("running", ()),
        ("good", ("salutary",)),
        ("unknown", ()),
        ("", ()),
        ("größe", ()),
    ],
)
def test_synonyms_by_hand(small, word, synonyms):
    assert WordNet.read(small).synonyms(word) == synonyms


def test_same_files_are_read_once(small):
    assert WordNet.read(small) is WordNet.read(str(small))


@pytest.fixture(scope="module")
def nltk_wordnet(data_home):
    nltk = pytest.importorskip("nltk", reason="NLTK is the oracle here")
    from nltk.corpus import LazyCorpusLoader
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    class Reader(WordNetCorpusReader):
        def map_wn(self, *args, **kwargs):
            return {}  # maps to other WordNet versions: slow, and not asked for

    before = list(nltk.data.path)
    nltk.data.path[:] = [str(data_home / "nltk_data")]
    yield LazyCorpusLoader("wordnet", Reader, None)
    nltk.data.path[:] = before


def synonyms_by_nltk(reader, word):
    found = set()
    for synset in reader.synsets(word):
        for lemma in synset.lemmas():
            name = lemma.name().replace("_", " ").replace("-", " ").lower()
            found.add("".join(c for c in name if c in " abcdefghijklmnopqrstuvwxyz"))
    return tuple(sorted({" ".join(name.split()) for name in found} - {word, ""}))


@pytest.mark.filterwarnings("ignore:The multilingual functions")
def test_equal_to_nltk(data_home, nltk_wordnet):
    with zipfile.ZipFile(data_home / "nltk_data/corpora/reuters.zip") as archive:
        names = [name for name in archive.namelist() if "/test/" in name]
        text = b" ".join(archive.read(name) for name in names).decode("latin-1")
    words = sorted(set(re.findall("[a-z]+", text.lower())))
    ours = WordNet.read(data_home / "nltk_data")
    lemmas = sorted(ours.parts[0].index)
    rng = np.random.default_rng(0)
    sample = [*rng.choice(words, 1500, replace=False).tolist(), "better", "feet", "axes", "was"]
    sample += [lemma.decode() for lemma in rng.choice(lemmas, 300).tolist()]
    for word in sample:
        assert ours.synonyms(word) == synonyms_by_nltk(nltk_wordnet, word), word


def test_opens_in_about_half_a_second(data_home):
    module._read.cache_clear()
    start = time.process_time()
    WordNet.read(data_home)
    assert time.process_time() - start < 1.5  # about 0.4; the rest is for a busy machine


def test_debian_and_nltk_copies_agree(data_home):
    debian = Path("/usr/share/wordnet")
    if not (debian / "index.noun").is_file():
        pytest.skip("Debian's wordnet-base is not installed")
    ours, theirs = WordNet.read(data_home), WordNet.read(debian)
    words = [lemma.decode() for lemma in list(ours.parts[1].index)[::7]]
    assert len(words) > 1000
    assert [ours.synonyms(w) for w in words] == [theirs.synonyms(w) for w in words]


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """Return a machine with no WordNet but the one in the places that a test names."""
    for variable in (
        *("WNSEARCHDIR", "WNHOME", "NLTK_DATA", "IMBTEXT_DATA", "IMBTEXT_CACHE", "APPDATA"),
    ):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(module.sys, "prefix", str(tmp_path / "prefix"))
    return tmp_path


def test_found_in_the_documented_order(bare, monkeypatch):
    def put(folder):
        return write_wordnet(bare / folder, {})

    expected = [put("home/nltk_data/corpora/wordnet")]
    assert find_wordnet() == expected[-1]
    expected.append(put("imbtext/nltk_data/corpora/wordnet"))
    monkeypatch.setenv("IMBTEXT_DATA", str(bare / "imbtext"))
    assert find_wordnet() == expected[-1]
    expected.append(put("data/nltk_data/corpora/wordnet"))
    assert find_wordnet(data_home=bare / "data") == expected[-1]
    expected.append(put("nltk/corpora/wordnet"))
    monkeypatch.setenv("NLTK_DATA", f"{bare / 'nowhere'}{module.os.pathsep}{bare / 'nltk'}")
    assert find_wordnet(data_home=bare / "data") == expected[-1]
    expected.append(put("wnhome/dict"))
    monkeypatch.setenv("WNHOME", str(bare / "wnhome"))
    assert find_wordnet() == expected[-1]
    expected.append(put("wnsearchdir"))
    monkeypatch.setenv("WNSEARCHDIR", str(expected[-1]))
    assert find_wordnet() == expected[-1]
    expected.append(put("explicit"))
    assert find_wordnet(bare / "explicit") == expected[-1]
    assert len(set(expected)) == 7


def test_system_comes_before_the_cache_and_after_nltk(bare):
    places = [str(place) for place in module._places(None)]
    assert places[-1] == str(bare / "cache" / "imbalanced-text")
    if module.sys.platform.startswith("linux"):
        assert places.index("/usr/share/nltk_data") < places.index("/usr/share/wordnet")


def test_found_in_the_cache_of_the_data_sets(bare, monkeypatch):
    # On a machine that has no WordNet of its own.
    monkeypatch.setattr(module, "_wordnet_in", _only_below(bare, module._wordnet_in))
    folder = write_wordnet(bare / "cache" / "imbalanced-text" / "wordnet", {})
    assert find_wordnet() == folder
    named = write_wordnet(bare / "named" / "nltk_data" / "corpora" / "wordnet", {})
    monkeypatch.setenv("IMBTEXT_CACHE", str(bare / "named"))
    assert find_wordnet() == named


def _only_below(folder, wordnet_in):
    return lambda place: wordnet_in(place) if place.is_relative_to(folder) else None


def test_a_data_folder_that_does_not_exist_is_refused_as_for_the_data_sets(bare, monkeypatch):
    monkeypatch.setenv("IMBTEXT_DATA", str(bare / "nowhere"))
    with pytest.raises(FileNotFoundError, match="IMBTEXT_DATA names"):
        find_wordnet()


def test_nltk_archive_of_every_form(small, tmp_path):
    corpora = tmp_path / "nltk_data" / "corpora"
    corpora.mkdir(parents=True)
    with zipfile.ZipFile(corpora / "wordnet.zip", "w") as archive:
        for file in small.iterdir():
            archive.write(file, f"wordnet/{file.name}")
    for path in (corpora / "wordnet.zip", corpora, tmp_path / "nltk_data", tmp_path):
        assert WordNet.read(path).synonyms("ran") == ("run", "scat")


def test_missing_names_the_commands(bare, monkeypatch):
    monkeypatch.setattr(module, "_places", lambda _: iter([bare / "none"]))
    with pytest.raises(FileNotFoundError, match="apt-get install wordnet-base") as raised:
        WordNet.read()
    assert "python -m nltk.downloader wordnet" in str(raised.value)
    assert "synonyms=" in str(raised.value)


def test_explicit_path_is_not_replaced_by_another(tmp_path):
    with pytest.raises(FileNotFoundError, match="does not exist"):
        WordNet.read(tmp_path / "absent")
    with pytest.raises(FileNotFoundError, match="holds no WordNet"):
        WordNet.read(tmp_path)
    (tmp_path / "note.txt").write_text("no archive")
    with pytest.raises(FileNotFoundError, match="holds no WordNet"):
        WordNet.read(tmp_path / "note.txt")


def test_a_missing_file_is_named(small):
    (small / "data.verb").unlink()
    (small / "adj.exc").unlink()
    with pytest.raises(FileNotFoundError, match=r"data\.verb, adj\.exc missing"):
        WordNet.read(small)


def truncate(content):
    return content[: len(content) // 2]


def lose_last_line(content):
    return content[: content.rstrip(b"\n").rindex(b"\n") + 1]


def windows_lines(content):
    return content.replace(b"\n", b"\r\n")


def empty(content):
    return b""


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("data.noun", truncate),
        ("data.noun", lose_last_line),
        ("data.noun", windows_lines),
        ("data.noun", empty),
        ("index.noun", truncate),
        ("index.noun", empty),
        ("index.noun", lambda content: content + b"word\n"),
    ],
)
def test_damaged_files_are_refused_at_once(small, name, damage):
    (small / name).write_bytes(damage((small / name).read_bytes()))
    with pytest.raises(ValueError, match=r"damaged WordNet: data\.noun and index\.noun"):
        WordNet.read(small)


@pytest.mark.parametrize("packing", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_damaged_archive_is_refused(small, tmp_path, packing):
    path = tmp_path / "wordnet.zip"
    with zipfile.ZipFile(path, "w", packing) as archive:
        for file in small.iterdir():
            archive.write(file, f"wordnet/{file.name}")
        largest = max(archive.infolist(), key=lambda entry: entry.compress_size)
    content = bytearray(path.read_bytes())
    at = largest.header_offset + 30 + len(largest.filename)
    content[at : at + 7] = b"\xff" * 7
    path.write_bytes(bytes(content))
    with pytest.raises(ValueError, match="cannot read WordNet from"):
        WordNet.read(path)
