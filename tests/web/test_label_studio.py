"""The loop behind Label Studio: a client asks as its server does (`MLApi` in its source)."""

import csv

import pytest
from starlette.testclient import TestClient

TOKEN = "a-token-of-the-tests"
TEXTS = [f"oil price {word}" for word in ("up", "down", "flat", "crude", "cut", "rise")]
TEXTS += [f"rain {word} today" for word in ("more", "less", "light", "heavy", "cold", "warm")] * 3
CONFIG = """<View><Text name="text" value="$body"/><Choices name="label" toName="text">
<Choice value="yes"/><Choice value="no"/></Choices></View>"""


class LabelStudio:
    """Asks a backend at an address, as Label Studio does for a project."""

    def __init__(self, client, address):
        self.client, self.address = client, address
        self.project = "1.1698240000"

    def health(self):
        return self.client.get(f"{self.address}/health")

    def setup(self, schema=CONFIG):
        body = {"project": self.project, "schema": schema, "hostname": "http://localhost:8080"}
        return self.client.post(f"{self.address}/setup", json=body | {"access_token": "abc"})

    def predict(self, tasks):
        body = {"tasks": tasks, "model_version": None, "project": self.project}
        params = {"login": None, "password": None, "context": None}
        body |= {"label_config": CONFIG, "params": params}
        return self.client.post(f"{self.address}/predict", json=body)

    def annotate(self, task, choice, action="ANNOTATION_CREATED"):
        return self.client.post(
            f"{self.address}/webhook",
            json={"action": action, "project": {"id": 1}, "task": task}
            | {"annotation": annotation_of(choice)},
        )

    def train(self, tasks):
        body = {"annotations": tasks, "project": self.project, "label_config": CONFIG}
        return self.client.post(f"{self.address}/train", json=body | {"params": {}})


def annotation_of(choice, **about):
    region = {"from_name": "label", "to_name": "text", "type": "choices"}
    result = [region | {"id": "x", "value": {"choices": [choice]}}]
    return {"id": 7, "completed_by": 3, "result": result, "was_cancelled": False} | about


def tasks_of(texts):
    return [{"id": 100 + i, "data": {"day": "1", "body": text}} for i, text in enumerate(texts)]


@pytest.fixture
def page(labelling_page):
    session, app = labelling_page({"body": TEXTS}, words="oil")
    with TestClient(app, base_url="http://127.0.0.1") as client:
        yield session, client


@pytest.fixture
def session(page):
    return page[0]


@pytest.fixture
def studio(page):
    return LabelStudio(page[1], f"/label-studio/{TOKEN}")


def scores_of(answer):
    assert answer.status_code == 200, answer.text
    return [one["score"] for one in answer.json()["results"]]


def test_a_project_is_connected(studio):
    assert studio.health().json()["status"] == "UP"
    assert studio.setup().json() == {"model_version": "imbtext after 0 documents"}
    refused = studio.setup(CONFIG.replace("yes", "fraud").replace("no", "other"))
    assert refused.status_code == 422
    assert "no choice 'yes'" in refused.json()["error"]


def test_the_score_is_the_place_in_the_order_of_reading(studio, session):
    tasks = tasks_of(["bread", *TEXTS])
    answer = studio.predict(tasks)
    strange, *scores = scores_of(answer)
    assert strange == 0.0
    assert max(scores) == 1.0
    assert set(sorted(range(len(TEXTS)), key=lambda row: -scores[row])[:6]) == set(range(6))
    assert scores.index(1.0) == session.next_rows(1)[0]
    first = answer.json()["results"][0]
    assert first["result"] == []
    assert first["model_version"] == answer.json()["model_version"]


def test_the_order_has_another_name_when_the_encoder_has_read_all(studio, session, monkeypatch):
    monkeypatch.setattr(session, "encoding", lambda: (0.5, ""))
    assert studio.setup().json() == {"model_version": "imbtext after 0 documents, by words"}
    monkeypatch.setattr(session, "encoding", lambda: (1.0, ""))
    assert studio.setup().json() == {"model_version": "imbtext after 0 documents"}


def test_an_annotation_is_saved_and_changes_the_order(studio, session, tmp_path):
    texts = [f"{word} news" for word in ("up", "down")]
    tasks = tasks_of([*TEXTS, *texts])
    for row, choice in [(0, "yes"), (6, "no"), (1, "no")]:
        assert studio.annotate(tasks[row], choice).status_code == 201
    assert studio.annotate(tasks[1], "yes", "ANNOTATION_UPDATED").status_code == 201
    # It is sent again, and events of other kinds bring nothing.
    assert studio.annotate(tasks[1], "yes", "ANNOTATION_UPDATED").status_code == 201
    assert studio.annotate(tasks[3], "yes", "ANNOTATIONS_DELETED").status_code == 201
    same_texts = [row for row, text in enumerate(TEXTS) if text == TEXTS[6]]
    assert session.loop.read == [0, *same_texts, 1]
    assert session.loop.found() == [0, 1]
    with (tmp_path / "labels.csv").open(newline="") as file:
        said = {(line["labeller"], line["decision"]) for line in csv.DictReader(file)}
    assert said == {("Label Studio 3", "yes"), ("Label Studio 3", "no")}
    assert studio.setup().json() == {"model_version": "imbtext after 5 documents"}
    unread = [row for row in range(len(TEXTS)) if row not in session.loop.read]
    scores = scores_of(studio.predict(tasks))
    assert max(unread, key=lambda row: scores[row]) == session.next_rows(1)[0]


def test_annotations_that_are_made_at_once_find_their_tasks(studio, session):
    tasks = tasks_of(TEXTS)
    several = [annotation_of("no", task=106), annotation_of("yes", task=100)]
    body = {"action": "ANNOTATIONS_CREATED", "task": [tasks[0], tasks[6]], "annotation": several}
    assert studio.client.post(f"{studio.address}/webhook", json=body).status_code == 201
    assert session.loop.found() == [0]
    assert session.loop.labels[6] == "no"
    body |= {"annotation": several[0]}
    assert studio.client.post(f"{studio.address}/webhook", json=body).status_code == 422


def test_a_cancelled_annotation_is_none_and_all_are_learnt_at_once(studio, session):
    tasks = tasks_of(TEXTS)
    annotations = [
        tasks[0] | {"annotations": [annotation_of("yes", completed_by={"email": "a@b.org"})]},
        tasks[1] | {"annotations": [annotation_of("no", was_cancelled=True)]},
        tasks[2] | {"annotations": [annotation_of("yes")]},
    ]
    assert studio.train(annotations).status_code == 201
    assert session.loop.read == [0, 2]
    assert session.said_about(0)[0].labeller == "Label Studio a@b.org"


def test_a_damaged_task_saves_none_of_them(studio, session):
    tasks = tasks_of(TEXTS)
    whole = tasks[0] | {"annotations": [annotation_of("yes")]}
    damaged = {"id": 7, "annotations": [annotation_of("yes")]}
    assert studio.train([whole, damaged]).status_code == 422
    assert list(session.file) == []


def test_only_the_address_with_the_token_is_answered(page):
    client = page[1]
    for wrong in ("/label-studio", "/label-studio/other"):
        assert client.get(f"{wrong}/health").status_code == 401
    assert client.get(f"/label-studio/{TOKEN}x/health").status_code == 401


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        ("predict", {}, "tasks is missing"),
        ("predict", {"tasks": [{"id": 1}]}, "a task has no data"),
        ("webhook", {"action": "ANNOTATION_CREATED"}, "no task and annotation"),
        ("train", {"annotations": ["x"]}, "annotations is missing"),
    ],
)
def test_what_is_no_question_of_label_studio_is_refused(page, path, body, message):
    answer = page[1].post(f"/label-studio/{TOKEN}/{path}", json=body)
    assert answer.status_code == 422
    assert message in answer.json()["error"]
