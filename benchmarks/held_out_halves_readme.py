"""Write the tables of held_out_halves.csv into README.md, and draw the chart of the front page.

    python benchmarks/held_out_halves_readme.py

Tables and numbers stand between marks of README.md; the rest is written by hand.
"""

from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from imbtext.charts import PALETTE, write_chart
from imbtext.writing import written_whole

HERE = Path(__file__).parents[1] / "results" / "held_out_halves"
BEGIN, END = "<!-- from held_out_halves.csv -->\n", "<!-- by hand -->\n"
RARE, PEER = "RareTextClassifier", "LinearSVC, words and characters, tuned"
# What one would otherwise use, of the twelve others, in the chart.
CHARTED = {
    RARE: "RareTextClassifier",
    "LinearSVC, words and characters": "tf-idf of words and characters, linear SVM",
    "balanced logistic regression, tuned": "tf-idf, balanced logistic regression, tuned threshold",
    "LinearSVC": "tf-idf, linear SVM",
    "smote": "the same with SMOTE",
}
MEASURES = {"average_precision": "average precision", "f1": "F1", "f2": "F2"}


def set_means(trials: pl.DataFrame) -> pl.DataFrame:
    """Return the mean over classes of each contestant on each data set."""
    return trials.group_by("dataset", "contestant", maintain_order=True).agg(
        pl.col(*MEASURES).mean(), pl.col("training_cpu_s").mean()
    )


def table(trials: pl.DataFrame, means: pl.DataFrame) -> str:
    """Return RareTextClassifier beside the best of the others, data set by data set."""
    lines = [
        "| data set | documents | characters | training documents of the classes | "
        + " | ".join(MEASURES.values())
        + " |",
        "|---|---:|---:|---|---|---|---|",
    ]
    for (title,), part in trials.group_by("dataset", maintain_order=True):
        classes = part.filter(pl.col("contestant") == RARE)
        of_set = means.filter(pl.col("dataset") == title)
        cells = [_cell(of_set, measure) for measure in MEASURES]
        sizes = ", ".join(map(str, classes["n_training"].to_list()))
        lines.append(
            f"| {title} | {part['n_documents'][0]:,} | {part['median_characters'][0]:,} | "
            f"{sizes} | {' | '.join(cells)} |"
        )
    return "\n".join(lines)


def _cell(means: pl.DataFrame, measure: str) -> str:
    ours, best = _ours_and_best(means, measure)
    shown = f"**{ours:.3f}**" if ours >= best else f"{ours:.3f}"
    return f"{shown} / {best:.3f}"


def _ours_and_best(means: pl.DataFrame, measure: str) -> tuple[float, float]:
    is_ours = pl.col("contestant") == RARE
    return means.filter(is_ours)[measure].item(), float(means.filter(~is_ours)[measure].max())  # type: ignore[arg-type]


def wins(means: pl.DataFrame) -> str:
    """Return on how many data sets nothing is better."""
    sets = [part for _, part in means.group_by("dataset", maintain_order=True)]
    counts = []
    for measure, title in MEASURES.items():
        n = sum(ours >= best for ours, best in (_ours_and_best(part, measure) for part in sets))
        counts.append(f"{n} of the {len(sets)}{'' if counts else ' sets'} by {title}")
    *first, last = counts
    return f"It is the best of all on {', on '.join(first)} and on {last}."


def times(means: pl.DataFrame) -> dict[str, float]:
    """Return training times relative to RareTextClassifier's, geometric means over data sets."""
    ours = means.filter(pl.col("contestant") == RARE).select("dataset", ours="training_cpu_s")
    ratios = means.join(ours, on="dataset").group_by("contestant", maintain_order=True)
    table = ratios.agg((pl.col("training_cpu_s") / pl.col("ours")).log().mean().exp())
    return dict(table.iter_rows())


def next_best(means: pl.DataFrame) -> str:
    """Return the means over all data sets, beside those of the strongest peer."""
    of_both = means.group_by("contestant").agg(pl.col(*MEASURES).mean())
    ours, theirs = (of_both.filter(pl.col("contestant") == name) for name in (RARE, PEER))
    parts = [
        f"{ours[measure].item():.3f} and {theirs[measure].item():.3f} by {title}"
        for measure, title in MEASURES.items()
    ]
    return (
        "The strongest of the others is `LinearSVC` on words and characters with a tuned "
        f"threshold. The means over all sets, ours and its, are {'; '.join(parts)}."
    )


def apart(means: pl.DataFrame) -> str:
    """Return how far ours is from the strongest peer, with intervals over sources."""
    source = pl.col("dataset").str.replace(",.*", "").str.replace(" by .*", "")
    of_sources = means.group_by("contestant", source=source).agg(pl.col(*MEASURES).mean())
    ours, theirs = (of_sources.filter(contestant=name).sort("source") for name in (RARE, PEER))
    parts = []
    for measure, title in MEASURES.items():
        gain = (ours[measure] - theirs[measure]).to_numpy()
        drawn = np.random.default_rng(0).choice(gain, (10_000, len(gain))).mean(axis=1)
        low, high = np.quantile(drawn, [0.025, 0.975])
        won = f"ahead on {(gain > 0).sum()}"
        parts.append(f"{gain.mean():+.3f} ({low:+.3f} to {high:+.3f}; {won}) by {title}")
    return (
        f"The sets come from {len(ours)} sources. Over these, ours less its is {', '.join(parts)}; "
        "in parentheses are 95% intervals by a bootstrap over sources, and on how many sources "
        "ours is ahead."
    )


def ratios(means: pl.DataFrame) -> str:
    """Return the training times in words."""
    parts = [
        f"{name} {ratio:.2f}"
        for name, ratio in sorted(times(means).items(), key=lambda item: item[1])
        if name != RARE
    ]
    return (
        "Training time of the others (processor time; RareTextClassifier takes 1; geometric mean "
        f"over the sets): {'; '.join(parts)}."
    )


def chart(means: pl.DataFrame) -> Any:
    """Return quality by data set, and training time, beside what one would otherwise use."""
    rows = means.filter(pl.col("contestant").is_in(list(CHARTED)))
    values = [
        {
            "dataset": row["dataset"],
            "contestant": CHARTED[row["contestant"]],
            "average precision": row["average_precision"],
        }
        for row in rows.iter_rows(named=True)
    ]
    names = list(CHARTED.values())
    colour = alt.Color(
        "contestant:N",
        title=None,
        scale=alt.Scale(domain=names, range=list(PALETTE[: len(names)])),
        legend=alt.Legend(orient="top", columns=2, labelLimit=400),
    )
    ours = means.filter(pl.col("contestant") == RARE).sort("average_precision", descending=True)
    quality = (
        alt.Chart(alt.Data(values=values))
        .mark_point(filled=True, size=70, opacity=0.9)
        .encode(
            x=alt.X("average precision:Q", title="average precision (higher is better)"),
            y=alt.Y("dataset:N", title=None, sort=ours["dataset"].to_list()),
            color=colour,
            shape=alt.Shape("contestant:N", title=None, scale=alt.Scale(domain=names)),
        )
        .properties(width=380, height=330)
    )
    relative = times(means)
    bars = [{"contestant": CHARTED[name], "time": relative[name]} for name in CHARTED]
    speed = (
        alt.Chart(alt.Data(values=bars))
        .mark_bar()
        .encode(
            x=alt.X("time:Q", title="training time (RareTextClassifier = 1)"),
            y=alt.Y("contestant:N", title=None, sort=names, axis=None),
            color=colour,
        )
        .properties(width=200, height=330)
    )
    return alt.hconcat(quality, speed)


def main() -> None:
    """Do it."""
    trials = pl.read_csv(HERE / "held_out_halves.csv")
    means = set_means(trials)
    readme = HERE / "README.md"
    before, _, rest = readme.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    said = f"{wins(means)} {next_best(means)}\n{apart(means)}\n{ratios(means)}"
    tables = f"\n{table(trials, means)}\n\n{said}\n\n"
    with written_whole(readme) as partial:
        partial.write_text(f"{before}{BEGIN}{tables}{END}{after}", encoding="utf-8")
    write_chart(chart(means), HERE / "held_out_halves.svg")


if __name__ == "__main__":
    main()
