"""Labels that people made in other tools, from the files that those tools export.

A tool has its own ids and its own order, so a document is found in the table by its text. Spaces
and line ends do not matter. ``_FORMATS`` is the table of what is read: a format recognises its
records and says what each of them means for a document.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from imbtext._messages import did_you_mean, listed
from imbtext._typing import Record
from imbtext.labelling._decisions import NO, YES
from imbtext.labelling._labels_file import are_labels
from imbtext.labelling._settings import SessionSettings, settings_path
from imbtext.tables._formats import Layout, open_text
from imbtext.tables._opening import open_table

_INCLUDED: Final = ("asreview_label", "included", "label_included")
_RELEVANT: Final = {"ASReview_relevant": "1", "ASReview_irrelevant": "0"}
_RIS_LINE: Final = re.compile(r"([A-Z][A-Z0-9])  -(.*)")
_RIS_FIELDS: Final = {"TI": "title", "T1": "title", "AB": "abstract", "N2": "abstract"}
_MOST_NAMED: Final = 8
# More documents to start from would only take longer: they count until three are found.
_MOST_LIKE: Final = 20


@dataclass(frozen=True)
class Annotation:
    """What somebody said about a document in another tool.

    Attributes
    ----------
    fields : mapping of str to str
        The document as the tool shows it: its texts by their names.
    labels : frozenset of str
        The labels that it was given.
    rejected : frozenset of str, optional
        Of a question about one label: the labels that it was denied. None if all labels were to
        choose from, so that those not given are denied.
    """

    fields: Mapping[str, str]
    labels: frozenset[str] = frozenset()
    rejected: frozenset[str] | None = None


@dataclass(frozen=True)
class ExportFormat:
    """A kind of file: its name, its records, and whether it says yes and no instead of a class."""

    name: str
    is_one: Callable[[Record], bool]
    read: Callable[[Record], Iterator[Annotation]]
    is_binary: bool = False


@dataclass(frozen=True)
class ExportedLabels:
    """The labels of an export for the documents of a table.

    Attributes
    ----------
    labels : list of (str or None)
        The class of each document, ``"no"``, or None if the export does not say.
    format : str
        What kind of export it is.
    n_not_found : int
        How many labelled texts of the export are not in the table.
    n_disputed : int
        How many documents have labels that contradict each other; they stay unread.
    """

    labels: list[str | None]
    format: str
    n_not_found: int
    n_disputed: int

    def sentences(self, path: Path) -> list[str]:
        """Return in words how many labels were taken, and which were not."""
        n = sum(label is not None for label in self.labels)
        said = [f"{path} ({self.format}) has labels of {_documents(n)} of the table."]
        if self.n_not_found:
            said.append(f"Labelled texts that are not in the table: {self.n_not_found:,}.")
        if self.n_disputed:
            said.append(f"Left unread for labels that disagree: {_documents(self.n_disputed)}.")
        return said


def labels_of_export(
    path: Path, columns: Mapping[str, Sequence[object]], classes: Sequence[str]
) -> ExportedLabels:
    """Return the labels that an export has for documents.

    Parameters
    ----------
    path : Path
        What another tool exported.
    columns : mapping of str to lists
        The text columns of the documents.
    classes : list of str
        The classes to find. Any other label means ``"no"``.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "doccano.jsonl"
    >>> _ = path.write_text('{"id": 1, "text": "my card was stolen", "label": ["fraud"]}')
    >>> labels_of_export(path, {"body": ["hello", "my card was stolen"]}, ["fraud"]).labels
    [None, 'fraud']
    """
    kind, annotations = _read(path)
    if kind.is_binary:
        if len(classes) > 1:
            raise ValueError(
                f"{path} ({kind.name}) says only whether a document is included, and there are "
                f"several classes ({listed(classes)}); give one --class"
            )
    else:
        _check_classes(path, annotations, classes)
    documents = DocumentsByText(columns)
    said: dict[int, list[Annotation]] = defaultdict(list)
    not_found = set()
    for annotation in annotations:
        rows = documents.rows(annotation.fields)
        if not rows:
            not_found.add(documents.texts(annotation.fields)[0])
        for row in rows:
            said[row].append(annotation)
    if not said:
        raise ValueError(
            f"none of the {len(not_found):,} labelled texts of {path} stands in "
            f"{listed(list(columns))}; give the table whose documents were labelled there"
        )
    names = {YES: classes[0]} if kind.is_binary else {name: name for name in classes}
    decided = {row: _decisions(several, names) for row, several in said.items()}
    n_rows = len(next(iter(columns.values())))
    labels: list[str | None] = [None] * n_rows
    for row, several in decided.items():
        if len(several) == 1:
            labels[row] = next(iter(several))
    n_disputed = sum(len(several) > 1 for several in decided.values())
    return ExportedLabels(labels, kind.name, len(not_found), n_disputed)


def documents_of_classes(path: Path, classes: Sequence[str]) -> dict[str, list[str]]:
    """Return documents of each class from another project, to start with documents like these.

    Parameters
    ----------
    path : Path
        The labels of another session, or what another tool exported.
    classes : list of str
        The classes to find.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "doccano.jsonl"
    >>> _ = path.write_text('{"id": 1, "text": "my card was stolen", "label": ["fraud"]}')
    >>> documents_of_classes(path, ["fraud"])
    {'fraud': ['my card was stolen']}
    """
    texts: dict[str, dict[str, None]] = defaultdict(dict)
    if _is_of_session(path):
        labelled = _labelled_in_session(path)
    else:
        kind, annotations = _read(path)
        labelled = (
            (classes[0] if kind.is_binary else name, max(annotation.fields.values(), key=len))
            for annotation in annotations
            for name in annotation.labels
        )
    for label, text in labelled:
        if label in classes and text.strip():
            texts[label][text] = None
    if not texts:
        raise ValueError(
            f"{path} has no document of {listed(list(classes))} to start from; name the class to "
            "find with --class"
        )
    return {label: list(several)[:_MOST_LIKE] for label, several in texts.items()}


def _is_of_session(path: Path) -> bool:
    return path.suffix.lower() == ".csv" and are_labels(open_table(path, Layout()).columns)


def _labelled_in_session(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the label and the text of each document that has a label."""
    names = SessionSettings.load(path).text
    for batch in open_table(path, Layout()).batches():
        label = "imbtext_label" if "imbtext_label" in batch.names else "label"
        missing = [name for name in names if name not in batch.names]
        if missing or not names:
            raise ValueError(
                f"the text columns of {path} are not known: its settings are not beside it, in "
                f"{settings_path(path).name}; keep both files together"
            )
        for name, *parts in zip(*map(batch.values, [label, *names]), strict=True):
            yield str(name or ""), "\n".join(str(part) for part in parts if part)


def _decisions(annotations: Sequence[Annotation], names: Mapping[str, str]) -> set[str]:
    """Return what annotations of a document mean: one label, none, or several that disagree."""
    given = {name for annotation in annotations for name in annotation.labels if name in names}
    denied = {name for annotation in annotations for name in annotation.rejected or ()}
    is_no = any(
        annotation.rejected is None and not annotation.labels & set(names)
        for annotation in annotations
    )
    decisions = {names[name] for name in given}
    return decisions | {NO} if is_no or set(names) <= denied or given & denied else decisions


def _check_classes(path: Path, annotations: Sequence[Annotation], classes: Sequence[str]) -> None:
    """Raise if no class to find is a label of the export: all documents would become "no"."""
    counts = Counter(
        name
        for annotation in annotations
        for name in annotation.labels | (annotation.rejected or set())
    )
    if not set(classes) & set(counts):
        most = [name for name, _ in counts.most_common(_MOST_NAMED)]
        raise ValueError(
            f"{path} has no label {listed(classes)}; it has {listed(most)}"
            f"{did_you_mean(classes[0], most)}; name the class to find with --class"
        )


class DocumentsByText:
    """Finds the documents of a table by what they say.

    Parameters
    ----------
    columns : mapping of str to lists
        The text columns.

    Examples
    --------
    >>> documents = DocumentsByText({"body": ["hello", "my card was stolen", "hello"]})
    >>> documents.rows({"id": "7", "text": "hello"}), documents.rows({"text": "bye"})
    ([0, 2], [])
    """

    def __init__(self, columns: Mapping[str, Sequence[object]]) -> None:
        self._names = list(columns)
        self._rows: dict[str, list[int]] = defaultdict(list)
        for row, parts in enumerate(zip(*columns.values(), strict=True)):
            text = _words("\n".join(str(part) for part in parts if part is not None))
            self._rows[text].append(row)

    def rows(self, fields: Mapping[str, str]) -> list[int]:
        """Return the rows whose text a record has; none if it has no such text."""
        found = (self._rows[text] for text in self.texts(fields) if text in self._rows)
        return next(found, [])

    def texts(self, fields: Mapping[str, str]) -> list[str]:
        """Return which texts of a record may be the document: columns of these names first."""
        own = []
        if set(self._names) <= set(fields):
            own = [_words("\n".join(fields[name] for name in self._names))]
        return own + sorted(map(_words, fields.values()), key=len, reverse=True) or [""]


def _documents(n: int) -> str:
    return "1 document" if n == 1 else f"{n:,} documents"


def _words(text: str) -> str:
    return " ".join(text.split())


def _read(path: Path) -> tuple[ExportFormat, list[Annotation]]:
    """Return which format a file has, and what it says."""
    records = _records(path)
    kind = next((kind for kind in _FORMATS if records and kind.is_one(records[0])), None)
    if kind is None:
        if _is_of_session(path):
            raise ValueError(
                f"{path} has the labels of another session; continue that with -o {path}, or start "
                f"with documents like those it found with --like {path}"
            )
        names = [kind.name for kind in _FORMATS]
        raise ValueError(
            f"{path} is not an export with labels of documents; expected {', '.join(names[:-1])} "
            f"or {names[-1]}"
        )
    for number, record in enumerate(records, 1):
        if not kind.is_one(record):
            raise ValueError(
                f"record {number:,} of {path} is not {kind.name}, but those before it are; export "
                "the file again"
            )
    annotations = [annotation for record in records for annotation in kind.read(record)]
    if not annotations:
        raise ValueError(f"{path} ({kind.name}) has no labels; label some documents there first")
    return kind, annotations


def _records(path: Path) -> list[Record]:
    """Return the records of a file: JSON objects, rows of a table, or references."""
    with open_text(path, str(path), "utf-8") as stream:
        text = stream.read().lstrip("\ufeff \r\n\t")
    if text.startswith(("{", "[")):
        return _json_records(text, path)
    if re.search(r"^TY  -", text, re.MULTILINE):
        return list(_references(text))
    table = open_table(path, Layout())
    if not text or not set(_INCLUDED) & set(table.columns):
        return []
    return [
        dict(zip(batch.names, row, strict=True))
        for batch in table.batches()
        for row in zip(*map(batch.values, batch.names), strict=True)
    ]


def _json_records(text: str, path: Path) -> list[Record]:
    """Return the objects of a JSON array, or of JSON lines."""
    try:
        if text.startswith("["):
            objects = json.loads(text)
        else:
            objects = [json.loads(line) for line in text.split("\n") if line.strip()]
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not whole JSON ({error}); export it again") from error
    return objects if all(isinstance(item, dict) for item in objects) else []


def _references(text: str) -> Iterator[Record]:
    """Yield the references of a RIS file: the lines of each tag, in a list."""
    reference: dict[str, list[str]] = {}
    values: list[str] = []
    for line in text.split("\n"):
        tagged = _RIS_LINE.match(line)
        if tagged is None:
            if values and line.strip():  # a long value continues on the next line
                values[-1] += f" {line.strip()}"
            continue
        tag, value = tagged.groups()
        if tag == "ER":
            yield reference
            reference, values = {}, []
        else:
            values = reference.setdefault(tag, [])
            values.append(value.strip())


def _is_label_studio(record: Record) -> bool:
    return isinstance(record.get("data"), dict) and isinstance(record.get("annotations"), list)


def _label_studio(record: Record) -> Iterator[Annotation]:
    fields = _texts(record["data"])
    for annotation in _objects(record["annotations"]):
        values = [region.get("value") for region in _objects(annotation.get("result"))]
        chosen = [name for value in _objects(values) for name in _names(value.get("choices"))]
        if chosen and not annotation.get("was_cancelled"):
            yield Annotation(fields, frozenset(chosen))


def decisions_of_task(task: Record, classes: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield who decided what about a task of Label Studio: a labeller and a class, or ``"no"``."""
    names = {name: name for name in classes}
    for annotation in _objects(task.get("annotations")):
        one = {"data": task.get("data") or {}, "annotations": [annotation]}
        decisions = _decisions(list(_label_studio(one)), names)
        by = annotation.get("completed_by")
        name = by.get("email") if isinstance(by, dict) else by
        if len(decisions) == 1:
            yield f"Label Studio {name or ''}".strip(), decisions.pop()


def _is_doccano(record: Record) -> bool:
    labels = record.get("label", record.get("labels"))
    is_list = isinstance(labels, list) and all(isinstance(name, str) for name in labels)
    return is_list and isinstance(record.get("text"), str) and "answer" not in record


def _doccano(record: Record) -> Iterator[Annotation]:
    labels = frozenset(_names(record.get("label", record.get("labels"))))
    if labels:  # a document without a label is one that nobody has read
        yield Annotation({"text": str(record["text"])}, labels)


def _is_prodigy(record: Record) -> bool:
    is_answered = record.get("answer") in ("accept", "reject", "ignore")
    return is_answered and isinstance(record.get("text"), str)


def _prodigy(record: Record) -> Iterator[Annotation]:
    fields, answer = {"text": str(record["text"])}, record["answer"]
    if isinstance(record.get("accept"), list):  # several labels to choose from
        if answer == "accept":
            yield Annotation(fields, frozenset(_names(record["accept"])))
    elif isinstance(record.get("label"), str):
        label = frozenset(_names(record["label"]))
        if answer == "accept":
            yield Annotation(fields, label, frozenset())
        elif answer == "reject":
            yield Annotation(fields, rejected=label)


def _is_argilla(record: Record) -> bool:
    return isinstance(record.get("fields"), dict) and isinstance(record.get("responses"), dict)


def _argilla(record: Record) -> Iterator[Annotation]:
    fields = _texts(record["fields"])
    for responses in record["responses"].values():
        for response in _objects(responses):
            labels = frozenset(_names(response.get("value")))
            if labels:
                yield Annotation(fields, labels)


def _is_ris(record: Record) -> bool:
    return "TY" in record and isinstance(record["TY"], list)


def _ris(record: Record) -> Iterator[Annotation]:
    fields = {name: record[tag][0] for tag, name in _RIS_FIELDS.items() if any(record.get(tag, []))}
    notes = [note for tag in ("N1", "RN") for note in record.get(tag, [])]
    decisions = [_RELEVANT[note] for note in notes if note in _RELEVANT]
    yield from _included(fields, decisions[0] if decisions else None)


def _is_asreview(record: Record) -> bool:
    return any(name in record for name in _INCLUDED)


def _asreview(record: Record) -> Iterator[Annotation]:
    decision = next(record[name] for name in _INCLUDED if name in record)
    fields = {name: value for name, value in record.items() if name not in _INCLUDED}
    yield from _included(_texts(fields), decision)


def _included(fields: Mapping[str, str], decision: object) -> Iterator[Annotation]:
    """Yield a decision of a review: 1 is included, 0 is not, and other cells are unread."""
    if str(decision) in ("1", "1.0"):
        yield Annotation(fields, frozenset({YES}))
    elif str(decision) in ("0", "0.0"):
        yield Annotation(fields)


def _texts(values: Mapping[str, object]) -> dict[str, str]:
    return {name: value for name, value in values.items() if isinstance(value, str)}


def _objects(values: object) -> list[Record]:
    return [item for item in values if isinstance(item, dict)] if isinstance(values, list) else []


def _names(value: object) -> list[str]:
    """Return one label or several as strings, without the space around them."""
    several = value if isinstance(value, list) else [value]
    names = [str(name).strip() for name in several if isinstance(name, str | int)]
    return [name for name in names if name]


_FORMATS: Final = (
    ExportFormat("Label Studio JSON", _is_label_studio, _label_studio),
    ExportFormat("doccano JSON lines", _is_doccano, _doccano),
    ExportFormat("Prodigy JSON lines", _is_prodigy, _prodigy),
    ExportFormat("Argilla records", _is_argilla, _argilla),
    ExportFormat("RIS", _is_ris, _ris, is_binary=True),
    ExportFormat("a table of ASReview", _is_asreview, _asreview, is_binary=True),
)
