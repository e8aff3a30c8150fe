"""Forgetting rare transitions on request: through every door the same, told, and only if asked."""

import numpy as np
import polars as pl
import pytest

from imbtext import EMCO, MCO, minority_share
from imbtext.files import oversample_files
from imbtext.markov import CorpusCounts, CountsAccumulator, prune

REQUEST = {"min_count": 3, "max_words": 40}


@pytest.fixture(scope="module")
def documents():
    rng = np.random.default_rng(0)
    ids = np.minimum(rng.pareto(0.7, (400, 8)).astype(int), 300)
    texts = [" ".join(f"w{i:03}" for i in row) for row in ids]
    return texts, ["rare" if i % 25 == 0 else "common" for i in range(400)]


def sampler(**options):
    return EMCO(sampling_strategy=minority_share(0.3), random_state=4, **options)


def counted(documents) -> CorpusCounts:
    accumulator = CountsAccumulator()
    accumulator.add(*documents)
    return accumulator.result()


def test_nothing_is_forgotten_unless_asked(documents):
    fitted = sampler().fit(*documents)
    assert fitted.pruned_ is None
    assert sampler(max_words=10_000).fit(*documents).pruned_.lost_mass == 0
    assert sampler(max_words=10_000).fit(*documents).sample(9, "rare") == fitted.sample(9, "rare")


def test_every_door_forgets_the_same(documents, tmp_path):
    texts, labels = documents
    fitted = sampler(**REQUEST)
    resampled, _ = fitted.fit_resample(texts, labels)
    new = resampled[400:]
    pruned, report = prune(counted(documents), **REQUEST)
    assert fitted.pruned_ == report
    assert 0 < report.lost_mass < 1
    assert fitted.counts_.pairs.nnz < sampler().fit(texts, labels).counts_.pairs.nnz
    assert new != sampler().fit_resample(texts, labels)[0][400:]
    # Of counts that were pruned elsewhere.
    assert sampler().fit_counts(pruned).sample(len(new), "rare") == new
    # In pieces: what is forgotten depends on the whole, not on how it was cut.
    in_pieces = sampler(**REQUEST)
    for first in range(0, 400, 70):
        in_pieces.partial_fit(texts[first : first + 70], labels[first : first + 70])
        if first:
            in_pieces.corpus_counts()  # adds up and prunes, and goes on with whole counts
    assert in_pieces.sample(len(new), "rare") == new
    assert in_pieces.pruned_ == report
    # From file to file.
    pl.DataFrame({"body": texts, "topic": labels}).write_parquet(tmp_path / "in.parquet")
    told = oversample_files(
        tmp_path / "in.parquet",
        tmp_path / "out.parquet",
        text="body",
        label="topic",
        sampler=sampler(**REQUEST),
    )
    assert pl.read_parquet(tmp_path / "out.parquet")["body"].to_list() == resampled
    assert told.pruned == report


def test_saved_and_loaded(documents, tmp_path):
    fitted = sampler(**REQUEST).fit(*documents)
    fitted.save(tmp_path / "rare.chain")
    assert EMCO.load(tmp_path / "rare.chain").sample(5, "rare") == fitted.sample(5, "rare")


def test_a_class_that_lost_words_cannot_be_drawn_from():
    texts = ["oil up", "oil down", "oil steady", "rain today"]
    fitted = EMCO(max_words=1).fit(texts, ["oil"] * 3 + ["rain"])
    assert fitted.sample(1, "rain", length=2) == ["rain today"]
    with pytest.raises(ValueError, match="max_words has dropped the words that did"):
        fitted.sample(1, "oil")


def test_surface_forms_of_what_is_left(documents):
    texts = [text.capitalize() + "." for text in documents[0]]
    plain = sampler(**REQUEST).fit(texts, documents[1]).sample(9, "rare")
    written = sampler(**REQUEST, surface=True).fit(texts, documents[1]).sample(9, "rare")
    assert [text.lower().replace(".", " ").split() for text in written] == [
        text.split() for text in plain
    ]


def test_misuse(documents):
    with pytest.raises(ValueError, match="'min_count' parameter of EMCO must be an int"):
        sampler(min_count=0).fit(*documents)
    with pytest.raises(ValueError, match="set similarity=None"):
        sampler(min_count=2, similarity=1.0).fit(*documents)
    assert "min_count" not in MCO().get_params()
