"""Surface forms through every door: memory, pieces, counts files, streams, Dask, methods."""

import numpy as np
import polars as pl
import pytest

from imbtext import EMCO, MCO, minority_share
from imbtext.documents import encode_texts, words_and_characters
from imbtext.markov import CountsAccumulator, load_counts, save_counts
from imbtext.markov._surface import SurfaceCounts
from imbtext.methods import PreparedDocuments, Problem, get_method
from imbtext.methods._documents import own_features
from imbtext.randomness import draw_seed
from tests.archives import assert_same_counts

WORDS = ["oil", "price", "rose", "firm", "bank", "cut", "rates", "opec", "said", "gold", "Öl"]


def documents(n=120, seed=1):
    """Cased and punctuated texts, a few without words."""
    rng = np.random.default_rng(seed)
    texts = []
    for _ in range(n):
        words = [
            str(rng.choice([str.lower, str.title, str.upper])(word))
            for word in rng.choice(WORDS, rng.integers(0, 7))
        ]
        gaps = rng.choice([" ", ", ", " - ", "; ", "\n"], len(words))
        texts.append("".join(map("".join, zip(words, gaps, strict=True))).strip() + "!")
    return texts, ["rare" if i % 9 == 4 else "common" for i in range(n)]


TEXTS, LABELS = documents()
SHARE = 0.3


def sampler(**options):
    return EMCO(
        0.5, surface=True, sampling_strategy=minority_share(SHARE), random_state=3, **options
    )


@pytest.fixture(scope="module")
def expected():
    """What fit_resample adds."""
    return sampler().fit_resample(TEXTS, LABELS)[0][len(TEXTS) :]


def test_they_look_like_texts(expected):
    assert len(expected) > 20
    assert any("," in text for text in expected)
    assert any(text != text.lower() for text in expected)


@pytest.mark.parametrize("size", [1, 7, 120])
@pytest.mark.parametrize("tokenizer", [None, str.split, words_and_characters])
def test_any_cut_of_partial_fit_writes_the_same(size, tokenizer):
    whole = sampler(tokenizer=tokenizer).fit(TEXTS, LABELS)
    pieces = sampler(tokenizer=tokenizer)
    for start in range(0, len(TEXTS), size):
        pieces.partial_fit(TEXTS[start : start + size], LABELS[start : start + size])
    assert pieces.sample(40, "rare") == whole.sample(40, "rare")


def test_pieces_in_any_order_add_up_to_the_same_counts():
    def counted(rows):
        accumulator = CountsAccumulator(surface=True)
        accumulator.add([TEXTS[i] for i in rows], [LABELS[i] for i in rows])
        return accumulator.result()

    parts = [counted(range(i, 120, 7)) for i in range(7)]
    forwards, backwards = sum(parts[1:], parts[0]), sum(parts[-2::-1], parts[-1])
    corpus = encode_texts(TEXTS)
    whole = SurfaceCounts.of(TEXTS, corpus)
    for added in (forwards.surface, backwards.surface):
        assert_same_counts(added, whole)
    plain = CountsAccumulator()
    plain.add(TEXTS[:5], LABELS[:5])
    with pytest.raises(ValueError, match="with surface forms and counts without"):
        _ = parts[0] + plain.result()


def test_saved_samplers_go_on_in_pieces(tmp_path):
    first = sampler().fit(TEXTS[:60], LABELS[:60])
    first.save(tmp_path / "chain")
    loaded = EMCO.load(tmp_path / "chain").partial_fit(TEXTS[60:], LABELS[60:])
    assert loaded.sample(20, "rare") == sampler().fit(TEXTS, LABELS).set_params(
        sampling_strategy="auto"
    ).sample(20, "rare")


def test_counts_files_keep_them(tmp_path):
    accumulator = CountsAccumulator(surface=True)
    accumulator.add(TEXTS, LABELS)
    counts = accumulator.result()
    save_counts(counts, tmp_path / "counts")
    loaded = load_counts(tmp_path / "counts")
    whole = sampler().fit(TEXTS, LABELS).sample(30, "rare")
    assert sampler().fit_counts(loaded).sample(30, "rare") == whole
    # Without them the counts serve a plain sampler, and plain counts do not serve this one.
    plain = sampler().set_params(surface=False)
    assert plain.fit_counts(loaded).sample(5, "rare") == plain.fit(TEXTS, LABELS).sample(5, "rare")
    with pytest.raises(ValueError, match="count with surface forms, or set surface=False"):
        sampler().fit_counts(plain.corpus_counts())


@pytest.mark.parametrize("method", ["emco", "mco"])
def test_the_command_writes_them(run_command, tmp_path, expected, method):
    if method == "mco":
        mco = MCO(surface=True, sampling_strategy=minority_share(SHARE), random_state=3)
        expected = mco.fit_resample(TEXTS, LABELS)[0][len(TEXTS) :]
    pl.DataFrame({"body": TEXTS, "topic": LABELS}).write_csv(tmp_path / "in.csv")
    options = ["--text", "body", "--label", "topic", "--share", SHARE, "--seed", 3, "--surface"]
    options += ["--gamma", "0.5"] if method == "emco" else ["--method", "mco"]
    ran = run_command("oversample", tmp_path / "in.csv", "-o", tmp_path / "out.csv", *options)
    assert ran.code == 0, ran.err
    assert pl.read_csv(tmp_path / "out.csv")["body"].to_list() == TEXTS + expected


def test_methods_without_them_say_so(run_command, tmp_path):
    pl.DataFrame({"body": TEXTS, "topic": LABELS}).write_csv(tmp_path / "in.csv")
    ran = run_command(
        *("oversample", tmp_path / "in.csv", "-o", tmp_path / "out.csv", "--method", "ros"),
        *("--text", "body", "--label", "topic", "--surface"),
    )
    assert ran.code == 2
    assert "--surface works with --method emco and mco, not with ros" in ran.err


def test_methods_give_features_of_text_the_same_texts(expected):
    is_class = np.array(LABELS) == "rare"
    data = PreparedDocuments.of(TEXTS, features=own_features("characters"))
    problem = Problem(data, is_class, minority_share(SHARE).missing, draw_seed(3))
    written = get_method("emco(0.5)").resample(problem).X
    np.testing.assert_array_equal(
        _dense(written[len(TEXTS) :]), _dense(data.vectorize_documents(expected))
    )
    plain = get_method("emco(0.5, surface=false)").resample(problem).X
    assert not np.array_equal(_dense(plain), _dense(written))


def test_methods_take_token_lists_as_they_are():
    tokens = [text.split() for text in TEXTS]
    data = PreparedDocuments.of(tokens, features=own_features("characters"))
    problem = Problem(data, np.array(LABELS) == "rare", 5, seed=3)
    first, second = (
        _dense(get_method(name).resample(problem).X)
        for name in ("emco(0.5)", "emco(0.5, surface=false)")
    )
    np.testing.assert_array_equal(first, second)


def _dense(matrix):
    return matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix)


def test_vectors_of_words_are_the_same_with_them():
    data = PreparedDocuments.of(TEXTS)
    problem = Problem(data, np.array(LABELS) == "rare", minority_share(SHARE).missing, seed=3)
    first, second = (
        get_method(name).resample(problem).X.toarray()
        for name in ("emco(0.5)", "emco(0.5, surface=false)")
    )
    np.testing.assert_array_equal(first, second)


def test_token_lists_are_refused():
    tokens = [text.split() for text in TEXTS]
    with pytest.raises(ValueError, match="token lists have no text"):
        sampler().partial_fit(tokens, LABELS)
