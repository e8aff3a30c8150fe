"""The model file: what is needed to score documents, without the documents it came from.

It is an archive of :mod:`imbtext._archive`, and this module checks what its arrays mean. Terms are
part of the model, so the file contains the words of the training documents, and which words are
neighbours in two or more of them.

The file is a contract with readers of other versions, so it stands apart from the estimator.
"""

import math
import os
from collections.abc import Mapping
from dataclasses import asdict, astuple, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from imbtext._archive import (
    Arrays,
    checked,
    checked_counts,
    checked_numbers,
    read_archive,
    rising,
    word_array,
    write_archive,
)
from imbtext._messages import listed
from imbtext._typing import Array, ColumnName, Label, Record
from imbtext.documents import OneVsRest
from imbtext.features import (
    COLUMN_KINDS,
    COMMA_USES,
    NO_TERM,
    Alphabet,
    Centring,
    ColumnFeatures,
    ColumnReader,
    ColumnTerms,
    Features,
    GramBlock,
    Meaning,
    OwnFeatures,
    SideBySide,
    TextFeatures,
    WordBlock,
    feature_sources,
)
from imbtext.rare._curve import ScoreCurve
from imbtext.rare._exclusive import ExclusiveScores, RelativeCurves
from imbtext.rare._expectation import AlarmRate, Expectation, KnownWords
from imbtext.rare._kept_scores import KeptScores
from imbtext.rare._operating_point import Calibration
from imbtext.rare._ranking import BLEND, MOST_CLASSES, Rankings, side_by_side, squared_gains
from imbtext.rare._record import TrainingRecord
from imbtext.statistics import Interval

if TYPE_CHECKING:
    from imbtext.rare._classifier import RareTextClassifier

Model = TypeVar("Model", bound="RareTextClassifier")

_KIND: Final = "RareTextClassifier"
_VERSION: Final = 6


def save_model(path: str | os.PathLike[str], model: "RareTextClassifier") -> None:
    """Write a fitted model."""
    of_features, feature_arrays = _sources_about(model)
    about = {
        "metric": model.metric if isinstance(model.metric, str) else list(model.metric),
        **of_features,
        "blend": BLEND,
        "rivalry": model._share_of_best_other,
        "expectation": [_expectation_about(expectation) for expectation in model.expectation_],
        "alarm_rates": [list(astuple(rate)[1:]) for rate in model.alarm_rates_],
        "known_words": [_none_for_nan(number) for number in astuple(model.known_words_)],
        "text_columns": list(model.text_columns_),
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
    write_archive(path, _KIND, _VERSION, about, arrays)


def _sources_about(model: "RareTextClassifier") -> tuple[Record, Arrays]:
    """Return what a file holds of the features: of a callable, its name and its width."""
    sources = _sources_of(model._features)
    texts = [source for source in sources if isinstance(source, TextFeatures)]
    first = texts[0] if texts else None
    about: Record = {
        "features": "+".join(text.kind for text in texts) or None,
        "language": model.language if first is None else first.language,
        "tokens": first is not None and first.reads_tokens,
        "documents": model.learnt_from_.n_documents if first is None else first.n_documents,
    }
    arrays: Arrays = {}
    frequencies: list[NDArray[np.int64]] = []
    own: list[Record] = []
    for source, share in zip(sources, _shares_of(model._features), strict=True):
        if isinstance(source, OwnFeatures):
            own.append(_own_about(source))
            if source.centring is None:
                frequencies.append(np.zeros(source.n_columns or 0, np.int64))
            else:
                arrays[f"mean_{len(own)}"] = source.centring.mean
            continue
        frequencies.append(source.frequencies)
        if isinstance(source, ColumnFeatures):
            about["columns"] = [_column_about(column) for column in source.columns]
            about["columns_share"] = share
            continue
        for block in source.blocks:
            if isinstance(block, WordBlock):
                about |= {"words": block.words.tolist(), "spelt": block.spelt.tolist()}
                arrays["pairs"] = block.pairs
            else:
                arrays["alphabet"] = block.alphabet.characters
                arrays["grams"] = block.grams
    if own:
        about["own"] = own
    if model._rankings[0].inside is not None:
        counts = np.concatenate(frequencies)
        inside = np.vstack([batch.inside for batch in model._rankings if batch.inside is not None])
        # Columns that need not be terms are not counted.
        arrays = {"inside": np.where(counts > 0, inside, 0), "frequencies": counts} | arrays
    return about, arrays


def _sources_of(features: Features) -> list[Any]:
    return features.sources if isinstance(features, SideBySide) else [features]


def _shares_of(features: Features) -> list[float]:
    return features.shares if isinstance(features, SideBySide) else [1.0]


def _own_about(source: OwnFeatures) -> Record:
    if source.learns:
        raise ValueError(
            f"features={source.source!r:.60} is code, and a model file holds none; use features "
            "of this package or a callable, or pickle the model for readers who trust you"
        )
    centring = source.centring
    is_meaning = isinstance(source.source, Meaning)
    return {
        "name": source.name,
        "width": source.n_columns,
        "beside": source.beside,
        "scale": None if centring is None else centring.scale,
        "vectors": source.source.version if is_meaning else None,
    }


def load_model(
    path: str | os.PathLike[str], cls: type[Model], features: Mapping[str, Any]
) -> Model:
    """Read a model and check that every part of it fits the others.

    `features` are the callables that it was trained with, by name.
    """

    def build(about: Record, arrays: Arrays) -> Model:
        metric = about["metric"]
        text_columns = _column_names(about["text_columns"])
        model = cls(
            metric if isinstance(metric, str) else tuple(metric),
            text=list(text_columns) if len(text_columns) > 1 else None,
            language=about["language"],
        )
        model.text_columns_ = text_columns
        fields = text_columns if len(text_columns) > 1 else ()
        sources = _read_sources(about, arrays, fields)
        idf, frequencies = _weighed(sources, checked(about["documents"], int), arrays)
        shares = [1.0] * len(sources)
        model.columns_ = ()
        if isinstance(sources[-1], ColumnFeatures):
            shares[-1] = checked(about["columns_share"], float)
            model.columns_ = tuple(sources[-1].names_of_columns)
            model.set_params(text=list(text_columns), columns=list(model.columns_))
        model._features = sources[0] if len(sources) == 1 else SideBySide(sources, shares)
        n_terms, n_dense = len(idf), sum(model._features.vectors_beside.values())
        model._one_vs_rest = OneVsRest.of_file(about)
        model.classes_, modelled = model._one_vs_rest.classes, model._one_vs_rest.modelled
        k = len(modelled)
        weights = checked_numbers(arrays["weights"], (k, n_terms + n_dense)).astype(np.float32)
        inside = None if frequencies is None else _inside(arrays["inside"], k, frequencies)
        constants = checked_numbers(arrays["constants"], (k,))
        blend = checked(about["blend"], float)
        model._rankings = []
        model._share_of_best_other = checked(about["rivalry"], float)
        if not 0 < blend <= 1 or not 0 <= model._share_of_best_other < 1:
            raise ValueError("a share of its terms or of its other classes is not between 0 and 1")
        for first in range(0, k, MOST_CLASSES):
            some = slice(first, first + MOST_CLASSES)
            counts = [None] * len(constants[some]) if inside is None else list(inside[some])
            squares = [squared_gains(idf, frequencies, n, blend) for n in counts]
            model._rankings.append(
                Rankings(
                    side_by_side(list(weights[some])),
                    side_by_side(squares),
                    None if inside is None else inside[some],
                    constants[some],
                )
            )
        model.thresholds_ = checked_numbers(arrays["thresholds"], (k,))
        model._calibration = Calibration(
            *(checked_numbers(arrays[name], (k,)) for name in ("slopes", "shifts"))
        )
        model.expectation_ = [
            _expectation(label, saved)
            for label, saved in zip(model._modelled_labels(), about["expectation"], strict=True)
        ]
        model.alarm_rates_ = _alarm_rates(model._modelled_labels(), about["alarm_rates"])
        mean, spread, n_documents = about["known_words"]
        model.known_words_ = KnownWords(
            _nan_for_none(mean), _nan_for_none(spread), checked(n_documents, int)
        )
        model.report_ = {str(key): str(value) for key, value in about["report"].items()}
        model.learnt_from_ = _record(about["record"], k)
        model._kept = _kept_scores(model, about, arrays)
        return model

    model = read_archive(path, _KIND, _VERSION, build)
    _give_back_sources(model, path, features)
    return model


def _give_back_sources(
    model: "RareTextClassifier", path: str | os.PathLike[str], given: Mapping[str, Any]
) -> None:
    """Give the callables back that a model was trained with; the vectors of words load alone."""
    sources = _sources_of(model._features)
    own = [source for source in sources if isinstance(source, OwnFeatures)]
    wanted = {source.name: source for source in own if not source.source}
    for name in given:
        if name not in wanted:
            raise ValueError(
                f"features gives {name!r}, and {Path(path)} was trained with "
                f"{listed(list(wanted)) if wanted else 'no callable'}"
            )
    for name, source in wanted.items():
        if not callable(given.get(name)):
            raise ValueError(
                f"{Path(path)} was trained with the callable {name!r}, which returns "
                f"{source.n_columns:,} columns, and a file holds no code; load it with "
                f"RareTextClassifier.load(path, features={{{name!r}: ...}})"
            )
    for source in own:
        if source.source:
            _check_vectors(source, path)
        source.source = given.get(source.name) or Meaning()
    kinds = [source.kind for source in sources if isinstance(source, TextFeatures)]
    asked = [*kinds, *(s.name if isinstance(s.source, Meaning) else s.source for s in own)]
    model.features = asked[0] if len(asked) == 1 else asked


def _check_vectors(source: OwnFeatures, path: str | os.PathLike[str]) -> None:
    """Refuse a model of other vectors than those that are installed."""
    installed = Meaning()
    if source.source != installed.version:
        raise ValueError(
            f"{Path(path)} was trained with other vectors of words ({source.source}) than those of "
            f"the installed {installed.package} ({installed.version}); install the version that it "
            f"was trained with, or train it again"
        )


def _read_sources(about: Record, arrays: Arrays, fields: tuple[Any, ...]) -> list[Features]:
    """Return the features, not weighed yet and without the callables."""
    sources: list[Features] = []
    if about["features"] is not None:
        kinds = feature_sources(checked(about["features"], str))
        sources += [_text_features(kind, about, arrays, fields) for kind in kinds]
    for number, one in enumerate(about.get("own", []), start=1):
        vectors = one["vectors"]
        source = OwnFeatures(
            None if vectors is None else checked(vectors, str),
            checked(one["name"], str),
            beside=checked(one["beside"], bool),
        )
        source.n_columns = checked(one["width"], int)
        if not 0 <= source.n_columns <= arrays["weights"].shape[1]:
            raise ValueError(f"{source.name!r:.40} has not as many columns as it has weights")
        if one["scale"] is not None:
            mean = checked_numbers(arrays[f"mean_{number}"], (source.n_columns,))
            (scale,) = checked_numbers(np.array([one["scale"]]), (1,))
            source.centring = Centring(mean.astype(np.float32), float(scale))
        sources.append(source)
    if about.get("columns"):
        sources.append(_columns(about["columns"]))
    if not sources:
        raise ValueError("it has no features")
    return sources


def _weighed(
    sources: list[Features], n_documents: int, arrays: Arrays
) -> tuple[NDArray[np.float64], NDArray[np.int64] | None]:
    """Weigh the terms of all sources; return the weights, and how many documents have each."""
    own = [source for source in sources if isinstance(source, OwnFeatures)]
    widths = list(map(_n_terms, sources))
    if len(own) == len(sources):
        return np.ones(sum(widths)), None
    frequencies = checked_counts(arrays["frequencies"], (sum(widths),))
    if int(frequencies.max(initial=0)) > n_documents:
        raise ValueError("a term is in more documents than there are")
    idf, ends = [], np.cumsum([0, *widths])
    for source, (first, end) in zip(sources, pairwise(ends), strict=True):
        if isinstance(source, TextFeatures | ColumnFeatures):
            source.weigh(frequencies[first:end], n_documents)
            idf.append(source.weights)
        else:
            frequencies[first:end] = NO_TERM
            idf.append(np.ones(end - first))
    return np.concatenate(idf), frequencies


def _n_terms(source: Any) -> int:
    if isinstance(source, OwnFeatures):
        return 0 if source.vectors_beside else source.n_columns or 0
    return sum(source.widths) if isinstance(source, ColumnFeatures) else len(source.least)


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
    return replace(kept, _cells=_cells(arrays, k), _relative=relative)


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
        raise ValueError("its held-out scores are of cells, folds or classes that it lacks")
    return ExclusiveScores(scores.astype(np.float32), places, counts, weights, groups)


def _record(saved: Record, k: int) -> TrainingRecord:
    sizes = tuple(checked(size, int) for size in checked(saved["class_sizes"], list))
    if len(sizes) != k:
        raise ValueError("it has not as many sizes as classes")
    mean, spread, n_documents = saved["length"]
    return TrainingRecord(
        checked(saved["n_documents"], int),
        sizes,
        checked(saved["day"], str),
        checked(saved["versions"], str),
        KnownWords(_nan_for_none(mean), _nan_for_none(spread), checked(n_documents, int)),
        _nan_for_none(saved["everyday"]),
    )


def _column_about(column: ColumnTerms) -> Record:
    return {
        "name": column.reader.name,
        "kind": column.reader.kind,
        "date_format": column.reader.date_format,
        "comma": column.reader.comma,
        "limits": [limits.tolist() for limits in column.limits],
        "values": column.values.tolist(),
    }


def _columns(saved: list[Record]) -> ColumnFeatures:
    """Return the columns beside the text, how they are read and their terms."""
    columns = ColumnFeatures()
    for one in saved:
        date_format = one["date_format"]
        if one["kind"] not in COLUMN_KINDS:
            raise ValueError(f"{one['kind']!r:.40} is no kind of column")
        if one.get("comma", "decimal") not in COMMA_USES:
            raise ValueError(f"{one['comma']!r:.40} is no use of a comma")
        reader = ColumnReader(
            checked(one["name"], str),
            one["kind"],
            None if date_format is None else checked(date_format, str),
            one.get("comma", "decimal"),
        )
        column = ColumnTerms(reader)
        column.limits = [checked_numbers(np.array(x, float), (len(x),)) for x in one["limits"]]
        column.values = word_array(one["values"])
        rising_limits = all((np.diff(limits) > 0).all() for limits in column.limits)
        if not rising_limits or (column.values[:-1] >= column.values[1:]).any():
            raise ValueError("the terms of a column are not in order")
        columns.columns.append(column)
    columns.readers = [column.reader for column in columns.columns]
    return columns


def _text_features(
    kind: Any, about: Record, arrays: Arrays, fields: tuple[Any, ...]
) -> TextFeatures:
    """Return the terms of the text, not weighed yet."""
    features = TextFeatures(kind, about["language"], fields)
    features.reads_tokens = checked(about["tokens"], bool)
    for block in features.blocks:
        if isinstance(block, WordBlock):
            _fill_words(block, about, arrays)
        else:
            _fill_grams(block, arrays)
    return features


def _fill_words(block: WordBlock, about: Record, arrays: Arrays) -> None:
    block.words = word_array(about["words"])
    block.spelt = word_array(about["spelt"])
    if len(block.spelt) != len(block.words) or (block.words[:-1] >= block.words[1:]).any():
        raise ValueError("its words are not in order")
    block.pairs = rising(arrays["pairs"], np.int64, len(block.words) ** 2)
    if len(block.pairs) and not block.with_pairs:
        raise ValueError("it has pairs of words, which its features lack")


def _fill_grams(block: GramBlock, arrays: Arrays) -> None:
    block.alphabet = Alphabet(rising(arrays["alphabet"], np.uint32, 2**32))
    block.grams = rising(arrays["grams"], np.uint64, 2**64)
    # Each gram is four numbers of characters.
    numbers = block.grams.astype("<u8").view("<u2")
    if int(numbers.max(initial=0)) > len(block.alphabet.characters):
        raise ValueError("a gram has a character outside its alphabet")


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


def _none_for_nan(number: float) -> float | None:
    return None if math.isnan(number) else number


def _nan_for_none(number: float | None) -> float:
    return math.nan if number is None else float(number)
