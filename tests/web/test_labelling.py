"""The labelling page's addresses: who may ask, what is refused, what is saved."""

import pytest
from starlette.testclient import TestClient

TEXTS = ["oil price up", "oil price down", "crude oil", "rain", "more rain", "sun and rain"] * 3
TOKEN = "a-token-of-the-tests"
HERE = "http://127.0.0.1:8000"


@pytest.fixture
def page(labelling_page):
    session, app = labelling_page({"body": TEXTS}, words="oil")
    with TestClient(app, HERE) as client:
        client.headers["Authorization"] = f"Bearer {TOKEN}"
        yield session, client


@pytest.fixture
def session(page):
    return page[0]


@pytest.fixture
def client(page):
    return page[1]


ADDRESSES = ["open", "decide", "undo", "look-up", "start", "sample", "leave-sample", "search"]
ADDRESSES += ["review", "progress", "train"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "evil.example"}, 421),
    ],
)
def test_strangers_are_refused_everywhere(client, session, headers, status):
    for address in ADDRESSES:
        body = {"labeller": "anna", "row": 0, "decision": "yes"}
        answer = client.post(f"/{address}", json=body, headers=headers)
        assert answer.status_code == status, address
        assert "access-control-allow-origin" not in answer.headers
    for address in ("", "label.js", "label.css", "page.css"):
        assert client.get(f"/{address}", headers=headers).status_code == status
    assert list(session.file) == []


def test_a_page_elsewhere_gets_no_leave_to_ask(client):
    headers = {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}
    answer = client.options("/decide", headers=headers)
    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers


def test_nothing_is_changed_by_an_address_alone(client, session):
    for address in ADDRESSES:
        assert client.get(f"/{address}").status_code == 405
    assert list(session.file) == []


def test_a_decision_is_saved_and_the_next_document_comes(client, session):
    first = client.post("/open", json={}).json()
    row = first["document"]["row"]
    asked = {"labeller": "anna", "row": row, "decision": "yes", "note": "sure"}
    answer = client.post("/decide", json=asked).json()
    assert answer["document"]["row"] != row
    assert answer["counts"]["found"] == 1
    assert ",yes,yes,anna,sure,ranking," in session.file.path.read_text()
    undone = client.post("/undo", json={"labeller": "anna"}).json()
    assert undone["document"]["row"] == row
    assert undone["undone"]


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"labeller": "anna", "row": 10**9, "decision": "yes"}, 422),
        ({"labeller": "anna", "row": "0", "decision": "yes"}, 422),
        ({"labeller": "anna", "row": True, "decision": "yes"}, 422),
        ({"labeller": "anna", "row": 0, "decision": "maybe"}, 422),
        ({"labeller": "", "row": 0, "decision": "yes"}, 422),
        ({"labeller": "a\nb", "row": 0, "decision": "yes"}, 422),
        ({"labeller": ["anna"], "row": 0, "decision": "yes"}, 422),
        ({"row": 0}, 422),
    ],
)
def test_nonsense_is_refused_in_words(client, session, asked, status):
    answer = client.post("/decide", json=asked)
    assert answer.status_code == status
    assert answer.json()["error"]
    assert list(session.file) == []


def test_a_full_disk_is_said_and_the_document_stays(client, session, monkeypatch):
    row = client.post("/open", json={}).json()["document"]["row"]

    def full(_data):
        raise OSError("cannot write labels.csv: No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(session.file, "_append", full)
        asked = {"labeller": "anna", "row": row, "decision": "yes"}
        answer = client.post("/decide", json=asked)
    assert answer.status_code == 507
    assert "No space left" in answer.json()["error"]
    assert client.post("/open", json={}).json()["document"]["row"] == row


def test_the_page_says_what_is_left_and_trains_the_model(client, session, tmp_path):
    for row, text in enumerate(TEXTS):
        session.look_up("anna", row)
        session.decide("anna", row, "yes" if "oil" in text else "no")
    answer = client.post("/progress", json={}).json()
    assert answer["curve"][-1] == [18, 9]
    assert answer["may_stop"]
    assert answer["training"] == {"state": "none"}
    client.post("/train", json={})
    state = {"state": "running"}
    while state["state"] == "running":
        state = client.post("/progress", json={}).json()["training"]
    assert state["state"] == "done"
    assert "documents into the class" in " ".join(state["sentences"])
    assert (tmp_path / "labels.model").exists()


def test_a_random_sample_is_offered_read_and_left(client, session):
    for _ in range(12):
        row = client.post("/open", json={}).json()["document"]["row"]
        asked = {"labeller": "anna", "row": row, "decision": "yes" if "oil" in TEXTS[row] else "no"}
        client.post("/decide", json=asked)
    assert client.post("/progress", json={}).json()["sample_needed"] > 0
    sampled = client.post("/sample", json={"labeller": "anna"}).json()
    assert sampled["document"]["chosen"] == "random"
    assert sampled["counts"]["sample_read"] == 0
    asked = {"labeller": "anna", "row": sampled["document"]["row"], "decision": "no"}
    answer = client.post("/decide", json=asked).json()
    assert answer["counts"]["sample_read"] == 1
    assert "1 read at random so far" in str(client.post("/progress", json={}).json()["sentences"])
    back = client.post("/leave-sample", json={"labeller": "anna"}).json()
    assert back["document"]["chosen"] == "ranking"
    assert back["counts"]["sample"] == 0


def test_the_page_shows_where_it_began(client):
    asked = {"labeller": "anna", "words": "rain, sun ", "example": "sun and rain"}
    assert "rain" in client.post("/start", json=asked).json()["document"]["parts"][0]["text"]
    start = client.post("/open", json={}).json()["start"]
    assert start == {"yes": {"words": "rain, sun", "example": "sun and rain"}}
