"""Write what scale.csv tells into README.md, and draw growth.svg.

    python results/scale/write_growth.py

The table and the ratios stand between two marks of README.md; the rest of it is written by hand.
"""

import csv
from itertools import pairwise
from pathlib import Path

HERE = Path(__file__).parent
MARKS = ("<!-- from scale.csv -->\n", "<!-- by hand -->\n")
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

Rows = dict[tuple[int, str], dict[str, float]]


def read(path: Path) -> Rows:
    """Return the numbers of each size and way."""
    with path.open() as file:
        return {
            (int(row.pop("million_tokens")), row.pop("way")): {
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


def text(rows: Rows) -> str:
    """Return what stands between the marks."""
    return f"\n{table(rows)}\n\n{ratios(rows)}\n\n"


def draw(rows: Rows, path: Path) -> None:
    """Draw time and memory against tokens."""
    import altair as alt

    from imbtext.reporting.charts import PALETTE, write_chart

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
    before, _, rest = readme.read_text().partition(MARKS[0])
    _, _, after = rest.partition(MARKS[1])
    readme.write_text(f"{before}{MARKS[0]}{text(rows)}{MARKS[1]}{after}")
    draw(rows, HERE / "growth.svg")


if __name__ == "__main__":
    main()
