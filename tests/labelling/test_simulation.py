"""Simulated reviews: the numbers they state, by hand."""

import json

import numpy as np
import pytest

from imbtext.labelling import Simulation, simulate

TEXTS = ["oil price", "crude oil", "rain", "sun", "ice", "more rain"] * 4
LABELS = ["oil", "oil", "rain", "sun", "ice", "rain"] * 4


def test_numbers_by_hand():
    is_class = np.array([0, 1, 0, 0, 1, 0], bool)
    simulation = Simulation("oil", np.array([4, 0, 1, 2, 3, 5]), is_class, 3)
    assert simulation.curve.tolist() == [1, 1, 2, 2, 2, 2]
    assert [simulation.n_read(share) for share in (0.5, 1.0)] == [1, 3]
    assert [simulation.n_read_in_file_order(share) for share in (0.5, 1.0)] == [2, 5]
    # Of two among six, the second stands at 2 * 7 / 3 on average.
    assert simulation.n_read_at_random(1.0) == pytest.approx(14 / 3)
    drawn = [np.random.default_rng(k).permutation(is_class).nonzero()[0][-1] for k in range(2000)]
    assert simulation.n_read_at_random(1.0) == pytest.approx(np.mean(drawn) + 1, abs=0.1)
    assert simulation.recall_when_stopped == 1
    assert simulation.table()[-1]["saved"] == pytest.approx(1 - 3 / (14 / 3))


def test_every_document_is_read_once():
    simulation = simulate(TEXTS, LABELS, "oil", words="oil")
    assert sorted(simulation.rows) == list(range(24))
    assert simulation.n_read(1.0) == 8
    assert simulation.is_class.sum() == 8
    assert any("at random" in line for line in simulation.sentences())


def test_labels_are_not_looked_at_before_their_document_is_read(monkeypatch):
    from imbtext import Labelling

    offered = []
    following, adding = Labelling.next, Labelling.add

    def ask(self, n=1, **options):
        offered.append(following(self, n, **options))
        return offered[-1]

    def tell(self, rows, labels):
        assert list(rows) == offered[-1]
        adding(self, rows, labels)

    monkeypatch.setattr(Labelling, "next", ask)
    monkeypatch.setattr(Labelling, "add", tell)
    simulate(TEXTS, LABELS, "rain")
    assert len(offered) > 20


def test_the_rarer_of_two_classes_is_looked_for():
    assert simulate(TEXTS, ["oil" in text for text in TEXTS]).label is True
    sets = [{"oil", "price"} if "price" in text else {"weather"} for text in TEXTS]
    assert simulate(TEXTS, sets, "price").is_class.sum() == 4
    with pytest.raises(ValueError, match="4 classes"):
        simulate(TEXTS, LABELS)
    with pytest.raises(ValueError, match="all documents are 'oil'"):
        simulate(TEXTS, ["oil"] * len(TEXTS))
    with pytest.raises(ValueError, match=r"labels\[1\] is missing"):
        simulate(TEXTS, ["oil", None, *LABELS[2:]])
    with pytest.raises(ValueError, match="did you mean 'oil'"):
        simulate(TEXTS, LABELS, "oli")


def test_the_chart_shows_three_ways():
    specification = json.loads(simulate(TEXTS, LABELS, "oil", words="oil").chart().to_json())
    points = specification["layer"][0]["data"]["values"]
    assert {point["way"] for point in points} == {"the loop", "in file order", "at random"}
    last = {point["way"]: point["found"] for point in points if point["read"] == 24}
    assert set(last.values()) == {8}


def test_a_simulation_prints_its_sentences():
    simulation = simulate(TEXTS, LABELS, "oil", words="oil")
    assert str(simulation) == repr(simulation) == "\n".join(simulation.sentences())
