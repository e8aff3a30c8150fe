"""A neural classifier for the oversampled documents: the paper's LSTM, on PyTorch.

It comes with the extra ``neural``: ``pip install 'imbalanced-text[neural]'``. Without PyTorch this
subpackage alone refuses to be imported, and says so.
"""

from imbtext._extras import require

require("torch", extra="neural")

from imbtext.neural._embeddings import (  # noqa: E402
    DuplicateWordWarning,
    Embedding,
    LowCoverageWarning,
    load_embedding,
)
from imbtext.neural._lstm import LSTMClassifier  # noqa: E402

__all__ = [
    "DuplicateWordWarning",
    "Embedding",
    "LSTMClassifier",
    "LowCoverageWarning",
    "load_embedding",
]
