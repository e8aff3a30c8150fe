"""
Oversampling on a Dask cluster
==============================

EMCO's counts add up, so a corpus can be counted where it lies: each worker counts its partitions,
the counts are merged, and the workers write the synthetic rows. The rows are the same as
on one machine, whatever the partitions. Here the cluster is two worker processes; give a
scheduler's address instead to use a real one.
"""

import logging
from pathlib import Path
from tempfile import TemporaryDirectory

import dask.dataframe as dd
import matplotlib.pyplot as plt
import pandas as pd
from dask.distributed import Client, LocalCluster

from imbtext import EMCO, minority_share
from imbtext.datasets import load_docstrings
from imbtext.distributed import fit, oversample

docstrings = load_docstrings()
table = pd.DataFrame({"body": docstrings.texts, "topic": docstrings.labels}).astype(str)
table["topic"] = table["topic"].where(table["topic"] == "scipy.integrate", "other")
folder = TemporaryDirectory()
for i, start in enumerate(range(0, len(table), 500)):
    table[start : start + 500].to_parquet(Path(folder.name) / f"{i}.parquet")
sampler = EMCO(gamma=0.1, sampling_strategy=minority_share(0.2), random_state=0)

# %%
# Worker processes import the script that starts them. So the part that starts them is guarded, as
# it is with Python's own multiprocessing.
if __name__ == "__main__":
    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,
            env={"POLARS_MAX_THREADS": "1"},
        ) as cluster,
        Client(cluster),
    ):
        frame = dd.read_parquet(folder.name)
        longer = oversample(frame, text="body", label="topic", sampler=sampler)
        rows = longer.compute()
        sizes = longer.map_partitions(len).compute()
        chains = fit(frame, text="body", label="topic", sampler=sampler)

    on_one_machine, _ = sampler.fit_resample(table["body"].tolist(), table["topic"].tolist())
    print("the same documents as on one machine:", rows["body"].tolist() == on_one_machine)
    print(rows["topic"].value_counts().to_string())

# %%
# The original partitions come first, the synthetic ones behind them.
if __name__ == "__main__":
    figure, axis = plt.subplots(figsize=(6.4, 3), layout="constrained")
    colours = ["tab:blue"] * frame.npartitions + ["tab:orange"] * frame.npartitions
    axis.bar(range(1, len(sizes) + 1), sizes, color=colours)
    axis.set(xlabel="partition (blue: original, orange: synthetic)", ylabel="rows")
    plt.show()

# %%
# ``fit`` brings the counts home, and with them a sampler like any other.
if __name__ == "__main__":
    print(" ".join(chains.sample(1, label="scipy.integrate")[0].split()[:25]))
