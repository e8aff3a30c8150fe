"""Thresholds move without training, and a loaded model answers as the fitted one does."""

import zipfile
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from imbtext import RareTextClassifier
from imbtext.datasets import load_docstrings
from imbtext.metrics import get_goal
from imbtext.thresholds._expectation import expect
from imbtext.thresholds._held_out import HeldOut
from tests.thresholds_chosen import choose_threshold

GOALS = ["f1", "balanced_accuracy", "cost(10, 1)", "recall_at_precision(0.9)",
         "precision_at_recall(0.8)", "alarms_per_thousand(20)"]  # fmt: skip
CLASSES = ["fraud", "outage", "refund"]


def tickets(n, seed):
    """Invented documents: words by Zipf's law, and every class likes some of them."""
    generator = np.random.default_rng(seed)
    syllables = ("bdfgklmnpr", "aeiou", "lmnrst", "aeiou", "ks")
    words = np.array(["".join(letters) for letters in product(*syllables)])
    common = 1 / np.arange(1, len(words) + 1)
    liked = {label: generator.permutation(len(words))[:60] for label in CLASSES}
    labels = generator.choice([*CLASSES, "other"], n, p=[0.06, 0.08, 0.1, 0.76])
    texts = []
    for label in labels:
        chances = common.copy()
        if label in liked:
            chances[liked[label]] += generator.uniform(0.01, 0.06)
        texts.append(" ".join(generator.choice(words, 20, p=chances / chances.sum())))
    return texts, labels


def forms(labels):
    """One label, one of several, and sets; with weights, groups and times."""
    n = len(labels)
    sets = [{label} - {"other"} for label in labels.tolist()]
    rows = np.arange(n)
    return {
        "binary": (labels == "fraud", {}),
        "exclusive": (labels, {}),
        "sets": (sets, {}),
        "weights": (labels, {"sample_weight": 1 + rows % 3}),
        "groups": (labels == "refund", {"groups": rows // 3}),
        "time": (labels == "refund", {"time": rows}),
    }


@pytest.fixture(scope="module", params=list(forms(np.array(["other"]))))
def models(request, tmp_path_factory):
    texts, labels = tickets(500, seed=2)
    y, options = forms(labels)[request.param]
    texts[5] = texts[7]  # near-duplicates are held out together
    model = RareTextClassifier(features="words", random_state=0).fit(texts, y, **options)
    path = tmp_path_factory.mktemp("models") / "a.model"
    model.save(path)
    return model, RareTextClassifier.load(path), texts[::25]


def answers(model, texts):
    return (
        *(model.metric, model.thresholds_.tolist(), repr(model.expectation_)),
        *(repr(model.alarm_rates_), model.decision_function(texts).tolist()),
        *(model.predict_proba(texts).tolist(), model.report_),
    )


def test_a_loaded_model_answers_as_the_fitted_one(models):
    fitted, loaded, texts = models
    assert answers(loaded, texts) == answers(fitted, texts)
    assert loaded.card().html() == fitted.card().html()
    for label in fitted.fitted_.labels:
        one, other = fitted.plot(label), loaded.plot(label)
        assert other.to_json() == one.to_json()


@pytest.mark.parametrize("goal", GOALS)
def test_every_goal_gives_the_same_before_and_after_saving(models, goal):
    fitted, loaded, texts = models
    assert answers(loaded.at(goal), texts) == answers(fitted.at(goal), texts)
    for label in fitted.fitted_.labels:
        one, other = (model.at(goal, label=label) for model in (fitted, loaded))
        assert answers(other, texts) == answers(one, texts)
        # And from there to another goal.
        assert answers(other.at("f1"), texts) == answers(one.at("f1"), texts)
        assert one.at("f2").thresholds_.tolist() == fitted.thresholds_.tolist()
        again = other.at("f0.5", label=label)
        assert answers(again, texts) == answers(one.at("f0.5", label=label), texts)
        alarms = [m.at(alarms=3, of=texts, label=label) for m in (fitted, loaded)]
        assert answers(alarms[0], texts) == answers(alarms[1], texts)
    assert loaded.metric == "f2"  # the model itself stays where it was


def test_one_class_moves_and_the_others_stay(models):
    fitted, _, _ = models
    held, labels = fitted.fitted_.held_out, fitted.fitted_.labels
    if not held.exclusive:
        return
    for c, label in enumerate(labels):
        moved = fitted.at("recall_at_precision(0.9)", label=label)
        stays = np.arange(len(labels)) != c
        assert (moved.thresholds_[stays] == fitted.thresholds_[stays]).all()
        # The slow oracle: the threshold below which each held-out document goes to the class.
        alone = replace(
            held,
            scores=held.rule.among_others(held.scores, fitted.thresholds_, c)[:, None],
            is_class=held.is_class[:, c : c + 1],
            class_sizes=held.class_sizes[c : c + 1],
            exclusive=False,
            rule=None,
        )
        goal = get_goal("recall_at_precision(0.9)")
        weights = held.weights
        threshold = choose_threshold(goal, alone.scores[:, 0], alone.is_class[:, 0], weights)
        assert moved.thresholds_[c] == threshold
        (exact,) = expect([label], goal, alone)
        precision = fitted.expectation_[c].average_precision
        assert repr(moved.expectation_[c]) == repr(exact)
        assert moved.expectation_[c].average_precision == precision
        put = np.argmax(held.rule.margins(held.scores, moved.thresholds_), axis=1)
        shares = [np.average(put == place, weights=weights) for place in range(len(labels))]
        assert [rate.share for rate in moved.alarm_rates_] == pytest.approx(shares)
        for place in np.flatnonzero(stays).tolist():
            is_class = held.is_class[:, place]
            inside = None if weights is None else weights[is_class]
            recall = np.average((put == place)[is_class], weights=inside)
            assert moved.expectation_[place].recall.mean == pytest.approx(recall)
        assert f'for "{label}"' in moved.report_["operating point"]


def test_the_file_says_nothing_of_the_order_of_the_documents(tmp_path):
    texts, labels = tickets(400, seed=0)
    texts[:4] = [texts[0]] * 4
    order = np.random.default_rng(0).permutation(400)
    folds = {text: i % 5 for i, text in enumerate(texts)}
    arrays = []
    for rows in (np.arange(400), order):
        some = [texts[row] for row in rows]
        held = HeldOut.of_scores(
            [[len(text)] for text in some],
            labels[rows] == "fraud",
            [folds[text] for text in some],
            groups=some,
        ).kept()
        arrays.append([held.scores, held.is_class, held.folds, held.groups])
    for one, other in zip(*arrays, strict=True):
        np.testing.assert_array_equal(one, other)
    assert (np.diff(arrays[0][0][:, 0]) <= 0).all()
    # Documents on their own have no number.
    assert sorted(set(arrays[0][3].tolist())) == [-1, 0]
    model = RareTextClassifier(features="words", random_state=0).fit(texts, labels == "fraud")
    model.save(tmp_path / "m")
    with zipfile.ZipFile(tmp_path / "m") as archive:
        header = archive.read("header.json").decode()
        groups = np.load(archive.open("held_out.groups.npy"))
    assert "fraud" not in header
    assert (groups == -1).sum() == 396


def test_moving_sorts_once_and_is_fast():
    """A model of 100,000 documents: resamples are drawn once, scores are sorted once."""
    generator = np.random.default_rng(0)
    is_class = generator.random(100_000) < 0.01
    scores = generator.normal(size=100_000) + 2 * is_class
    held = HeldOut.of_scores(scores.astype(np.float32), is_class, np.arange(100_000) % 5).kept()
    assert held.copies is held.copies
    view = held.of_class(0)
    assert (np.diff(view.scores) <= 0).all()
    assert view.sorted() is view


def test_intervals_at_a_given_threshold_cover():
    """At a threshold that was not chosen on the scores, 95% of the intervals hold the truth."""
    from imbtext.thresholds import expect_at

    def sample(n, seed):
        generator = np.random.default_rng(seed)
        is_class = generator.random(n) < 0.05
        return HeldOut.of_scores(
            generator.normal(size=n) + 2.0 * is_class, is_class, np.arange(n) % 5
        )

    large = sample(200_000, 99)
    above, is_class = large.scores[:, 0] > 1.5, large.is_class[:, 0]
    truth = {
        "recall": above[is_class].mean(),
        "precision": is_class[above].mean(),
        "alarms": 1000 * above.mean(),
    }
    n_covered = dict.fromkeys(truth, 0)
    for seed in range(200):
        ((expectation, _),) = expect_at("a", sample(1000, seed), np.array([1.5]))
        for name, true in truth.items():
            interval = getattr(expectation, name)
            n_covered[name] += interval.lower <= true <= interval.upper
    assert all(n >= 182 for n in n_covered.values()), n_covered


@pytest.fixture(scope="module")
def docstring_model(tmp_path_factory):
    docstrings = load_docstrings()
    texts = [text[:200] for text in docstrings.texts]
    y = [label == "scipy.stats" for label in docstrings.labels]
    model = RareTextClassifier(features="words", random_state=0).fit(texts[::2], y[::2])
    path = tmp_path_factory.mktemp("models") / "a.model"
    model.save(path)
    return RareTextClassifier.load(path), texts[1::2]


def test_cost_is_another_way_to_write_the_metric(docstring_model):
    loaded, _ = docstring_model
    assert loaded.at(cost=(10, 1)).thresholds_ == loaded.at("cost(10, 1)").thresholds_


@pytest.mark.parametrize("n", [1, 7, 100])
def test_so_many_alarms_among_these_documents(docstring_model, n):
    loaded, texts = docstring_model
    moved = loaded.at(alarms=n, of=texts)
    alarms = moved.predict(texts)
    scores = loaded.decision_function(texts)
    highest = np.sort(scores)[::-1]
    # Equal scores are alarms together or not at all; which documents tie depends on the versions
    # whose docstrings are read.
    assert alarms.sum() == (highest > highest[n]).sum()
    assert scores[alarms].min() > scores[~alarms].max()
    low, high = moved.expectation_[0].alarms.lower, moved.expectation_[0].alarms.upper
    assert low / 2 <= 1000 * n / len(texts) <= 2 * high


def test_so_many_alarms_among_documents_to_come(docstring_model):
    loaded, _ = docstring_model
    moved = loaded.at(alarms=200, of=10_000)
    assert moved.metric == "alarms_per_thousand(20)"
    assert moved.alarm_rates_[0].share <= 0.02


def test_what_makes_no_operating_point_is_refused(docstring_model):
    loaded, texts = docstring_model
    with pytest.raises(ValueError, match="each set the operating point"):
        loaded.at("f1", cost=(10, 1))
    with pytest.raises(ValueError, match="each set the operating point"):
        loaded.at()
    with pytest.raises(ValueError, match="pass both, as in alarms=200, of=10_000"):
        loaded.at(alarms=200)
    with pytest.raises(ValueError, match="alarms is 0; give a whole number"):
        loaded.at(alarms=0, of=texts)
    with pytest.raises(ValueError, match=r"of is 10000.0; give documents, or how many"):
        loaded.at(alarms=3, of=1e4)


def test_several_labels_move_each_on_its_own(tmp_path):
    texts = ["oil price up", "gold price", "rain and sun", "oil and gold"] * 8
    labels = [{"oil"}, {"gold"}, set(), {"oil", "gold"}] * 8
    RareTextClassifier(random_state=0).fit(texts, labels).save(tmp_path / "m")
    loaded = RareTextClassifier.load(tmp_path / "m")
    moved = loaded.at("f1")
    assert [expectation.label for expectation in moved.expectation_] == ["gold", "oil"]
    alone = loaded.at("precision_at_recall(0.5)", label="oil")
    assert alone.thresholds_[0] == loaded.thresholds_[0]
    assert alone.thresholds_[1] == loaded.at("precision_at_recall(0.5)").thresholds_[1]
    assert alone.expectation_[0] == loaded.expectation_[0]
    of_each = loaded.at(alarms=2, of=texts)
    assert ((of_each.decision_function(texts) > 0).sum(axis=0) <= 2).all()


def test_a_class_that_cannot_be_held_out_has_a_card(tmp_path):
    texts = ["oil price"] * 6 + ["rain today", "sun and rain", "sun"] * 9
    model = RareTextClassifier(random_state=0).fit(texts, [1] * 6 + [0] * 27)
    model.save(tmp_path / "m")
    loaded = RareTextClassifier.load(tmp_path / "m")
    assert "nothing can be said" in loaded.card().text()
    assert loaded.at("f1").thresholds_.shape == (1,)


@pytest.mark.parametrize("n", [1, 9, 30])
def test_so_many_documents_are_put_into_one_of_several_classes(tmp_path, n):
    texts, labels = tickets(900, seed=3)
    model = RareTextClassifier(features="words", random_state=0).fit(texts[::2], labels[::2])
    new = texts[1::2]
    moved = model.at(alarms=n, of=new, label="outage")
    decisions, before = moved.predict(new), model.predict(new)
    assert (decisions == "outage").sum() == n
    # The others differ only where a document went to that class or came from it.
    changed = decisions != before
    assert ((decisions == "outage") | (before == "outage"))[changed].all()
    batches = model.at(alarms=n, of=iter([new[:300], new[300:]]), label="outage")
    assert batches.thresholds_.tolist() == moved.thresholds_.tolist()
    with pytest.raises(ValueError, match="alarms are those of one class; say which"):
        model.at(alarms=5, of=new)
    with pytest.raises(ValueError, match="label is 'weather'; choose one of"):
        model.at("f1", label="weather")


@pytest.mark.parametrize("sizes", [(24, 1, 1), (9, 2, 2), (5, 5, 5)])
@pytest.mark.filterwarnings("ignore::imbtext.rare.FewDocumentsWarning")
def test_classes_of_a_document_or_two(sizes, tmp_path):
    words = ["oil crude", "gold metal", "rain sun"]
    texts = [f"{words[c]} x{i} y{i % 3}" for c, n in enumerate(sizes) for i in range(n)]
    labels = [str(c) for c, n in enumerate(sizes) for _ in range(n)]
    model = RareTextClassifier(random_state=0).fit(texts, labels)
    model.save(tmp_path / "m")
    loaded = RareTextClassifier.load(tmp_path / "m")
    for moved in (loaded.at("f1"), loaded.at("f1", label="1"), loaded.at(cost=(5, 1), label="0")):
        assert len(moved.predict(texts)) == len(texts)
        assert [e.n_class for e in moved.expectation_] == list(sizes)
        for expectation, n in zip(moved.expectation_, sizes, strict=True):
            assert np.isnan(expectation.recall.mean) == (n == 1)
    assert moved.card().text()
