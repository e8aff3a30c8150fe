"""Whether RareTextClassifier keeps its word about the future, with `time` and without.

HuffPost headlines by date, all classes under a tenth of the documents. For each year from 2014 to
2018, a model learns from a sample of everything before the year, once with random folds and once
with `time`, and says what to expect. The truth is what it then does with the year that follows.
Printed is, for precision, recall and alarms per thousand, in which share of the cases (class and
year) the future lay in the interval, how wide the intervals were (for alarms, the ratio of upper to
lower) and by how much the mean was wrong (for alarms, the factor). A case needs 20 documents of the
class in the past, and 10 documents and 10 alarms in the year.

How the intervals of `time` are made was chosen on half of the classes, LOOKED_AT; "other classes"
are those that nobody looked at before.

    python benchmarks/time_coverage.py [documents of the past] [first year] [last year]
"""

import sys
from collections import defaultdict

import numpy as np
import polars as pl

from huffpost import huffpost_rows
from imbtext import RareTextClassifier

N_FUTURE = 20_000
LOOKED_AT = [
    "ARTS",
    "BLACK VOICES",
    "COLLEGE",
    "CRIME",
    "DIVORCE",
    "ENTERTAINMENT",
    "FIFTY",
    "GOOD NEWS",
    "HEALTHY LIVING",
    "IMPACT",
    "MEDIA",
    "PARENTS",
    "QUEER VOICES",
    "SCIENCE",
    "STYLE",
    "TECH",
    "TRAVEL",
    "WEIRD NEWS",
    "WORLD NEWS",
]
LEAST_PAST, LEAST_FUTURE, LEAST_ALARMS = 20, 10, 10


def headlines() -> pl.DataFrame:
    day = pl.col("date").cast(pl.String).str.slice(0, 10).str.to_date()
    rows = huffpost_rows()
    return rows.select("headline", "category", date=day).filter(pl.col("headline") != "")


def common(rows: pl.DataFrame, least: int) -> dict[str, int]:
    counts = rows["category"].value_counts().filter(pl.col("count") >= least)
    return dict(counts.iter_rows())


def judge(expected, alarms, is_class):
    """Return, by measure, whether the truth was promised, the width, and the error."""
    found = int((alarms & is_class).sum())
    truths = {
        "precision": (found / alarms.sum(), expected.precision),
        "recall": (found / is_class.sum(), expected.recall),
        "alarms": (1000 * alarms.mean(), expected.alarms),
    }
    for measure, (truth, interval) in truths.items():
        held = interval.lower <= truth <= interval.upper
        if measure == "alarms":
            width = interval.upper / max(interval.lower, 0.1)
            error = np.exp(abs(np.log(truth / max(interval.mean, 0.1))))
        else:
            width, error = interval.upper - interval.lower, abs(truth - interval.mean)
        yield measure, (held, width, error)


def main() -> None:
    n_past, first, last = map(int, [*sys.argv[1:], *["10000", "2014", "2018"][len(sys.argv) - 1 :]])
    rows = headlines()
    cases = defaultdict(list)
    for year in range(first, last + 1):
        past = rows.filter(pl.col("date").dt.year() < year)
        past = past.sample(min(n_past, len(past)), seed=1)
        future = rows.filter(pl.col("date").dt.year() == year)
        future = future.sample(min(N_FUTURE, len(future)), seed=2)
        sizes, later = common(past, LEAST_PAST), common(future, LEAST_FUTURE)
        classes = sorted(c for c in sizes if c in later and sizes[c] < len(past) / 10)
        labels = [{label}.intersection(classes) for label in past["category"]]
        for folds, time in (("random", None), ("time", past["date"])):
            model = RareTextClassifier(random_state=0).fit(past["headline"], labels, time=time)
            put = model.decision_function(future["headline"]) > 0
            for c, label in enumerate(model.classes_):
                is_class = (future["category"] == label).to_numpy()
                if put[:, c].sum() < LEAST_ALARMS:
                    continue
                part = "chosen on" if label in LOOKED_AT else "other classes"
                for measure, case in judge(model.expectation_[c], put[:, c], is_class):
                    cases[part, folds, measure].append(case)
                    cases["all classes", folds, measure].append(case)
        print(f"{year}: {len(past):,} before, {len(future):,} in it, {len(classes)} classes")
    print(f"{'':15}{'folds':8}{'':11}{'cases':>6}{'held':>8}{'width':>8}{'error':>8}")
    for (part, folds, measure), of_cases in sorted(cases.items()):
        held, width, error = np.array(of_cases, float).T
        numbers = f"{held.mean():8.1%}{np.median(width):8.2f}{np.nanmedian(error):8.2f}"
        print(f"{part:15}{folds:8}{measure:11}{len(held):6}{numbers}")


if __name__ == "__main__":
    main()
