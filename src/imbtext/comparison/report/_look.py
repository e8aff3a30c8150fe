"""The part of a report that moves: curves, documents and words as data for the page's script.

Numbers are cut to what can be seen, words are stored once and meant by their number: a report of
100,000 documents stays a file to send around.
"""

from typing import Any

from imbtext.comparison._result import Comparison
from imbtext.comparison.inspection import ClassInspection, MethodInspection
from imbtext.comparison.inspection._words import TopWord
from imbtext.comparison.report._charts import kind_of
from imbtext.reporting.escaping import visible


def look(comparison: Comparison) -> dict[str, Any]:
    """Return what the script of the page draws; empty where nothing was kept to look at.

    Parameters
    ----------
    comparison : Comparison
        With the inspection of at least one class.
    """
    classes = [_class(comparison, name, found) for name, found in comparison.inspection.items()]
    return {"classes": classes} if classes else {}


def _class(comparison: Comparison, name: str, found: ClassInspection) -> dict[str, Any]:
    vocabulary: dict[str, int] = {}
    chosen = comparison.recommendations[name].method
    methods = [
        {
            "name": visible(method),
            "kind": kind_of(method),
            "chosen": method == chosen,
            **_method(inspected, vocabulary),
        }
        for method, inspected in found.methods.items()
    ]
    return {
        "name": visible(name),
        "nClass": found.n_class,
        "nRest": found.n_rest,
        "documents": [
            [visible(document.text), visible(document.labels), document.n_words, document.of_class]
            for document in found.documents
        ],
        "methods": methods,
        "vocabulary": list(vocabulary),
    }


def _method(found: MethodInspection, vocabulary: dict[str, int]) -> dict[str, Any]:
    return {
        "thresholds": found.curve.thresholds.tolist(),
        "found": found.curve.found.tolist(),
        "wrong": found.curve.wrong.tolist(),
        "averagePrecision": round(found.average_precision, 4),
        "scores": found.scores.tolist(),
        # Word and contribution in thousandths, by turns.
        "words": [
            [
                number
                for word, value in said
                for number in (_number(word, vocabulary), round(value * 1000))
            ]
            for said in found.words
        ],
        "bins": [
            [round(b.low, 3), round(b.high, 3), b.n, b.n_class, *_short(b.lower, b.upper)]
            for b in found.calibration
        ],
        "lengths": [
            [g.shortest, g.longest, g.n_class, g.n_rest, _short(*g.of_class), _short(*g.of_rest)]
            for g in found.lengths
        ],
        "speakFor": [_top(word) for word in found.speak_for],
        "speakAgainst": [_top(word) for word in found.speak_against],
    }


def _top(word: TopWord) -> list[Any]:
    return [
        visible(word.word),
        *_short(
            word.apart, word.in_class / max(word.n_class, 1), word.in_rest / max(word.n_rest, 1)
        ),
    ]


def _number(word: str, vocabulary: dict[str, int]) -> int:
    return vocabulary.setdefault(visible(word), len(vocabulary))


def _short(*values: float) -> list[float]:
    return [round(value, 4) for value in values]
