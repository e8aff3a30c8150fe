"""The model file: what is needed to score documents, and none of the documents it came from.

The archive of :mod:`imbtext._archive`; what its arrays mean is checked here. Terms are part of the
model, so the words of training documents are in the file, and which words are neighbours in two or
more of them.
"""

import math
import os
from typing import TYPE_CHECKING, Any, Final, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from imbtext._archive import (
    Arrays,
    checked,
    checked_counts,
    checked_numbers,
    label_kind,
    read_archive,
    read_labels,
    read_strings,
    rising,
    string_arrays,
    write_archive,
)
from imbtext.classification._calibration import Calibration
from imbtext.classification._expectation import Expectation
from imbtext.classification._labels import ClassLabels, Form
from imbtext.classification._ranking import BLEND, MOST_CLASSES, Rankings, squared_gains
from imbtext.classification._sources import BuiltInFeatures
from imbtext.evaluation.statistics import Interval
from imbtext.features import TextFeatures
from imbtext.features._blocks import GramBlock, WordBlock
from imbtext.features._grams import Alphabet

if TYPE_CHECKING:
    from imbtext.classification._classifier import RareTextClassifier

Model = TypeVar("Model", bound="RareTextClassifier")

_KIND: Final = "RareTextClassifier"
_VERSION: Final = 2


def save_model(path: str | os.PathLike[str], model: "RareTextClassifier") -> None:
    """Write a fitted model."""
    source = model._source
    if not isinstance(source, BuiltInFeatures):
        raise ValueError(
            f"features={model.features!r:.60} is code, and a model file holds none; use features "
            "of this package, or pickle the model for readers who trust you"
        )
    labels = model._labels
    about = {
        "metric": model.metric if isinstance(model.metric, str) else list(model.metric),
        "features": source.features.kind,
        "language": source.features.language,
        "tokens": source.features.reads_tokens,
        "documents": source.n_documents,
        "blend": BLEND,
        "rivalry": model._rivalry,
        "form": labels.form,
        "labels": label_kind(labels.classes),
        "classes": labels.classes.tolist(),
        "expectation": [_expectation_about(found) for found in model.expectation_],
        "report": model.report_,
    }
    rankings = model._rankings
    arrays: dict[str, NDArray[Any]] = {
        "modelled": labels.modelled,
        "thresholds": model.thresholds_,
        "slopes": np.array([curve.slope for curve in model._calibrations]),
        "shifts": np.array([curve.constant for curve in model._calibrations]),
        "weights": np.vstack([each.weights[:, : each.n_classes].T for each in rankings]),
        "inside": np.vstack([each.inside for each in rankings if each.inside is not None]),
        "constants": np.concatenate([each.constants for each in rankings]),
        "frequencies": source.frequencies,
    }
    for block in source.features.blocks:
        if isinstance(block, WordBlock):
            arrays |= string_arrays("words", block.words) | string_arrays("spelt", block.spelt)
            arrays["pairs"] = block.pairs
        elif isinstance(block, GramBlock):
            arrays["alphabet"] = block.alphabet.characters
            arrays["grams"] = block.grams
    write_archive(path, _KIND, _VERSION, about, arrays)


def load_model(path: str | os.PathLike[str], cls: type[Model]) -> Model:
    """Read a model and check that every part of it fits the others."""

    def build(about: dict[str, Any], arrays: Arrays) -> Model:
        metric = about["metric"]
        model = cls(
            metric if isinstance(metric, str) else tuple(metric),
            features=about["features"],
            language=about["language"],
        )
        features = TextFeatures(about["features"], about["language"])
        features.reads_tokens = checked(about["tokens"], bool)
        for block in features.blocks:
            if isinstance(block, WordBlock):
                _fill_words(block, arrays)
            elif isinstance(block, GramBlock):
                block.alphabet = Alphabet(rising(arrays["alphabet"], np.uint32, 2**32))
                block.grams = rising(arrays["grams"], np.uint64, 2**64)
                largest = max(
                    int(np.max((block.grams >> np.uint64(16 * k)) & np.uint64(0xFFFF), initial=0))
                    for k in range(4)
                )
                if largest > len(block.alphabet.characters):
                    raise ValueError("a gram has a character outside its alphabet")
        n_terms = len(features.least)
        model._source = BuiltInFeatures(features)
        frequencies = checked_counts(arrays["frequencies"], (n_terms,))
        model._source.weigh(frequencies, checked(about["documents"], int))
        model._labels = _labels(about, arrays)
        model.classes_ = model._labels.classes
        k = len(model._labels.modelled)
        weights = checked_numbers(arrays["weights"], (k, n_terms)).astype(np.float32)
        inside = checked_counts(arrays["inside"], (k, n_terms))
        if (inside > frequencies).any() or int(frequencies.max(initial=0)) > about["documents"]:
            raise ValueError("a term is in more documents than there are")
        constants = checked_numbers(arrays["constants"], (k,))
        blend = checked(about["blend"], float)
        model._rivalry = checked(about["rivalry"], float)
        if not 0 < blend <= 1 or not 0 <= model._rivalry < 1:
            raise ValueError("its terms keep, or other classes take, a share that is none")
        model._rankings = [
            Rankings.of(
                list(weights[some]),
                [squared_gains(model._source.weights, frequencies, n, blend) for n in inside[some]],
                inside[some],
                constants[some],
            )
            for first in range(0, k, MOST_CLASSES)
            for some in [slice(first, first + MOST_CLASSES)]
        ]
        model.thresholds_ = checked_numbers(arrays["thresholds"], (k,))
        slopes, shifts = (
            checked_numbers(arrays["slopes"], (k,)),
            checked_numbers(arrays["shifts"], (k,)),
        )
        model._calibrations = [
            Calibration(float(slope), float(shift))
            for slope, shift in zip(slopes, shifts, strict=True)
        ]
        places = model.classes_[model._labels.modelled]
        model.expectation_ = [
            _expectation(label, given)
            for label, given in zip(places, about["expectation"], strict=True)
        ]
        model.report_ = {str(key): str(value) for key, value in about["report"].items()}
        model._evidence = []
        return model

    return read_archive(path, _KIND, _VERSION, build)


def _fill_words(block: WordBlock, arrays: Arrays) -> None:
    block.words = read_strings("words", arrays)
    block.spelt = read_strings("spelt", arrays)
    if len(block.spelt) != len(block.words) or (block.words[:-1] >= block.words[1:]).any():
        raise ValueError("its words are not in order")
    block.pairs = rising(arrays["pairs"], np.int64, len(block.words) ** 2)
    if len(block.pairs) and not block.with_pairs:
        raise ValueError("it has pairs of words, which its features lack")


def _labels(about: dict[str, Any], arrays: Arrays) -> ClassLabels:
    form: Form = about["form"]
    classes = read_labels(about["labels"], about["classes"])
    modelled = rising(arrays["modelled"], np.int64, len(classes))
    expected = 1 if form == "binary" else len(classes)
    if (
        form not in get_args(Form)
        or len(np.unique(classes)) != len(classes)
        or len(modelled) != expected
    ):
        raise ValueError("its classes do not fit together")
    if form == "binary" and len(classes) != 2:
        raise ValueError(f"it tells {len(classes)} classes apart as if they were two")
    return ClassLabels(form, classes, modelled)


def _expectation_about(found: Expectation) -> dict[str, Any]:
    numbers = [
        found.recall.mean,
        found.recall.lower,
        found.recall.upper,
        found.precision.mean,
        found.precision.lower,
        found.precision.upper,
        found.alarms_per_thousand,
        found.average_precision,
    ]
    return {
        "n_class": found.n_class,
        "n_documents": found.n_documents,
        "numbers": [None if math.isnan(number) else number for number in numbers],
    }


def _expectation(label: Any, given: dict[str, Any]) -> Expectation:
    numbers = [math.nan if number is None else float(number) for number in given["numbers"]]
    recall, precision = Interval(*numbers[0:3]), Interval(*numbers[3:6])
    alarms, ranked = numbers[6:]
    return Expectation(
        label, int(given["n_class"]), int(given["n_documents"]), recall, precision, alarms, ranked
    )
