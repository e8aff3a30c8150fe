"""Write README.md: what was found, in words from findings.md, with its numbers.

``python -m paper all --out paper/results`` comes first, then ``python -m
paper.write_readme``. A cell further than 0.02 from the published value must have an
explanation in explanations.csv (columns metric, dataset, text, frequency, ratio, method,
explanation; an empty field stands for any), or nothing is written.
"""

from pathlib import Path

import polars as pl

from imbtext.writing import written_whole
from paper.experiments import ROW_TITLES

HERE = Path(__file__).parent / "results"
KEY = ("metric", "dataset", "text", "frequency", "ratio", "method")
LIMIT = 0.02


def main() -> None:
    """Fill the numbers into findings.md."""
    cells = pl.read_csv(HERE / "tables.csv")
    text = (HERE / "findings.md").read_text(encoding="utf-8")
    text = text.replace("<!-- closeness -->", closeness(cells))
    text = text.replace("<!-- far off -->", far_off(cells))
    with written_whole(HERE / "README.md") as partial:
        partial.write_text(text, encoding="utf-8")


def closeness(cells: pl.DataFrame) -> str:
    """Return how close each data set and each method came, as two Markdown tables."""
    known = cells.filter(pl.col("published").is_not_null()).with_columns(
        apart=pl.col("difference").abs(),
        row=pl.struct("dataset", "text").map_elements(
            lambda r: ROW_TITLES[r["dataset"], r["text"]].replace("*", r"\*"),
            return_dtype=pl.String,
        ),
    )
    lines: list[str] = []
    for title, column in (("data", "row"), ("method", "method")):
        lines += [f"| {title} | cells | mean absolute difference | within 0.02 | largest |"]
        lines += ["|---|---:|---:|---:|---:|"]
        parts = [(key[0], part) for key, part in known.group_by(column, maintain_order=True)]
        for name, part in [*parts, ("**all**", known)]:
            apart = part["apart"].to_numpy()
            lines.append(
                f"| {name} | {apart.size} | {apart.mean():.4f} | {(apart <= LIMIT).mean():.1%} | "
                f"{apart.max():.3f} |"
            )
        lines.append("")
    return "\n".join(lines)


def far_off(cells: pl.DataFrame) -> str:
    """Return the cells too far from the published value, each with its explanation."""
    off = cells.filter(pl.col("difference").abs() > LIMIT)
    if off.is_empty():
        return "None."
    explanations = pl.read_csv(HERE / "explanations.csv", infer_schema=False)
    lines = ["| cell | ours | published | difference | why |", "|---|---:|---:|---:|---|"]
    for row in off.iter_rows(named=True):
        why = [
            r["explanation"]
            for r in explanations.iter_rows(named=True)
            if all(r[name] in (None, "", str(row[name])) for name in KEY)
        ]
        name = ", ".join(str(row[part]) for part in KEY)
        if not why:
            raise SystemExit(f"no explanation in explanations.csv for the cell {name}")
        lines.append(
            f"| {name} | {row['value']:.3f} | {row['published']:.3f} | {row['difference']:+.3f} | "
            f"{why[0]} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
