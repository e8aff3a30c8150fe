"""
Subject, body and amount
========================

**The job.** A ticket is a row: a subject, a body, an amount, a country. What is each column worth?

**The data.** Invented support tickets (:download:`tickets.py <../../cookbook/tickets.py>`). Fraud involves
larger amounts, and 4 in 10 rows have no amount. The country means nothing.

This page needs skrub for the columns beside the text (``pip install '.[tables]'``).
"""

import matplotlib.pyplot as plt
import polars as pl
from sklearn.metrics import average_precision_score
from tickets import made_tickets

from imbtext import RareTextClassifier


def read(seed):
    table = pl.DataFrame(made_tickets(3000, seed=seed)).with_columns(
        pl.col("fraud").str.strip_chars().str.to_lowercase(),
        pl.col("amount").cast(pl.Float64, strict=False),
    )
    return table.filter(pl.col("fraud") != "")


past, new = read(0), read(8)
kinds = {
    "subject": {"text": ["subject"]},
    "body": {"text": ["body"]},
    "subject and body": {"text": ["subject", "body"]},
    "and the amount": {"text": ["subject", "body"], "columns": ["amount"]},
    "and the country": {"text": ["subject", "body"], "columns": ["country"]},
}

# %%
# Average precision on new tickets
# --------------------------------
scores = {}
for name, columns in kinds.items():
    model = RareTextClassifier(**columns, pos_label="yes", random_state=0)
    model.fit(past, past["fraud"])
    scores[name] = average_precision_score(
        (new["fraud"] == "yes").to_list(), model.predictions(new).score
    )
    used = ", ".join(model.columns_) or "none"
    print(f"{name:18} {scores[name]:.3f}   columns beside the text that are used: {used}")

# %%
figure, axis = plt.subplots(figsize=(6.4, 3), layout="constrained")
bars = axis.barh(list(scores)[::-1], list(scores.values())[::-1])
axis.bar_label(bars, fmt="%.2f", padding=3)
axis.set(xlabel="average precision on new tickets", xlim=(0, 1.05))
plt.show()

# %%
# What was learnt
# ---------------
# The body carries the class. A column beside the text stays only if it ranks held-out tickets
# credibly better, so a column that means nothing does no harm: the model leaves it out and says so.
