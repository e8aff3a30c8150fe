"""What the paper published: its tables and the numbers in its text (arXiv 2509.02332).

The tables of results are tidy data frames with the columns metric, dataset, text, frequency, ratio,
method and value. The data set ``huffpost`` is the whole set, ``huffpost-5fold`` the rows that the
paper marks with a star. A cell the paper leaves empty (DRO on the whole HuffPost set) has no value.
"""

from importlib.resources import files
from io import BytesIO
from typing import Final, Literal

import polars as pl

from imbtext.markov import HeapsLaw

KEY: Final = ("metric", "dataset", "text", "frequency", "ratio", "method")
DATASET_TABLE: Final = pl.DataFrame(
    [
        ("reuters", "titles", 5.9, 0.047),
        ("reuters", "full", 80.3, 0.100),
        ("huffpost", "titles", 6.5, 0.206),
        ("huffpost", "full", 18.3, 0.238),
        ("20newsgroups", "full", 108.7, 0.263),
    ],
    ["dataset", "text", "published_mean_length", "published_minority_vocabulary_share"],
    orient="row",
)
# Reuters titles, ratio 20%; of new words their mean number.
SYNTHETIC_VOCABULARY: Final = pl.DataFrame(
    [
        ("EMCO(1)", 0.57, 0.80, 0.69, 465.68),
        ("EMCO(0.1)", 0.55, 0.81, 0.68, 435.85),
        ("EDA", 0.09, 0.97, 0.53, 71.55),
        ("DECOM", 0.93, 0.10, 0.51, 2040.21),
    ],
    [
        "method",
        *(f"{name}_published" for name in ("recall", "tnr", "balanced_accuracy", "new_words")),
    ],
    orient="row",
)
# Fitted by the paper on Reuters.
HEAPS: Final = HeapsLaw(k=63.0, theta=0.378)
# Figure 1: the vocabulary of "trade" headlines from half to all of them.
TRADE: Final = {"new words": 211, "familiar ones": 156}


def published_cells(classifier: Literal["svm", "lstm"]) -> pl.DataFrame:
    """Return the tables for a classifier: the linear SVM's 1,320 cells, or the LSTM's 60.

    24 cells of the SVM are empty; so is the ratio where nothing is oversampled for the LSTM.

    Examples
    --------
    >>> published_cells("svm").shape, published_cells("svm")["value"].null_count()
    ((1320, 7), 24)
    >>> published_cells("lstm").shape
    (60, 7)
    """
    content = files("paper").joinpath(f"published_{classifier}.csv").read_bytes()
    return pl.read_csv(
        BytesIO(content), schema_overrides={"ratio": pl.Float64, "value": pl.Float64}
    )


PUBLISHED_METHODS: Final = tuple(published_cells("svm")["method"].unique(maintain_order=True))
