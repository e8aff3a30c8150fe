"""The labelling page's addresses: who may ask, what is refused, what is saved."""

import json
import threading

import pytest
from starlette.testclient import TestClient

from imbtext.web._labelling import LabellingPage
from imbtext.web._server import Server

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


def test_a_document_that_is_no_longer_open_is_a_conflict(client, session):
    row = client.post("/open", json={}).json()["document"]["row"]
    asked = {"labeller": "anna", "row": row, "decision": "yes"}
    client.post("/decide", json=asked)
    answer = client.post("/decide", json=asked | {"decision": "no"})
    assert answer.status_code == 409
    assert "decide on the document that is shown now" in answer.json()["error"]
    assert session.loop.labels[row] == "yes"


def test_half_a_character_is_refused_everywhere(client, session):
    for address in ADDRESSES:
        body = {"labeller": "anna", "row": 0, "decision": "yes", "from": "list"}
        broken = {"words": "\ud800", "note": "\ud800", "last": "\ud800", "seat": "\ud800"}
        answer = client.post(f"/{address}", content=json.dumps(body | broken))
        is_plain = address in ("review", "progress", "train")  # these read nothing
        assert answer.status_code == (200 if is_plain else 422), address
    assert list(session.file) == []
    assert session.settings.words == {"yes": ["oil"]}


def test_a_document_is_opened_from_a_list_of_the_page_only(client, session):
    for list_name in ("given", "random", "disagreement", "x" * 1000):
        asked = {"labeller": "anna", "row": 1, "from": list_name}
        answer = client.post("/look-up", json=asked)
        assert answer.status_code == 422
        assert "'search', 'list'" in answer.json()["error"]
    assert client.post("/look-up", json=asked | {"from": "search"}).status_code == 200


def test_an_undo_that_comes_twice_takes_back_one_decision(client, session):
    for _ in range(2):
        row = client.post("/open", json={}).json()["document"]["row"]
        asked = {"labeller": "anna", "row": row, "decision": "no"}
        last = client.post("/decide", json=asked).json()["last"]
    for _ in range(2):
        undone = client.post("/undo", json={"labeller": "anna", "last": last}).json()
        assert (undone["document"]["row"], undone["undone"]) == (row, True)
    assert len(list(session.file)) == 1


def test_a_training_that_fails_for_any_reason_ends(client, session, monkeypatch):
    monkeypatch.setattr(session, "train", lambda _path: {}["labels"])
    client.post("/train", json={})
    state = {"state": "running"}
    while state["state"] == "running":
        state = client.post("/progress", json={}).json()["training"]
    assert state == {
        "state": "failed",
        "message": "the training failed (KeyError); the terminal says why",
    }


def test_stopping_waits_for_a_model_and_says_so(labelling_page, monkeypatch):
    session, app = labelling_page({"body": TEXTS}, words="oil")
    finish = threading.Event()
    monkeypatch.setattr(session, "train", lambda _path: finish.wait())
    app.state.page.finish_training()  # nothing is being trained
    with TestClient(app, HERE) as client:
        client.post("/train", json={}, headers={"Authorization": f"Bearer {TOKEN}"})
    threading.Timer(0.2, finish.set).start()
    with pytest.warns(UserWarning, match="press Ctrl-C again"):
        app.state.page.finish_training()


def test_a_token_of_odd_characters_stands_in_the_address(labelling_page, tmp_path, monkeypatch):
    session, _ = labelling_page({"body": TEXTS}, words="oil")
    options = {"name": "pool", "model": tmp_path / "m.model", "labeller": "anna"}
    monkeypatch.setattr(Server, "run", lambda self: self.stop())
    addresses = []
    page = LabellingPage(session, **options)
    page.serve(token="a b&c=#?", started=addresses.append)
    assert addresses[0].endswith("/?token=a%20b%26c%3D%23%3F")
    with pytest.raises(ValueError, match="printable ASCII"):
        page.serve(token="\u00e9")


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
    assert answer["sentences"] == []  # what the line above the document says stands there alone
    assert answer["training"] == {"state": "none"}
    client.post("/train", json={})
    state = {"state": "running"}
    while state["state"] == "running":
        state = client.post("/progress", json={}).json()["training"]
    assert state["state"] == "done"
    assert "documents into the class" in " ".join(state["sentences"])
    assert (tmp_path / "labels.model").exists()


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ((0.25, ""), "The encoder has read 25% of the documents."),
        ((0.25, "out of paper"), "The encoder failed: out of paper"),
        ((1.0, ""), None),
    ],
)
def test_the_page_says_that_words_alone_decide(client, session, monkeypatch, encoding, said):
    monkeypatch.setattr(session, "encoding", lambda: encoding)
    sentences = " ".join(client.post("/progress", json={}).json()["sentences"])
    assert (said or "") in sentences
    assert ("ords alone decide which document comes next" in sentences) == (said is not None)


def test_a_random_sample_is_offered_read_and_left(client, session):
    for _ in range(12):
        row = client.post("/open", json={}).json()["document"]["row"]
        asked = {"labeller": "anna", "row": row, "decision": "yes" if "oil" in TEXTS[row] else "no"}
        client.post("/decide", json=asked)
    # The twelve documents are a few texts, each several times: too few finds to tell.
    progress = client.post("/progress", json={}).json()
    assert progress["is_early"]
    assert progress["sample_needed"] == 0
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
