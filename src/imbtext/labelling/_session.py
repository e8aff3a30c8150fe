"""A session: people who label the same documents at the same time.

The page and the spreadsheet are two faces of one :class:`LabellingSession`. It keeps three things
in step under one lock: the loop that chooses documents (`Labelling`), the file that holds the
decisions (`LabelsFile`), and the documents that labellers have open.

While a labeller reads a document, a thread chooses the next one, so it appears at once. That choice
knows every label but the very last one.

If there is a sentence encoder, another thread reads all documents with it. Until it has finished,
words alone decide which document comes next.
"""

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from imbtext._messages import listed, warn_user
from imbtext._typing import Label
from imbtext.documents._documents import Documents, content_checksum
from imbtext.documents._label_names import is_named, is_no_label, label_name
from imbtext.documents._table_rows import table_of_cells
from imbtext.documents._tokenization import is_missing
from imbtext.features.encoders import get_encoder
from imbtext.labelling._deciding import PoolDecisions
from imbtext.labelling._decisions import (
    DISAGREEMENT,
    GIVEN,
    NO,
    RANDOM,
    RANKING,
    SKIPPED,
    UNSURE,
    YES,
    Decision,
    check_some_are_found,
)
from imbtext.labelling._labelling import Labelling
from imbtext.labelling._labels_file import LabelsFile
from imbtext.labelling._pool import PoolMeaning
from imbtext.labelling._remaining import Progress
from imbtext.labelling._settings import NO_ENCODER, SampleDraw, SessionSettings
from imbtext.rare._classifier import RareTextClassifier
from imbtext.tables._errors import TableWarning
from imbtext.writing import written_whole

# After this long, a document that somebody opened and left is offered to others.
_OPEN_SECONDS: Final = 15 * 60.0
_N_WORDS: Final = 12
# Words with less than this share of the largest weight are not shown, such as "the".
_LEAST_WEIGHT: Final = 0.15
_LONGEST_NOTE: Final = 2_000
_LONGEST_NAME: Final = 80
_SAMPLE_SIZE: Final = 100
# How a document came up that the session chose; labellers asked for the others.
_BY_SESSION: Final = (RANKING, RANDOM)


@dataclass(frozen=True)
class OfferedDocument:
    """A document to decide on.

    Attributes
    ----------
    row : int
        The document.
    text : str
        What it says.
    words : list of (str, float)
        The words that speak for the class, the weightiest first.
    chosen : str
        How it came up, see `Decision`.
    name : str
        What it is called: by the column of ids, or by its row.
    parts, columns : list of (str, str)
        Its text columns and the other columns that are shown, each with its name.
    """

    row: int
    text: str
    words: list[tuple[str, float]]
    chosen: str = RANKING
    name: str = ""
    parts: list[tuple[str, str]] = field(default_factory=list)
    columns: list[tuple[str, str]] = field(default_factory=list)


@dataclass
class _Window:
    """What a labeller has open: the document on the page, and the one that comes next."""

    current: OfferedDocument | None = None
    following: OfferedDocument | None = None
    choosing: Future[None] | None = None
    seen: float = field(default_factory=time.monotonic)

    @property
    def rows(self) -> list[int]:
        return [one.row for one in (self.current, self.following) if one is not None]


class LabellingSession:
    """Label documents into a file, alone or together.

    Parameters
    ----------
    path : Path
        The CSV file of the labels. If it exists, the work continues where it ended.
    cells : mapping of str to lists
        The columns of the table that are copied into the file: the texts, perhaps an id, and those
        shown beside the text.
    existing : list of labels, optional
        Labels that the table already has, None where it has none.
    cache : bool, default=True
        Whether the vectors of an encoder are kept for the next run.
    **options
        `SessionSettings` to change. The others stay as they were in the last session.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "labels.csv"
    >>> texts = ["oil price", "crude oil up", "rain", "more rain", "oil falls", "ice"]
    >>> with LabellingSession(path, {"body": texts}, words="oil") as session:
    ...     document = session.open("anna")
    ...     following = session.decide("anna", document.row, "yes")
    >>> document.text, following.text
    ('crude oil up', 'oil falls')
    """

    def __init__(
        self,
        path: Path,
        cells: Mapping[str, Sequence[object]],
        existing: Sequence[Label] | None = None,
        *,
        cache: bool = True,
        **options: Any,
    ) -> None:
        kept = SessionSettings.load(path)
        classes = options.get("classes") or kept.classes
        self._check_classes(classes)
        for name in ("words", "examples"):
            if options.get(name):
                options[name] = starts_by_class(options[name], classes)
        settings = kept.with_options(options)
        if not settings.text:
            settings = replace(settings, text=[next(iter(cells))])
        self.settings = settings
        self._cells = {name: _as_texts(values) for name, values in cells.items()}
        parts = [self._cells[name] for name in settings.text]
        self.texts = ["\n".join(filter(None, row)) for row in zip(*parts, strict=True)]
        self._lock = threading.RLock()
        self._windows: dict[str, _Window] = {}
        # What undo restores, by the decision that replaced it.
        self._replaced: dict[Decision, Decision] = {}
        self._sample: list[int] = []
        self._worker = ThreadPoolExecutor(1, "imbtext-label")
        self._encoder = None
        if settings.encoder not in ("", NO_ENCODER):
            self._encoder = get_encoder(settings.encoder, cache=cache)
        self._reader = ThreadPoolExecutor(1, "imbtext-encode")
        self._encoding: Future[None] | None = None
        self._n_encoded = 0
        self._is_closing = False
        is_new = not path.exists()
        self.file = LabelsFile(path, self._cells, settings.text, settings.id)
        try:
            self._save_existing(existing or ())
            self.loop = self._new_loop(self._content(cells))
            self.loop._awaits_meaning = self._encoder is not None
            self._repeat_decisions()
            self._start_loop(is_new=settings.given != kept.given)
            self.settings.save(path)
        except BaseException:
            self.close()
            if is_new:
                path.unlink(missing_ok=True)
            raise

    def prepare(self) -> None:
        """Compile what the first find needs, by running a tiny loop of the same kind.

        This takes seconds after an installation, and the first decision would wait for it. Later
        the compiled code comes from a cache. Call it in the main thread: in another thread Polars
        would swallow a Ctrl-C.
        """
        loop = Labelling(
            pl.Series(["oil price", "oil up", "rain price", "rain up", "oil rain"]),
            words="oil",
            encoder=None if self._encoder is None else _as_letters,
            features=self.settings.features or None,
        )
        loop.add(loop.next(), YES)
        loop.add(3, NO)
        loop.explain(loop.next()[0])
        # Finds the near-duplicates, which takes ten seconds among 100,000 documents.
        self.loop.progress()

    def encode(self, advance: Callable[[int], object] = lambda _: None) -> None:
        """Read all documents with the encoder, if there is one; the ranking then sees the meanings.

        `advance` is called with the number of texts after each step.
        """

        def count(n: int) -> None:
            self._n_encoded += n
            advance(n)
            if self._is_closing:
                raise _ClosingError

        if self._encoder is not None and self.loop._meaning is None:
            with suppress(_ClosingError):
                meaning = PoolMeaning.of(self._encoder, Documents.of(self.texts), count)
                with self._lock:
                    self.loop._use_meaning(meaning)

    def encode_in_background(self) -> None:
        """Begin to read all documents with the encoder, while people label."""
        if self._encoder is not None:
            self._encoding = self._reader.submit(self.encode)

    def encoding(self) -> tuple[float, str]:
        """Return the share of the documents that the encoder has read, and why it failed."""
        if self._encoder is None:
            return 1.0, ""
        error = None
        if self._encoding is not None and self._encoding.done():
            error = self._encoding.exception()
        return min(self._n_encoded / len(self.texts), 1.0), "" if error is None else str(error)

    def _content(self, cells: Mapping[str, Sequence[object]]) -> pl.Series | pl.DataFrame:
        """Return the documents for the model: a column of texts, or a table."""
        text, also = self.settings.text, self.settings.also
        if len(text) == 1 and not also:
            return pl.Series(text[0], self.texts)
        columns: dict[str, list[object]] = {name: list(self._cells[name]) for name in text}
        return table_of_cells(columns | {name: list(cells[name]) for name in also})

    @property
    def _checksum(self) -> str:
        """What decides which documents a random sample has."""
        return content_checksum(self.texts, [str(self.settings.seed)])

    def _remember(self, settings: SessionSettings) -> None:
        """Change settings, on disk first."""
        settings.save(self.file.path)
        self.settings = settings

    @staticmethod
    def _check_classes(classes: Sequence[str]) -> None:
        reserved = [name for name in classes if name in (UNSURE, SKIPPED) or not name.strip()]
        if reserved:
            raise ValueError(
                f"a class cannot be called {listed(reserved)}: these words mean that a document "
                "has no label; name the class differently"
            )

    def _save_existing(self, existing: Sequence[Label]) -> None:
        """Put the labels of the table into the file, where it does not have them yet."""
        in_file = {decision.row: decision.decision for decision in self._given}
        new = [
            Decision(row, str(label), chosen=GIVEN, time=_now())
            for row, label in enumerate(existing)
            if label is not None and in_file.get(row) != str(label)
        ]
        if new:
            self.file.add(*new)

    @property
    def _given(self) -> list[Decision]:
        """The decisions in the file that are labels of the table."""
        return [decision for decision in self.file if decision.chosen == GIVEN]

    def _new_loop(self, content: pl.Series | pl.DataFrame) -> Labelling:
        """Return a loop that knows the labels of the table, where nobody has decided since."""
        existing: list[str | None] = [None] * len(self.texts)
        for decision in self._given:
            if self.file.of_row(decision.row) == [decision]:
                existing[decision.row] = decision.label
        settings = self.settings
        is_table = isinstance(content, pl.DataFrame)
        return Labelling(
            content,
            existing,
            classes=settings.classes,
            text=settings.text if is_table else None,
            columns=settings.also or None,
            features=settings.features or None,
            language=None if settings.language == "none" else settings.language,
            random_state=settings.seed,
        )

    def _repeat_decisions(self) -> None:
        """Bring the loop to where it was when the file was last written."""
        loop = self.loop
        later = [decision for decision in self.file if decision.chosen != GIVEN]
        labels = {decision.row: self.file.label_of(decision.row) for decision in later}
        unknown = {label for label in labels.values() if label is not None} - {*loop.classes, NO}
        if unknown:
            raise ValueError(
                f"{self.file.path} has the labels {listed(sorted(unknown))}, but the classes to "
                f"find are {listed(loop.classes)}; name the same classes, or another file"
            )
        decided = {row: label for row, label in labels.items() if label is not None}
        self._draw_again(decided)
        read = set(loop.read)
        rest = {row: label for row, label in decided.items() if row not in read}
        if rest:
            loop.add(list(rest), list(rest.values()))
        undecided = [decision.row for decision in later if labels[decision.row] is None]
        if undecided:
            loop.skip(undecided)

    def _draw_again(self, decided: Mapping[int, str]) -> None:
        """Draw the random samples of earlier sessions again.

        Before each draw, the loop gets the labels of what had been read by then. So it knows which
        documents were unread.
        """
        if not self.settings.draws:
            return
        if self.settings.documents != self._checksum:
            warn_user(
                "the documents or --seed have changed since a random sample was drawn; its labels "
                "are kept, but it no longer counts as a random sample",
                TableWarning,
            )
            self.settings = replace(self.settings, draws=[], in_sample=False)
            return
        loop = self.loop
        before = set(loop.read)
        for draw in self.settings.draws:
            read = set(loop.read)
            new = [row for row in draw.read if row not in read]
            if new:
                loop.add(new, [decided.get(row, NO) for row in new])
            self._sample += loop.sample(draw.n)
        taken_back = [row for row in loop.read if row not in decided and row not in before]
        if taken_back:
            loop.forget(taken_back)

    def _start_loop(self, *, is_new: bool) -> None:
        """Start the loop with the words and examples of the command or of an earlier session."""
        settings = self.settings
        words = {c: settings.words[c] for c in settings.words if c in settings.classes}
        examples = {c: settings.examples[c] for c in settings.examples if c in settings.classes}
        if not words and not examples:
            return
        try:
            self.loop.start(words=words, examples=examples)
        except ValueError as error:
            if is_new:
                raise
            warn_user(f"the words of an earlier session are not used: {error}", TableWarning)
            self.settings = replace(settings, words={}, examples={})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the session; everything is on disk already."""
        self._is_closing = True
        self._reader.shutdown(wait=True, cancel_futures=True)
        self._worker.shutdown(wait=True, cancel_futures=True)
        self.file.close()

    @property
    def classes(self) -> list[str]:
        """The classes to find."""
        return [str(name) for name in self.loop.classes]

    @property
    def choices(self) -> list[str]:
        """The decisions that a labeller may make."""
        return [*self.classes, NO, UNSURE, SKIPPED]

    def open(self, labeller: str, seat: str = "") -> OfferedDocument | None:
        """Return the document that a labeller has open, or choose one; None if all are read.

        `seat` distinguishes the places where one labeller works, such as two windows.
        """
        with self._lock:
            window = self._window(labeller, seat)
            if window.current is None:
                window.current = self._choose(window)
                self._choose_following(window)
            return window.current

    def look_up(
        self, labeller: str, row: int, seat: str = "", *, chosen: str = "search"
    ) -> OfferedDocument:
        """Open a document that the labeller asked for."""
        with self._lock:
            self._check_row(row)
            window = self._window(labeller, seat)
            if self.file.is_disputed(row):
                chosen = DISAGREEMENT
            put_aside, window.current = window.current, self._offer(row, chosen)
            if put_aside is not None and put_aside.chosen in _BY_SESSION:
                window.following = put_aside
            return window.current

    def decide(
        self, labeller: str, row: int, decision: str, note: str = "", seat: str = ""
    ) -> OfferedDocument | None:
        """Save a decision on the open document, and return the next one.

        The decision is on disk when this returns. The same decision sent twice, because an answer
        got lost, counts once.
        """
        with self._lock:
            window = self._window(labeller, seat)
            self._check_row(row)
            self._check_decision(decision)
            note = note[:_LONGEST_NOTE]
            if window.current is None or window.current.row != row:
                earlier = self._decision_of(labeller, row)
                if earlier is not None and (earlier.decision, earlier.note) == (decision, note):
                    return self.open(labeller, seat)
                if window.current is not None or self._is_open(row, but=window):
                    raise DocumentTakenError(
                        f"document {row} is no longer the open one, so nothing was saved; decide "
                        "on the document that is shown now"
                    )
            chosen = (
                self._chosen_after_kill(row) if window.current is None else window.current.chosen
            )
            self._save(Decision(row, decision, labeller, note, chosen, _now()))
            window.current, window.following = window.following, None
            # Somebody may have looked it up and decided meanwhile.
            if window.current is not None and self.file.label_of(window.current.row) is not None:
                window.current = None
            if window.current is None:
                window.current = self._choose(window)
            self._choose_following(window)
            return window.current

    def decide_all(self, labeller: str, decisions: Mapping[int, str]) -> None:
        """Save many decisions at once, such as those of a spreadsheet, or none of them."""
        with self._lock:
            self._check_name(labeller)
            for row, decision in decisions.items():
                self._check_row(row)
                self._check_decision(decision)
            now = _now()
            self._save(
                *(Decision(row, said, labeller, time=now) for row, said in decisions.items())
            )

    def next_rows(self, n: int) -> list[int]:
        """Return the documents worth reading next, the best first."""
        with self._lock:
            return self.loop.next(n, without=set(self.file.unsure) | set(self.file.disputed))

    def places(self) -> NDArray[np.float64]:
        """Return where each document stands in the order of reading: 1 first, 0 last."""
        with self._lock:
            return self.loop._places()

    def column(self, name: str) -> list[str]:
        """Return the cells of a column that labellers see."""
        return self._cells[name]

    def undo(self, labeller: str, seat: str = "", key: str = "") -> OfferedDocument | None:
        """Take back the labeller's last decision and open its document; None if there is none.

        With `key`, take back the decision that has it (`last_key`). If that is gone, an answer got
        lost and the request came twice: nothing else is taken back.
        """
        with self._lock:
            window = self._window(labeller, seat)
            last = self.file.last_of(labeller, key)
            if last is None:
                return self.open(labeller, seat) if key else None
            self.file.remove(last, self._replaced.pop(last, None))
            self._follow(last.row)
            if window.current is not None and window.current.chosen in _BY_SESSION:
                window.following = window.current
            chosen = last.chosen if last.chosen != DISAGREEMENT else RANKING
            window.current = self._offer(last.row, chosen)
            return window.current

    def last_key(self, labeller: str) -> str:
        """Return the key of the decision that `undo` would take back; empty if there is none."""
        with self._lock:
            last = self.file.last_of(labeller)
            return "" if last is None else last.key

    def start(
        self,
        *,
        words: Sequence[str] | None = None,
        examples: Sequence[str] | None = None,
        label: str | None = None,
    ) -> None:
        """Say what to look for; open documents that are not decided yet are chosen again.

        `label` is the class that is meant, if there are several.
        """
        with self._lock:
            self.loop.start(words=words, examples=examples, label=label)
            if label is None:
                (label,) = self.classes
            settings = self.settings
            new_words = settings.words | {label: list(words or [])}
            new_examples = settings.examples | {label: list(examples or [])}
            self._remember(replace(settings, words=new_words, examples=new_examples))
            for window in self._windows.values():
                window.current = window.following = None

    def read_sample(
        self, labeller: str, seat: str = "", n: int | None = None
    ) -> OfferedDocument | None:
        """Continue with a random sample of the unread documents; return its first document.

        If part of the last sample is unread, that comes first. Otherwise `n` documents are drawn:
        by default enough that reading may stop if none of them is of the class. All labellers read
        the sample until it is finished or somebody leaves it.
        """
        with self._lock:
            window = self._window(labeller, seat)
            if all(row in self.file for row in self._sample):
                n = n or self.loop.progress().sample_needed or _SAMPLE_SIZE
                draws = [*self.settings.draws, SampleDraw(n, self.loop.read)]
                settings = replace(self.settings, draws=draws, documents=self._checksum)
                self._remember(replace(settings, in_sample=True))
                self._sample += self.loop.sample(n)
            else:
                self._remember(replace(self.settings, in_sample=True))
            return self._choose_anew(window, labeller, seat)

    def leave_sample(self, labeller: str, seat: str = "") -> OfferedDocument | None:
        """Return to the documents most likely to matter; return the first of them."""
        with self._lock:
            self._remember(replace(self.settings, in_sample=False))
            return self._choose_anew(self._window(labeller, seat), labeller, seat)

    def _choose_anew(self, window: _Window, labeller: str, seat: str) -> OfferedDocument | None:
        for other in self._windows.values():
            other.following = None
        if window.current is not None and window.current.chosen in _BY_SESSION:
            window.current = None
        return self.open(labeller, seat)

    def search(self, words: str, n: int = 20) -> list[int]:
        """Return the rows most similar to some words."""
        with self._lock:
            return self.loop.search(words, n)

    def progress(self, label: Label = None) -> Progress:
        """Return how far the reading is and how much is left."""
        with self._lock:
            return self.loop.progress(label)

    def train(self, path: Path, **options: Any) -> RareTextClassifier:
        """Write a model of the labels so far, and what is decided on every document.

        The decisions are in ``LABELS.decided.csv``, see `Labelling.decide`. If an encoder has not
        read all documents yet, this waits for it, so that the model is the same whenever it is
        trained.
        """
        if self._encoding is not None:
            self._encoding.result()
        self.encode()
        with self._lock:
            loop = copy(self.loop)
        decided = loop.decide(**{"metric": self.settings.metric} | options)
        decided.model.save(path)
        self._write(decided)
        return decided.model

    def _write(self, decided: PoolDecisions) -> None:
        said = {
            "label": decided.labels.tolist(),
            "decided_by": ["reading" if read else "model" for read in decided.is_read.tolist()],
            "score": decided.scores,
            "probability": decided.probabilities,
        }
        ours = {
            f"imbtext_{name}" if name in self._cells else name: values
            for name, values in said.items()
        }
        with written_whole(self.file.decided) as unfinished:
            pl.DataFrame(self._cells | ours).write_csv(unfinished)

    def what_to_expect(self, model: RareTextClassifier) -> list[str]:
        """Return what to expect of a model that was trained now, in plain words."""
        return [line for expected in model.expectation_ for line in expected.sentences()]

    def name_of(self, row: int) -> str:
        """Return what a document is called: by the column of ids, or by its row."""
        return str(row) if self.settings.id is None else self._cells[self.settings.id][row]

    def said_about(self, row: int) -> list[Decision]:
        """Return the decisions on a document."""
        with self._lock:
            return self.file.of_row(row)

    def counts(self) -> dict[str, int]:
        """Return how many documents there are, were read, were found, and need another look.

        ``sample`` and ``sample_read`` are about the random sample that is being read.
        """
        with self._lock:
            read = set(self.loop.read)
            sample = self._sample if self.settings.in_sample else []
            return {
                "documents": len(self.texts),
                "read": len(read),
                "found": len(self.loop.found()),
                "sample": len(sample),
                "sample_read": sum(row in read for row in sample),
                "unsure": len(self._undecided()),
                "disagreements": len(self.file.disputed),
            }

    def to_review(self) -> list[int]:
        """Return the documents that need another look: disagreements, then undecided ones."""
        with self._lock:
            return [*self.file.disputed, *self._undecided()]

    def _undecided(self) -> list[int]:
        """Return the documents to come back to: unsure ones, and those skipped in a sample.

        A random sample counts only up to its first document without a label.
        """
        unsure, disputed = self.file.unsure, set(self.file.disputed)
        in_sample = (
            row
            for row in self._sample
            if row in self.file and self.file.label_of(row) is None and row not in disputed
        )
        return list(dict.fromkeys([*unsure, *in_sample]))

    def _decision_of(self, labeller: str, row: int) -> Decision | None:
        return next((one for one in self.file.of_row(row) if one.labeller == labeller), None)

    def _save(self, *decisions: Decision) -> None:
        before = [self._decision_of(decision.labeller, decision.row) for decision in decisions]
        self.file.add(*decisions)
        for decision, replaced in zip(decisions, before, strict=True):
            if replaced is not None:
                self._replaced[decision] = replaced
            self._follow(decision.row)
        if self.settings.in_sample and all(row in self.file for row in self._sample):
            self._remember(replace(self.settings, in_sample=False))

    def _follow(self, row: int) -> None:
        """Update the loop with the decision that the file now has for a document."""
        label = self.file.label_of(row)
        if label is not None:
            self.loop.add(row, label)
            return
        self.loop.forget(row)
        if self.file.of_row(row):
            self.loop.skip(row)

    def _window(self, labeller: str, seat: str) -> _Window:
        self._check_name(labeller)
        window = self._windows.setdefault(f"{labeller}\n{seat}", _Window())
        window.seen = time.monotonic()
        return window

    @staticmethod
    def _check_name(labeller: str) -> None:
        if not labeller.strip() or len(labeller) > _LONGEST_NAME or not labeller.isprintable():
            raise ValueError(
                f"{labeller[:_LONGEST_NAME]!r} cannot be the name of a labeller; give 1 to "
                f"{_LONGEST_NAME} characters that can be printed"
            )

    def _check_row(self, row: int) -> None:
        if not 0 <= row < len(self.texts):
            raise ValueError(f"there is no document {row}; rows are 0 to {len(self.texts) - 1:,}")

    def _check_decision(self, decision: str) -> None:
        if decision not in self.choices:
            raise ValueError(f"{decision!r} is not a decision; give one of {listed(self.choices)}")

    def _is_open(self, row: int, but: _Window) -> bool:
        return any(row in window.rows for window in self._windows.values() if window is not but)

    def _choose_following(self, window: _Window) -> None:
        """Choose the document after the open one, while that is being read."""
        if window.choosing is None or window.choosing.done():
            window.choosing = self._worker.submit(self._choose_in_thread, window)

    def _choose_in_thread(self, window: _Window) -> None:
        with self._lock:
            if window.current is not None and window.following is None:
                window.following = self._choose(window)

    def _choose(self, window: _Window) -> OfferedDocument | None:
        earliest = time.monotonic() - _OPEN_SECONDS
        for key, other in list(self._windows.items()):
            if other is not window and other.seen < earliest:
                del self._windows[key]
        taken = {row for one in self._windows.values() for row in one.rows}
        if self.settings.in_sample:
            unread = (row for row in self._sample if row not in self.file)
            row = next((row for row in unread if row not in taken), None)
            if row is not None:
                return self._offer(row, RANDOM)
        rows = self.loop.next(1, without=taken | set(self.file.unsure) | set(self.file.disputed))
        if rows:
            return self._offer(rows[0], RANKING)
        # Nothing else is left: take what another labeller would get next but has not seen.
        for other in self._windows.values():
            if other is not window and window.current is None and other.following is not None:
                unseen, other.following = other.following, None
                return unseen
        return None

    def _chosen_after_kill(self, row: int) -> str:
        """Return how a document came up if the page had it open when the process was killed."""
        return RANDOM if row in self._sample and row not in self.file else RANKING

    def _offer(self, row: int, chosen: str) -> OfferedDocument:
        settings, cells = self.settings, self._cells
        return OfferedDocument(
            row,
            self.texts[row],
            self._words(row),
            chosen,
            self.name_of(row),
            [(name, cells[name][row]) for name in settings.text],
            [(name, cells[name][row]) for name in (*settings.show, *settings.also)],
        )

    def _words(self, row: int) -> list[tuple[str, float]]:
        strongest: dict[str, float] = {}
        for label in self.classes:
            for words, weight in self.loop.explain(row, label):
                if abs(weight) > abs(strongest.get(words, 0.0)):
                    strongest[words] = weight
        ordered = sorted(strongest.items(), key=lambda part: -abs(part[1]))
        least = _LEAST_WEIGHT * max((weight for _, weight in ordered), default=0.0)
        return [(words, weight) for words, weight in ordered if 0 < weight >= least][:_N_WORDS]


class _ClosingError(Exception):
    """The session is being closed; nobody waits for the encoder."""


class DocumentTakenError(ValueError):
    """A decision came on a document that its labeller does not have open."""


def labels_of_classes(values: Sequence[object], classes: Sequence[str]) -> list[str | None]:
    """Return the labels of a table as the loop names them.

    A label that is not one of the classes becomes ``"no"``; an empty cell has no label. pandas
    turns 1 into 1.0 where other cells are empty, so 1.0 is the class 1, too.

    Examples
    --------
    >>> labels_of_classes(["fraud", "billing", "", None], ["fraud"])
    ['fraud', 'no', None, None]
    >>> labels_of_classes([1.0, 0.0, None], ["1"])
    ['1', 'no', None]
    """
    names = {c: frozenset([c]) for c in classes}
    labels: list[str | None] = []
    for value in values:
        cell = value.strip() if isinstance(value, str) else value
        label = next((c for c in classes if is_named(cell, names[c])), NO)
        labels.append(None if is_no_label(cell) else label)
    check_some_are_found(classes, labels, values, "--class")
    return labels


def starts_by_class(
    start: str | Iterable[str] | Mapping[str, str | Iterable[str]], classes: Sequence[str]
) -> dict[str, list[str]]:
    """Return words or examples to begin with, by class.

    If there are several classes, each entry names its own.

    Examples
    --------
    >>> starts_by_class("refund", ["fraud"])
    {'fraud': ['refund']}
    >>> starts_by_class(["fraud=stolen card", "spam=prize"], ["fraud", "spam"])
    {'fraud': ['stolen card'], 'spam': ['prize']}
    """
    if isinstance(start, Mapping):
        return {c: [text] if isinstance(text, str) else list(text) for c, text in start.items()}
    entries = [start] if isinstance(start, str) else list(start)
    if len(classes) == 1:
        return {classes[0]: entries}
    by_class: dict[str, list[str]] = {}
    for entry in entries:
        name, _, text = entry.partition("=")
        if name not in classes or not text:
            raise ValueError(
                f"{entry!r} does not name its class, and there are several; say "
                f"which one is meant, such as '{classes[0]}={entry}'"
            )
        by_class.setdefault(name, []).append(text)
    return by_class


def _as_letters(texts: list[str]) -> list[list[float]]:
    """Encode texts for the tiny loop that compiles the code."""
    return [[float(text.count(letter)) for letter in "aeiou"] for text in texts]


def _as_texts(values: Iterable[object]) -> list[str]:
    """Return the cells of a column as texts; a missing value is empty."""
    return ["" if is_missing(value) else label_name(value) for value in values]


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
