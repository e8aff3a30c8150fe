"""The tables of the yardstick as Markdown, and every pair of contestants as CSV."""

from math import isnan
from pathlib import Path

import polars as pl

from runner import contestants
from summary import (
    MEASURES,
    PROMISES,
    SECONDS,
    Difference,
    differences,
    means,
    of_one,
    read_rows,
    whole,
)

OURS, SIZES = "ours", ("3", "5", "10", "20", "50", "all")
BEGIN, END = "<!-- from the rows -->\n", "<!-- by hand -->\n"
SIDES = {
    "no": "Sets on which no constant of ours was chosen",
    "yes": "Sets on whose source constants of ours were chosen",
}


def titles() -> dict[str, str]:
    """Return the titles of contestants, without their packages being here."""
    here = Path(__file__).parent / "contestants"
    found = {}
    for name in contestants():
        line = (here / f"{name}.py").read_text(encoding="utf-8").split("\nTITLE = ")[1]
        found[name] = line.splitlines()[0].strip('"')
    return found


def number(value: float | None, digits: int = 3) -> str:
    """Return a number as tables show it; nothing where there is none."""
    return "" if value is None else f"{value:.{digits}f}"


def markdown(head: list[str], body: list[list[str]]) -> str:
    """Return a table."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, rule, *body])


def overall(rows: pl.DataFrame) -> str:
    """Return every measure by contestant, the best ranking first."""
    head = ["contestant", *MEASURES.values(), *PROMISES.values(), "processor seconds"]
    found = means(rows).sort("average_precision", descending=True)
    best = {measure: found[measure].max() for measure in MEASURES}
    body = []
    for row in found.iter_rows(named=True):
        cells = [number(row[each]) for each in (*MEASURES, *PROMISES)]
        for place, measure in enumerate(MEASURES):
            if row[measure] == best[measure]:
                cells[place] = f"**{cells[place]}**"
        body.append([titles()[row["contestant"]], *cells, number(row[SECONDS], 2)])
    return markdown(head, body)


def by_size(rows: pl.DataFrame, measure: str) -> str:
    """Return one measure by contestant and number of documents of the class."""
    wide = means(rows, ("size",)).pivot("size", index="contestant", values=measure)
    there = [size for size in SIZES if size in wide.columns]
    order = means(rows).sort(measure, descending=True)["contestant"].to_list()
    body = [
        [titles()[name], *(number(wide.filter(contestant=name)[size].item()) for size in there)]
        for name in order
    ]
    return markdown([f"{MEASURES[measure]} with", *there], body)


def against(rows: pl.DataFrame, name: str) -> str:
    """Return what one contestant reaches more than each other, with intervals over sources."""
    of_measure = {
        measure: {each.second: each for each in of_one([*differences(rows, measure)], name)}
        for measure in ("average_precision", "f1", "f2")
    }
    others = sorted(
        of_measure["average_precision"].values(), key=lambda difference: difference.mean
    )
    body = [
        [titles()[other.second], *(shown(of_one_[other.second]) for of_one_ in of_measure.values())]
        for other in others
    ]
    head = [f"{titles()[name]} less", *(MEASURES[measure] for measure in of_measure)]
    return markdown(head, body)


def shown(found: Difference) -> str:
    """Return a difference as tables show it."""
    interval = "" if isnan(found.low) else f" ({found.low:+.3f} to {found.high:+.3f})"
    return f"{found.mean:+.3f}{interval}, {found.n_won} of {found.n_sources}"


def written(rows: pl.DataFrame) -> str:
    """Return the tables of all sides that have rows."""
    parts = []
    for constants, title in SIDES.items():
        side, begun = whole(rows.filter(constants=constants))
        if not side.height:
            continue
        names = side.select("set").unique(maintain_order=True).to_series().to_list()
        parts += [f"## {title}", f"{', '.join(names)}."]
        if begun:
            named = ", ".join(titles()[name] for name in begun)
            parts.append(f"Left out, because they have not run on every class: {named}.")
        parts.append(overall(side))
        parts += [by_size(side, "average_precision"), by_size(side, "f2")]
        for name in (OURS, "ours_encoder"):
            if name in set(side["contestant"]):
                parts.append(against(side, name))
    return "\n\n".join(parts)


def write_tables(out: Path) -> None:
    """Write the tables into OUT/README.md, between its marks, and all pairs into pairs.csv."""
    rows, readme = read_rows(out), out / "README.md"
    old = readme.read_text(encoding="utf-8") if readme.exists() else f"{BEGIN}{END}"
    before, _, rest = old.partition(BEGIN)
    after = rest.partition(END)[2]
    text = f"{before}{BEGIN}\n{written(rows)}\n\n{END}{after}"
    readme.write_text(text, encoding="utf-8")
    pairs = [
        {"constants": constants, **each._asdict()}
        for constants in SIDES
        for measure in MEASURES
        for each in differences(whole(rows.filter(constants=constants))[0], measure)
    ]
    table = pl.DataFrame(pairs).with_columns(pl.col(pl.Float64).round(4).fill_nan(None))
    table.write_csv(out / "pairs.csv")
