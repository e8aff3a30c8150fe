"""The page of a comparison: one HTML file without network or server.

The templates hold the words and their form; their style and what keeps them safe are those of
every page (:mod:`imbtext.pages`).

The part of the page that moves (curves, documents and words) is drawn by a script from the data
that `interactive_data` puts into the page.
"""

import json
import math
from importlib.resources import files
from typing import Final

import numpy as np

from imbtext._messages import visible
from imbtext._typing import Record
from imbtext.comparison._advice import p_values, titled
from imbtext.comparison._choice import CLEAR_GAIN, LEVEL, Effort, Evidence, simple_baselines
from imbtext.comparison._comparison import Comparison
from imbtext.comparison._headline import Finds
from imbtext.comparison._inspection import (
    ClassInspection,
    MethodInspection,
    sample,
    shown_document,
)
from imbtext.comparison._words import TopWord
from imbtext.comparison.report import _charts
from imbtext.pages._templates import page_frame, templates

_PACKAGE: Final = "imbtext.comparison.report"
# With the rest of the page this stays below 5 MB.
MOST_BYTES: Final = 4_200_000
_DOCUMENTS: Final = (300, 120, 60, 30, 15)


def report_html(comparison: Comparison) -> str:
    """Return the report of a comparison as a page."""
    script = (files(_PACKAGE) / "report.js").read_text(encoding="utf-8")
    data = interactive_data(comparison)
    inspected = list(comparison.inspection)[: len(data.get("classes", ()))]
    return (
        templates(_PACKAGE)
        .get_template("page.html")
        .render(
            _template_values(comparison) | page_frame(script),
            look=data,
            inspected_classes=inspected,
            to_check={name: labels_to_check(comparison, name) for name in inspected},
            clear_gain=CLEAR_GAIN,
            level=LEVEL,
        )
    )


def labels_to_check(comparison: Comparison, name: str) -> list[Record]:
    """Return the documents whose label of a class is probably wrong, the most doubtful first."""
    to_check = []
    for doubt in comparison.label_doubts.get(name, ()):
        if doubt.is_likely:
            words = [(word, 1.0) for word in doubt.words_for]
            shown = shown_document(comparison.plan, doubt.row, words, of_class=bool(doubt.label))
            to_check.append({"document": shown, "doubt": doubt})
    return to_check


def notebook_html(comparison: Comparison) -> str:
    """Return what a notebook shows of a comparison: the advice, a table and a chart."""
    return templates(_PACKAGE).get_template("notebook.html").render(_template_values(comparison))


def _template_values(comparison: Comparison) -> Record:
    plan, balance = comparison.plan, comparison.balance
    sizes = [balance[name] for name in plan.classes]
    plain = plan.methods[0]
    evidence = Evidence(comparison.overall, comparison.summary, comparison.tests)
    markov = [entry["method"] for entry in comparison.illustration.get("gammas", ())]
    first = comparison.recommendation.method
    if markov and first not in markov:
        first = evidence.best(plan.metric, markov)
    return {
        "comparison": comparison,
        "plan": plan,
        "advice": comparison.recommendation,
        "metric": plan.metric,
        "plain": plain,
        "titles": plan.metric_titles,
        "titled": titled,
        "p_values": p_values,
        "kind_of": _charts.kind_of,
        "charts": _charts,
        "evidence": evidence,
        "rows": _rows(comparison),
        "finds": {name: _finds(comparison, name) for name in comparison.recommendations},
        "n_passes": comparison.n_passes,
        "n_folds": comparison.scores["fold"].n_unique(),
        "tables": {
            name: {row["method"]: row for row in comparison.table(name).to_dicts()}
            for name in comparison.recommendations
        },
        # The rarest first, the mean last.
        "classes": [*sorted(plan.classes, key=balance.__getitem__), comparison.overall],
        "sizes": balance | {comparison.overall: sum(sizes) / len(sizes)},
        "against_simple": _against_simple(evidence, plan.metric),
        "first_gamma": markov.index(first) if markov else None,
    }


def _rows(comparison: Comparison) -> list[Record]:
    """Return the rows of the table: the recommended method, the plain one, then the others."""
    first = [comparison.recommendation.method, comparison.plan.methods[0]]
    rows = comparison.table().to_dicts()
    return sorted(rows, key=lambda row: first.index(row["method"]) if row["method"] in first else 2)


def _finds(comparison: Comparison, name: str) -> dict[str, Finds]:
    """Return what each method finds, in the numbers of the headline and of the slider."""
    if name in comparison.plan.classes:
        return {
            method: Finds.counted(titled(method), counts.found, counts.false_alarms, counts.n_class)
            for method, counts in comparison.counts.get(name, {}).items()
        }
    return {
        row["method"]: Finds.per_hundred(titled(row["method"]), row["recall"], row["precision"])
        for row in comparison.table(name).to_dicts()
        if not math.isnan(row["recall"])
    }


def _against_simple(evidence: Evidence, metric: str) -> Record | None:
    """Return the test of the best oversampler against the best simple remedy, if there is one."""
    simple = simple_baselines(evidence.methods)
    others = [method for method in evidence.methods if Effort.of(method) is Effort.SYNTHESIS]
    if not simple or not others:
        return None
    test = evidence.test(metric, evidence.best(metric, others), evidence.best(metric, simple))
    return None if test is None or math.isnan(test["p_holm"]) else test


def interactive_data(comparison: Comparison, most_bytes: int = MOST_BYTES) -> Record:
    """Return what the script of the page draws; empty where no class was inspected.

    Numbers are cut to what can be seen, and words are stored once and referred to by number. Where
    the data would exceed `most_bytes`, fewer documents are shown, and in the end fewer classes: a
    report stays a file to send around.
    """
    inspections = comparison.inspection
    if not inspections:
        return {}
    for n_documents in _DOCUMENTS:
        classes = [
            _class_data(comparison, name, inspection, n_documents)
            for name, inspection in inspections.items()
        ]
        sizes = np.cumsum([len(json.dumps(one, ensure_ascii=False).encode()) for one in classes])
        if sizes[-1] <= most_bytes:
            break
    n_fitting = max(1, int((sizes <= most_bytes).sum()))
    plan = comparison.plan
    n_scored = [inspection.n_class + inspection.n_rest for inspection in inspections.values()]
    return {
        "classes": classes[:n_fitting],
        "nRepeats": comparison.n_passes,
        "nLeftOut": len(classes) - n_fitting,
        "nScored": n_scored[0],
        "nDocuments": plan.n_test or plan.n_documents,
        "sampled": any(len(one["documents"]) < n for one, n in zip(classes, n_scored, strict=True)),
    }


def _class_data(
    comparison: Comparison, name: str, inspection: ClassInspection, n_documents: int
) -> Record:
    vocabulary: dict[str, int] = {}
    chosen = comparison.recommendations[name].method
    first = next(iter(inspection.methods.values()))
    places = _fewer(inspection, inspection.methods.get(chosen, first), n_documents)
    methods = [
        {
            "name": visible(comparison.title(method)),
            "kind": _charts.kind_of(method),
            "chosen": method == chosen,
            **_method_data(of_method, places, vocabulary),
        }
        for method, of_method in inspection.methods.items()
    ]
    return {
        "name": visible(name),
        "nClass": inspection.n_class,
        "nRest": inspection.n_rest,
        "documents": [
            [visible(part) if isinstance(part, str) else part for part in inspection.documents[i]]
            for i in places
        ],
        "methods": methods,
        "vocabulary": list(vocabulary),
    }


def _fewer(inspection: ClassInspection, method: MethodInspection, n_documents: int) -> list[int]:
    """Keep `n_documents`: of the class at even distances, of the rest the highest scores."""
    if len(inspection.documents) <= n_documents:
        return list(range(len(inspection.documents)))
    is_class = np.array([document.of_class for document in inspection.documents])
    highest = np.argsort(-method.scores, kind="stable")
    places = sample(np.flatnonzero(is_class), highest[~is_class[highest]], n_documents)
    return [int(place) for place in places]


def _method_data(
    inspection: MethodInspection, places: list[int], vocabulary: dict[str, int]
) -> Record:
    return {
        "thresholds": inspection.curve.thresholds.tolist(),
        "found": inspection.curve.found.tolist(),
        "wrong": inspection.curve.wrong.tolist(),
        "listedFound": inspection.first_pass.found.tolist(),
        "listedWrong": inspection.first_pass.wrong.tolist(),
        "averagePrecision": round(inspection.average_precision, 4),
        "scores": inspection.scores[places].tolist(),
        "constants": [
            None if math.isnan(inspection.constants[i]) else round(inspection.constants[i], 4)
            for i in places
        ],
        # Word and contribution in thousandths, by turns.
        "words": [
            [
                number
                for word, value in inspection.words[i]
                for number in (
                    vocabulary.setdefault(visible(word), len(vocabulary)),
                    round(value * 1000),
                )
            ]
            for i in places
        ],
        "bins": [
            [round(b.low, 3), round(b.high, 3), b.n, b.n_class, *_short(b.lower, b.upper)]
            for b in inspection.calibration
        ],
        "lengths": [
            [*group[:4], _short(*group.of_class), _short(*group.of_rest)]
            for group in inspection.lengths
        ],
        "speakFor": [_top_word(word) for word in inspection.speak_for],
        "speakAgainst": [_top_word(word) for word in inspection.speak_against],
    }


def _top_word(word: TopWord) -> list[object]:
    shares = word.in_class / max(word.n_class, 1), word.in_rest / max(word.n_rest, 1)
    return [visible(word.word), *_short(word.apart, *shares)]


def _short(*values: float) -> list[float]:
    return [round(value, 4) for value in values]
