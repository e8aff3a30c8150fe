"""A comparison in which the past is learnt from and what follows is tested."""

import numpy as np
import pytest

from imbtext import RareTextClassifier, compare
from imbtext.comparison.report._page import labels_to_check
from imbtext.documents._folds import assign_periods

GENERATOR = np.random.default_rng(0)
YEARS = GENERATOR.permutation(np.repeat(np.arange(2010, 2020), 30))
Y = GENERATOR.random(300) < 0.15
TEXTS = [
    f"{word} {'oil price' if inside else 'rain sun'} {'up' if i % 3 else 'down'}"
    for i, (word, inside) in enumerate(
        zip(GENERATOR.choice(["the", "a", "new", "old", "oil"], 300), Y, strict=True)
    )
]


@pytest.fixture(scope="module")
def comparison():
    return compare(TEXTS, Y, methods=["threshold", "rare"], time=YEARS, folds=3, share=0.4)


def test_every_fold_is_tested_after_what_it_learnt_from(comparison):
    rounds = comparison.plan.rounds
    assert rounds == [(0, 0), (0, 1), (0, 2)]
    for repeat, fold in rounds:
        train, test = comparison.plan.split("True", repeat, fold)
        assert YEARS[train].max() < YEARS[test].min()
        assert len(train) == (YEARS[test].min() > YEARS).sum()
    tested = [fit for fit in comparison.fits if fit.method == "plain"]
    assert sum(len(fit.decisions) for fit in tested) < len(TEXTS)


def test_the_signature_says_that_folds_are_periods(comparison):
    assert "|periods:3|" in comparison.signature
    assert comparison.plan.to_dict()["in_time"]


def test_rare_chooses_its_threshold_on_what_follows(comparison, monkeypatch):
    given = []
    fit = RareTextClassifier.fit

    def spy(self, X, y, sample_weight=None, groups=None, time=None):
        given.append(time)
        return fit(self, X, y, sample_weight, groups, time)

    monkeypatch.setattr(RareTextClassifier, "fit", spy)
    compare(TEXTS, Y, methods=["rare"], time=YEARS, folds=3, share=0.4)
    assert [len(times) for times in given] == [
        len(comparison.plan.split("True", 0, fold)[0]) for fold in range(3)
    ]


def test_a_report_can_be_written(comparison, tmp_path):
    comparison.report(tmp_path / "report.html")
    assert "3 periods" in (tmp_path / "report.html").read_text("utf-8")


def test_finished_work_of_random_folds_is_not_taken(tmp_path):
    settings = {"methods": ["ros"], "folds": 3, "repeats": 1, "share": 0.4, "out": tmp_path}
    random = compare(TEXTS, Y, **settings)
    future = compare(TEXTS, Y, time=YEARS, **settings)
    again = compare(TEXTS, Y, time=YEARS, **settings)
    assert not future.scores.equals(random.scores)
    assert again.scores.drop("seconds").equals(future.scores.drop("seconds"))


def test_a_class_that_comes_late_has_periods_of_its_own():
    times = np.arange(100)
    early, late = times % 10 == 0, (times > 60) & (times % 5 == 0)
    folds = assign_periods({"early": early, "late": late}, 3, times)
    assert folds.layout_of == {"early": 0, "late": 1}
    for fold in range(3):
        train, test = folds.split("late", 0, fold)
        assert late[train].any()
        assert late[test].any()
        assert train.max() < test.min()


def test_a_class_of_one_day_cannot_be_tested():
    with pytest.raises(ValueError, match="the class 'rare' occurs at 1 point in time, which"):
        assign_periods({"rare": np.arange(50) > 45}, 3, np.arange(50) // 10)


def test_groups_are_never_learnt_from_and_tested_at_once():
    groups = np.arange(300) % 40
    result = compare(TEXTS, Y, methods=["ros"], time=YEARS, groups=groups, folds=3, share=0.4)
    for fold in range(3):
        train, test = result.plan.split("True", 0, fold)
        assert not set(groups[train]) & set(groups[test])


def test_documents_of_the_report_are_called_by_their_ids():
    ids = [f"ticket-{i}" for i in range(300)]
    settings = {"methods": ["rare"], "folds": 2, "repeats": 1, "share": 0.4}
    named, plain = compare(TEXTS, Y, ids=ids, **settings), compare(TEXTS, Y, **settings)
    for result, form in ((named, "ticket-{}"), (plain, "row {}")):
        shown = result.inspection["True"].documents
        rows = {form.format(i): " ".join(text.split()) for i, text in enumerate(TEXTS)}
        assert all(rows[document.name] == document.text for document in shown)
    test = TEXTS[:60], Y[:60]
    tested = compare(TEXTS, Y, test=test, ids=ids[:60], **settings)
    assert {d.name for d in tested.inspection["True"].documents} <= set(ids[:60])
    with pytest.raises(ValueError, match="60 documents to test and 300 ids"):
        compare(TEXTS, Y, test=test, ids=ids, **settings)


def test_training_documents_have_names_of_their_own_beside_those_of_a_test_set():
    wrong = np.flatnonzero(~Y)[:3].tolist()
    texts = ["new oil price up" if i in wrong else text for i, text in enumerate(TEXTS)]
    test, ids = (TEXTS[:60], Y[:60]), [f"ticket-{i}" for i in range(60)]
    settings = {"methods": ["plain"], "folds": 2, "repeats": 1, "share": 0.4}
    result = compare(texts, Y, test=test, ids=ids, **settings)
    named = {entry["document"].name for entry in labels_to_check(result, "True")}
    assert {f"row {i}" for i in wrong} & named
    assert named <= {*ids, *(f"row {i}" for i in range(len(texts)))}


@pytest.mark.filterwarnings("ignore:.*have no label")
def test_a_report_numbers_the_rows_that_were_given_not_those_with_a_label():
    settings = {"methods": ["plain"], "folds": 2, "repeats": 1, "share": 0.4}
    texts, y = ["no label yet", *TEXTS], [None, *Y]
    shown = compare(texts, y, **settings).inspection["True"].documents
    assert all(
        " ".join(texts[int(one.name.removeprefix("row "))].split()) == one.text for one in shown
    )
