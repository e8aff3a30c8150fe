"""Writing the rows of files with a model's decision and score.

Rows pass through in batches, so files may be larger than memory. In a pool, each file, or each part
of a large Parquet file, is a task. `top` and `uncertain` keep in memory only the rows they write.
"""

import copy
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final, NamedTuple

import numpy as np
import pyarrow
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from imbtext._messages import listed, warn_user
from imbtext._typing import Array, Label, MetricLike
from imbtext.documents._documents import Documents
from imbtext.documents._label_names import as_list, find_label, label_name
from imbtext.documents._roles import Roles
from imbtext.files._label_studio import LABEL_STUDIO, TaskWriter
from imbtext.files._writing import check_folder
from imbtext.parallel import Pool, check_pool
from imbtext.progress import progress_bar
from imbtext.rare._classifier import RareTextClassifier
from imbtext.rare._familiarity import NewDocuments, UnfamiliarTextWarning
from imbtext.rare._predictions import Predictions
from imbtext.rare._skipping import SkippingMeaning
from imbtext.tables._batches import AddedColumns, Batch, TableFile, TableWriter
from imbtext.tables._conversion import table_writer, typed
from imbtext.tables._documents import DocumentReader
from imbtext.tables._formats import Layout, open_output
from imbtext.tables._opening import name_of_tables, open_tables
from imbtext.tables._rules import DEFAULT_RULES, RowTally
from imbtext.thresholds._expectation import AlarmRate, Expectation
from imbtext.writing import check_outputs, folder_written_whole, output_file, written_whole

Cells = dict[str, Sequence[str | float]]

_PREDICTION_TYPES: Final = {
    "decision": pyarrow.string(),
    "score": pyarrow.float64(),
    "threshold": pyarrow.float64(),
    "probability": pyarrow.float64(),
}
_NOTHING_KNOWN: Final = "nothing_known"
_LINE: Final = "line"
_WORD_TYPES: Final = {"words_for": pyarrow.string(), "words_against": pyarrow.string()}
_N_WORDS: Final = 8
_N_EXPLAINED: Final = 200  # an explanation names every place of every term, until it is cut


def predict_file(
    model: RareTextClassifier,
    source: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    text: str | Sequence[str] | None = None,
    metric: MetricLike | None = None,
    cost: tuple[float, float] | str | None = None,
    alarms: int | None = None,
    label: Label | Sequence[Label] = None,
    explain: bool = False,
    each_class: bool = False,
    top: int | None = None,
    uncertain: int | None = None,
    prefix: str = "",
    id_column: str | None = None,
    layout: Layout | None = None,
    output_format: str | None = None,
    pool: Pool | None = None,
    overwrite: bool = False,
    quiet: bool = True,
) -> "DecisionCounts":
    r"""Write the rows of a file with the decision, score, threshold and probability of a model.

    A document with a score above the threshold is put into the class. One of which the model knows
    nothing, such as a blank text, never is; a column ``nothing_known`` says so. The file is written
    whole or not at all.

    Parameters
    ----------
    model : RareTextClassifier
        A fitted model.
    source, out : path
        A file, a folder or a pattern, as :func:`oversample_files` reads them, and the file to
        write; ``"-"`` is standard input or output. With a pool, `out` is a folder, and every worker
        must be able to read `source` and write to `out` under these names.
    text : str or list of str, optional
        The column of the documents; by default the column that the model was trained on. For a
        model of several text columns, give their names in this file in the same order.
    metric, cost : optional
        Decide at another operating point than the model's own, as in `RareTextClassifier.at`.
    alarms : int, optional
        Put at most this many documents into the class, those with the highest scores: as many as
        somebody has the time to read.
    label : label or list of labels, optional
        In a model of several classes, those whose operating points move; by default all of them.
    explain : bool, default=False
        Whether to add the words that speak for and against the class.
    each_class : bool, default=False
        Whether to add decision, score, threshold and probability of each class, in columns such as
        ``score_fraud``.
    top : int, optional
        Write only this many rows: those with the highest scores, the highest first. Of a model with
        an encoder and one class, texts whose words rule an alarm out are then not encoded, if there
        are as many alarms; see :doc:`/guides/encoders`.
    uncertain : int, optional
        Write only this many rows: those nearest to the threshold, which are most worth labelling.
    prefix : str, default=""
        What the names of the added columns begin with.
    id_column : str, optional
        The column that names the rows. Without it, `top` and `uncertain` add a column ``line``:
        the line of each row in its file.
    output_format : {"csv", "tsv", "jsonl", "parquet", "xlsx", "label-studio"}, optional
        The format of `out`, by default by its name. ``"label-studio"`` writes tasks for Label
        Studio, which have the decision as a prediction, and the probability as its score.
    pool : imbtext.distributed.DaskPool, optional
        The workers that do the work; another pool, such as `imbtext.parallel.ProcessPool`, works
        too. By default this process does it.
    layout, overwrite, quiet
        As for :func:`oversample_files`.

    Warns
    -----
    UnfamiliarTextWarning
        If fewer words are known, or more or fewer documents are put into a class, than the model
        expects of a file of this size. With `alarms`, it is about how many documents the model's
        own threshold would put there.
    TableWarning
        If texts have no words, or are numbers.

    Returns
    -------
    sizes : DecisionCounts
        A dict of how many rows got each decision. Its attribute `expectation` says what to expect
        of them, for `label` alone if it is given; `skipped` says how many texts were not encoded.

    Examples
    --------
    >>> import tempfile
    >>> from imbtext import RareTextClassifier
    >>> texts = ["oil price up", "crude oil price"] * 3 + ["rain today", "sun and rain"] * 12
    >>> model = RareTextClassifier(random_state=0).fit(texts, ["oil"] * 6 + ["weather"] * 24)
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "new.csv").write_text("body\nprice of oil\nmore rain\n")
    >>> predict_file(model, folder / "new.csv", folder / "scored.csv", text="body")
    {'oil': 1, 'weather': 1}
    >>> print((folder / "scored.csv").read_text().splitlines()[0])
    body,decision,score,threshold,probability,nothing_known
    """
    roles = roles_read_by(model, text)
    _check_rows(top, uncertain, pool)
    moved = _labels_to_move(model, label, [metric, cost, alarms])
    if metric is not None or cost is not None:
        for one in moved or [None]:
            model = model.at(metric, cost=cost, label=one)
    with open_tables(Path(source), layout or Layout()) as tables:
        target, name = Path(out), name_of_tables(tables)
        if pool is None:
            _refuse_folder(out)
            check_outputs([target], [table.path for table in tables])
        else:
            check_folder(target, tables)
        as_tasks = output_format is not None and output_format.lower() == LABEL_STUDIO
        if as_tasks and pool is not None:
            raise ValueError("tasks for Label Studio are one file; leave the pool (--dask) out")
        if output_format is None and pool is None and target.suffix.lower() == ".json":
            raise ValueError(
                f"{out} can be tasks for Label Studio (--output-format label-studio), or lines of "
                "JSON, whose name ends in .jsonl"
            )
        written = Layout("jsonl" if as_tasks else output_format).for_output(
            target if pool is None and not as_tasks else Path("part"), tables[0].layout
        )
        for table in tables:
            DocumentReader(roles).start(table)
            table.check_columns([] if id_column is None else [id_column])
        sources = typed(tables) if written.format == "parquet" else tables
        own_point = None
        if alarms is not None:
            own_point = OwnPoint(model.thresholds_, model.alarm_rates_)
            for one in moved or [None]:
                model = model.at(alarms=alarms, of=_documents(model, sources, roles), label=one)
        if top is not None and (hasty := _for_top(model, sources, roles, top)) is not None:
            model = hasty
        n_kept = top if uncertain is None else uncertain
        lines = n_kept is not None and id_column is None
        scoring = Scoring(model, roles, explain, prefix, lines, own_point, each_class, as_tasks)
        if pool is None:
            highest = None if n_kept is None else _HighestRows(n_kept, nearest=top is None)
            with output_file(target) as partial:
                seen = _predict_here(scoring, sources, partial, written, highest, quiet=quiet)
                seen.tally.check(scoring.roles, DEFAULT_RULES, name)
        else:
            with folder_written_whole(target, overwrite=overwrite) as folder:
                seen = _predict_in_parts(scoring, sources, folder, written, pool, quiet=quiet)
                seen.tally.check(scoring.roles, DEFAULT_RULES, name)
    _warn_of_unfamiliar(seen.new_documents, name, len(tables))
    expectation = [e for e in model.expectation_ if not moved or e.label in moved]
    skipping = model.fitted_.skipping if seen.n_skipped else None
    n_read = seen.decisions.total()
    told = "" if skipping is None else skipping.in_words(seen.n_skipped, n_read)
    return DecisionCounts(seen.decisions, seen.of_classes, expectation, told)


def _labels_to_move(
    model: RareTextClassifier, label: Label | Sequence[Label], points: Sequence[object]
) -> list[Label]:
    """Return the labels whose operating points move, by at most one of `points`."""
    n_points = sum(point is not None for point in points)
    if n_points > 1:
        raise ValueError("metric, cost and alarms each set the operating point; give one of them")
    moved = [find_label(one, model.fitted_.labels) for one in as_list(label)]
    if moved and n_points == 0:
        raise ValueError(
            f"to move the operating point of {listed(moved)}, give a metric, cost or alarms"
        )
    return moved


def _check_rows(top: int | None, uncertain: int | None, pool: Pool | None) -> None:
    """Check which rows to write, and where."""
    check_pool(pool)
    if top is not None and uncertain is not None:
        raise ValueError("top and uncertain choose different rows; give one of them")
    for name, n in (("top", top), ("uncertain", uncertain)):
        if n is not None and n < 1:
            raise ValueError(f"{name} is {n}; ask for at least one row")
        if n is not None and pool is not None:
            raise ValueError(
                f"one process must collect the {name} rows of all files; leave the pool "
                "(--dask) out"
            )


def _refuse_folder(out: str | os.PathLike[str]) -> None:
    if os.fspath(out).endswith(("/", os.sep)):
        raise ValueError(
            f"{out} is the name of a folder; without a pool (--dask), predict writes one file: "
            f"name it, such as {Path(out).with_suffix('.csv')}"
        )


def _warn_of_unfamiliar(documents: NewDocuments, name: str, n_tables: int) -> None:
    """Warn of tables, called `name`, that are unlike what the model was trained on."""
    if n := documents.n_trained_on:
        which = "the" if documents.are_training_documents else f"about {n:,} of the"
        warn_user(
            f"the model seems to know {which} documents of {name} from its training: it knows all "
            "of their words, and their scores are too good. What to expect of new documents is in "
            "its card (imbtext show)",
            UnfamiliarTextWarning,
        )
    doubts = documents.doubts()
    if doubts:
        seem = "seems" if n_tables == 1 else "seem"
        warn_user(
            f"{name} {seem} to be unlike what the model was trained on: {'; '.join(doubts)}. "
            f"What the model promises may not hold here",
            UnfamiliarTextWarning,
        )


class DecisionCounts(dict[str, int]):
    """How many rows got each decision; `expectation` says what to expect of those of each class.

    `of_classes` says how many rows got each class, alone or with others. `skipped` says how many
    texts were not encoded, and what that costs; empty if all were.
    """

    def __init__(
        self,
        counts: Mapping[str, int],
        of_classes: Mapping[str, int],
        expectation: Sequence[Expectation],
        skipped: str = "",
    ) -> None:
        super().__init__(counts)
        self.of_classes = dict(of_classes)
        self.expectation = list(expectation)
        self.skipped = skipped


def _documents(
    model: RareTextClassifier, tables: Sequence[TableFile], roles: Roles
) -> Iterator[Documents]:
    """Yield the documents of tables, batch by batch, for a look at their scores."""
    for documents in DocumentReader(roles).read(tables):
        yield documents_read_by(model, documents)


def _for_top(
    model: RareTextClassifier, tables: Sequence[TableFile], roles: Roles, top: int
) -> RareTextClassifier | None:
    """Return the model that encodes only what may become an alarm, if there are `top` alarms.

    Then the `top` rows with the highest scores are alarms, and no row that is skipped is among
    them. With fewer alarms every text may be among them, and None is returned.
    """
    fitted, n_alarms = model.fitted_.for_alarms(), 0
    if fitted is None:
        return None
    hasty = copy.copy(model)
    hasty.fitted_ = fitted
    for documents in _documents(hasty, tables, roles):
        n_alarms += int(hasty.predictions(documents).n_alarms[0])
        if n_alarms >= top:
            return hasty
    return None


@dataclass
class _RowsSeen:
    """Counts of the rows read so far: decisions, unusual rows, alarms and known words."""

    new_documents: NewDocuments
    decisions: Counter[str] = field(default_factory=Counter)
    of_classes: Counter[str] = field(default_factory=Counter)
    tally: RowTally = field(default_factory=RowTally)
    n_skipped: int = 0

    def add(self, other: "_RowsSeen") -> None:
        """Add what is known of other rows."""
        self.decisions.update(other.decisions)
        self.of_classes.update(other.of_classes)
        self.tally += other.tally
        self.new_documents.merge(other.new_documents)
        self.n_skipped += other.n_skipped


class OwnPoint(NamedTuple):
    """Where a model decides by itself, and how many alarms it expects there.

    A user who asks for 20 alarms gets 20, whatever the documents are. Whether they are like the
    training documents shows in how many alarms there would have been otherwise.
    """

    thresholds: NDArray[np.float64]
    alarm_rates: Sequence[AlarmRate]


@dataclass(frozen=True, eq=False)
class Scoring:
    """A model and what to write of its predictions; workers get this record.

    `own_point` is the model's own operating point, if it was moved to a number of alarms, and
    `as_tasks` is whether to write tasks for Label Studio.
    """

    model: RareTextClassifier
    roles: Roles
    explain: bool = False
    prefix: str = ""
    lines: bool = False
    own_point: OwnPoint | None = None
    each_class: bool = False
    as_tasks: bool = False

    @property
    def added(self) -> dict[str, pyarrow.DataType]:
        """The columns that are added, with their Arrow types."""
        types = dict(_PREDICTION_TYPES)
        if self.each_class:
            for label in map(label_name, self.model.fitted_.labels):
                types |= {f"{name}_{label}": kind for name, kind in _PREDICTION_TYPES.items()}
        types[_NOTHING_KNOWN] = pyarrow.string()
        types |= _WORD_TYPES if self.explain else {}
        if self.lines:
            types = {_LINE: pyarrow.string()} | types
        return {self.prefix + name: kind for name, kind in types.items()}

    def nothing_seen(self) -> _RowsSeen:
        """Return what is known before the first row."""
        rates = self.model.alarm_rates_ if self.own_point is None else self.own_point.alarm_rates
        moved = self.own_point is not None
        return _RowsSeen(NewDocuments(rates, self.model.known_words_, moved=moved))

    def cells(self, documents: Documents, seen: _RowsSeen) -> tuple[Array, Cells]:
        """Return scores less thresholds and new cells of some documents, added to `seen`."""
        content = documents_read_by(self.model, documents)
        skipped_before = self._n_skipped
        predictions = self.model.predictions(content)
        seen.n_skipped += self._n_skipped - skipped_before
        n = len(documents)
        n_alarms = predictions.n_alarms
        if self.own_point is not None:
            n_alarms = predictions.n_alarms_at(self.own_point.thresholds)
        seen.new_documents.add(n, n_alarms, predictions.known_shares, predictions.unread)
        classes = _classes_of(predictions.decision)
        decisions = ["; ".join(sorted(names)) for names in classes]
        seen.decisions.update(decisions)
        seen.of_classes.update(name for names in classes for name in names or [""])
        cells: Cells = {
            "decision": decisions,
            "score": [round(score, 6) for score in predictions.score.tolist()],
            "threshold": [round(cut, 6) for cut in predictions.threshold.tolist()],
            "probability": [round(share, 6) for share in predictions.probability.tolist()],
        }
        if self.each_class:
            cells |= self._cells_of_classes(predictions)
        cells[_NOTHING_KNOWN] = ["yes" if row else "no" for row in predictions.nothing_known]
        return predictions.margin, self._named(cells)

    @property
    def _n_skipped(self) -> int:
        meaning = self.model.fitted_.meaning
        return meaning.n_skipped if isinstance(meaning, SkippingMeaning) else 0

    def _cells_of_classes(self, predictions: Predictions) -> Cells:
        """Return decision, score, threshold and probability of each class."""
        scores, thresholds = predictions.class_scores, predictions.class_thresholds
        alarms = predictions.alarms_at(thresholds)
        shares = self.model.fitted_.probabilities(scores)
        cells: Cells = {}
        for c, label in enumerate(map(label_name, self.model.fitted_.labels)):
            cells |= {
                f"decision_{label}": ["yes" if alarm else "no" for alarm in alarms[:, c].tolist()],
                f"score_{label}": np.round(scores[:, c], 6).tolist(),
                f"threshold_{label}": [round(float(thresholds[c]), 6)] * len(scores),
                f"probability_{label}": np.round(shares[:, c], 6).tolist(),
            }
        return cells

    def words(self, documents: Documents) -> Cells:
        """Return the words that speak for and against each document, a few documents at a time."""
        words_for: list[str] = []
        words_against: list[str] = []
        places = np.arange(len(documents))
        for start in range(0, len(places), _N_EXPLAINED):
            some = documents.select(places[start : start + _N_EXPLAINED])
            for reason in self.model.explanations(documents_read_by(self.model, some)):
                for cells, sign in ((words_for, 1), (words_against, -1)):
                    entries = [what for what, weight in reason.reasons if sign * weight > 0]
                    cells.append(", ".join(entries[:_N_WORDS]))
        return self._named({"words_for": words_for, "words_against": words_against})

    def _named(self, cells: Cells) -> Cells:
        return {self.prefix + name: cell for name, cell in cells.items()}

    def _writer(
        self, stream: IO[bytes], tables: Sequence[TableFile], layout: Layout
    ) -> TableWriter:
        """Return what writes the rows."""
        if self.as_tasks:
            several = self.model.fitted_.classes.form in ("sets", "indicator")
            return TaskWriter(stream, self.prefix, several=several)
        added = AddedColumns(self.added, "give the added columns a prefix", "prefix", "model-")
        return table_writer(stream, tables, layout, str(self.roles.text[0]), added)

    def write(
        self,
        tables: Sequence[TableFile],
        path: Path,
        layout: Layout,
        highest: "_HighestRows | None" = None,
        advance: Callable[[int], object] = lambda _: None,
    ) -> _RowsSeen:
        """Write the rows of tables to one file, or only those that `highest` keeps."""
        seen, reader = self.nothing_seen(), DocumentReader(self.roles)
        with open_output(path) as stream, self._writer(stream, tables, layout) as writer:
            for table in tables:
                reader.start(table)
                for rows in table.batches():
                    batch, documents = rows, reader.documents(rows)
                    margins, cells = self.cells(documents, seen)
                    if highest is not None:  # only rows that may be written are explained
                        places = highest.places(margins)
                        batch = batch.select(places)
                        documents = documents.select(np.array(places, np.int64))
                        margins, cells = margins[places], _at(cells, places)
                    if self.lines:
                        file = f"{table.name}:" if len(tables) > 1 else ""
                        lines = [f"{file}{line}" for line in batch.lines.tolist()]
                        cells = {self.prefix + _LINE: lines} | cells
                    if self.explain:
                        cells |= self.words(documents)
                    if highest is None:
                        writer.originals(batch, cells)
                    else:
                        highest.add(margins, batch, cells)
                    advance(len(rows))
            if highest is not None and highest.has_rows:
                writer.originals(*highest.rows())
        seen.tally = reader.tally
        return seen


def _predict_here(
    scoring: Scoring,
    tables: Sequence[TableFile],
    path: Path,
    layout: Layout,
    highest: "_HighestRows | None",
    *,
    quiet: bool,
) -> _RowsSeen:
    """Score all rows in this process, and write them to one file."""
    with progress_bar(quiet=quiet) as bar:
        task = bar.add_task("scoring", total=None)
        return scoring.write(tables, path, layout, highest, lambda n: bar.advance(task, n))


def _predict_in_parts(
    scoring: Scoring,
    tables: Sequence[TableFile],
    folder: Path,
    layout: Layout,
    pool: Pool,
    *,
    quiet: bool,
) -> _RowsSeen:
    """Score each part on a worker, which writes it to a file of its own.

    A part may be scored twice, if its worker is killed; its file is written whole or not at all.
    """
    parts = [part for table in tables for part in table.parts()]
    tasks = [
        (part, folder.absolute() / f"part-{i:05}.{layout.format}") for i, part in enumerate(parts)
    ]
    seen = scoring.nothing_seen()
    with progress_bar(quiet=quiet) as bar:
        shown = bar.add_task("scoring", total=len(tasks))
        for _, of_part in pool.completed(_score_part, tasks, shared=(scoring, layout)):
            seen.add(of_part)
            bar.advance(shown)
    return seen


def _score_part(shared: tuple[Scoring, Layout], task: tuple[TableFile, Path]) -> _RowsSeen:
    (scoring, layout), (part, path) = shared, task
    with written_whole(path) as partial:
        return scoring.write([part], partial, layout)


def roles_read_by(model: RareTextClassifier, text: str | Sequence[str] | None) -> Roles:
    """Return the columns of a file that a model reads."""
    if not isinstance(model, RareTextClassifier):
        raise TypeError(
            f"model is {str(model)!r:.60} ({type(model).__name__}); give a fitted model, such as "
            "RareTextClassifier.load(path)"
        )
    check_is_fitted(model)
    names = [text] if isinstance(text, str) else list(text or map(str, model.text_columns_))
    if not names:
        raise ValueError(
            "the model does not know which column its documents came from; name the column that "
            "holds the documents to predict"
        )
    n_known = max(len(model.text_columns_), 1)
    if len(names) != n_known:
        raise ValueError(
            f"the model reads {n_known} text column{'s' * (n_known > 1)} "
            f"({listed(model.text_columns_)}), but {listed(names)} was given; name as many, in the "
            f"same order"
        )
    return Roles(tuple(names), columns=tuple(map(str, model.columns_)))


def documents_read_by(model: RareTextClassifier, documents: Documents) -> Documents:
    """Return the documents of a file with the names that their columns have in the model."""
    names = model.text_columns_
    return documents.with_text_columns(names) if documents.fields else documents


def _classes_of(decisions: Array) -> list[list[str]]:
    """Return the names of the classes that each document was put into."""
    if decisions.ndim == 2:  # an indicator, whose classes are the numbers of its columns
        return [list(map(label_name, np.flatnonzero(row).tolist())) for row in decisions]
    labels = decisions.tolist()
    if any(isinstance(label, set | frozenset) for label in labels[:1]):
        return [list(map(label_name, several)) for several in labels]
    names = {label: [label_name(label)] for label in set(labels)}  # rows are many, classes are few
    return [names[label] for label in labels]


class _HighestRows:
    """The `n` rows with the highest scores, or `nearest` to the threshold; of equals the first."""

    def __init__(self, n: int, *, nearest: bool = False) -> None:
        self.n, self.nearest = n, nearest
        self._parts: list[tuple[NDArray[np.float64], Batch, Cells]] = []
        self._n_waiting, self._least = 0, -np.inf

    @property
    def has_rows(self) -> bool:
        """Whether there are any rows."""
        return bool(self._parts)

    def places(self, scores: NDArray[np.float64]) -> list[int]:
        """Return which of some more rows may be among the highest, in their order."""
        keys = self._keys(scores)
        highest = np.argsort(-keys, kind="stable")[: self.n]
        places: list[int] = np.sort(highest[keys[highest] > self._least]).tolist()
        return places

    def add(self, scores: NDArray[np.float64], batch: Batch, cells: Cells) -> None:
        """Add rows, and forget those that score too low."""
        self._parts.append((self._keys(scores), batch, cells))
        self._n_waiting += len(batch)
        if self._n_waiting > self.n // 4:
            self.rows()

    def _keys(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return -np.abs(scores) if self.nearest else scores

    def rows(self) -> tuple[Batch, Cells]:
        """Return the rows, the highest first."""
        first, *others = (batch for _, batch, _ in self._parts)
        keys = np.concatenate([keys for keys, _, _ in self._parts])
        all_cells: Cells = {
            name: [value for _, _, cells in self._parts for value in cells[name]]
            for name in self._parts[0][2]
        }
        places = np.argsort(-keys, kind="stable")[: self.n].tolist()
        batch, cells = first.followed_by(*others).select(places), _at(all_cells, places)
        self._parts, self._n_waiting = [(keys[places], batch, cells)], 0
        if len(places) == self.n:
            self._least = keys[places[-1]]
        return batch, cells


def _at(cells: Cells, places: list[int]) -> Cells:
    return {name: [values[i] for i in places] for name, values in cells.items()}
