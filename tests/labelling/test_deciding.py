"""From reading to deciding: unread documents are judged by models that have not seen them."""

import numpy as np
import polars as pl
import pytest
from scipy.special import logit

from imbtext import Labelling, RareTextClassifier
from imbtext.documents import Documents
from imbtext.labelling._deciding import _adding_up_to, _as_if_found, decide_pool, with_unread
from imbtext.statistics import Interval
from imbtext.thresholds._held_out import HeldOut

FILLER = [f"{one}{other}" for one in ("tree", "lamp", "road", "river") for other in "abcdefghklmn"]


@pytest.fixture(scope="module")
def pool():
    """Return 400 texts, 40 of the class; half of the class and 10 others are read."""
    generator = np.random.default_rng(0)
    is_class = np.zeros(400, bool)
    is_class[generator.permutation(400)[:40]] = True
    texts = []
    for one in is_class:
        words = generator.choice(FILLER, 8).tolist()
        words += generator.choice(["fraud", "stolen", "card", "refund"], 3).tolist() if one else []
        texts.append(" ".join(words))
    read = np.concatenate([np.flatnonzero(is_class)[:20], np.flatnonzero(~is_class)[:10]])
    return texts, is_class, read


def test_unread_documents_of_the_class_are_found(pool):
    texts, is_class, read = pool
    loop = Labelling(texts)
    loop.add(read, is_class[read])
    decided = loop.decide()
    unread = np.setdiff1d(np.arange(400), read)
    assert decided.is_read.sum() == 30
    assert (decided.labels[read] == np.where(is_class[read], "yes", "no")).all()
    flagged = decided.labels[unread] == "yes"
    assert (flagged & is_class[unread]).sum() >= 12
    assert (flagged & ~is_class[unread]).sum() <= 4
    # A model that was told they are none, and is asked about them, finds fewer.
    told = RareTextClassifier(pos_label="yes", random_state=0)
    told.fit(texts, [label or "no" for label in loop.labels])
    by_told = told.predict([texts[i] for i in unread]) == "yes"
    assert (by_told & is_class[unread]).sum() < (flagged & is_class[unread]).sum()
    chances = decided.probabilities[unread]
    assert np.median(chances[is_class[unread]]) > 10 * np.median(chances[~is_class[unread]])
    assert loop.train().predict(["stolen card refund"]).tolist() == ["yes"]


def test_if_nothing_is_left_the_model_is_that_of_all_labels(pool):
    texts, is_class, _ = pool
    labels = np.where(is_class, "yes", "no").tolist()
    plain = RareTextClassifier(pos_label="yes", random_state=0).fit(texts, labels)
    model = RareTextClassifier(pos_label="yes", random_state=0)
    given = [*labels[:-1], None] if labels[-1] == "no" else [None, *labels[1:]]
    decided = decide_pool(model, Documents.of(texts), given, "no", {"yes": Interval(0, 0, 0)})
    assert decided.model.thresholds_.tolist() == plain.thresholds_.tolist()
    assert decided.is_read.sum() == 399


def test_several_classes_are_decided(pool):
    texts, is_class, read = pool
    generator = np.random.default_rng(1)
    gold = [" ".join([*generator.choice(FILLER, 8), "gold", "ring"]) for _ in range(40)]
    loop = Labelling([*texts, *gold], classes=["fraud", "gold"])
    loop.add(read, np.where(is_class[read], "fraud", "no").tolist())
    loop.add(list(range(400, 420)), "gold")
    decided = loop.decide()
    assert set(decided.labels) == {"fraud", "gold", "no"}
    assert (decided.labels[420:] == "gold").sum() >= 15
    unread = np.setdiff1d(np.arange(400), read)
    assert (decided.labels[unread][is_class[unread]] == "fraud").sum() >= 6
    assert (decided.labels[unread][~is_class[unread]] == "no").mean() > 0.9


def test_chances_add_up():
    moved = _adding_up_to(3.0, np.array([4.0, 1.0, 0.0, -1.0, -5.0, -6.0]))
    assert moved.sum() == pytest.approx(3)
    assert np.diff(logit(moved)) == pytest.approx([-3, -1, -1, -4, -1])
    assert _adding_up_to(2, np.array([-1.0, -3.0])).tolist() == [1, 1]


def test_as_many_are_drawn_as_the_chances_add_up_to():
    scores, chances = np.linspace(1, -1, 40)[:, None], np.linspace(0.5, 0.0, 40)[:, None]
    held_out = HeldOut.of_scores(scores, np.zeros((40, 1), bool), np.arange(40) % 5)
    drawn = _as_if_found(held_out, chances)
    assert drawn.class_sizes == (10,)
    # Not the highest ten: as the chances fall, so do the draws.
    assert 4 <= drawn.is_class[:10].sum() <= 5
    assert drawn.is_class[20:].sum() >= 2


def test_more_than_the_estimate_widens_the_recall(pool):
    texts, is_class, read = pool
    loop = Labelling(texts)
    loop.add(read, is_class[read])
    expected = loop.train().expectation_[0]
    wider = with_unread(expected, Interval(5.0, 0.0, 45.0))
    n = expected.n_class
    assert wider.recall.lower == pytest.approx(expected.recall.lower * n / (n + 40))
    assert wider.recall.upper == pytest.approx((expected.recall.upper * n + 40) / (n + 40))
    assert wider.recall.mean == expected.recall.mean


def test_a_session_writes_the_model_and_the_decisions(tmp_path, pool):
    from imbtext.labelling._session import LabellingSession

    texts, is_class, read = pool
    path = tmp_path / "labels.csv"
    with LabellingSession(path, {"body": texts, "score": ["x"] * 400}) as session:
        for row in read.tolist():
            session.look_up("anna", row)
            session.decide("anna", row, "yes" if is_class[row] else "no")
        session.train(tmp_path / "labels.model")
    table = pl.read_csv(tmp_path / "labels.decided.csv")
    names = ["body", "score", "label", "decided_by", "imbtext_score", "probability"]
    assert table.columns == names
    assert table["decided_by"].value_counts(sort=True).rows() == [("model", 370), ("reading", 30)]
    assert table["body"].to_list() == texts
    (tmp_path / "labels.decided.csv").write_text("mine\n1\n")
    with pytest.raises(ValueError, match="another program wrote it"):
        LabellingSession(path, {"body": texts, "score": ["x"] * 400})
