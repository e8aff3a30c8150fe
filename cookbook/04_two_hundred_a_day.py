"""
Two hundred alarms a day
========================

**The job.** 3,000 tickets arrive every day, and the team can read 200. Which 200, and what do they
miss?

**The data.** Invented support tickets (:download:`tickets.py <../../cookbook/tickets.py>`); 4 in 100
report fraud.
"""

import matplotlib.pyplot as plt
import polars as pl
from tickets import made_tickets

from imbtext import RareTextClassifier


def read(number, seed):
    table = pl.DataFrame(made_tickets(number, seed=seed))
    table = table.with_columns(pl.col("fraud").str.strip_chars().str.to_lowercase())
    return table.filter(pl.col("fraud") != "")


past, today = read(3000, seed=0), read(3500, seed=7)
model = RareTextClassifier(text=["subject", "body"], pos_label="yes", random_state=0)
model = model.fit(past, past["fraud"])

# %%
# The threshold follows the capacity
# ----------------------------------
capacity = model.at(alarms=200, of=today)
print("\n".join(capacity.expectation_[0].sentences()))
alarms = today.filter(pl.Series(capacity.predict(today) == "yes"))
print(f"{len(alarms)} to read, {(alarms['fraud'] == 'yes').sum()} of them are fraud, of "
      f"{(today['fraud'] == 'yes').sum()} today")  # fmt: skip

# %%
# What another reader would bring
# -------------------------------
# With the labels of a past day, the curve shows whether more reading is worth it.
order = today.with_columns(score=pl.Series(model.predictions(today).score))
order = order.sort("score", descending=True)
found = (order["fraud"] == "yes").cum_sum()
figure, axis = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
axis.plot(range(1, 601), found.head(600))
axis.axvline(200, color="tab:orange", linestyle="--", label="what the team can read")
axis.axhline(found[-1], color="lightgrey", label="all fraud of the day")
axis.set(xlabel="tickets read, the likeliest first", ylabel="fraud reports found")
axis.legend()
plt.show()

# %%
# What was learnt
# ---------------
# The curve is steep, then flat: a hundred tickets bring most of the fraud, and the second hundred
# little more. Reports that say nothing ("please look at my account") stay hidden, and no threshold
# finds them. On the command line: ``imbtext predict fraud.model today.csv --alarms 200 --top 200``.
