"""The model file: what is needed to score documents, without the documents it came from.

It is an archive of :mod:`imbtext._archive`, and this module checks what its arrays mean. Terms are
part of the model, so the file contains the words of the training documents, and which words are
neighbours in two or more of them.

The file is a contract with readers of other versions, so it stands apart from the estimator.
"""

import math
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, astuple, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from imbtext._archive import (
    Arrays,
    checked,
    checked_counts,
    checked_numbers,
    read_archive,
    write_archive,
)
from imbtext._typing import Array, ColumnName, Label, Matrix, Record
from imbtext.documents import OneVsRest
from imbtext.features import ColumnFeatures, SideBySide
from imbtext.rare._curve import ScoreCurve
from imbtext.rare._exclusive import ExclusiveScores, RelativeCurves
from imbtext.rare._expectation import AlarmRate, Expectation, KnownWords
from imbtext.rare._kept_scores import KeptScores
from imbtext.rare._operating_point import Calibration
from imbtext.rare._ranking import BLEND, MOST_CLASSES, Rankings, side_by_side, squared_gains
from imbtext.rare._record import TrainingRecord
from imbtext.rare._saved_features import (
    features_about,
    give_back_callables,
    read_sources,
    weigh_sources,
)
from imbtext.statistics import Interval

if TYPE_CHECKING:
    from imbtext.rare._classifier import RareTextClassifier

Model = TypeVar("Model", bound="RareTextClassifier")
Value = TypeVar("Value")

_KIND: Final = "RareTextClassifier"
_VERSION: Final = 7


def save_model(path: str | os.PathLike[str], model: "RareTextClassifier") -> None:
    """Write a fitted model."""
    of_features, feature_arrays = features_about(model)
    about = {
        "metric": model.metric if isinstance(model.metric, str) else _plain(model.metric),
        **of_features,
        "blend": BLEND,
        "rivalry": model._share_of_best_other,
        "expectation": [_expectation_about(expectation) for expectation in model.expectation_],
        "alarm_rates": [list(astuple(rate)[1:]) for rate in model.alarm_rates_],
        "known_words": [_none_for_nan(number) for number in astuple(model.known_words_)],
        "text_columns": _storable_names(model.text_columns_),
        "report": model.report_,
        "record": asdict(model.learnt_from_)
        | {
            "length": [_none_for_nan(number) for number in astuple(model.learnt_from_.length)],
            "everyday": _none_for_nan(model.learnt_from_.everyday),
        },
        "seed": model._kept.seed,
        "curves": [
            [
                *(curve.n_class, curve.n_documents),
                *(_none_for_nan(curve.average_precision), curve.in_time),
            ]
            for curve in model._kept.curves
        ],
    } | model._one_vs_rest.about()
    rankings = model._rankings
    arrays: dict[str, Array] = {
        "thresholds": model.thresholds_,
        "slopes": model._calibration.slope,
        "shifts": model._calibration.constant,
        "weights": np.vstack([batch.weights[:, : len(batch.constants)].T for batch in rankings]),
        "constants": np.concatenate([batch.constants for batch in rankings]),
    }
    arrays |= feature_arrays | _curve_arrays(model._kept.curves)
    if model._is_exclusive:
        relative = model._kept.relative(model.thresholds_)
        arrays |= _cell_arrays(model._kept.cells(model.thresholds_))
        arrays |= _curve_arrays(relative.curves, "relative")
        arrays["relative_thresholds"] = relative.thresholds
        if model._kept.corner_curves is not None:
            arrays |= _curve_arrays(model._kept.corner_curves, "corner")
    write_archive(path, _KIND, _VERSION, about, arrays)


def load_model(
    path: str | os.PathLike[str], cls: type[Model], features: Mapping[str, Callable[..., Matrix]]
) -> Model:
    """Read a model and check that every part of it fits the others.

    `features` are the callables that it was trained with, by name.
    """
    model = read_archive(path, _KIND, _VERSION, partial(_model, cls))
    give_back_callables(model, path, features)
    return model


def _model(cls: type[Model], about: Record, arrays: Arrays) -> Model:
    metric = about["metric"]
    text_columns = _column_names(about["text_columns"])
    model = cls(
        metric if isinstance(metric, str) else tuple(metric),
        text=list(text_columns) if len(text_columns) > 1 else None,
        language=about["language"],
    )
    model.text_columns_ = text_columns
    sources = read_sources(about, arrays, text_columns if len(text_columns) > 1 else ())
    idf, frequencies = weigh_sources(sources, checked(about["documents"], int), arrays)
    shares = [1.0] * len(sources)
    model.columns_ = ()
    if isinstance(sources[-1], ColumnFeatures):
        shares[-1] = checked(about["columns_share"], float)
        model.columns_ = tuple(sources[-1].names_of_columns)
        model.set_params(text=list(text_columns), columns=list(model.columns_))
    model._features = sources[0] if len(sources) == 1 else SideBySide(sources, shares)
    model._one_vs_rest = OneVsRest.of_file(about)
    model.classes_ = model._one_vs_rest.classes
    labels = model._modelled_labels()
    k, n_dense = len(labels), sum(model._features.vectors_beside.values())
    model._rankings = _rankings(about, arrays, (k, len(idf) + n_dense), idf, frequencies)
    model._share_of_best_other = checked(about["rivalry"], float)
    model.thresholds_ = checked_numbers(arrays["thresholds"], (k,))
    model._calibration = Calibration(
        *(checked_numbers(arrays[name], (k,)) for name in ("slopes", "shifts"))
    )
    model.expectation_ = [
        _expectation(label, saved)
        for label, saved in zip(labels, about["expectation"], strict=True)
    ]
    model.alarm_rates_ = _alarm_rates(labels, about["alarm_rates"])
    model.known_words_ = _known_words(about["known_words"])
    model.report_ = {str(key): str(value) for key, value in about["report"].items()}
    model.learnt_from_ = _record(about["record"], k)
    model._kept = _kept_scores(model, about, arrays)
    return model


def _rankings(
    about: Record,
    arrays: Arrays,
    shape: tuple[int, int],
    idf: NDArray[np.float64],
    frequencies: NDArray[np.int64] | None,
) -> list[Rankings]:
    """Return the rankings, whose weights have one row per class and one column per feature."""
    k, _ = shape
    weights = checked_numbers(arrays["weights"], shape).astype(np.float32)
    inside = None if frequencies is None else _inside(arrays["inside"], k, frequencies)
    constants = checked_numbers(arrays["constants"], (k,))
    blend = checked(about["blend"], float)
    if not 0 < blend <= 1 or not 0 <= checked(about["rivalry"], float) < 1:
        raise ValueError("a share of its terms or of its other classes is not between 0 and 1")
    rankings = []
    for first in range(0, k, MOST_CLASSES):
        some = slice(first, first + MOST_CLASSES)
        counts = [None] * len(constants[some]) if inside is None else list(inside[some])
        rankings.append(
            Rankings(
                side_by_side(list(weights[some])),
                side_by_side([squared_gains(idf, frequencies, n, blend) for n in counts]),
                None if inside is None else inside[some],
                constants[some],
            )
        )
    return rankings


def _inside(values: Array, k: int, frequencies: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many documents of each class have each term."""
    inside = checked_counts(values, (k, len(frequencies)))
    if (inside > np.maximum(frequencies, 0)).any():
        raise ValueError("a term is in more documents of a class than there are")
    return inside


def _alarm_rates(labels: list[Label], saved: list[Any]) -> list[AlarmRate]:
    rates = [
        AlarmRate(label, checked(share, float), checked(n_alarms, int), checked(n, int), *spread)
        for label, (share, n_alarms, n, *spread) in zip(labels, saved, strict=True)
    ]
    if any(
        not 0 <= rate.share <= 1
        or not 0 <= rate.n_alarms <= rate.n_documents
        or not 0 <= checked(rate.spread, float) < math.inf
        for rate in rates
    ):
        raise ValueError("more documents were put into a class than there were")
    return rates


def _storable_names(names: tuple[ColumnName, ...]) -> list[ColumnName]:
    """Return names of columns as the header of a file holds them."""
    stored = _plain(names)
    for name in stored:
        if not isinstance(name, str | int):
            raise TypeError(
                f"the text column {name!r:.60} has a name of the type {type(name).__name__}, which "
                "a model file cannot hold; rename the column to a string and train again"
            )
    return stored


def _column_names(names: list[ColumnName]) -> tuple[ColumnName, ...]:
    """Return names of columns: strings, or the numbers of an array's columns."""
    return tuple(
        checked(name, int) if isinstance(name, int) else checked(name, str) for name in names
    )


def _curve_arrays(curves: list[ScoreCurve], prefix: str = "curve") -> Arrays:
    """Return all curves one after the other; weights and groups that are counts are left out."""
    n_folds = max(curve.counts.shape[1] for curve in curves)
    cells = {
        name: np.concatenate(
            [
                np.pad(values, [(0, 0), (0, n_folds - values.shape[1]), (0, 0)])
                for values in (getattr(curve, name) for curve in curves)
            ]
        )
        for name in ("counts", "weights", "groups")
    }
    arrays: Arrays = {
        f"{prefix}_sizes": np.array([len(curve.counts) for curve in curves], np.int64),
        f"{prefix}_cuts": np.concatenate([curve.cuts[: len(curve.counts) + 1] for curve in curves]),
        f"{prefix}_counts": np.rint(cells["counts"]).astype(np.int64),
    }
    for name in ("weights", "groups"):
        if not np.array_equal(cells[name], cells["counts"]):
            arrays[f"{prefix}_{name}"] = cells[name]
    return arrays


def _kept_scores(model: "RareTextClassifier", about: Record, arrays: Arrays) -> KeptScores:
    """Return the held-out scores in bins, of a model whose thresholds are known."""
    labels, exclusive, k = model._modelled_labels(), model._is_exclusive, len(model.thresholds_)
    seed, curves = checked(about["seed"], int), _curves(about["curves"], arrays, k)
    kept = KeptScores(labels, exclusive, seed, [], curves)
    if not exclusive:
        return kept
    thresholds = checked_numbers(arrays["relative_thresholds"], (k,))
    relative = RelativeCurves(thresholds, _curves(about["curves"], arrays, k, "relative"))
    corners = None
    if "corner_sizes" in arrays:  # files of earlier versions lack them
        corners = _curves(about["curves"], arrays, k, "corner")
    return replace(kept, _cells=_cells(arrays, k), _relative=relative, _corner_curves=corners)


def _curves(
    about: list[list[Any]], arrays: Arrays, k: int, prefix: str = "curve"
) -> list[ScoreCurve]:
    sizes = checked_counts(arrays[f"{prefix}_sizes"], (k,))
    n_bins = int(sizes.sum())
    n_folds = arrays[f"{prefix}_counts"].shape[1]
    shape = (n_bins, n_folds, 2)
    counts = checked_counts(arrays[f"{prefix}_counts"], shape).astype(np.float64)
    weights, groups = (
        checked_numbers(arrays[name], shape, least=0) if name in arrays else counts
        for name in (f"{prefix}_weights", f"{prefix}_groups")
    )
    cuts = checked_numbers(arrays[f"{prefix}_cuts"], (n_bins + k,))
    curves = []
    for size, (n_class, n_documents, precision, in_time) in zip(sizes.tolist(), about, strict=True):
        here, cuts_here = slice(size), slice(size + 1)
        if (np.diff(cuts[cuts_here]) >= 0).any():
            raise ValueError("its held-out scores are not in order")
        curves.append(
            ScoreCurve(
                cuts[cuts_here],
                counts[here],
                weights[here],
                groups[here],
                checked(n_class, int),
                checked(n_documents, int),
                _nan_for_none(precision),
                checked(in_time, bool),
            )
        )
        counts, weights, groups = (values[size:] for values in (counts, weights, groups))
        cuts = cuts[size + 1 :]
    return curves


def _cell_arrays(cells: ExclusiveScores) -> Arrays:
    """Return the cells; weights and groups that are counts are left out."""
    arrays: Arrays = {
        "cell_scores": cells.scores,
        "cell_places": cells.places,
        "cell_counts": np.rint(cells.counts).astype(np.int64),
    }
    for name in ("weights", "groups"):
        if not np.array_equal(getattr(cells, name), cells.counts):
            arrays[f"cell_{name}"] = getattr(cells, name)
    return arrays


def _cells(arrays: Arrays, k: int) -> ExclusiveScores:
    scores = checked_numbers(arrays["cell_scores"], (len(arrays["cell_scores"]), k))
    n = len(arrays["cell_counts"])
    places = checked_numbers(arrays["cell_places"], (n, 3), least=-1).astype(np.int64)
    counts = checked_counts(arrays["cell_counts"], (n,)).astype(np.float64)
    weights, groups = (
        checked_numbers(arrays[name], (n,), least=0) if name in arrays else counts
        for name in ("cell_weights", "cell_groups")
    )
    cells, folds, labels = places.T
    if (
        (cells < 0).any()
        or (folds < 0).any()
        or cells.max(initial=-1) >= len(scores)
        or folds.max(initial=0) > np.iinfo(np.int8).max
        or labels.max(initial=-1) >= k
    ):
        raise ValueError("its held-out scores name cells, folds or classes that it does not have")
    return ExclusiveScores(scores.astype(np.float32), places, counts, weights, groups)


def _record(saved: Record, k: int) -> TrainingRecord:
    sizes = tuple(checked(size, int) for size in checked(saved["class_sizes"], list))
    if len(sizes) != k:
        raise ValueError("the numbers of its classes and of their sizes differ")
    return TrainingRecord(
        checked(saved["n_documents"], int),
        sizes,
        checked(saved["day"], str),
        checked(saved["versions"], str),
        _known_words(saved["length"]),
        _nan_for_none(saved["everyday"]),
    )


def _known_words(saved: list[float | None]) -> KnownWords:
    mean, spread, n_documents = saved
    return KnownWords(_nan_for_none(mean), _nan_for_none(spread), checked(n_documents, int))


def _expectation_about(expectation: Expectation) -> Record:
    numbers = [
        *astuple(expectation.recall),
        *astuple(expectation.precision),
        *astuple(expectation.alarms),
        expectation.average_precision,
    ]
    return {
        "n_class": expectation.n_class,
        "n_documents": expectation.n_documents,
        "n_found": expectation.n_found,
        "n_alarms": expectation.n_alarms,
        "n_tested": expectation.n_tested,
        "numbers": list(map(_none_for_nan, numbers)),
    }


def _expectation(label: Label, saved: Record) -> Expectation:
    numbers = list(map(_nan_for_none, saved["numbers"]))
    recall, precision, alarms = (Interval(*numbers[i : i + 3]) for i in (0, 3, 6))
    (average_precision,) = numbers[9:]
    return Expectation(
        label=label,
        n_class=int(saved["n_class"]),
        n_documents=int(saved["n_documents"]),
        n_found=int(saved["n_found"]),
        n_alarms=int(saved["n_alarms"]),
        recall=recall,
        precision=precision,
        alarms=alarms,
        average_precision=average_precision,
        n_tested=None if (n_tested := saved.get("n_tested")) is None else int(n_tested),
    )


def _plain(values: Iterable[Value]) -> list[Value]:
    """Return NumPy's numbers as those of Python, which JSON can write."""
    return [value.item() if isinstance(value, np.generic) else value for value in values]


def _none_for_nan(number: float) -> float | None:
    return None if math.isnan(number) else number


def _nan_for_none(number: float | None) -> float:
    return math.nan if number is None else float(number)
