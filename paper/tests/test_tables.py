import io
import re

import polars as pl
import pytest
from rich.console import Console

from imbtext.metrics import METRICS
from imbtext.store import UnitKey
from paper import averages as averaging
from paper import tables as tables_module
from paper.figures import papers_gamma_chart
from paper.gamma import gamma_data
from paper.options import Options, Outcome
from paper.published import (
    KEY,
    PUBLISHED_METHODS,
    published_cells,
)
from paper.reproduce import all_names, reproduce, resolve
from paper.running import signature
from paper.tables import extra_markdown, print_extra
from paper.variants import variant_tests, variants_markdown, variants_summary

SHARES = {("reuters-titles", "tin"): 0.001, ("reuters-titles", "gas"): 0.004}
SHARES |= {("reuters-titles", "corn"): 0.02, ("reuters-titles", "crude"): 0.1}


def unit(category, ratio, method, repetition, value, seed=42):
    key = UnitKey("reuters-titles", 0, category, ratio, method, repetition, seed, "s")
    return {**key.__dict__, "seconds": 0.1, **dict.fromkeys(METRICS, value)}


@pytest.fixture
def units():
    rows = []
    for place, category in enumerate(("tin", "gas", "corn", "crude")):
        for repetition, nudge in enumerate((0.0, 0.1)):
            rows.append(unit(category, 0.0, "svm", repetition, 0.3 + nudge + place / 100))
            for ratio in (0.1, 0.2):
                if category == "crude" and ratio == 0.1:
                    continue
                for method in ("ros", "mco", "emco(0.01)", "emco(0.1)", "emco(1)"):
                    value = 0.5 + nudge + place / 100 + ratio + len(method) / 100
                    rows.append(unit(category, ratio, method, repetition, value))
    return pl.DataFrame(rows)


@pytest.fixture
def categories(units):
    return averaging.category_scores(units, SHARES, (0.1, 0.2))


def test_repetitions_are_averaged_and_ratio_zero_counts_for_every_ratio(categories):
    svm = categories.filter(method="SVM", category="tin")
    assert svm["ratio"].to_list() == [0.1, 0.2]
    assert svm["recall"].to_list() == pytest.approx([0.35, 0.35])
    assert svm["n_units"].to_list() == [2, 2]


def test_a_category_is_reported_only_where_it_is_oversampled(categories):
    assert categories.filter(category="crude")["ratio"].unique().to_list() == [0.2]
    groups = dict(categories.select("category", "frequency").unique().iter_rows())
    assert groups == {"tin": "very_low", "gas": "very_low", "corn": "low", "crude": "low"}


def test_cells_stand_beside_the_published_ones_in_their_order_and_words(categories):
    table = averaging.beside_published(categories)
    assert table.columns == [*KEY, "value", "published", "difference"]
    assert set(table["method"]) == {"SVM", "ROS", "MCO", "EMCO(0.1)", "EMCO(1)"}
    row = table.row(0, named=True)
    assert (row["metric"], row["method"], row["frequency"]) == (
        "balanced_accuracy",
        "SVM",
        "very_low",
    )
    assert row["published"] == 0.619
    assert row["value"] == pytest.approx((0.35 + 0.36) / 2)
    assert row["difference"] == pytest.approx(row["value"] - 0.619)
    order = published_cells("svm").join(table, on=list(KEY), how="semi").select(KEY)
    assert table.select(KEY).equals(order)


def test_ranks_run_within_a_row_and_ties_share_one():
    table = pl.DataFrame(
        {
            **{"metric": ["f1"] * 4, "dataset": ["reuters"] * 4, "text": ["full"] * 4},
            **{"frequency": ["low"] * 4, "ratio": [0.1, 0.1, 0.1, 0.2]},
            **{"method": ["SVM", "ROS", "MCO", "SVM"], "value": [0.2, 0.5, 0.5, 0.1]},
            "published": [0.9, None, 0.8, 0.1],
        }
    )
    ranked = averaging.with_ranks(table)
    assert ranked["rank"].to_list() == [3, 1, 1, 1]
    assert ranked["published_rank"].to_list() == [1, None, 2, 1]


def test_intervals_hold_every_method_and_metric_and_enclose_the_mean(categories):
    averages = averaging.intervals(categories)
    assert set(averages["metric"]) == set(METRICS)
    assert "emco(0.01)" in set(averages["method"])
    inside = averages.filter(pl.col("n_categories") > 1)
    assert (inside["lower"] <= inside["value"]).all()
    assert (inside["value"] <= inside["upper"]).all()
    assert averages["n_categories"].to_list().count(1) > 0


def test_comparisons_name_method_and_reference(categories):
    compared = averaging.comparisons(categories)
    assert set(compared["reference"]) == {"SVM", "EMCO(0.1)", "EMCO(1)"}
    row = compared.filter(
        metric="f1", frequency="very_low", ratio=0.1, method="ROS", reference="SVM"
    ).row(0, named=True)
    assert (row["n_categories"], row["wins"], row["losses"]) == (2, 2, 0)
    assert row["mean_difference"] == pytest.approx(0.33)


def rendered(table):
    console = Console(file=io.StringIO(), width=250)
    tables_module.print_tables(table, console, "signed")
    tables_module.print_summary(table, console)
    forms = tables_module.paper_markdown, tables_module.latex
    return console.file.getvalue(), *(form(table, "signed") for form in forms)


def test_every_form_shows_ours_published_and_the_difference(categories):
    table = averaging.beside_published(categories)
    terminal, markdown, latex = rendered(table)
    for text in (terminal, markdown, latex):
        assert "0.355" in text
        assert "0.619" in text
        assert "signed" in text
        for title in tables_module.PAPER_TITLES.values():
            assert title in text
    assert f"{len(table)} published cells" in terminal
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == 6
    body = [
        line for line in latex.splitlines() if line.endswith(r"\\") and "multicolumn" not in line
    ]
    assert {line.count("&") for line in body} == {5}
    assert len({line.count("|") for line in markdown.splitlines() if line.startswith("| ")}) == 1


def test_some_categories_are_never_compared_with_published_averages_over_all(categories):
    table = averaging.beside_published(categories, comparable=False)
    assert table["published"].null_count() == table["difference"].null_count() == table.height > 0
    terminal, markdown, latex = rendered(table)
    for text in (terminal, markdown, latex):
        assert "0.355" in text
        assert "0.619" not in text
        assert "difference" not in text
    for text in (terminal, markdown):
        assert "Only some categories were run" in text


def test_an_empty_published_cell_is_na_and_has_no_difference():
    assert tables_module.distance(None) == ""
    assert tables_module.number(None) == "NA"


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0.000"), (0.9996, "1.000"), (1.0, "1.000"), (0.0456, "0.046")]
)
def test_numbers_have_three_digits_and_a_zero_before_the_point(value, text):
    assert tables_module.number(value) == text


def test_our_own_tables_say_that_they_are_ours(categories):
    averages, compared = averaging.intervals(categories), averaging.comparisons(categories)
    markdown = extra_markdown(averages, compared, "signed")
    assert markdown.startswith("Ours, not published.")
    assert "Area under the ROC curve" in markdown
    console = Console(file=io.StringIO(), width=250)
    print_extra(averages, compared, console)
    assert "Ours, not published" in console.file.getvalue()


def test_variants_are_compared_with_the_method_they_change(units):
    changed = units.filter(pl.col("method") == "emco(1)").with_columns(
        pl.lit("emco(1, weight=0.1)").alias("method"), pl.col("f1") + 0.1
    )
    scores = averaging.category_scores(pl.concat([units, changed]), SHARES, (0.1, 0.2))
    means, compared = averaging.intervals(scores), variant_tests(averaging.comparisons(scores))
    assert set(zip(compared["method"], compared["reference"], strict=True)) == {
        ("emco(1, weight=0.1)", "EMCO(1)")
    }
    (said,) = variants_summary(means, compared)
    assert said.startswith("`emco(1, weight=0.1)` against EMCO(1): balanced accuracy")
    assert "F1 +0.100, ahead in 4 of 4 rows" in said
    markdown = variants_markdown(means, compared, "signed")
    assert "emco(1, weight=0.1)" in markdown
    assert "emco(0.01)" not in markdown


def test_gamma_data_and_figure(units):
    of_gamma = units.filter(pl.col("method").is_in(["mco", "emco(0.01)", "emco(0.1)", "emco(1)"]))
    data = gamma_data(averaging.category_scores(of_gamma, SHARES, (0.2,)))
    assert data["gamma"].unique().sort().to_list() == [0.0, 0.01, 0.1, 1.0]
    assert set(data["n_categories"]) == {4}
    assert "Full articles" in papers_gamma_chart(data).to_json()


def test_gamma_is_written_as_figure_and_data(data_home, tmp_path):
    options = Options(tmp_path, categories=("tin",), repetitions=1, data_home=data_home)
    console = Console(file=io.StringIO(), width=250)
    assert reproduce(["gamma"], options, console) == Outcome(computed=8)
    svg, png, csv = ((tmp_path / f"gamma.{kind}").read_bytes() for kind in ("svg", "png", "csv"))
    assert b"<svg" in svg
    assert png.startswith(b"\x89PNG")
    assert csv.startswith(b"dataset,text,gamma,metric,value,n_categories")
    assert console.file.getvalue().count("wrote") == 3


def test_published_figures_have_the_papers_shape():
    svm = published_cells("svm")
    assert svm.height == 1_320
    missing = svm.filter(pl.col("value").is_null())
    assert set(missing["method"]) == {"DRO"}
    assert set(missing["dataset"]) == {"huffpost"}
    assert svm["method"].unique(maintain_order=True).to_list() == list(PUBLISHED_METHODS)
    assert svm.select(KEY).is_unique().all()
    assert published_cells("lstm")["ratio"].null_count() == 12


def test_names_are_resolved_in_one_order_and_mistakes_are_named():
    assert resolve(["all"]) == all_names()
    assert resolve(["20newsgroups", "reuters-titles", "reuters-titles"]) == [
        "reuters-titles",
        "20newsgroups",
    ]
    with pytest.raises(ValueError, match="no experiment 'reuter'; choose from reuters-titles"):
        resolve(["reuter"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ratios": (1.5,)}, "ratio is 1.5"),
        ({"repetitions": 0}, "repetitions is 0"),
        ({"jobs": 0}, "number of processes is 0"),
        ({"methods": ("emko",)}, "did you mean 'emco'"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_written(tmp_path, changes, message):
    options = Options(tmp_path / "out", **changes)
    with pytest.raises(ValueError, match=message):
        reproduce(["reuters-titles"], options, Console(file=io.StringIO()))
    assert not (tmp_path / "out").exists()


def test_the_signature_carries_versions_seed_and_data():
    line = signature({"seed": 3}, {"reuters": "f" * 64})
    assert re.search(r"scikit-learn:\d", line)
    assert line.endswith("seed:3|data.reuters:ffffffffffff")
    assert "\n" not in line


def test_what_the_command_line_names_becomes_options(run_paper, monkeypatch, tmp_path):
    asked = []

    def note(names, options):
        asked.append((names, options.methods, options.categories, options.ratios, options.jobs))
        raise ValueError("enough")

    monkeypatch.setattr("paper.__main__.reproduce", note)
    arguments = ["--methods", "svm,emco(1)", "--categories", "tin", "--ratio", "0.2,0.1"]
    ran = run_paper("reuters-titles", "gamma", *arguments, "--jobs", "2", "--out", tmp_path)
    assert (ran.code, ran.err) == (2, "paper: enough\n")
    assert asked == [(["reuters-titles", "gamma"], ("svm", "emco(1)"), ("tin",), (0.1, 0.2), 2)]
    assert "invalid _ratios value: 'a fifth'" in run_paper("all", "--ratio", "a fifth").err


def test_the_help_lists_everything_that_can_be_reproduced(run_paper):
    shown = run_paper("--help").out
    # Lines break at hyphens too.
    assert set(all_names()) <= set(re.findall(r"[\w-]+", re.sub(r"(?<=-)\s+", "", shown)))


def test_a_file_where_the_folder_should_be_is_refused(run_paper, tmp_path):
    (tmp_path / "file").touch()
    ran = run_paper("reuters-titles", "--out", tmp_path / "file")
    assert ran.code == 2
    assert "it is a file; name a folder" in ran.err
