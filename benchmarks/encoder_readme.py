"""Write the tables of results/encoder into its README.md, and draw encoder.svg.

    python benchmarks/encoder_readme.py

Tables stand between marks of README.md; the rest is written by hand.
"""

import sys
from pathlib import Path
from typing import Any

import altair as alt
import polars as pl

from imbtext.charts import PALETTE, write_chart
from imbtext.writing import written_whole

sys.path.append(str(Path(__file__).parent / "yardstick"))
from summary import agrees

HERE = Path(__file__).parents[1] / "results" / "encoder"
BEGIN, END = "<!-- from the csv files -->\n", "<!-- by hand -->\n"
WORDS, MIXTURE = "words", "mixture, minilm"
TITLES = {
    MIXTURE: 'words and MiniLM (encoder="minilm")',
    "mixture, use": 'words and USE (encoder="use")',
    WORDS: "words",
    "LR, minilm": "MiniLM, logistic regression",
    "LR, use": "USE, logistic regression",
}
MANY = 200  # tested documents, whose recall is nearly the true one
SIZES = ["3", "5", "10", "20", "50", "all"]


def means(cases: pl.DataFrame, measure: str, by: str) -> list[dict[str, Any]]:
    """Return the mean of a measure for each contestant, in the order of the cases."""
    wide = cases.filter(pl.col("contestant").is_in(list(TITLES))).pivot(
        "contestant", index=by, values=measure, aggregate_function="mean", maintain_order=True
    )
    rows = wide.to_dicts()
    return rows if by == "dataset" else sorted(rows, key=lambda row: SIZES.index(row[by]))


def table(rows: list[dict[str, Any]], by: str) -> str:
    """Return the rows of means as a table, the best of each in bold."""
    lines = [
        f"| {by} | {' | '.join(TITLES.values())} |",
        f"|---|{'---:|' * len(TITLES)}",
    ]
    for row in rows:
        best = max(row[name] for name in TITLES)
        cells = [f"**{row[n]:.3f}**" if row[n] == best else f"{row[n]:.3f}" for n in TITLES]
        lines.append(f"| {next(iter(row.values()))} | {' | '.join(cells)} |")
    return "\n".join(lines)


def gains(cases: pl.DataFrame) -> str:
    """Return what the mixture gains over words, with its standard error over classes."""
    keys = ["dataset", "label", "documents", "draw"]
    wide = cases.pivot("contestant", index=keys, values="average_precision")
    lines = []
    for other in (WORDS, "LR, minilm"):
        few = wide.filter(~pl.col("documents").is_in(["50", "all"]))
        of_classes = few.group_by("dataset", "label").agg(
            gain=(pl.col(MIXTURE) - pl.col(other)).mean()
        )["gain"]
        error = float(of_classes.std()) / len(of_classes) ** 0.5  # type: ignore[arg-type]
        lines.append(
            f"{of_classes.mean():.3f} over {TITLES[other]} (standard error over classes "
            f"{error:.3f}; higher in {int((of_classes > 0).sum())} of {len(of_classes)} classes)"
        )
    return f"Below 50 documents of the class, words and MiniLM together gain {' and '.join(lines)}."


def beside_svm(cases: pl.DataFrame) -> str:
    """Return average precision and F2 of the cases that the linear SVM ran on."""
    keys = ["dataset", "label", "documents", "draw"]
    same = cases.filter(pl.col("contestant") == "SVM").select(keys)
    part = cases.join(same, on=keys, how="semi")
    lines = [
        "| documents | linear SVM, AP | words | words and MiniLM | linear SVM, F2 | words | "
        "words and MiniLM |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for size in ("5", "20", "all"):
        of_size = (
            part.filter(pl.col("documents") == size)
            .group_by("contestant")
            .agg(pl.col("average_precision", "f2").mean())
        )
        values = {row["contestant"]: row for row in of_size.iter_rows(named=True)}
        cells = [
            f"{values[name][measure]:.3f}"
            for measure in ("average_precision", "f2")
            for name in ("SVM", WORDS, MIXTURE)
        ]
        lines.append(f"| {size} | {' | '.join(cells)} |")
    return "\n".join(lines)


def tuned_table(tuned: pl.DataFrame, cases: pl.DataFrame) -> str:
    """Return what tuning the encoder reaches, on the same cases."""
    keys = ["dataset", "label", "n_class", "draw"]
    ours = cases.filter(pl.col("documents") != "all").pivot(
        "contestant", index=keys, values="average_precision"
    )
    tuned = tuned.join(ours.rename({MIXTURE: "mixture"}), on=keys, how="left")
    titles = {
        "mixture": "words and MiniLM",
        "lr": "MiniLM, logistic regression",
        "setfit": "SetFit's way",
        "plain": "fine-tuned",
        "words": "words",
    }
    lines = [
        f"| documents | data set | cases | {' | '.join(titles.values())} |",
        f"|---|---|---:|{'---:|' * len(titles)}",
    ]
    for (size, title), part in tuned.sort("n_class", "dataset").group_by(
        "n_class", "dataset", maintain_order=True
    ):
        cells = [f"{part[name].mean():.3f}" for name in titles]
        lines.append(f"| {size} | {title} | {len(part)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def package_table(package: pl.DataFrame, tuned: pl.DataFrame, cases: pl.DataFrame) -> str:
    """Return what the package setfit reaches, case by case."""
    keys = ["dataset", "label", "n_class", "draw"]
    ours = cases.filter(pl.col("documents") != "all").pivot(
        "contestant", index=keys, values="average_precision"
    )
    titles = {
        MIXTURE: "words and MiniLM",
        WORDS: "words",
        "own_head": "setfit",
        "all_documents": "setfit, then logistic regression on all documents",
        "setfit": "SetFit's way",
        "cpu_seconds": "processor seconds of setfit",
    }
    package = package.join(ours, on=keys, how="left").join(tuned, on=keys, how="left")
    lines = [
        f"| documents | data set | class | {' | '.join(titles.values())} |",
        f"|---|---|---|{'---:|' * len(titles)}",
    ]
    for row in package.iter_rows(named=True):
        cells = [f"{row[name]:.0f}" if "seconds" in name else f"{row[name]:.3f}" for name in titles]
        lines.append(
            f"| {row['n_class']} | {row['dataset']} | {row['label']} | {' | '.join(cells)} |"
        )
    return "\n".join(lines)


def kept(row: dict[str, float]) -> float | None:
    """Return whether an interval agrees with what was found; None if nothing was tested."""
    low, high, hits, n = row.values()
    return float(agrees(low, high, int(hits), int(n))) if n else None


def promise_table(coverage: pl.DataFrame) -> str:
    """Return how often the promised interval of recall was kept, and how wide it was."""
    coverage = coverage.with_columns(
        pl.struct("low", "high", f"found_{side}", f"n_{side}")
        .map_elements(kept, pl.Float64)
        .alias(side)
        for side in ("same", "test")
    )
    lines = [
        "| documents | cases | same source: words | words and MiniLM | test side: words | "
        "words and MiniLM | width: words | words and MiniLM |",
        f"|---|{'---:|' * 7}",
    ]
    for size in SIZES:
        of_size = coverage.filter(pl.col("documents") == size)
        words, mixture = (of_size.filter(contestant=name) for name in (WORDS, MIXTURE))
        cells = [
            f"{part[side].sum():.0f} of {part[side].count()}"
            for side in ("same", "test")
            for part in (words, mixture)
        ]
        cells += [f"{(part['high'] - part['low']).mean():.2f}" for part in (words, mixture)]
        lines.append(f"| {size} | {len(words)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def plainly(coverage: pl.DataFrame) -> str:
    """Return how often the interval held the recall of many documents, without allowance."""
    recall = pl.col("found_same") / pl.col("n_same")
    held = (recall >= pl.col("low")) & (recall <= pl.col("high"))
    many = coverage.filter(pl.col("n_same") >= MANY).with_columns(held=held)
    words, mixture = (many.filter(contestant=name)["held"] for name in (WORDS, MIXTURE))
    return (
        f"Where {MANY} or more documents of the same source were tested, the interval held their "
        f"recall in {words.sum()} of {len(words)} cases with words, and in {mixture.sum()} of "
        f"{len(mixture)} with words and MiniLM."
    )


def seconds_table(cases: pl.DataFrame) -> str:
    """Return what a fit costs."""
    names = {WORDS: "words", MIXTURE: "words and MiniLM", "LR, minilm": TITLES["LR, minilm"]}
    names["SVM"] = "linear SVM"
    seconds = cases.group_by("documents", "contestant").agg(pl.col("seconds").median())
    of_fit = {(row[0], row[1]): row[2] for row in seconds.iter_rows()}
    lines = [f"| documents | {' | '.join(names.values())} |", f"|---|{'---:|' * len(names)}"]
    for size in SIZES:
        costs = [of_fit.get((size, name)) for name in names]
        cells = ["" if cost is None else f"{cost:.1f}" for cost in costs]
        lines.append(f"| {size} | {' | '.join(cells)} |")
    return "\n".join(lines)


def both_together(cases: pl.DataFrame) -> list[str]:
    """Return the average precision of both encoders together, on the data sets they ran on."""
    titles = " and ".join(cases["dataset"].unique(maintain_order=True))
    names = [WORDS, MIXTURE, "mixture, use", "mixture, minilm+use"]
    wide = cases.pivot(
        "contestant", index="documents", values="average_precision", aggregate_function="mean"
    )
    lines = [
        "| documents | words | words and MiniLM | words and USE | words and both |",
        f"|---|{'---:|' * len(names)}",
    ]
    for row in sorted(wide.to_dicts(), key=lambda row: SIZES.index(row["documents"])):
        best = max(row[name] for name in names)
        cells = [f"**{row[n]:.3f}**" if row[n] == best else f"{row[n]:.3f}" for n in names]
        lines.append(f"| {row['documents']} | {' | '.join(cells)} |")
    return [f"Both encoders together, average precision on {titles}:", "\n".join(lines)]


def encoding_table(encoded: pl.DataFrame) -> str:
    """Return how long encoding takes."""
    lines = [
        "| data set | characters | encoder | texts | processor seconds |",
        "|---|---:|---|---:|---:|",
    ]
    for row in encoded.iter_rows(named=True):
        lines.append(
            f"| {row['dataset']} | {row['characters']:,} | {row['encoder']} | {row['texts']:,} | "
            f"{row['cpu_seconds']:.0f} |"
        )
    return "\n".join(lines)


def chart(cases: pl.DataFrame) -> Any:
    """Return the learning curves."""
    shown = [MIXTURE, WORDS, "LR, minilm"]
    values = [
        {
            "documents of the class": row["documents"],
            "contestant": TITLES[name],
            "average precision": row[name],
        }
        for row in means(cases, "average_precision", "documents")
        for name in shown
    ]
    names = [TITLES[name] for name in shown]
    return (
        alt.Chart(alt.Data(values=values))
        .mark_line(point={"size": 60})
        .encode(
            x=alt.X("documents of the class:O", sort=SIZES, axis=alt.Axis(labelAngle=0)),
            y=alt.Y("average precision:Q", scale=alt.Scale(zero=False)),
            color=alt.Color(
                "contestant:N",
                title=None,
                scale=alt.Scale(domain=names, range=list(PALETTE[: len(names)])),
                legend=alt.Legend(orient="top", labelLimit=400),
            ),
        )
        .properties(width=520, height=280)
    )


def main() -> None:
    """Do it."""
    coverage = pl.read_csv(HERE / "coverage.csv", schema_overrides={"documents": pl.String})
    cases, together = pl.read_csv(HERE / "encoder.csv"), HERE / "together.csv"
    of_all = cases.filter(pl.col("documents") == "all")
    few = cases.filter(~pl.col("documents").is_in(["50", "all"]))
    parts = [
        "Average precision:",
        table(means(cases, "average_precision", "documents"), "documents"),
        gains(cases),
        "F2 at the threshold that held-out documents chose:",
        table(means(cases, "f2", "documents"), "documents"),
        "Average precision with 3 to 20 documents of the class, by data set:",
        table(means(few, "average_precision", "dataset"), "data set"),
        "Average precision with all documents of the class (at most 300), by data set:",
        table(means(of_all, "average_precision", "dataset"), "data set"),
        "Beside a linear SVM on words and characters (first draw only):",
        beside_svm(cases),
        "How often the promised interval of recall was kept, tested on up to 500 documents of the "
        "class that the model has not learnt from (`python benchmarks/encoder_coverage.py`), and "
        "how wide it was on average:",
        promise_table(coverage),
        plainly(coverage),
        "Processor seconds of a fit once texts are encoded (median):",
        seconds_table(cases),
        *(both_together(pl.read_csv(together)) if together.is_file() else []),
        "Encoding:",
        encoding_table(pl.read_csv(HERE / "encoding.csv")),
        "Tuning the encoder, average precision on the same cases:",
        tuned_table(pl.read_csv(HERE / "tuned.csv"), cases),
        "The package setfit, average precision (`python benchmarks/encoder_tuned.py FOLDER "
        "--package --out results/encoder`, stopped early):",
        package_table(pl.read_csv(HERE / "setfit.csv"), pl.read_csv(HERE / "tuned.csv"), cases),
    ]
    readme = HERE / "README.md"
    before, _, rest = readme.read_text(encoding="utf-8").partition(BEGIN)
    tables = "\n\n".join(parts)
    with written_whole(readme) as partial:
        partial.write_text(
            f"{before}{BEGIN}\n{tables}\n\n{END}{rest.partition(END)[2]}", encoding="utf-8"
        )
    write_chart(chart(cases), HERE / "encoder.svg")


if __name__ == "__main__":
    main()
