"""The labelling loop as a machine-learning backend of Label Studio.

Label Studio asks for a prediction of each task and lets people sort tasks by its score. Here the
score is the place of the document in the order in which the loop would read: near 1 for the one to
read next. What people annotate comes back by a webhook, is saved in the file of the labels, and
improves the order. A prediction chooses nothing, so it does not sway anybody.

A task is found in the table by its text, as the labels of an export are.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, TypeGuard

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from imbtext._messages import listed
from imbtext._typing import Record
from imbtext.labelling._exports import DocumentsByText, decisions_of_task
from imbtext.labelling._session import LabellingSession
from imbtext.web._application import answered_in_thread, json_object

PREFIX: Final = "/label-studio"
_IN_ADDRESSES: Final = re.compile(r"[A-Za-z0-9._~-]+")
# A webhook says what happened; these bring an annotation, or several with their tasks.
_ANNOTATED: Final = ("ANNOTATION_CREATED", "ANNOTATION_UPDATED")
_ALL_ANNOTATED: Final = "ANNOTATIONS_CREATED"


def label_studio_routes(session: LabellingSession, token: str | None) -> list[Route]:
    """Return what Label Studio asks for; its address has the token, for it sends no header.

    A token with other characters than letters, digits and ``-._~`` cannot be in an address.
    """
    if token is not None and not _IN_ADDRESSES.fullmatch(token):
        return []
    prefix = PREFIX if token is None else f"{PREFIX}/{token}"
    backend = _Backend(session)
    routes = [Route(f"{prefix}{path}", _health) for path in ("", "/", "/health")]
    routes.append(Route(f"{prefix}/versions", partial(_answered, backend.versions, 200)))
    for path, answer, status in (
        ("/setup", backend.set_up, 200),
        ("/predict", backend.predict, 200),
        ("/webhook", backend.hear, 201),
        ("/train", backend.learn, 201),
    ):
        routes.append(
            Route(f"{prefix}{path}", partial(_answered, answer, status), methods=["POST"])
        )
    return routes


async def _health(_request: Request) -> Response:
    return JSONResponse({"status": "UP", "model_class": "imbtext"})


async def _answered(answer: Callable[[Record], Record], status: int, request: Request) -> Response:
    question = await json_object(request) if request.method == "POST" else {}
    return JSONResponse(await answered_in_thread(answer, question), status)


class _Backend:
    """What Label Studio can ask for."""

    def __init__(self, session: LabellingSession) -> None:
        self._session = session
        self._documents = DocumentsByText(
            {name: session.column(name) for name in session.settings.text}
        )

    @property
    def _version(self) -> str:
        """A name for the order of now: Label Studio asks again only if it has changed."""
        share, error = self._session.encoding()
        by_words = ", by words" if share < 1 and not error else ""
        return f"imbtext after {self._session.counts()['read']} documents{by_words}"

    def versions(self, _question: Record) -> Record:
        return {"versions": [self._version]}

    def set_up(self, question: Record) -> Record:
        """Look at the labelling interface when a project is connected."""
        schema = question.get("schema")
        classes = self._session.classes
        if isinstance(schema, str) and not any(name in schema for name in classes):
            raise ValueError(
                f"the labelling interface has no choice {listed(classes)}; give the class the name "
                "that it has there, with imbtext label --class"
            )
        return {"model_version": self._version}

    def predict(self, question: Record) -> Record:
        """Return the place of each task in the order of reading, 0 if it is not in the table."""
        tasks = _records(question, "tasks")
        of_tasks = [self._documents.rows(_fields(task)) for task in tasks]
        version, places = self._version, self._session.places()
        results = [
            {
                "result": [],
                "score": max((round(float(places[row]), 6) for row in rows), default=0.0),
                "model_version": version,
            }
            for rows in of_tasks
        ]
        return {"results": results, "model_version": version}

    def hear(self, question: Record) -> Record:
        """Take an annotation that was made or changed; other events bring nothing to learn."""
        action, task, annotation = map(question.get, ("action", "task", "annotation"))
        if action in _ANNOTATED:
            task, annotation = [task], [annotation]
        elif action != _ALL_ANNOTATED:
            return {}
        if not _are_records(task) or not _are_records(annotation):
            raise ValueError(
                "the webhook has no task and annotation; switch on its payload in Label Studio"
            )
        if action == _ALL_ANNOTATED:  # each annotation has the id of its task
            of_task = defaultdict(list)
            for one in annotation:
                of_task[one.get("task")].append(one)
            self._save([one | {"annotations": of_task[one.get("id")]} for one in task])
        else:
            self._save([task[0] | {"annotations": annotation}])
        return {}

    def learn(self, question: Record) -> Record:
        """Take all annotations of a project, as older versions of Label Studio send them."""
        self._save(_records(question, "annotations"))
        return {}

    def _save(self, tasks: Sequence[Record]) -> None:
        new: dict[str, dict[int, str]] = defaultdict(dict)
        for task in tasks:
            for labeller, decision in decisions_of_task(task, self._session.classes):
                rows = self._documents.rows(_fields(task))
                said = [row for row in rows if not self._is_known(row, labeller, decision)]
                new[labeller] |= dict.fromkeys(said, decision)
        for labeller, decisions in new.items():
            self._session.decide_all(labeller, decisions)

    def _is_known(self, row: int, labeller: str, decision: str) -> bool:
        """Whether it was saved before: Label Studio sends annotations again."""
        said = self._session.said_about(row)
        return any((one.labeller, one.decision) == (labeller, decision) for one in said)


def _records(question: Record, name: str) -> list[Record]:
    given = question.get(name)
    if not _are_records(given):
        raise ValueError(f"{name} is missing; expected a list of tasks")
    return given


def _are_records(given: object) -> TypeGuard[list[Record]]:
    return isinstance(given, list) and all(isinstance(one, dict) for one in given)


def _fields(task: Record) -> dict[str, str]:
    data = task.get("data")
    if not isinstance(data, dict):
        raise ValueError("a task has no data")
    return {str(name): value for name, value in data.items() if isinstance(value, str)}
