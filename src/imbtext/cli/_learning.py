"""The documents and labels that a command learns from, with their warnings.

``imbtext train``, ``compare`` and ``mislabelled`` read through here, so that all warn alike: of
labels that look alike, of labels that mean "not known", of documents in other languages, of tests
on training documents.
"""

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from imbtext._messages import warn_user

if TYPE_CHECKING:
    from imbtext._typing import Label
    from imbtext.documents._documents import Documents
    from imbtext.documents._roles import Roles
    from imbtext.tables._formats import Layout
    from imbtext.tables._rules import LabelRules

# A document of this many characters tells its language; documents of other languages are worth a
# warning if there are at least this many and they make up this share.
_TELLING, _LEAST_OTHERS, _SHARE_OF_OTHERS = 25, 20, 0.2
# Some short documents, such as thanks, occur again and again, but not as often as this.
_SHARE_OF_SEEN = 0.05
# The share and the folds of `imbtext compare`, by which it chooses the classes to find.
_SHARE, _FOLDS = 0.2, 5


def files_of(*sources: Path | None) -> list[Path]:
    """Return the files that the inputs of a command stand for, so that none is written over."""
    from imbtext.tables._opening import source_files

    return [path for source in sources if source is not None for path in source_files(source)]


def files_of_encoder(names: str | None) -> list[Path]:
    """Return the files of encoders that are folders, so that none is written over."""
    several = [] if names is None else [names, *names.split("+")]
    folders = {Path(name.strip()).expanduser() for name in several if name.strip()}
    return [path for folder in folders if folder.is_dir() for path in folder.rglob("*")]


def documents_of_source(
    source: Path | None,
    roles: "Roles | None",
    layout: "Layout",
    rules: "LabelRules",
    classes: Sequence[str] | None = None,
    *,
    joined: bool = False,
) -> "Documents":
    """Read the documents of a file, or without one those of the embedded corpus.

    `classes` and `joined` are as in `warn_of_labels`.
    """
    from imbtext.tables._documents import read_documents

    if source is None or roles is None:
        from imbtext.datasets._docstrings import load_docstrings
        from imbtext.documents._documents import Documents

        corpus = load_docstrings()
        return Documents.of(list(corpus.texts), list(corpus.labels))
    documents = read_documents(source, roles, layout, rules)
    warn_of_labels(names_of_labels(documents.y), classes or (), joined=joined)
    return documents


def labels_to_learn(
    labels: "Sequence[Label]", classes: Sequence[str] | None, *, one_class: bool = False
) -> "Sequence[Label]":
    """Return the labels that a model learns, with warnings about them.

    `classes` are those that ``--class`` names; without them the labels stay as they are.
    """
    from imbtext.documents._label_names import find_label, labels_to_find

    names = names_of_labels(labels)
    for name in classes or ():
        find_label(name, sorted(names))
    if one_class and not classes:
        raise ValueError("--one-class joins the labels that --class names; name them")
    warn_of_labels(names, classes or (), joined=one_class or len(classes or ()) == 1)
    return labels_to_find(labels, classes, one_class=one_class) if classes else labels


def rare_classes(labels: "Sequence[Label]") -> list[str] | None:
    """Return the classes that a command finds if none is named; None is the rarer of two.

    They are those that ``imbtext compare`` compares: the rare ones, or else the smallest.
    """
    from imbtext.comparison._settings import choose_classes
    from imbtext.documents._labels import Labels

    if len(names_of_labels(labels)) == 2 and not isinstance(labels[0], frozenset):
        return None
    read = Labels.of(labels, len(labels), several=True)
    to_find, _ = choose_classes(read, None, _SHARE, _FOLDS)
    return [str(label) for label in to_find]


def class_of_labels_file(source: Path | None, documents: "Documents") -> str | None:
    """Return the class that a file of ``imbtext label`` is about; None if it is another file.

    Its documents were chosen for looking like the class. They are not a fair sample, and ``no`` may
    well be the rarer label there. A warning says so.
    """
    from imbtext.labelling._decisions import NO
    from imbtext.labelling._labels_file import are_labels
    from imbtext.tables._errors import TableWarning

    if source is None or source.suffix.lower() != ".csv":
        return None
    if not are_labels(list(documents.all_columns)):
        return None
    warn_user(
        f"{source} has the documents that imbtext label chose for looking like the class; among "
        "new documents the class is rarer. To learn from all documents, as the labelling page "
        "does: imbtext label FILE -o LABELS.csv --train",
        TableWarning,
    )
    others = names_of_labels(documents.y).keys() - {NO}
    return min(others) if len(others) == 1 else None


def names_of_labels(labels: "Iterable[Label]") -> Counter[str]:
    """Return how many documents have each label; those of a document may be a set."""
    names: Counter[str] = Counter()
    for label, n in Counter(label for label in labels if label is not None).items():
        labels_of_document = label if isinstance(label, frozenset) else [label]
        names.update({str(name): n for name in labels_of_document})
    return names


def warn_of_labels(
    names: Mapping[str, int], classes: Sequence[str] = (), *, joined: bool = True
) -> None:
    """Warn of labels that probably mean the same class, or no class.

    `names` has the number of documents by the names of the classes. `classes` are those that
    ``--class`` names. `joined` says that they are one class.
    """
    from imbtext.documents._label_names import look_alikes, placeholders
    from imbtext.tables._errors import TableWarning

    for group in look_alikes(names):
        apart = [name for name in group if name not in classes]
        if classes and (len(apart) == len(group) or (joined and not apart)):
            continue  # all of them are the rest, or all are the class
        counted = ", ".join(f"{name!r} ({names[name]:,})" for name in group)
        advice = "write them alike"
        if classes and joined:
            one = "" if len(classes) > 1 else " --one-class"
            advice = f"to count all of them as {classes[0]}, add {_class_options(apart)}{one}"
        elif classes:
            named = [name for name in classes if name in group]
            options = _class_options(dict.fromkeys([*named, *apart]))
            advice = f"to count all of them as {named[0]}, use {options} --one-class"
        warn_user(f"labels that look alike are separate classes: {counted}; {advice}", TableWarning)
    for name in placeholders(names):
        if name not in classes:
            warn_user(
                f"the label {name!r} ({names[name]:,}) is taken for "
                f"{f'not {classes[0]}' if classes else 'a class'}; if it means that the class is "
                f"not known, leave its rows out: --ignore-label {shlex.quote(name)}",
                TableWarning,
            )


def _class_options(names: Iterable[str]) -> str:
    return " ".join(f"--class {shlex.quote(name)}" for name in names)


def warn_of_languages(language: str, texts: Sequence[str]) -> None:
    """Warn of documents in other languages that would get English stems.

    This needs the detector of the extra ``languages``; without it there is no warning.
    """
    from imbtext.documents._languages import count_languages
    from imbtext.tables._errors import TableWarning

    if language != "english" or find_spec("py3langid") is None:
        return
    counts = count_languages(texts, _TELLING)
    others = {name: n for name, n in counts.items() if name != "english" and n >= _LEAST_OTHERS}
    if not others or sum(others.values()) < _SHARE_OF_OTHERS * counts.total():
        return
    shares = ", ".join(
        f"{name} {n / counts.total():.0%}" for name, n in counts.most_common(3) if name in others
    )
    warn_user(
        f"some documents seem to be in other languages ({shares}) but get English stems; "
        "--language auto stems each document in its own language",
        TableWarning,
    )


def read_test_documents(
    test: Path, roles: "Roles", layout: "Layout", rules: "LabelRules", training: "Documents"
) -> "Documents":
    """Read the file that ``--test`` names, and warn if many of its documents are in training."""
    from imbtext.tables._documents import read_documents
    from imbtext.tables._errors import TableWarning

    # Tested models learn nothing from it, so it needs no times.
    documents = read_documents(test, replace(roles, time=None), layout, rules, for_test=True)
    known, n = frozenset(training.strings()), len(documents)
    n_seen = sum(text in known for text in documents.strings())
    if n_seen >= max(_SHARE_OF_SEEN * n, 1):
        warn_user(
            f"{n_seen:,} of {n:,} documents of {test} are training documents too, word for word, "
            "so results may be too good; test on documents that the model has not seen",
            TableWarning,
        )
    return documents
