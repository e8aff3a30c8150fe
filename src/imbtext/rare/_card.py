"""The card of a model: what is in it, what to expect, how to use it.

A team that finds a model file asks what it was trained on, how good it is, where its threshold lies
and where else it could lie. Everything is in the file, and :func:`model_card` writes it down as a
page (:mod:`imbtext.pages`). The page holds counts and words of the training documents, and none of
them.
"""

import shlex
from collections.abc import Iterator
from typing import Final

import numpy as np

from imbtext._typing import Label
from imbtext.features._terms import WordBlock
from imbtext.metrics import get_goal
from imbtext.pages._page import Chart, Page, Section
from imbtext.rare._fitted import FittedModel
from imbtext.rare._ranking import N_FOLDS
from imbtext.thresholds._card import points_table, probability_table
from imbtext.thresholds._choosing import POOLED
from imbtext.thresholds._expectation import (
    expectation_table,
    of_hundred,
)
from imbtext.thresholds._plot import threshold_svg

_N_WORDS: Final = 20
_MOST_CLASSES: Final = 30
_NOT_FOR: Final = (
    "Text unlike its training text: another source, language, kind of document or time. Run "
    "imbtext check on what you have now.",
    "Decisions about people without a person who reads the document. An alarm is a reason to read, "
    "not a verdict.",
    "Proving that there is nothing to find. What it misses is stated above, and nobody can count "
    "what nobody has labelled.",
    "Stopping people who want to get past it: whoever knows its words can avoid them.",
    "Sharing with those who must not see the words of the training documents. The file holds "
    "these words, and which of them are neighbours in two or more documents.",
)


def model_card(model: FittedModel, name: str) -> Page:
    """Return the card of a fitted model, whose file is called `name`."""
    expected = model.expectation
    labels = model.labels
    single = len(labels) == 1
    record = model.training_record
    what = f'"{labels[0]}"' if single else f"{len(labels)} classes"
    figures = [(f"{record.n_documents:,}", "documents learnt from")]
    if single:
        size = record.class_sizes[0]
        share = f"{100 * size / max(record.n_documents, 1):.2g}%"
        figures += [
            (f"{size:,}", f"of them {what}, {share}"),
            (of_hundred(expected[0].recall), f"of every 100 {what} documents found"),
            (of_hundred(expected[0].precision), "of every 100 alarms right"),
        ]
    sections = [_expectation_section(model), *_point_sections(model, shlex.quote(name))]
    sections += [_words_section(model, label) for label in labels[:1] if single]
    sections += [
        _record_section(model),
        _probability_section(model),
        Section("What it must not be used for", items=_NOT_FOR),
        _usage_section(model, name),
    ]
    return Page(
        "a model card",
        f"A model that finds {what}",
        figures,
        [section for section in sections if section is not None],
        f"Trained on {record.day} with {record.versions}",
    )


def _expectation_section(model: FittedModel) -> Section:
    expected = model.expectation
    measured = (
        f"measured by cross-validation in {N_FOLDS} folds, each judged at a threshold that the "
        "others chose"
    )
    if model.held_out.in_time:
        measured = f"measured on {model.report['folds']}"
    measured = model.report.get("expectation", measured)
    note = f"{measured[:1].upper()}{measured[1:]}. Ranges are 95% intervals."
    if len(expected) == 1:
        return Section("What to expect", expected[0].sentences(), note=note)
    rarest = sorted(expected, key=lambda e: (e.n_class, str(e.label)))
    if len(rarest) > _MOST_CLASSES:
        note = f"The {_MOST_CLASSES} rarest of {len(rarest)} classes. {note}"
    return Section("What to expect", table=expectation_table(rarest[:_MOST_CLASSES]), note=note)


def _point_sections(model: FittedModel, file: str) -> Iterator[Section]:
    """Yield the operating point and, for one class, the others that it could have.

    `file` is the model file as a command names it.
    """
    if len(model.expectation) > 1:
        yield _several_points_section(model, file)
        return
    (threshold,) = model.thresholds.tolist()
    goal = get_goal(model.metric)
    paragraphs = [
        f"A document is put into the class if its score is above {threshold:.3f}, the threshold "
        f"chosen for {goal.title}. A lower threshold finds more and raises more false alarms; "
        "scores and probabilities stay as they are."
    ]
    if "expectation" in model.report:
        paragraphs.append(
            "The marked threshold was measured on documents that were not trained on. What to "
            "expect of the others was measured on held-out training documents."
        )
    if not len(model.held_out.scores):
        yield Section("The operating point", paragraphs)
        return
    yield Section(
        "The operating point, and others it could have",
        paragraphs,
        points_table(model.held_out, goal, model.point, POOLED, "--metric"),
        code=f"imbtext predict {file} NEW.csv -o OUT.csv --metric 'recall_at_precision(0.9)'\n"
        f"imbtext predict {file} NEW.csv -o OUT.csv --alarms 200\n"
        f"imbtext predict {file} NEW.csv -o OUT.csv --cost 10:1",
        chart=Chart(
            lambda: threshold_svg(model.held_out.of_class(0), float(threshold)),
            "Precision and recall at every threshold, the operating point marked",
        ),
    )


def _several_points_section(model: FittedModel, file: str) -> Section:
    rarest = min(model.expectation, key=lambda e: (e.n_class, str(e.label)))
    of_class = f"--class {shlex.quote(str(rarest.label))}"
    return Section(
        "The operating points",
        [
            f"Each class has its own threshold, for {get_goal(model.metric).title}. All of them "
            "move together, or that of one class alone."
        ],
        code=f"imbtext predict {file} NEW.csv -o OUT.csv --metric f1\n"
        f"imbtext predict {file} NEW.csv -o OUT.csv {of_class} --alarms 200",
    )


def _words_section(model: FittedModel, label: Label) -> Section:
    features, text = model.features, model.features.text_terms
    first = text.blocks[0] if text is not None else None
    # Words mean more to a reader than parts of words.
    names = features.names(spelt=True)
    n_terms = len(names) - sum(features.vectors_beside.values())
    if text is not None:
        n_terms = len(first.least) if isinstance(first, WordBlock) else len(text.least)
    names = names[:n_terms]
    rankings, column = model.ranking.batch_of(model.class_index(label))
    weights = rankings.weights[: len(names), column].astype(np.float64)
    if rankings.inside is not None and text is not None:
        # What a word adds up to over the documents that have it, of the class or of the rest.
        inside = rankings.inside[column][: len(names)]
        rest = text.frequencies[: len(names)] - inside
        weights *= np.sqrt(np.where(weights > 0, inside, rest))
    order = np.argsort(-weights, kind="stable")
    speak_for = [str(names[j]) for j in order[:_N_WORDS] if weights[j] > 0]
    against = [str(names[j]) for j in order[::-1][:_N_WORDS] if weights[j] < 0]
    items = [
        f'For "{label}": {", ".join(speak_for) or "none"}.',
        f"Against it: {', '.join(against) or 'none'}.",
    ]
    for name, n in features.vectors_beside.items():
        items.append(f"It also reads {name}: a vector of {n:,} numbers per document.")
    return Section(
        "The words that matter",
        items=items,
        note="The weightiest first, as training documents spell them. "
        "model.explain(document) shows which words spoke in one document.",
    )


def _record_section(model: FittedModel) -> Section:
    record, labels = model.training_record, model.labels
    sizes = sorted(zip(record.class_sizes, map(str, labels), strict=True))[:_MOST_CLASSES]
    of_classes = ", ".join(f'{size:,} of "{label}"' for size, label in sizes)
    known = model.known_words
    items = [
        f"documents: {record.n_documents:,}, {of_classes}",
        f"text columns: {', '.join(map(str, model.text_columns)) or 'not known'}",
        f"day of training: {record.day}",
    ]
    if known.n_documents:
        items.append(f"known words: {100 * known.mean:.0f}% of those of a held-out document")
    left_out = ("expectation", "other classes") if len(labels) == 1 else ("expectation",)
    items += [f"{key}: {value}" for key, value in model.report.items() if key not in left_out]
    return Section("What it learnt from", items=items)


def _probability_section(model: FittedModel) -> Section:
    paragraphs = [
        "A logistic curve turns scores into probabilities. It was fitted to held-out documents "
        "(Platt scaling), and it holds where the class is as frequent as it was there."
    ]
    if len(model.expectation) > 1:
        return Section("Its probabilities", paragraphs)
    table = probability_table(model.held_out, model.calibration.probabilities)
    return Section("Its probabilities", paragraphs, table)


def _usage_section(model: FittedModel, name: str) -> Section:
    columns = map(str, model.text_columns or ["COL"])
    text = "".join(f" --text {shlex.quote(column)}" for column in columns)
    file = shlex.quote(name)
    of_rows = len(model.text_columns) > 1 or model.columns
    documents, document = ("table", "row") if of_rows else ("texts", "text")
    code = (
        f"imbtext predict {file} NEW.csv -o OUT.csv{text}      # decision, score, probability\n"
        f"imbtext check {file} NEW.csv{text}                   # is this still the text it knows?\n"
        "\n"
        "from imbtext import RareTextClassifier\n"
        f"model = RareTextClassifier.load({name!r})\n"
        f"model.predict({documents}); model.predict_proba({documents}); model.explain({document})"
    )
    return Section("How to use it", code=code)
