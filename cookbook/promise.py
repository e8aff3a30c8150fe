"""Learn from the tickets of January to April, and see in May whether the model keeps its promise.

    python promise.py clean.csv

clean.csv has the tickets that tickets.py writes, with the labels fraud and other in the column
topic. It is beside the report that the first page of the documentation shows.
"""

import sys

import polars as pl

from imbtext import RareTextClassifier

table = pl.read_csv(sys.argv[1])
in_may = pl.col("opened") >= "2025-05-01"
known, may = (table.filter(is_part) for is_part in (~in_may, in_may))
model = RareTextClassifier(text=["subject", "body"], pos_label="fraud", random_state=0)
expected = model.fit(known, known["topic"]).expectation_[0]
is_alarm = pl.Series(list(model.predict(may))) == "fraud"
is_fraud = may["topic"] == "fraud"
n_alarms, n_fraud, n_both = is_alarm.sum(), is_fraud.sum(), (is_alarm & is_fraud).sum()
kept = [
    interval.lower <= share <= interval.upper
    for interval, share in (
        (expected.recall, n_both / n_fraud),
        (expected.precision, n_both / n_alarms),
    )
]
print(*expected.sentences()[:2], sep="\n")
print(
    f"it found {n_both} of {n_fraud} ({n_both / n_fraud:.0%}), and {n_both} of {n_alarms} alarms "
    f"were right ({n_both / n_alarms:.0%}): {'both' if all(kept) else 'not both'} as promised."
)
