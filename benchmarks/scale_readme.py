"""Write the tables of scale.csv and stream.csv into README.md, and draw growth.svg.

    python benchmarks/scale_readme.py

Tables, ratios and projected numbers stand between marks of README.md; the rest is written by hand.
"""

import csv
from itertools import pairwise
from pathlib import Path

HERE = Path(__file__).parents[1] / "results" / "scale"
MARKS = (
    ("<!-- from scale.csv: what was measured -->\n", "<!-- by hand -->\n"),
    ("<!-- from scale.csv: what follows -->\n", "<!-- by hand again -->\n"),
    ("<!-- from stream.csv -->\n", "<!-- the end of stream.csv -->\n"),
)
NAMES = {
    "memory": "in memory",
    "stream": "stream",
    "dask1": "Dask, 1 worker",
    "dask2": "Dask, 2 workers",
}
COLUMNS = {
    "count_cpu_s": "counting, CPU s",
    "total_cpu_s": "all, CPU s",
    "count_wall_s": "counting, s",
    "sample_wall_s": "drawing, s",
    "total_wall_s": "all, s",
    "peak_mib": "peak MiB",
    "worker_peak_mib": "worker's peak MiB",
    "client_mb": "MB to the client",
}

STREAM_NAMES = {
    "train": "train --negatives 200000",
    "train-dask2": "the same, Dask, 2 workers",
    "train-frame2": "the same, a Dask frame, 2 workers",
    "predict": "predict",
    "predict-dask1": "the same, Dask, 1 worker",
    "predict-dask2": "the same, Dask, 2 workers",
    "predict-frame2": "the same, a Dask frame, 2 workers",
}
STREAM_COLUMNS = {
    "wall_s": "s",
    "cpu_s": "CPU s",
    "worker_cpu_s": "workers' CPU s",
    "peak_mib": "peak MiB",
    "worker_peak_mib": "worker's peak MiB",
}

Rows = dict[tuple[int, str], dict[str, float]]


def read(path: Path, size: str = "million_tokens") -> Rows:
    """Return the numbers of each size and way."""
    with path.open() as file:
        return {
            (int(row.pop(size)), row.pop("way")): {
                name: float(value) for name, value in row.items() if value
            }
            for row in csv.DictReader(file)
        }


def table(rows: Rows) -> str:
    """Return all sizes and ways as a table."""
    lines = [
        "| million tokens | way | " + " | ".join(COLUMNS.values()) + " |",
        "|---:|---|" + "---:|" * len(COLUMNS),
    ]
    for (millions, way), row in rows.items():
        cells = [_cell(name, row.get(name)) for name in COLUMNS]
        lines.append(f"| {millions} | {NAMES[way]} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(name: str, value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if name.endswith("mib") else f"{value:.2f}"


def ratios(rows: Rows) -> str:
    """Return what the promises are about: growth by ten, and two workers against one."""
    sizes = sorted({millions for millions, _ in rows})
    lines = []
    for small, large in pairwise(sizes):
        parts = [
            f"{NAMES[way]} {rows[large, way]['total_cpu_s'] / rows[small, way]['total_cpu_s']:.1f}"
            for way in NAMES
        ]
        lines.append(
            f"* From {small} to {large} million tokens the processor time of all grows by these "
            f"factors: {', '.join(parts)}."
        )
    one, two = (rows[sizes[-1], way] for way in ("dask1", "dask2"))
    lines.append(
        f"* At {sizes[-1]} million tokens two workers are "
        f"{one['count_wall_s'] / two['count_wall_s']:.2f} times as fast as one in counting, "
        f"{one['sample_wall_s'] / two['sample_wall_s']:.2f} times in drawing and writing synthetic "
        f"rows, {one['total_wall_s'] / two['total_wall_s']:.2f} times in all."
    )
    stored = [row["bytes_per_transition"] for row in rows.values() if "bytes_per_transition" in row]
    lines.append(
        f"* A stored transition takes {min(stored):.1f} to {max(stored):.1f} bytes; the client of "
        f"{sizes[-1]} million tokens receives {two['client_mb']:.1f} MB, counts not among them: "
        "these travel from worker to worker."
    )
    return "\n".join(lines)


def promises(rows: Rows) -> str:
    """Return what was promised, what was measured, and whether it is met."""
    two, one = rows[100, "dask2"], rows[100, "dask1"]
    grown = {
        large: max(
            rows[large, w]["total_cpu_s"] / rows[large // 10, w]["total_cpu_s"] for w in NAMES
        )
        for large in (10, 100)
    }
    memory = max(rows[100, way].get("worker_peak_mib", 0) for way in NAMES)
    memory = max(memory, *(rows[100, way]["peak_mib"] for way in NAMES if way != "memory"))
    stored = max(row.get("bytes_per_transition", 0) for row in rows.values())
    counting, drawing = (one[name] / two[name] for name in ("count_wall_s", "sample_wall_s"))
    checked = [
        ("100 million tokens on two cores, all", "under 180 s", two["total_wall_s"], "s", 180),
        ("memory of a process, stream and Dask", "under 3,072 MiB", memory, "MiB", 3072),
        ("1 to 10 million tokens, slowest growing way", "at most 12", grown[10], "times", 12),
        ("10 to 100 million tokens, slowest growing way", "at most 11", grown[100], "times", 11),
        ("bytes per stored transition", "at most 16", stored, "", 16),
        ("through the client at 100 million tokens", "under 50 MB", two["client_mb"], "MB", 50),
        ("two workers against one, counting", "at least 1.6", -counting, "times", -1.6),
        ("two workers against one, drawing", "at least 1.6", -drawing, "times", -1.6),
    ]
    lines = ["| | promised | measured | |", "|---|---|---:|---|"]
    for what, promised, value, unit, limit in checked:
        met = "met" if value <= limit else "**missed**"
        shown = f"{abs(value):,.0f}" if abs(value) >= 100 else f"{abs(value):.2f}"
        lines.append(f"| {what} | {promised} | {shown} {unit} | {met} |".replace("  ", " "))
    return "\n".join(lines)


def projection(rows: Rows) -> str:
    """Return what ten thousand million tokens would take, by the growth of the last tenfold."""
    small, large, two = rows[10, "stream"], rows[100, "stream"], rows[100, "dask2"]
    seconds = two["total_cpu_s"] * 100
    transitions, words = (
        large[name] * (large[name] / small[name]) ** 2 for name in ("transitions", "words")
    )
    return (
        f"* **Processor time** grows with the tokens: {two['total_cpu_s'] / 100:.2f} microseconds "
        f"each are {seconds:,.0f} core-seconds for a billion documents, "
        f"{seconds / 3600:.1f} core-hours; on 32 workers some {seconds / 32 / 60:.0f} minutes, if "
        "files and disks keep up.\n"
        f"* **Transitions** grow {large['transitions'] / small['transitions']:.1f} times with ten "
        f"times the tokens, to about {transitions / 1e6:,.0f} million, "
        f"{transitions * large['bytes_per_transition'] / 1e9:.1f} GB of counts; **words** "
        f"{large['words'] / small['words']:.1f} times, to about {words / 1e6:.0f} million.\n"
        "* **What dominates** is therefore not the counting but the last sums of the tree, which "
        "hold two such counts and their sum on one worker (about "
        f"{4 * transitions * large['bytes_per_transition'] / 1e9:.0f} GB), and the chain: up to 36 "
        "bytes for each transition out of a word of the rare class, on every worker that draws, at "
        f"most {36 * transitions / 1e9:.1f} GB."
    )


def text(rows: Rows) -> str:
    """Return what stands between the first two marks."""
    return f"\n{table(rows)}\n\n{ratios(rows)}\n\n{promises(rows)}\n\n"


def stream(rows: Rows) -> str:
    """Return what training and predicting take, as a table, and what is to be read from it."""
    lines = [
        "| documents | way | " + " | ".join(STREAM_COLUMNS.values()) + " |",
        "|---:|---|" + "---:|" * len(STREAM_COLUMNS),
    ]
    for (n, way), row in rows.items():
        cells = [f"{row[name]:,.0f}" if name in row else "" for name in STREAM_COLUMNS]
        lines.append(f"| {n:,} | {STREAM_NAMES[way]} | " + " | ".join(cells) + " |")
    small, large = min(n for n, _ in rows), max(n for n, _ in rows)
    peaks = {
        way: " and ".join(f"{rows[n, way]['peak_mib']:,.0f}" for n in (small, large))
        for way in ("predict", "train")
    }
    lines += [
        "",
        f"* Peaks at {small:,} and at {large:,} documents: {peaks['predict']} MiB for `predict`, "
        f"{peaks['train']} MiB for `train`.",
        f"* `predict` takes {1e6 * rows[large, 'predict']['cpu_s'] / large:.0f} microseconds of "
        "processor time per document.",
    ]
    compared = [
        n for n in (small, large) if {(n, f"predict-dask{k}") for k in (1, 2)} <= rows.keys()
    ]
    lines += [
        f"* At {n:,} documents, two workers take {_ratio(rows, n, 'worker_cpu_s', 2, 1):.2f} times "
        f"the processor time of one, and are {_ratio(rows, n, 'wall_s', 1, 2):.2f} times as fast."
        for n in compared
    ]
    return "\n".join(lines)


def _ratio(rows: Rows, n: int, name: str, above: int, below: int) -> float:
    """Return a number of some workers that predict, over that of others."""
    return rows[n, f"predict-dask{above}"][name] / rows[n, f"predict-dask{below}"][name]


def draw(rows: Rows, path: Path) -> None:
    """Draw time and memory against tokens."""
    import altair as alt

    from imbtext.charts import PALETTE, write_chart

    values = []
    for (millions, way), row in rows.items():
        memory = row.get("worker_peak_mib", row["peak_mib"])
        values += [
            {"tokens": millions, "way": NAMES[way], "what": what, "value": value}
            for what, value in (
                ("seconds for all", row["total_wall_s"]),
                ("peak memory of a process, MiB", memory),
            )
        ]
    scale = alt.Scale(type="log")
    colour = alt.Color(
        "way:N",
        title=None,
        scale=alt.Scale(domain=list(NAMES.values()), range=PALETTE[: len(NAMES)]),
    )
    charts = [
        alt.Chart(alt.Data(values=[v for v in values if v["what"] == what]))
        .mark_line(point=True)
        .encode(
            x=alt.X("tokens:Q", scale=scale, title="million tokens"),
            y=alt.Y("value:Q", scale=scale, title=what),
            color=colour,
        )
        .properties(width=300, height=260)
        for what in dict.fromkeys(v["what"] for v in values)
    ]
    write_chart(alt.hconcat(*charts), path)


def main() -> None:
    """Do it."""
    rows = read(HERE / "scale.csv")
    readme = HERE / "README.md"
    written = readme.read_text()
    streamed = stream(read(HERE / "stream.csv", "documents"))
    parts = (text(rows), f"\n{projection(rows)}\n", f"\n{streamed}\n\n")
    for (begin, end), part in zip(MARKS, parts, strict=True):
        before, _, rest = written.partition(begin)
        _, _, after = rest.partition(end)
        written = f"{before}{begin}{part}{end}{after}"
    readme.write_text(written)
    draw(rows, HERE / "growth.svg")


if __name__ == "__main__":
    main()
