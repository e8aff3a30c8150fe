"""The rows worth reading are those that sorting all of them would give."""

import warnings

import dask.dataframe as dd
import numpy as np
import polars as pl
import polars.selectors as cs
import pyarrow as pa
import pytest
from distributed import Client
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from imbtext import RareTextClassifier, distributed
from imbtext.distributed import DaskPool
from imbtext.files import check_file, predict_file
from imbtext.files._predicting import _HighestRows
from imbtext.parallel import ProcessPool
from imbtext.tables._batches import Batch
from tests.files.conftest import local_cluster
from tests.files.faults import die, patched

# Many of these files have documents that the model was trained on.
pytestmark = pytest.mark.filterwarnings("ignore:the model seems to know")


def batch_of(numbers, arrow):
    if arrow:
        # Categories that differ from batch to batch.
        texts = pa.array([str(n) for n in numbers])
        # Arrow itself cannot take rows of string views.
        lists = pa.array([[text] for text in texts.to_pylist()], pa.list_(pa.string_view()))
        columns = {"a": texts.dictionary_encode(), "view": texts.cast("string_view"), "list": lists}
        return Batch.from_arrow(pa.table(columns), numbers[0] if numbers else 0)
    raw = [f"line {n}" for n in numbers]
    return Batch(["a"], [[str(n) for n in numbers]], np.array(numbers) + 1, raw)


@given(st.lists(st.lists(st.integers(0, 5), min_size=1)), st.integers(1, 30), st.booleans())
def test_best_rows(parts, n, arrow):
    keys = np.array([key for part in [[3], *parts] for key in part], dtype=float)
    best, first = _HighestRows(n), 0
    for part in [[3], *parts]:
        numbers = list(range(first, first + len(part)))
        places = best.places(keys[numbers])
        cells = {"cell": [numbers[place] for place in places]}
        best.add(keys[numbers][places], batch_of(numbers, arrow).select(places), cells)
        first += len(part)
    batch, cells = best.rows()
    expected = np.argsort(-keys, kind="stable")[:n].tolist()
    assert cells["cell"] == (batch.lines - 1).tolist() == expected
    assert batch.values("a") == list(map(str, expected))
    if arrow:
        assert batch.values("view") == batch.values("a")
        assert batch.values("list") == [[text] for text in batch.values("a")]
    assert batch.raw == ([] if arrow else [f"line {i}" for i in expected])


TEXTS = ["oil price up", "crude oil price"] * 3 + ["rain today", "sun and rain"] * 12
MODEL = RareTextClassifier(random_state=0).fit(
    pl.Series("body", TEXTS), ["oil"] * 6 + ["weather"] * 24
)
NEW = pl.DataFrame({"id": range(300), "body": ["oil of the sun", "rain", "price up"] * 100})


@pytest.fixture
def parts(tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    for i, part in enumerate(NEW.iter_slices(70)):
        part.write_parquet(folder / f"{i}.parquet")
    return folder


def test_a_folder_and_a_pattern_are_read_as_one_table(parts, tmp_path):
    NEW.write_parquet(tmp_path / "all.parquet")
    written = []
    for source in (tmp_path / "all.parquet", parts, parts / "*.parquet"):
        out = tmp_path / "out.parquet"
        counts = predict_file(MODEL, source, out)
        assert sum(counts.values()) == 300
        written.append(pl.read_parquet(out))
    assert written[0].equals(written[1])
    assert written[0].equals(written[2])


def test_a_folder_is_written_on_dask_alone(parts, tmp_path):
    with pytest.raises(ValueError, match=r"scored/ is the name of a folder; .*scored\.csv"):
        predict_file(MODEL, parts, f"{tmp_path}/scored/")
    assert not (tmp_path / "scored").exists()


def test_rows_of_all_parts_come_together_in_one_process(parts, tmp_path):
    with pytest.raises(ValueError, match=r"leave the pool .* out"):
        predict_file(MODEL, parts, tmp_path / "out", top=5, pool=DaskPool())


@pytest.mark.parametrize("option", ["top", "uncertain"])
def test_only_rows_that_may_be_written_are_explained(parts, tmp_path, option, monkeypatch):
    predict_file(MODEL, parts, tmp_path / "all.parquet", explain=True)
    of_id = {row["id"]: row for row in pl.read_parquet(tmp_path / "all.parquet").to_dicts()}
    explained, explanations = [], RareTextClassifier.explanations
    monkeypatch.setattr(
        RareTextClassifier,
        "explanations",
        lambda model, X: [explained.extend(X), explanations(model, X)][1],
    )
    predict_file(MODEL, parts, tmp_path / "few.parquet", explain=True, **{option: 3})
    few = pl.read_parquet(tmp_path / "few.parquet").drop("line").to_dicts()
    assert len(few) == 3
    assert all(row == of_id[row["id"]] for row in few)
    assert len(explained) <= 3 * 5  # at most three of each part


@pytest.mark.parametrize("option", ["top", "uncertain"])
def test_no_rows_are_no_file(parts, tmp_path, option):
    for n in (0, -1):
        with pytest.raises(ValueError, match=f"{option} is {n}; ask for at least one row"):
            predict_file(MODEL, parts, tmp_path / "out.csv", **{option: n})
    assert not (tmp_path / "out.csv").exists()


def test_a_folder_that_holds_the_input_is_never_replaced(parts):
    for out in (parts, parts.parent):
        with pytest.raises(ValueError, match="holds the input"):
            predict_file(MODEL, parts, out, pool=DaskPool(), overwrite=True)
    assert len(list(parts.iterdir())) == 5


def test_any_pool_writes_a_file_for_each_part(parts, tmp_path):
    counts = predict_file(MODEL, parts, tmp_path / "here.parquet")
    assert predict_file(MODEL, parts, tmp_path / "there", pool=ProcessPool(1)) == counts
    there = sorted((tmp_path / "there").glob("part-*"))
    here = pl.read_parquet(tmp_path / "here.parquet")
    assert pl.concat(map(pl.read_parquet, there)).equals(here)


@pytest.mark.slow
def test_workers_write_the_rows_of_one_machine_though_one_dies(parts, tmp_path):
    predict_file(MODEL, parts, tmp_path / "here.parquet", explain=True)
    here = pl.read_parquet(tmp_path / "here.parquet")
    with local_cluster() as cluster, Client(cluster) as client:
        killed = tmp_path / "killed"
        client.run(patched, "imbtext.files._predicting", "_score_part", str(killed), die)
        address = client.scheduler.address
        pool = DaskPool(address)
        counts = predict_file(MODEL, parts, tmp_path / "there", explain=True, pool=pool)
        assert killed.exists(), "no worker died"
        there = sorted((tmp_path / "there").glob("part-*"))
        assert [path.name for path in there] == [f"part-{i:05}.parquet" for i in range(5)]
        assert pl.concat(map(pl.read_parquet, there)).equals(here)
        assert counts == dict(here["decision"].value_counts().iter_rows())
        with pytest.raises(FileExistsError):
            predict_file(MODEL, parts, tmp_path / "there", pool=pool)


def test_a_frame_is_scored_in_its_partitions():
    frame = dd.from_pandas(NEW.to_pandas(), 3)
    scored = distributed.predict(MODEL, frame, prefix="m-")
    assert list(scored.columns) == [
        "id",
        "body",
        "m-decision",
        "m-score",
        "m-threshold",
        "m-probability",
        "m-nothing_known",
    ]
    rows = scored.compute(scheduler="synchronous")
    assert rows["m-decision"].tolist() == MODEL.predict(NEW["body"]).tolist()
    np.testing.assert_allclose(rows["m-score"], MODEL.predictions(NEW["body"]).score, atol=1e-6)
    assert scored.dtypes["m-score"] == rows.dtypes["m-score"]
    with pytest.raises(ValueError, match="already has a column 'm-decision'; give the added"):
        distributed.predict(MODEL, scored, prefix="m-")
    with pytest.raises(ValueError, match="no column 'text'"):
        distributed.predict(MODEL, frame, text="text")
    with pytest.raises(TypeError, match="expected a Dask DataFrame"):
        distributed.predict(MODEL, NEW)


def test_the_classes_of_an_indicator_are_the_numbers_of_its_columns(tmp_path):
    y = np.array([[1, 0]] * 6 + [[0, 1]] * 24)
    y[0] = 1
    model = RareTextClassifier(random_state=0).fit(pl.Series("body", TEXTS), y)
    new = pl.DataFrame({"body": ["oil price", "rain", "oil and rain", "snow"]})
    new.write_csv(tmp_path / "new.csv")
    sizes = predict_file(model, tmp_path / "new.csv", tmp_path / "scored.csv")
    decisions = pl.read_csv(tmp_path / "scored.csv", infer_schema=False)["decision"]
    expected = ["; ".join(map(str, np.flatnonzero(row))) for row in model.predict(new["body"])]
    assert decisions.fill_null("").to_list() == expected
    assert set(expected) >= {"0", "1"}
    assert sizes == {name: expected.count(name) for name in set(expected)}


def test_the_highest_rows_say_where_they_stand(parts, tmp_path):
    NEW.write_csv(tmp_path / "new.csv")
    for source, named in (
        (tmp_path / "new.csv", [str(i + 2) for i in range(300)]),
        (parts, [f"{parts / f'{i // 70}.parquet'}:{i % 70 + 1}" for i in range(300)]),
    ):
        out = tmp_path / "top.csv"
        predict_file(MODEL, source, out, top=7, prefix="m-")
        top = pl.read_csv(out, schema_overrides={"m-line": pl.String})
        assert top["m-line"].to_list() == [named[i] for i in top["id"]]
        predict_file(MODEL, source, out, uncertain=7, id_column="id")
        assert "line" not in pl.read_csv(out).columns
    with pytest.raises(ValueError, match="no column 'number'"):
        predict_file(MODEL, parts, tmp_path / "out.csv", id_column="number")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    is_class = np.arange(240) % 8 == 0
    words = np.array(["pay", "below", "thanks", "offer", "meeting", "call"])
    return pl.DataFrame(
        {
            "subject": [" ".join(rng.choice(words, 2)) for _ in is_class],
            "body": [" ".join(rng.choice(words, 4)) for _ in is_class],
            "amount": np.where(is_class, 900, 500) + rng.normal(0, 150, 240).round(2),
            "country": rng.choice(["de", "fr", ""], 240),
            "y": np.where(is_class, "fraud", "other"),
        }
    )


@pytest.mark.slow
def test_a_cluster_trains_and_scores_tables_with_columns_as_one_machine_does(
    table, tmp_path, run_command
):
    table.write_csv(tmp_path / "train.csv")
    (tmp_path / "new").mkdir()
    for i, part in enumerate(table.drop("y").iter_slices(100)):
        part.write_csv(tmp_path / "new" / f"{i}.csv")
    given = ("--text", "subject", "--text", "body", "--label", "y", "--class", "fraud")
    given = (*given, "--also", "amount", "--also", "country")

    def run(*arguments):
        ran = run_command(*arguments)
        assert ran.code == 0, ran.err
        return ran

    with local_cluster() as cluster, Client(cluster) as client:
        models, compared = [], []
        for i, where in enumerate([(), ("--dask", client.scheduler.address)]):
            model = tmp_path / f"{i}.model"
            run("train", tmp_path / "train.csv", *given, "-o", model, *where)
            models.append(model.read_bytes())
            few = ("--methods", "rare,ros", "--folds", "2", "--repeats", "1")
            few = (*few, "-o", tmp_path / "scores.csv")
            run("compare", tmp_path / "train.csv", *given, *few, *where)
            scores = pl.read_csv(tmp_path / "scores.csv")
            compared.append(scores.select(cs.exclude(cs.contains("seconds"))))
        assert models[0] == models[1]
        assert compared[0].equals(compared[1])
        assert RareTextClassifier.load(model).columns_ == ("amount", "country")
        run("predict", model, tmp_path / "new", "-o", tmp_path / "here.csv")
        run("predict", model, tmp_path / "new", "-o", tmp_path / "there", *where)
        parts = [pl.read_csv(path) for path in sorted((tmp_path / "there").glob("part-*"))]
        assert pl.concat(parts).equals(pl.read_csv(tmp_path / "here.csv"))
        frame = dd.from_pandas(table.drop("y").to_pandas(), 3)
        rows = distributed.predict(RareTextClassifier.load(model), frame).compute()
        assert rows["score"].tolist() == pl.read_csv(tmp_path / "here.csv")["score"].to_list()


def test_asked_for_alarms_are_not_a_surprise_but_those_of_the_own_threshold_are(tmp_path):
    """If twenty alarms were asked for, twenty alarms say nothing about the documents."""
    words = [f"{first}{last}" for first in "abcdefghijklmnopqrst" for last in "abcdefghijklmno"]
    topics = ["oil price", *["rain and sun"] * 9]
    train = [f"{topics[i % 10]} {word}" for i, word in enumerate(words)]
    labels = ["oil" if i % 10 == 0 else "weather" for i in range(300)]
    model = RareTextClassifier(random_state=0).fit(pl.Series("body", train), labels)
    usual = [f"{topics[i % 10]} {word}x" for i, word in enumerate(words)]
    odd = [f"{topics[i % 2]} {word}x" for i, word in enumerate(words)]
    for texts, is_odd in ((odd, True), (usual, False)):
        pl.DataFrame({"body": texts}).write_csv(tmp_path / "new.csv")
        n = int((model.predict(texts) == "oil").sum())
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            predict_file(model, tmp_path / "new.csv", tmp_path / "out.csv", alarms=20)
        (message,) = [str(warning.message) for warning in caught] or [""]
        assert "were put into" not in message
        own = f"the model's own threshold would put {n} documents into 'oil', where "
        assert (own in message) == is_odd, message
        assert ("threshold" in message) == is_odd


@pytest.mark.parametrize("several", [False, True])
def test_the_alarms_of_the_own_thresholds_are_known_after_a_move(several):
    texts = ["oil price up", "gold price", "rain and sun", "oil and gold"] * 8
    labels = ["oil", "gold", "rain", "oil"] * 8
    model = RareTextClassifier(random_state=0).fit(
        texts, [{label} for label in labels] if several else labels
    )
    predictions = model.at(alarms=1, of=texts, label="oil").predictions(texts)
    own = model.predictions(texts).n_alarms.tolist()
    assert predictions.n_alarms_at(model.thresholds_).tolist() == own
    assert predictions.n_alarms.tolist() != own


def test_what_is_no_fitted_model_is_refused(tmp_path):
    path = tmp_path / "new.csv"
    path.write_text("body\nmore oil\n")
    with pytest.raises(TypeError, match=r"give a fitted model, such as RareTextClassifier\.load"):
        predict_file(tmp_path / "fraud.model", path, tmp_path / "out.csv", text="body")
    with pytest.raises(NotFittedError):
        check_file(RareTextClassifier(), path, text="body")
