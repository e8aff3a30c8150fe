"""
Lists, arrays, pandas, Polars, Arrow
====================================

Pass documents in any of these containers, and you get the same kind back. Token lists stay token
lists.
"""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from imbtext import EMCO
from imbtext.datasets import load_docstrings

docstrings = load_docstrings()
rows = [
    i for i, c in enumerate(docstrings.labels) if c in ("numpy.fft", "scipy.fft", "numpy.linalg")
]
texts = [docstrings.texts[i] for i in rows]
labels = [docstrings.labels[i] for i in rows]

containers = {
    "list": texts,
    "NumPy array": np.array(texts, dtype=object),
    "pandas Series": pd.Series(texts, name="body"),
    "Polars Series": pl.Series("body", texts),
    "Arrow array": pa.array(texts),
    "token lists": [text.split() for text in texts],
}
counts = {}
for name, documents in containers.items():
    emco = EMCO(random_state=0)
    resampled, _ = emco.fit_resample(documents, labels)
    counts[name] = (len(texts), int(emco.is_synthetic_.sum()))
    print(f"{name:14} gives {type(resampled).__module__.split('.')[0]}.{type(resampled).__name__}")

# %%
# The same seed gives the same documents, whatever the container.
import matplotlib.pyplot as plt

figure, axis = plt.subplots(figsize=(7, 3), layout="constrained")
names = list(counts)
axis.barh(names, [old for old, _ in counts.values()], label="originals")
axis.barh(
    names,
    [new for _, new in counts.values()],
    left=[old for old, _ in counts.values()],
    label="synthetic",
)
axis.invert_yaxis()
axis.legend(loc="lower right")
axis.set_xlabel("documents")
plt.show()
