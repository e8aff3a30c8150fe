"""A model as one HTML page that scores texts in the browser.

The page holds the terms of the model, their weights, and a scorer in JavaScript. It needs no server
and no network, and its policy lets it connect to nothing: what somebody pastes or drops stays on
the machine. Scores are those of `RareTextClassifier.predictions`; tests compare them in Chromium.

Only models of words can be a page. :func:`why_no_page` says why another model cannot.
"""

import base64
import re
import zlib
from importlib.resources import files
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from imbtext.features._terms import NUMBERS, WORD_OF_ONE, WORDS, GramBlock, WordBlock
from imbtext.features._text_features import TextFeatures
from imbtext.pages._templates import page_frame, templates
from imbtext.rare._fitted import FittedModel
from imbtext.rare._nothing_known import LEAST_KNOWN
from imbtext.thresholds._expectation import expect_at

_PACKAGE: Final = "imbtext.rare"
_SCRIPTS: Final = ("english.js", "scoring.js", "scoring_page.js")
# How many thresholds the slider has at most, besides the model's own.
_MOST_POINTS: Final = 60
# White space as Python and the engine of Polars know it, which JavaScript's \s is not.
_WHITE_SPACE: Final = r"\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"


def why_no_page(model: FittedModel) -> str | None:
    """Return why a model cannot be a page, None if it can.

    A page reads words, pairs and character grams of texts, finds one class, and knows the stems of
    English.
    """
    features, reason = model.features, None
    if model.classes.form != "binary":
        reason = "it decides between several classes; train one with --class to find it alone"
    elif model.meaning is not None:
        reason = "it reads the meaning of texts with an encoder, which a page cannot hold"
    elif model.columns:
        reason = f"it reads columns beside the text ({', '.join(model.columns)})"
    elif not isinstance(features, TextFeatures):
        reason = f"its vectors are made by Python code: {features.about}"
    elif features.reads_tokens:
        reason = "it was trained on token lists; a page splits texts itself"
    elif features.language not in (None, "english"):
        reason = f"it uses {features.language} stems; a page knows those of English, or none"
    return reason


def scoring_page(model: FittedModel, name: str) -> str:
    """Return a model, whose file is called `name`, as a page."""
    reason = why_no_page(model)
    if reason is not None:
        raise ValueError(f"this model cannot be a page: {reason}")
    script = "\n".join(
        (files(_PACKAGE) / "templates" / file).read_text(encoding="utf-8") for file in _SCRIPTS
    )
    points, chosen = _points(model)
    arrays, numbers = _packed(_arrays(model))
    (label,) = model.labels
    columns = [str(column) for column in model.text_columns] or [""]
    settings = {
        "model": _constants(model),
        "arrays": arrays,
        "points": points,
        "chosen": chosen,
        "labels": [str(model.classes.decide(np.array([[side]]))[0]) for side in (-1.0, 1.0)],
        "columns": columns,
    }
    record = model.training_record
    return (
        templates(_PACKAGE)
        .get_template("scoring.html")
        .render(
            page_frame(script),
            title=f'A model that finds "{label}": {name}',
            label=f'"{label}"',
            columns=columns,
            settings=settings,
            numbers=numbers,
            chosen=chosen,
            n_points=len(points),
            n_documents=f"{record.n_documents:,}",
            signature=f"Trained on {record.day} with {record.versions}",
        )
    )


def _constants(model: FittedModel) -> dict[str, Any]:
    """Return what the scorer needs besides arrays; JSON keeps every digit of a float."""
    features = model.features
    assert isinstance(features, TextFeatures)
    words = [block for block in features.blocks if isinstance(block, WordBlock)]
    (batch,) = model.ranking.batches
    return {
        "words_pattern": _for_javascript(WORDS),
        "runs_pattern": f"[^{_WHITE_SPACE}]+",
        "word_of_one": f"^(?:{_for_javascript(WORD_OF_ONE.pattern)})",
        "numbers": list(NUMBERS),
        "stems": features.language is not None,
        "has_words": bool(words),
        "has_grams": len(features.blocks) > len(words),
        "words_decide": bool(words) and bool(model.known_words.mean >= LEAST_KNOWN),
        "constant": float(batch.constants[0]),
        "lowest": float(model.lowest[0]),
        "slope": float(model.calibration.slope[0]),
        "curve_constant": float(model.calibration.constant[0]),
    }


def _arrays(model: FittedModel) -> dict[str, NDArray[Any] | list[str]]:
    """Return the terms and their numbers.

    Weights in the vectors and squared gains depend on how many documents have a term, so few are
    different: `kinds` is the place of each term's.
    """
    features = model.features
    assert isinstance(features, TextFeatures)
    (batch,) = model.ranking.batches
    squares = batch.squares[:, 0].astype(np.float64)
    different, kinds = np.unique(
        np.column_stack([features.weights, squares]), axis=0, return_inverse=True
    )
    words: list[str] = []
    grams: list[str] = []
    pairs = np.empty(0, np.int64)
    for block in features.blocks:
        if isinstance(block, GramBlock):
            grams = block.names()
        else:
            words, pairs = block.words.tolist(), block.pairs
    left, right = np.divmod(pairs, max(len(words), 1))
    return {
        "words": words,
        "grams": grams,
        "pairs_left": left.astype("<i4"),
        "pairs_right": right.astype("<i4"),
        "weights": batch.weights[: len(kinds), 0].astype("<f4"),
        "kinds": kinds.ravel().astype("<i4"),
        "kinds_idf": different[:, 0].astype("<f8"),
        "kinds_square": different[:, 1].astype("<f8"),
    }


def _packed(arrays: dict[str, NDArray[Any] | list[str]]) -> tuple[list[dict[str, Any]], str]:
    """Return where each array stands among the bytes, and the bytes, compressed, as text."""
    places, parts, first = [], [], 0
    for name, values in arrays.items():
        if isinstance(values, list):
            kind, part = "text", "\n".join(values).encode()
        else:
            kind, part = values.dtype.name, values.tobytes()
        places.append({"name": name, "kind": kind, "first": first, "length": len(part)})
        parts.append(part)
        first += len(part)
    return places, base64.b64encode(zlib.compress(b"".join(parts), 9)).decode()


def _points(model: FittedModel) -> tuple[list[dict[str, Any]], int]:
    """Return thresholds from low to high with what to expect, and the place of the model's own."""
    own = float(model.thresholds[0])
    points = {own: model.expectation[0].sentences()}
    held_out = model.held_out
    if len(held_out.scores):
        falling = np.sort(held_out.of_class(0).scores)[::-1].astype(np.float64)
        ranks = np.unique(np.geomspace(1, len(falling), _MOST_POINTS).astype(np.int64)) - 1
        for cut in np.unique(falling[ranks]).tolist():
            ((expected, _),) = expect_at(model.labels, held_out, np.array([cut]))
            points.setdefault(cut, expected.sentences())
    cuts = sorted(points)
    return [{"threshold": cut, "sentences": points[cut]} for cut in cuts], cuts.index(own)


def _for_javascript(pattern: str) -> str:
    """Return a pattern of Python's engine as JavaScript writes it.

    Only characters beyond the first plane differ.
    """
    return re.sub(r"\\U0*([0-9a-f]+)", r"\\u{\1}", pattern)
