"""A model behind HTTP: documents in, decisions out.

``POST /predict`` takes documents, or rows of a table by the names of their columns, and answers as
`RareTextClassifier.predictions` does. ``GET /`` is the model's card for people, ``/openapi.json``
the description for programs, ``/health`` for whatever monitors the process and ``/metrics`` for
Prometheus.

A request passes the guards (``_application.py``), is read here, waits for the model together with
others (``_batching.py``) and is counted (:class:`_Metrics`).
"""

import json
import os
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Histogram,
    Summary,
    generate_latest,
)
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from imbtext._messages import listed
from imbtext._signals import take_ctrl_c_from_polars
from imbtext._typing import ColumnName, Document, Record
from imbtext.documents._roles import Roles
from imbtext.rare._classifier import RareTextClassifier
from imbtext.rare._explanation import Explanation
from imbtext.tables._batches import Batch
from imbtext.tables._documents import DocumentReader
from imbtext.tables._errors import TableError
from imbtext.web._application import (
    Limits,
    RequestError,
    check_token,
    guarded_application,
    hosts_of,
    json_kind,
    read_object,
)
from imbtext.web._batching import Batcher, TooManyWaitingError
from imbtext.web._openapi import openapi_description, reads_rows
from imbtext.web._server import Server

_MOST_DOCUMENTS: Final = 1_000
_N_WORDS: Final = 20
# Bodies above this size are parsed in a thread; for smaller ones, changing threads takes longer.
_LARGE_BODY: Final = 50_000
_KEYS: Final = ("documents", "rows", "explain")
# If there are several workers, each counts for itself, and any of them may answer Prometheus. So
# they count in files of a folder that this names before prometheus-client is imported.
_MULTIPROCESS: Final = "PROMETHEUS_MULTIPROC_DIR"
_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


def serve(
    model: str | os.PathLike[str],
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    token: str | None = None,
    workers: int = 1,
    body_megabytes: float = 4.0,
    seconds: float = 30.0,
    load: Callable[[str], RareTextClassifier] = RareTextClassifier.load,
    started: Callable[[str], object] = lambda _url: None,
) -> None:
    """Serve a model over HTTP until Ctrl-C or SIGTERM.

    Requests under way are finished before it stops.

    Parameters
    ----------
    model : path
        A file that `RareTextClassifier.save` or ``imbtext train`` wrote.
    host : str, default="127.0.0.1"
        Where to listen. By default only this machine reaches it; ``"0.0.0.0"`` lets others, too.
    port : int, default=8000
        The port; 0 takes a free one.
    token : str, optional
        What requests must carry as ``Authorization: Bearer TOKEN``. Without a token, everyone who
        reaches the address may send requests.
    workers : int, default=1
        How many processes answer, each with a model of its own.
    body_megabytes : float, default=4
        The largest body of a request.
    seconds : float, default=30
        How long a request may take to arrive, and how long to be answered.
    load : callable
        How each process loads the file. A model with an encoder of your own needs it back:
        ``partial(RareTextClassifier.load, encoder=encode)``.
    started : callable
        Called with the address once the server listens.

    See Also
    --------
    model_application : The same as an application, for a server of your own.

    Examples
    --------
    >>> serve("fraud.model", port=8000)                              # doctest: +SKIP
    """
    load(str(model))  # so that a wrong file is an error here, not in a worker
    limits = limits_of(body_megabytes, seconds)
    check_token(token)
    if workers < 1:
        raise ValueError(f"workers is {workers}; expected 1 or more")
    with ExitStack() as stack:
        if workers > 1:
            os.environ[_MULTIPROCESS] = stack.enter_context(
                tempfile.TemporaryDirectory(prefix="imbtext-metrics-")
            )
            stack.callback(os.environ.pop, _MULTIPROCESS, None)
        make = partial(_application_of_file, str(model), load, token, host, limits)
        server = Server(make, host, port, workers=workers, seconds=seconds)
        started(server.url)
        server.run()


def limits_of(body_megabytes: float, seconds: float) -> Limits:
    """Return the limits of a service, from the numbers that users give."""
    if not 0 < body_megabytes <= 1024:
        raise ValueError(f"body_megabytes is {body_megabytes}; expected a number from 0 to 1024")
    if not 0 < seconds <= 3600:
        raise ValueError(f"seconds is {seconds}; expected a number above 0, at most 3600")
    n_bytes = int(body_megabytes * 2**20)
    return Limits(n_bytes, max(16 * n_bytes, 2**20), seconds)


def _application_of_file(
    path: str,
    load: Callable[[str], RareTextClassifier],
    token: str | None,
    host: str,
    limits: Limits,
) -> Starlette:
    model, name = load(path), Path(path).name
    return model_application(model, name=name, token=token, hosts=hosts_of(host), limits=limits)


def model_application(
    model: RareTextClassifier,
    *,
    name: str = "model",
    token: str | None = None,
    hosts: tuple[str, ...] | None = None,
    limits: Limits | None = None,
) -> Starlette:
    """Return a fitted model as a Starlette application, for an ASGI server of your own.

    Parameters
    ----------
    model : RareTextClassifier
        A fitted model.
    name : str, default="model"
        What pages call it.
    token : str, optional
        What requests must carry as ``Authorization: Bearer TOKEN``.
    hosts : tuple of str, optional
        The names that requests may use for the machine; None allows all.
    limits : Limits, optional
        How much a request may ask of the server.

    Examples
    --------
    >>> from starlette.testclient import TestClient
    >>> texts = ["oil price up", "crude oil price"] * 3 + ["rain today", "sun and rain"] * 12
    >>> model = RareTextClassifier(random_state=0).fit(texts, ["oil"] * 6 + ["rain"] * 24)
    >>> with TestClient(model_application(model)) as client:
    ...     answer = client.post("/predict", json={"documents": ["price of oil"]}).json()
    >>> answer["predictions"][0]["decision"]
    'oil'
    """
    service = _Service(model, name)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        take_ctrl_c_from_polars()  # for a server that imports this after it has taken Ctrl-C
        service.warm_up()
        yield
        service.batcher.close()

    routes = [
        Route("/", service.card),
        Route("/predict", service.predict, methods=["POST"]),
        Route("/health", service.health),
        Route("/metrics", service.metrics_page),
        Route("/openapi.json", service.openapi),
    ]
    return guarded_application(
        routes,
        token=token,
        hosts=hosts,
        limits=limits,
        open_paths=["/health"],
        watch=service.count_request,
        lifespan=lifespan,
    )


class _Metrics:
    """What a served model counts, for Prometheus.

    The share of unknown words is ``imbtext_unknown_word_share_sum`` by
    ``imbtext_unknown_word_share_count``, a mean over documents that have words.
    """

    def __init__(self, labels: list[str]) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "imbtext_requests",
            "Requests answered, by path and status.",
            ["path", "status"],
            registry=self.registry,
        )
        self.documents = Counter(
            "imbtext_documents", "Documents predicted.", registry=self.registry
        )
        self.alarms = Counter(
            "imbtext_alarms",
            "Documents put into a class that is looked for.",
            ["label"],
            registry=self.registry,
        )
        self.unknown = Summary(
            "imbtext_unknown_word_share",
            "Share of a document's words that the model does not know.",
            registry=self.registry,
        )
        self.seconds = Histogram(
            "imbtext_predict_seconds",
            "Time from a request's last byte to its answer.",
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._labels = [self.alarms.labels(label) for label in labels]

    def count_documents(
        self,
        n_documents: int,
        n_alarms: NDArray[np.int64],
        known_shares: NDArray[np.float64] | None,
    ) -> None:
        """Count documents that were predicted."""
        self.documents.inc(n_documents)
        for alarms, n in zip(self._labels, n_alarms.tolist(), strict=True):
            alarms.inc(n)
        if known_shares is not None:
            for share in known_shares[~np.isnan(known_shares)].tolist():
                self.unknown.observe(1 - share)

    def page(self) -> tuple[bytes, str]:
        """Return the metrics of all workers in Prometheus form, and their content type."""
        registry = self.registry
        if _MULTIPROCESS in os.environ:
            from prometheus_client.multiprocess import MultiProcessCollector

            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry), CONTENT_TYPE_LATEST


class _Service:
    """The endpoints of a model."""

    def __init__(self, model: RareTextClassifier, name: str) -> None:
        self.model = model
        self.name = name
        self.labels = [str(rate.label) for rate in model.alarm_rates_]
        self.metrics = _Metrics(self.labels)
        # Cells of a column are read together, so those of two requests must not be mixed.
        self.batcher = Batcher(
            self._answers, together=not model.columns_, quick=model.fitted_.meaning is None
        )
        self._card = ""
        self.description = openapi_description(model, name, _MOST_DOCUMENTS)
        self._paths = frozenset(self.description["paths"])

    def warm_up(self) -> None:
        """Compile and load what the first request would otherwise wait for."""
        with suppress(TypeError):  # a model that was fitted on token lists
            self.model.explanations([_first_document(self.model)])

    async def predict(self, request: Request) -> Response:
        """Answer with decision, score, threshold and probability of each document."""
        begin = time.perf_counter()
        body = await request.body()
        read = partial(_read_request, body, self.model)
        documents, explain = (
            await self.batcher.in_thread(read) if len(body) > _LARGE_BODY else read()
        )
        try:
            predictions = await self.batcher.ask(documents, explain) if documents else []
        except TooManyWaitingError:
            raise RequestError(503, "too many documents are waiting; try again") from None
        except (ValueError, TypeError) as error:
            raise RequestError(422, str(error)) from None
        self.metrics.seconds.observe(time.perf_counter() - begin)
        return JSONResponse({"model": self.name, "predictions": predictions})

    def _answers(self, documents: list[Document], explain: list[bool]) -> list[Record]:
        predictions = self.model.predictions(documents)
        self.metrics.count_documents(len(documents), predictions.n_alarms, predictions.known_shares)
        answers: list[Record] = [
            {
                "decision": _decision(decision),
                "score": score,
                "threshold": threshold,
                "probability": probability,
                "nothing_known": nothing_known,
            }
            for decision, score, threshold, probability, nothing_known in zip(
                predictions.decision,
                predictions.score.round(6).tolist(),
                predictions.threshold.round(6).tolist(),
                predictions.probability.round(6).tolist(),
                predictions.nothing_known.tolist(),
                strict=True,
            )
        ]
        rows = [row for row, is_asked in enumerate(explain) if is_asked]
        reasons = self.model.explanations([documents[row] for row in rows]) if rows else []
        for row, reason in zip(rows, reasons, strict=True):
            answers[row]["explanation"] = _explanation(reason)
        return answers

    async def card(self, _request: Request) -> Response:
        """Show a person what the model is and what to expect of it."""
        if not self._card:
            self._card = await self.batcher.in_thread(self.model.card(self.name).html)
        # The page names the scripts that it allows itself.
        policy = {"content-security-policy": "base-uri 'none'; frame-ancestors 'none'"}
        return HTMLResponse(self._card, headers=policy)

    async def health(self, _request: Request) -> Response:
        """Return the model's name, which shows that it is loaded and answers."""
        return JSONResponse({"status": "ok", "model": self.name})

    async def metrics_page(self, _request: Request) -> Response:
        """Show what was counted."""
        page, kind = self.metrics.page()
        return Response(page, media_type=kind)

    async def openapi(self, _request: Request) -> Response:
        """Describe the endpoints to programs."""
        return JSONResponse(self.description)

    def count_request(self, path: str, status: int) -> None:
        """Count an answer; all unknown paths count as one."""
        path = path if path in self._paths else "other"
        self.metrics.requests.labels(path, str(status)).inc()


def _read_request(body: bytes, model: RareTextClassifier) -> tuple[Sequence[Document], bool]:
    """Return the documents of a request, and whether to explain the decisions."""
    request = read_object(body, _example(model))
    unknown = [key for key in request if key not in _KEYS]
    if unknown:
        raise RequestError(422, f"unknown keys: {listed(unknown)}; expected {listed(_KEYS)}")
    explain = request.get("explain", False)
    if not isinstance(explain, bool):
        raise RequestError(422, f"explain is {json_kind(explain)}; expected true or false")
    if ("documents" in request) == ("rows" in request):
        raise RequestError(
            422, 'expected either "documents", a list of texts, or "rows", a list of objects'
        )
    (key,) = {"documents", "rows"} & request.keys()
    items = request[key]
    if not isinstance(items, list):
        raise RequestError(422, f"{key} is {json_kind(items)}; expected a list")
    if len(items) > _MOST_DOCUMENTS:
        raise RequestError(
            413, f"{key} has {len(items):,} entries; send at most {_MOST_DOCUMENTS:,} at a time"
        )
    if key == "rows":
        return _documents_of_rows(items, model), explain
    if reads_rows(model):
        columns = [*model.text_columns_, *model.columns_]
        raise RequestError(422, f'the model reads the columns {listed(columns)}; send "rows"')
    if items and isinstance(items[0], list):
        return _token_lists(items), explain
    return _texts("documents", items), explain


def _example(model: RareTextClassifier) -> str:
    """Return a body that the model can read."""
    if not reads_rows(model):
        return '{"documents": ["a text", "another text"]}'
    row = dict.fromkeys(map(str, (*model.text_columns_, *model.columns_)), "...")
    return json.dumps({"rows": [row]}, ensure_ascii=False)


def _first_document(model: RareTextClassifier) -> str:
    """Return any document that the model can read."""
    if not reads_rows(model):
        return "a"
    return model.document_of(
        dict.fromkeys(model.text_columns_, "a") | dict.fromkeys(model.columns_)
    )


def _documents_of_rows(rows: Sequence[object], model: RareTextClassifier) -> list[str]:
    """Return the documents in rows of a table."""
    columns = model.text_columns_
    if not columns:
        raise RequestError(
            422, 'the model does not know the column of its documents; send them as "documents"'
        )
    checked = [_checked_row(row, place, model) for place, row in enumerate(rows)]
    texts = {column: _texts(str(column), [row[column] for row in checked]) for column in columns}
    if not reads_rows(model):
        return texts[columns[0]]
    return [
        model.document_of(row | {name: texts[name][i] for name in columns})
        for i, row in enumerate(checked)
    ]


def _checked_row(row: object, place: int, model: RareTextClassifier) -> dict[ColumnName, object]:
    """Return a row that has every column the model reads; anything else is a 422."""
    if not isinstance(row, dict):
        raise RequestError(422, f"row {place} is {json_kind(row)}; expected an object")
    for column in (*model.text_columns_, *model.columns_):
        if column not in row:
            raise RequestError(
                422, f"row {place} has no {column!r}; its columns are {listed(list(row))}"
            )
    for column in model.columns_:
        if isinstance(row[column], list | dict):
            kind = json_kind(row[column])
            raise RequestError(
                422,
                f"row {place} has {kind} in {column!r}; expected a string, a number, true, false "
                "or null",
            )
    return row


def _texts(name: str, values: Sequence[object]) -> list[str]:
    """Return a column of texts, read and refused like those of a file."""
    reader = DocumentReader(Roles.of(name), name="the request", unit="row")
    try:
        batch = Batch([name], [values], np.arange(len(values)))
        return reader.documents(batch).strings()
    except TableError as error:
        raise RequestError(422, str(error)) from None


def _token_lists(documents: Sequence[object]) -> list[list[str]]:
    token_lists: list[list[str]] = []
    for place, document in enumerate(documents):
        if not isinstance(document, list):
            raise RequestError(
                422, f"document {place} is {json_kind(document)}, but document 0 is a list of words"
            )
        _texts("documents", document)  # only to check them
        token_lists.append(document)
    return token_lists


def _decision(label: object) -> object:
    """Return a decision as a JSON value; several labels become a list."""
    if isinstance(label, set | frozenset):
        return sorted(map(_decision, label), key=str)
    if isinstance(label, np.ndarray):
        return label.tolist()
    return label.item() if isinstance(label, np.generic) else label


def _explanation(reason: Explanation) -> Record:
    words = [[words, round(weight, 6)] for words, weight in reason.parts[:_N_WORDS]]
    answer: Record = {"label": _decision(reason.label), "words": words}
    if reason.meaning:
        answer["meaning"] = {"adds": round(reason.meaning, 6), "near": list(reason.near)}
    return answer
