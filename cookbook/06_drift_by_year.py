"""
A model that drifts by year
===========================

**The job.** The model was trained on the past. Each year, is it still good, and what changed?

**The data.** Invented support tickets (:download:`tickets.py <../../cookbook/tickets.py>`). From 2026 on,
a trick spreads that the model has never seen.
"""

from datetime import date

import matplotlib.pyplot as plt
import polars as pl
from tickets import made_tickets

from imbtext import RareTextClassifier


def year(number, share_of_new_trick):
    rows = made_tickets(
        2500, seed=number, first=date(number, 1, 1), days=365, new_trick=share_of_new_trick
    )
    table = pl.DataFrame(rows).with_columns(pl.col("fraud").str.strip_chars().str.to_lowercase())
    return table.filter(pl.col("fraud") != "")


past = year(2024, 0.0)
model = RareTextClassifier(text=["subject", "body"], pos_label="yes", random_state=0)
model.fit(past, past["fraud"])
promised = model.expectation_[0].recall
print("\n".join(model.expectation_[0].sentences()))

# %%
# Year after year
# ---------------
years = {2025: 0.0, 2026: 0.4, 2027: 0.7, 2028: 1.0}
kept = []
for number, share in years.items():
    table = year(number, share)
    checked = model.check(table, table["fraud"])
    decisions = model.predict(table) == "yes"
    kept.append(decisions[(table["fraud"] == "yes").to_numpy()].mean())
    words = ", ".join(change.word for change in checked.rose[:4]) or "none"
    print(f"{number}: drifted {checked.drifted}, finds {kept[-1]:.0%}; words that rose: {words}")

# %%
# Promised and kept
# -----------------
figure, axis = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
axis.axhspan(promised.lower, promised.upper, alpha=0.25, label="promised")
axis.plot([str(number) for number in years], kept, "o-", color="tab:orange", label="kept")
axis.set(ylim=(0, 1), ylabel="share of the fraud that is found")
axis.legend()
plt.show()

# %%
# What was learnt
# ---------------
# As long as nothing changes, the model keeps its promise. As the trick spreads, it finds fewer
# reports. A hundred reports a year cannot tell 70% from 80%, so the check stays silent at first: it
# calls a drift only when it is sure. Then the words that rose say why. Train again with new labels,
# and with ``time=``, so that the promise itself takes change into account.
