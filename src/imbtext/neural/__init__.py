"""Generators of documents on PyTorch: an LSTM language model, and SeqGAN.

It comes with the extra ``neural``, or with ``pip install torch``. Without PyTorch, only this
subpackage cannot be imported; the error names the command that installs it. The networks and their
training need torch and NumPy only, so that a GPU machine without anything else can run them; the
samplers are thin shells around them.
"""

from typing import TYPE_CHECKING

from imbtext._extras import require
from imbtext._names import no_attribute

require("torch", extra="neural")

from imbtext.neural._language_model_sampler import LanguageModelSampler, padded  # noqa: E402
from imbtext.neural._seqgan import SeqGAN  # noqa: E402
from imbtext.neural.device import choose_device  # noqa: E402

__all__ = [
    "LanguageModelSampler",
    "SeqGAN",
    "choose_device",
    "padded",
]

if not TYPE_CHECKING:  # types know the names that exist
    __getattr__ = no_attribute(__name__)
