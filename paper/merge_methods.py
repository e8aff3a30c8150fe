r"""Put some methods' new results in the place of the committed ones; all others stay as they are.

After a change of one method::

    python -m paper reuters-titles ... 20newsgroups --out RUN \
        --methods "svm,emco(0.1),emco(1),NEW"
    python -m paper.merge_methods RUN NEW
    python -m paper.write_readme

The run holds the methods that NEW is tested against, so its own p-values are right; Holm's
correction covers all methods of a row, so it is computed here over all of them.
"""

import sys
from pathlib import Path

import polars as pl

from imbtext.statistics import holm
from imbtext.writing import write_text
from paper.averages import REFERENCES, ROW, in_the_papers_order
from paper.tables import extra_markdown, write_csv

HERE = Path(__file__).parent / "results"


def main() -> None:
    """Merge the methods named on the command line from the folder of a run."""
    run, methods = Path(sys.argv[1]), sys.argv[2:]
    categories = merged("categories.csv", run, methods).sort(
        "dataset", "text", "ratio", "category", "method"
    )
    averages = in_the_papers_order(merged("averages.csv", run, methods))
    compared = in_the_papers_order(corrected(merged("comparisons.csv", run, methods)))
    write_csv(categories, HERE / "categories.csv")
    write_csv(averages, HERE / "averages.csv")
    write_csv(compared, HERE / "comparisons.csv")
    signature = (HERE / "signature.txt").read_text(encoding="utf-8").strip()
    write_text(extra_markdown(averages, compared, signature), HERE / "extra.md")


def merged(name: str, run: Path, methods: list[str]) -> pl.DataFrame:
    """Return a committed table with the rows of some methods taken from the run."""
    old, new = pl.read_csv(HERE / name), pl.read_csv(run / name)
    is_new = pl.col("method").is_in(methods)
    kept, taken = old.filter(~is_new), new.filter(is_new).select(old.columns).cast(old.schema)
    unlike = old.filter(is_new).height - taken.height
    if unlike:
        raise SystemExit(f"{run / name} lacks {unlike} rows of {', '.join(methods)}")
    return pl.concat([kept, taken])


def corrected(compared: pl.DataFrame) -> pl.DataFrame:
    """Return the tests with Holm's correction over all methods of a row and reference."""
    family = ["metric", *ROW, "reference"]
    places = {reference: i for i, reference in enumerate(REFERENCES)}
    tests = pl.concat(
        [
            group.with_columns(corrected=pl.Series(holm(group["p_value"].to_list())))
            for _, group in compared.group_by(family, maintain_order=True)
        ]
    )
    # p-values are committed with six digits; what only their rounding would change stays.
    moved = (pl.col("corrected") - pl.col("p_holm")).abs() > 1e-5 * pl.col("p_holm")
    new = tests.with_columns(p_holm=pl.when(moved).then("corrected").otherwise("p_holm"))
    return new.drop("corrected").sort(
        pl.col("reference").replace_strict(places, return_dtype=pl.Int64), maintain_order=True
    )


if __name__ == "__main__":
    main()
