"""The part of a report that moves: curves, documents and words as data for the page's script.

Numbers are cut to what can be seen, words are stored once and meant by their number, and where many
classes meet many methods there are fewer documents of each: a report stays a file to send around.
"""

import json
from typing import Any, Final

import numpy as np

from imbtext._messages import visible
from imbtext.comparison._result import Comparison
from imbtext.comparison.inspection import ClassInspection, MethodInspection, TopWord, sample
from imbtext.comparison.report._charts import kind_of

# With the rest of the page this stays below 5 MB.
MOST_BYTES: Final = 4_200_000
_DOCUMENTS: Final = (300, 120, 60, 30, 15)


def look(comparison: Comparison, most_bytes: int = MOST_BYTES) -> dict[str, Any]:
    """Return what the script of the page draws; empty where nothing was kept to look at.

    Fewer documents are shown, and in the end fewer classes, rather than more than `most_bytes`.
    """
    inspected = list(comparison.inspection.items())
    if not inspected:
        return {}
    for n_documents in _DOCUMENTS:
        classes = [_class(comparison, name, found, n_documents) for name, found in inspected]
        sizes = np.cumsum([len(json.dumps(each, ensure_ascii=False).encode()) for each in classes])
        if sizes[-1] <= most_bytes:
            break
    fit = max(1, int((sizes <= most_bytes).sum()))
    settings = comparison.settings
    scored = [found.n_class + found.n_rest for _, found in inspected]
    return {
        "classes": classes[:fit],
        "nLeftOut": len(classes) - fit,
        "nScored": scored[0],
        "nDocuments": settings.n_test or settings.n_documents,
        "sampled": any(len(each["documents"]) < n for each, n in zip(classes, scored, strict=True)),
    }


def _class(
    comparison: Comparison, name: str, found: ClassInspection, n_documents: int
) -> dict[str, Any]:
    vocabulary: dict[str, int] = {}
    chosen = comparison.recommendations[name].method
    first = next(iter(found.methods.values()))
    shown = _fewer(found, found.methods.get(chosen, first), n_documents)
    methods = [
        {
            "name": visible(comparison.title(method)),
            "kind": kind_of(method),
            "chosen": method == chosen,
            **_method(inspected, shown, vocabulary),
        }
        for method, inspected in found.methods.items()
    ]
    return {
        "name": visible(name),
        "nClass": found.n_class,
        "nRest": found.n_rest,
        "documents": [
            [visible(text), visible(labels), *rest]
            for text, labels, *rest in (found.documents[i] for i in shown)
        ],
        "methods": methods,
        "vocabulary": list(vocabulary),
    }


def _fewer(found: ClassInspection, method: MethodInspection, n_documents: int) -> list[int]:
    """Keep so many documents: of the class at even distances, of the rest the highest scores."""
    if len(found.documents) <= n_documents:
        return list(range(len(found.documents)))
    members = np.array([document.of_class for document in found.documents])
    loudest = np.argsort(-method.scores, kind="stable")
    return sample(np.flatnonzero(members), loudest[~members[loudest]], n_documents).tolist()


def _method(
    found: MethodInspection, shown: list[int], vocabulary: dict[str, int]
) -> dict[str, Any]:
    return {
        "thresholds": found.curve.thresholds.tolist(),
        "found": found.curve.found.tolist(),
        "wrong": found.curve.wrong.tolist(),
        "averagePrecision": round(found.average_precision, 4),
        "scores": found.scores[shown].tolist(),
        # Word and contribution in thousandths, by turns.
        "words": [
            [
                number
                for word, value in found.words[i]
                for number in (
                    vocabulary.setdefault(visible(word), len(vocabulary)),
                    round(value * 1000),
                )
            ]
            for i in shown
        ],
        "bins": [
            [round(b.low, 3), round(b.high, 3), b.n, b.n_class, *_short(b.lower, b.upper)]
            for b in found.calibration
        ],
        "lengths": [
            [*group[:4], _short(*group.of_class), _short(*group.of_rest)] for group in found.lengths
        ],
        "speakFor": [_top(word) for word in found.speak_for],
        "speakAgainst": [_top(word) for word in found.speak_against],
    }


def _top(word: TopWord) -> list[Any]:
    shares = word.in_class / max(word.n_class, 1), word.in_rest / max(word.n_rest, 1)
    return [visible(word.word), *_short(word.apart, *shares)]


def _short(*values: float) -> list[float]:
    return [round(value, 4) for value in values]
