"""The labelling page: one document at a time, and a key or a tap to decide on it.

`LabellingSession` does the work; this module gives it addresses. The page itself is three files in
``labelling_page/``, without a build step. Its script makes elements and sets their text, so
whatever a document contains stays text. The guards of ``_application.py`` refuse everybody who does
not have the token.

Requests name the labeller and the seat (a window of a browser), so that two people, or one with
two windows, never have the same document open.
"""

import logging
import threading
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Final
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from imbtext._messages import listed, visible, warn_user
from imbtext._typing import Record
from imbtext.labelling._decisions import NO
from imbtext.labelling._remaining import Progress
from imbtext.labelling._session import DocumentTakenError, LabellingSession, OfferedDocument
from imbtext.web._application import (
    Limits,
    RequestError,
    answered_in_thread,
    check_token,
    guarded_application,
    hosts_of,
    json_kind,
    json_object,
    new_token,
)
from imbtext.web._label_studio import label_studio_routes
from imbtext.web._server import Server

_PAGE: Final = "web/labelling_page"
_FILES: Final = {
    "/": (_PAGE, "label.html", "text/html"),
    "/label.css": (_PAGE, "label.css", "text/css"),
    "/label.js": (_PAGE, "label.js", "text/javascript"),
    "/page.css": ("pages", "page.css", "text/css"),  # the look of every page
}
_LONGEST_TEXT: Final = 100_000
_LONGEST_SNIPPET: Final = 160
_MOST_POINTS: Final = 400
_MOST_LISTED: Final = 50
# The lists of the page that a document can be opened from.
_LISTS: Final = ("search", "list")
# They join letters of many scripts, and cannot reorder or hide anything.
_JOINERS: Final = "\u200c\u200d"


async def _file(folder: str, file: str, kind: str, _request: Request) -> Response:
    return Response((files("imbtext") / folder / file).read_bytes(), media_type=kind)


async def _answered(answer: Callable[["_Question"], Record], request: Request) -> Response:
    return JSONResponse(await answered_in_thread(answer, _Question(await json_object(request))))


class _Question:
    """The object that a request brought; a value of another kind is a clear 422."""

    def __init__(self, values: Record) -> None:
        self._values = values

    def text(self, name: str, default: str | None = None) -> str:
        value = self._values.get(name, default)
        if not isinstance(value, str):
            raise RequestError(422, f"{name} is {json_kind(value)}; expected a string")
        if any("\ud800" <= character <= "\udfff" for character in value):
            raise RequestError(422, f"{name} has half a character (a surrogate); remove it")
        return value

    def row(self) -> int:
        value = self._values.get("row")
        if not isinstance(value, int) or isinstance(value, bool):
            raise RequestError(422, f"row is {json_kind(value)}; expected a whole number")
        return value

    @property
    def who(self) -> tuple[str, str]:
        return self.text("labeller"), self.text("seat", "")


class LabellingPage:
    """The page of a session: its application, and what it can be asked for.

    Parameters
    ----------
    session : LabellingSession
        The documents and their labels.
    name : str
        What the page calls the documents.
    model : Path
        Where "Train the model" writes.
    labeller : str
        Who labels, unless they give another name on the page.
    train_command, predict_command : str
        The commands that train the same model without the page, and that give it new documents.
    """

    def __init__(
        self,
        session: LabellingSession,
        *,
        name: str,
        model: Path,
        labeller: str,
        train_command: str = "",
        predict_command: str = "",
    ) -> None:
        self.session = session
        self.name = name
        self.model = model
        self.labeller = labeller
        self.train_command = train_command
        self.predict_command = predict_command
        self._lock = threading.Lock()
        self._training: threading.Thread | None = None
        self._trained: Record = {"state": "none"}

    def serve(
        self,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        token: str | None = None,
        started: Callable[[str], object] = lambda _address: None,
    ) -> None:
        """Serve the page until Ctrl-C or SIGTERM.

        If a model is being trained then, this waits for it; a second Ctrl-C does not. Port 0 takes
        a free one. `token` is what the address must contain, by default a new one. `started` is
        called with the address to open once the server listens.
        """
        check_token(token)
        token = token or new_token()
        app = self.application(token=token, hosts=hosts_of(host))
        server = Server(lambda: app, host, port)
        started(f"{server.url}?token={quote(token, safe='')}")
        server.run()
        self.finish_training()

    def application(
        self, *, token: str | None, hosts: tuple[str, ...] | None, limits: Limits | None = None
    ) -> Starlette:
        """Return the page as an application."""
        routes = [Route(path, partial(_file, *file)) for path, file in _FILES.items()]
        for path, answer in {
            "/open": self.open,
            "/decide": self.decide,
            "/undo": self.undo,
            "/look-up": self.look_up,
            "/start": self.start,
            "/sample": self.sample,
            "/leave-sample": self.leave_sample,
            "/search": self.search,
            "/review": self.review,
            "/progress": self.progress,
            "/train": self.train,
        }.items():
            routes.append(Route(path, partial(_answered, answer), methods=["POST"]))
        of_label_studio = label_studio_routes(self.session, token)
        return guarded_application(
            [*routes, *of_label_studio],
            token=token,
            hosts=hosts,
            limits=limits,
            open_paths=[route.path for route in of_label_studio],
        )

    def finish_training(self) -> None:
        """Wait for a model that is being trained."""
        if self._training is not None and self._training.is_alive():
            warn_user(
                f"{self.model} is still being trained; press Ctrl-C again to stop without it",
                UserWarning,
            )
            self._training.join()

    def open(self, question: _Question) -> Record:
        """Return what the page needs to begin, and the document that the labeller has open."""
        labeller = question.text("labeller", "").strip() or self.labeller
        document = self.session.open(labeller, question.text("seat", ""))
        return self._page(labeller, document) | {
            "name": visible(self.name),
            "labeller": labeller,
            "classes": self.session.classes,
            "id": None if self.session.settings.id is None else visible(self.session.settings.id),
            "no": NO,
            "labels": str(self.session.file.path),
            "command": self.train_command,
            "start": {
                c: {
                    "words": ", ".join(self.session.settings.words.get(c, [])),
                    "example": "\n".join(self.session.settings.examples.get(c, [])),
                }
                for c in self.session.classes
            },
        }

    def decide(self, question: _Question) -> Record:
        """Save a decision and return the next document."""
        labeller, seat = question.who
        decision, note = question.text("decision"), question.text("note", "")
        try:
            document = self.session.decide(labeller, question.row(), decision, note, seat)
        except DocumentTakenError as error:
            raise RequestError(409, str(error)) from None
        return self._page(labeller, document)

    def undo(self, question: _Question) -> Record:
        """Take back the labeller's last decision, the one that the page knows, and return it."""
        labeller, seat = question.who
        document = self.session.undo(labeller, seat, question.text("last", ""))
        shown = document or self.session.open(labeller, seat)
        return self._page(labeller, shown) | {"undone": document is not None}

    def look_up(self, question: _Question) -> Record:
        """Open a document from a list."""
        labeller, seat = question.who
        chosen = question.text("from")
        if chosen not in _LISTS:
            raise RequestError(422, f"from is {chosen[:100]!r}; expected one of {listed(_LISTS)}")
        return self._page(
            labeller, self.session.look_up(labeller, question.row(), seat, chosen=chosen)
        )

    def start(self, question: _Question) -> Record:
        """Begin with words or with an example."""
        words = [line.strip() for line in question.text("words", "").split(",") if line.strip()]
        example = question.text("example", "").strip()
        if words or example:
            self.session.start(
                words=words or None,
                examples=[example] if example else None,
                label=question.text("class", "") or None,
            )
        return self._page(question.who[0], self.session.open(*question.who))

    def sample(self, question: _Question) -> Record:
        """Continue with a random sample of the unread documents."""
        return self._page(question.who[0], self.session.read_sample(*question.who))

    def leave_sample(self, question: _Question) -> Record:
        """Return to the documents most likely to matter."""
        return self._page(question.who[0], self.session.leave_sample(*question.who))

    def search(self, question: _Question) -> Record:
        """Return the documents most similar to some words."""
        rows = self.session.search(question.text("words"))
        return {"documents": self._listed(rows[:_MOST_LISTED])}

    def review(self, _question: _Question) -> Record:
        """Return the documents that need another look."""
        return {"documents": self._listed(self.session.to_review()[:_MOST_LISTED])}

    def progress(self, _question: _Question) -> Record:
        """Return how much is left, with the curve of the documents found."""
        overall = self.session.progress()
        share, error = self.session.encoding()
        several = self.session.classes if len(self.session.classes) > 1 else []
        return {
            "left": overall.summary(),
            "is_early": overall.is_early,
            "sentences": [
                visible(sentence) for sentence in [*overall.advice(), *_encoding(share, error)]
            ],
            "is_encoding": share < 1 and not error,
            "by_class": [
                {"label": label, "found": self.session.progress(label).n_found} for label in several
            ],
            "may_stop": overall.may_stop,
            "sample_needed": overall.sample_needed,
            "curve": _points(overall),
            "training": self._trained,
        }

    def train(self, _question: _Question) -> Record:
        """Begin to train the model; `progress` says when it is written."""
        with self._lock:
            if self._training is None or not self._training.is_alive():
                self._trained = {"state": "running"}
                # A daemon, so that a second Ctrl-C need not wait for it.
                self._training = threading.Thread(target=self._train, daemon=True)
                self._training.start()
        return {"training": self._trained}

    def _train(self) -> None:
        try:
            model = self.session.train(self.model)
            sentences = [visible(sentence) for sentence in self.session.what_to_expect(model)]
        except (ValueError, OSError) as error:
            self._trained = {"state": "failed", "message": str(error)}
        except BaseException as error:
            # Whatever it is, the page must not wait for ever.
            logging.getLogger("imbtext").exception("training failed")
            message = f"the training failed ({type(error).__name__}); the terminal says why"
            self._trained = {"state": "failed", "message": message}
        else:
            self._trained = {
                "state": "done",
                "model": str(self.model),
                "decided": str(self.session.file.decided),
                "command": self.predict_command,
                "sentences": sentences,
            }

    def _page(self, labeller: str, document: OfferedDocument | None) -> Record:
        shown = None
        if document is not None:
            decisions = self.session.said_about(document.row)
            shown = {
                "row": document.row,
                "name": visible(document.name),
                "parts": [
                    {"name": visible(name), "text": shown_text(text)}
                    for name, text in document.parts
                ],
                "columns": [
                    {"name": visible(name), "text": visible(text)}
                    for name, text in document.columns
                ],
                "words": [visible(words) for words, _ in document.words],
                "chosen": document.chosen,
                "said": [asdict(decision) for decision in decisions],
            }
        return {
            "document": shown,
            "counts": self.session.counts(),
            "last": self.session.last_key(labeller),
        }

    def _listed(self, rows: list[int]) -> list[Record]:
        return [
            {
                "row": row,
                "name": visible(self.session.name_of(row)),
                "text": visible(" ".join(self.session.texts[row].split())[:_LONGEST_SNIPPET]),
                "said": [asdict(decision) for decision in self.session.said_about(row)],
            }
            for row in rows
        ]


def _encoding(share: float, error: str) -> list[str]:
    """Return a note that words alone decide, while texts are encoded or if that failed."""
    if error:
        return [f"Words alone decide which document comes next. The encoder failed: {error}"]
    if share < 1:
        return [
            f"The encoder has read {share:.0%} of the documents. Until it has read all, words "
            "alone decide which document comes next."
        ]
    return []


def shown_text(text: str) -> str:
    r"""Return a document as the page shows it: invisible characters by their codes, lines as lines.

    Examples
    --------
    >>> shown_text("one\r\ntwo\u202e")
    'one\ntwo<U+202E>'
    """
    cut = text[:_LONGEST_TEXT]
    lines = cut.replace("\r\n", "\n").replace("\r", "\n").replace("\t", "    ").split("\n")
    shown = "\n".join(_shown_line(line) for line in lines)
    n_more = len(text) - len(cut)
    return shown + (f"\n\n[{n_more:,} more characters]" if n_more else "")


def _shown_line(line: str) -> str:
    if not any(joiner in line for joiner in _JOINERS):
        return visible(line)
    return "".join(part if part in _JOINERS else visible(part) for part in line)


def _points(progress: Progress) -> list[list[int]]:
    """Return some points of the curve of finds, the first and the last included."""
    n = len(progress.curve)
    step = max(1, n // _MOST_POINTS)
    read = [*range(step, n, step), n] if n else []
    return [[0, 0], *([i, int(progress.curve[i - 1])] for i in read)]
