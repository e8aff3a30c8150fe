"""From file to file in Python: the rows of fit_resample, each file read once."""

from collections import Counter

import polars as pl
import pytest

from imbtext import DECOM, EDA, EMCO, MCO, ROS, minority_share
from imbtext.distributed import DaskPool
from imbtext.files import ClassSizes, count_files, oversample_files
from imbtext.files._counting import add_up, count_tables, sum_counts
from imbtext.markov import save_counts
from imbtext.parallel import ProcessPool
from imbtext.tables import LabelRules, Layout, Roles, open_tables
from imbtext.tables._parquet import ParquetTable

TEXTS = [f"oil {i} up" if i % 5 == 0 else f"rain {i % 7} and wind {i % 3}" for i in range(60)]
LABELS = [3 if i % 5 == 0 else 1 for i in range(60)]
COLUMNS = {"text": "body", "label": "topic"}


@pytest.fixture
def source(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    table = pl.DataFrame({"body": TEXTS, "topic": LABELS, "number": range(60)})
    for i in range(3):
        table[20 * i : 20 * (i + 1)].write_parquet(folder / f"{i}.parquet")
    return folder


@pytest.mark.parametrize("sampler", [EMCO(0.5), MCO(), ROS(), EMCO(surface=True)])
@pytest.mark.parametrize("name", ["out.parquet", "out/"])
def test_the_rows_of_fit_resample(source, tmp_path, sampler, name):
    sampler = sampler.set_params(sampling_strategy=minority_share(0.4), random_state=3)
    written = oversample_files(source, f"{tmp_path}/{name}", **COLUMNS, sampler=sampler)
    texts, labels = sampler.fit_resample(TEXTS, LABELS)
    rows = pl.read_parquet(tmp_path / name)
    assert rows["body"].to_list() == texts
    assert rows["topic"].to_list() == labels
    assert rows["synthetic"].to_list() == sampler.is_synthetic_.tolist()
    assert written.originals == {"1": 48, "3": 12}
    assert written.synthetic == {"3": len(texts) - 60}


def test_the_rows_of_fit_resample_on_dask(source, tmp_path):
    """Workers are threads of this process: quick enough for the default run."""
    distributed = pytest.importorskip("distributed")
    sampler = EMCO(0.5, sampling_strategy=minority_share(0.4), random_state=3)
    with distributed.Client(processes=False, n_workers=2, dashboard_address=":0"):
        out = tmp_path / "out"
        oversample_files(source, out, **COLUMNS, sampler=sampler, pool=DaskPool())
    rows = pl.read_parquet(out)
    assert (rows["body"].to_list(), rows["topic"].to_list()) == sampler.fit_resample(TEXTS, LABELS)


@pytest.mark.parametrize("n_parts", [1, 8, 9, 20])
def test_the_sum_over_parts_is_the_count_of_the_whole(tmp_path, n_parts):
    """As workers add up: in a tree, eight at a time, with what is odd about the rows."""
    frame = pl.DataFrame(
        {"body": [*TEXTS, "no label"], "topic": [*map(str, LABELS), None]}
    ).with_row_index()
    for part in range(n_parts):
        rows = frame.filter(pl.col("index") % n_parts == n_parts - 1 - part)
        rows.write_parquet(tmp_path / f"{part:02}.parquet")
    columns = Roles.of("body", label="topic")
    with open_tables(tmp_path, Layout()) as tables:
        whole = count_tables(tables, columns, LabelRules())
        parts = [count_tables([table], columns, LabelRules()) for table in tables]
    total = add_up(parts, lambda some: sum_counts(list(some)))
    assert total.tally == whole.tally
    assert total.tally.n_unlabelled == 1
    save_counts(total.counts, tmp_path / "parts.counts")
    save_counts(whole.counts, tmp_path / "whole.counts")
    assert (tmp_path / "parts.counts").read_bytes() == (tmp_path / "whole.counts").read_bytes()


@pytest.mark.parametrize(("sampler", "times"), [(EMCO(), 1), (ROS(), 2)])
def test_how_often_files_are_read(source, tmp_path, monkeypatch, sampler, times):
    read = Counter()
    batches = ParquetTable.batches

    def counting(table, columns=None):
        read[table.path.name] += 1
        return batches(table, columns)

    monkeypatch.setattr(ParquetTable, "batches", counting)
    oversample_files(source, tmp_path / "out.parquet", **COLUMNS, sampler=sampler)
    assert set(read.values()) == {times}


def test_class_sizes_are_a_sampling_strategy():
    by_name = EMCO(sampling_strategy=ClassSizes(counts={"3": 20}), random_state=0)
    by_label = EMCO(sampling_strategy={3: 20}, random_state=0)
    assert by_name.fit_resample(TEXTS, LABELS) == by_label.fit_resample(TEXTS, LABELS)


def test_counts_are_all_that_emco_needs(source):
    counts = count_files(source, **COLUMNS)
    fitted = EMCO(random_state=0).fit(TEXTS, LABELS)
    assert EMCO(random_state=0).fit_counts(counts).sample(5, 3) == fitted.sample(5, 3)


def test_misuse(source, tmp_path):
    def oversampled(**options):
        oversample_files(source, tmp_path / "out.parquet", **(COLUMNS | options))

    with pytest.raises(TypeError, match="the sampler is a DECOM; files are oversampled with EMCO"):
        oversampled(sampler=DECOM())
    with pytest.raises(ValueError, match="similarity=2 compares every document"):
        oversampled(sampler=EMCO(similarity=2))
    with pytest.raises(ValueError, match="'gamma' parameter of EMCO must be"):
        oversampled(sampler=EMCO(-1))
    with pytest.raises(ValueError, match="EDA needs all documents of the class in one place"):
        oversampled(sampler=EDA(), pool=DaskPool())
    for pool in ("local", ProcessPool(2)):
        with pytest.raises(TypeError, match="give a pool whose workers keep results, such as"):
            oversampled(pool=pool)
    with pytest.raises(TypeError, match=r"pool is 'local' \(str\); give a pool"):
        count_files(source, **COLUMNS, pool="local")
    assert not list(tmp_path.glob("out*"))
