"""A sentence encoder in a comparison: when it runs, what it costs and adds.

If the extra ``encoder`` is installed, `RareTextClassifier` runs by default with and without an
encoder, as long as the texts are encoded within about a minute. Texts are encoded before any method
runs, so that each is encoded once and the time is measured apart.
"""

import time
from collections.abc import Sequence
from typing import Final

from imbtext.comparison._choice import Evidence
from imbtext.comparison._settings import deciding_metric, default_methods
from imbtext.documents._documents import Documents
from imbtext.features.encoders import get_encoders, is_installed
from imbtext.methods._registry import get_method
from imbtext.rare._mixture import vectors_of_meaning

# Processor seconds for a character, and how many of a text are read: see results/encoder.
_SECONDS: Final = 7e-5
_MOST_READ: Final = 1200
_MOST_SECONDS: Final = 60.0
_ENGLISH: Final = "english"


def methods_by_default(metric: str, documents: Documents, language: str | None) -> list[str]:
    """Return the methods that run unasked: with an encoder, if it is installed and quick."""
    methods = default_methods(metric, texts=not documents.is_tokens)
    encoder = "minilm" if language == _ENGLISH else "use"
    if documents.is_tokens or not is_installed(encoder):
        return methods
    seconds = _SECONDS * sum(min(len(text), _MOST_READ) for text in documents.strings())
    return [*methods, f"rare(encoder={encoder})"] if seconds <= _MOST_SECONDS else methods


def encode_ahead(methods: Sequence[str], documents: Documents, *, verbose: bool) -> list[str]:
    """Encode all texts for the methods that need it, and return notes on what it cost."""
    names = [get_method(method).parameters.get("encoder") for method in methods]
    notes = []
    for name in dict.fromkeys(filter(None, names)):
        encoders = [one for one in get_encoders(name) if one.digest is not None]
        if encoders:
            start = time.perf_counter()
            suited = [one.suited_to(documents) for one in encoders]
            vectors_of_meaning(suited, documents, verbose=verbose)
            seconds = time.perf_counter() - start
            n_texts = len(set(documents.strings()))
            notes.append(
                f"It took {seconds:,.0f} seconds to encode {n_texts:,} texts with {name}, or to "
                "find their vectors of an earlier run."
            )
    return notes


def what_meaning_adds(evidence: Evidence, metric: str) -> str:
    """Say how much better methods with an encoder are than the same without one."""
    sentences = []
    for method in evidence.methods:
        definition = get_method(method)
        encoder = definition.parameters.get("encoder")
        twin = _without_encoder(method, evidence.methods)
        if encoder is None or twin is None:
            continue
        gain = evidence.mean(metric, method) - evidence.mean(metric, twin)
        test = evidence.test(metric, method, twin)
        title, interval = deciding_metric(metric).title, ""
        if test is not None and test["lower"] == test["lower"]:
            interval = f" (95% interval {test['lower']:+.3f} to {test['upper']:+.3f})"
        sentences.append(
            f"Reading what texts mean, with the encoder {encoder}, adds {gain:+.3f} to "
            f"{title} of RareTextClassifier{interval}."
        )
    return " ".join(sentences)


def _without_encoder(method: str, methods: Sequence[str]) -> str | None:
    """Return the method that differs only in having no encoder, if it was compared."""
    definition = get_method(method)
    for other in methods:
        one = get_method(other)
        if one.family == definition.family and dict(one.parameters) == {
            **definition.parameters,
            "encoder": None,
        }:
            return other
    return None
