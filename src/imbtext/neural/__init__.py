"""Networks on PyTorch: the paper's LSTM classifier, and generators of documents.

It comes with the extra ``neural``, or with ``pip install torch``. Without PyTorch, only this
subpackage cannot be imported; the error names the command that installs it.
"""

from typing import TYPE_CHECKING

from imbtext._extras import require
from imbtext._names import no_attribute

require("torch", extra="neural")

from imbtext.neural._device import choose_device  # noqa: E402
from imbtext.neural._embeddings import (  # noqa: E402
    DuplicateWordWarning,
    Embedding,
    LowCoverageWarning,
    load_embedding,
)
from imbtext.neural._lstm import LSTMClassifier  # noqa: E402
from imbtext.neural._sequences import common_length, padded  # noqa: E402
from imbtext.neural._side_by_side import predict_side_by_side  # noqa: E402
from imbtext.neural.generation._language_model_sampler import (  # noqa: E402
    LanguageModelSampler,
)
from imbtext.neural.generation._seqgan import SeqGAN  # noqa: E402

__all__ = [
    "DuplicateWordWarning",
    "Embedding",
    "LSTMClassifier",
    "LanguageModelSampler",
    "LowCoverageWarning",
    "SeqGAN",
    "choose_device",
    "common_length",
    "load_embedding",
    "padded",
    "predict_side_by_side",
]

if not TYPE_CHECKING:  # types know the names that exist
    __getattr__ = no_attribute(__name__)
