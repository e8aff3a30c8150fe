"""A model behind HTTP answers what the model says, and refuses the rest in words."""

import asyncio
import json
import threading

import jsonschema
import numpy as np
import polars as pl
import pytest
from starlette.testclient import TestClient

from imbtext import RareTextClassifier
from imbtext.web import model_application
from imbtext.web._batching import Batcher, TooManyWaitingError

TEXTS = ["oil price up", "crude oil price"] * 5 + ["rain today", "sun and rain", "sun"] * 9
LABELS = ["oil"] * 10 + ["weather"] * 27
NEW = ["price of oil", "more rain", ""]


class Column(list):
    """Documents of a column with a name."""

    name = "body"


@pytest.fixture(scope="module")
def model():
    return RareTextClassifier(random_state=0).fit(Column(TEXTS), LABELS)


@pytest.fixture(scope="module")
def client(model):
    with TestClient(model_application(model, name="oil.model")) as asking:
        yield asking


def ask(client, **body):
    return client.post("/predict", json=body)


def test_answers_what_the_model_says(model, client):
    answer = ask(client, documents=NEW).json()
    expected = model.predictions(NEW)
    assert answer["model"] == "oil.model"
    assert [p["decision"] for p in answer["predictions"]] == expected.decision.tolist()
    scores = [p["score"] for p in answer["predictions"]]
    probabilities = [p["probability"] for p in answer["predictions"]]
    np.testing.assert_allclose(scores, expected.score, atol=1e-6)
    np.testing.assert_allclose(probabilities, expected.probability, atol=1e-6)
    assert not any("explanation" in p for p in answer["predictions"])


def test_rows_are_read_by_the_name_of_the_column(client):
    rows = [{"body": text, "id": i} for i, text in enumerate(NEW)]
    assert ask(client, rows=rows).json() == ask(client, documents=NEW).json()
    assert ask(client, rows=[{"body": None}]).json() == ask(client, documents=[""]).json()


def test_explains_on_request(model, client):
    (prediction,) = ask(client, documents=["The OIL price"], explain=True).json()["predictions"]
    expected = model.explain("The OIL price")
    assert prediction["explanation"]["label"] == "oil"
    words = [tuple(pair) for pair in prediction["explanation"]["words"]]
    assert words == [(word, round(weight, 6)) for word, weight in expected.parts[:20]]


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({}, 422, '"documents"'),
        ({"documents": [], "rows": []}, 422, "either"),
        ({"documents": "a text"}, 422, "documents is a string; expected a list"),
        ({"documents": {"a": 1}}, 422, "an object"),
        ({"documents": [1]}, 422, "texts must be strings"),
        ({"documents": ["a", ["b"]]}, 422, "texts must be strings"),
        ({"documents": [["a"]]}, 422, "token lists"),
        ({"documents": [["a"], "b"]}, 422, "a string"),
        ({"documents": [["a", 1]]}, 422, "texts must be strings"),
        ({"documents": ["\ud800"]}, 422, "surrogate"),
        ({"documents": ["a"] * 1001}, 413, "1,001"),
        ({"documents": ["a"], "explain": "yes"}, 422, "true or false"),
        ({"documents": ["a"], "explian": True}, 422, "'explian'"),
        ({"rows": ["a"]}, 422, "row 0 is a string"),
        ({"rows": [{"body": "a"}, {"title": "b"}]}, 422, "row 1 has no 'body'"),
        ({"rows": [{"body": {"x": []}}]}, 422, "texts must be strings"),
    ],
)
def test_refuses_in_words(client, body, status, words):
    answer = client.post("/predict", content=json.dumps(body))
    assert answer.status_code == status
    assert words in answer.json()["error"]


def test_no_documents_are_no_predictions(client):
    assert ask(client, documents=[]).json()["predictions"] == []


def test_a_model_without_a_column_takes_documents_only():
    nameless = RareTextClassifier(random_state=0).fit(TEXTS, LABELS)
    with TestClient(model_application(nameless)) as client:
        assert "documents" in ask(client, rows=[{"body": "a"}]).json()["error"]


def test_several_labels_are_a_list():
    labels = [{"oil"} if "oil" in t else {"sun", "rain"} if "and" in t else set() for t in TEXTS]
    several = RareTextClassifier(random_state=0).fit(TEXTS, labels)
    with TestClient(model_application(several)) as client:
        found = ask(client, documents=["sun and rain", "oil price"]).json()["predictions"]
        expected = [sorted(labels) for labels in several.predict(["sun and rain", "oil price"])]
        assert [p["decision"] for p in found] == expected


def test_a_model_of_token_lists_takes_token_lists():
    tokens = RareTextClassifier(random_state=0).fit([t.split() for t in TEXTS], LABELS)
    with TestClient(model_application(tokens)) as client:
        (found,) = ask(client, documents=[["oil", "price"]]).json()["predictions"]
        assert found["decision"] == "oil"
        assert ask(client, documents=["oil price"]).status_code == 422


def test_health_card_and_description(client):
    assert client.get("/health").json() == {"status": "ok", "model": "oil.model"}
    page = client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    assert "oil.model" in page.text
    assert "It finds about" in page.text or "It found" in page.text
    assert client.get("/openapi.json").json()["openapi"].startswith("3.1")


def test_answers_are_as_described(client):
    description = client.get("/openapi.json").json()

    def matches(name, value):
        schema = {"$ref": f"#/components/schemas/{name}", "components": description["components"]}
        jsonschema.Draft202012Validator(schema).validate(value)

    body = {"documents": NEW, "explain": True}
    matches("Request", body)
    matches("Request", {"rows": [{"body": "a", "id": 1}]})
    with pytest.raises(jsonschema.ValidationError):
        matches("Request", {"documents": "a"})
    matches("Answer", ask(client, **body).json())
    matches("Error", ask(client, documents=1).json())


def test_rows_of_a_model_with_columns_beside_the_text():
    rng = np.random.default_rng(0)
    y = np.arange(400) % 8 == 0
    words = [f"word{chr(97 + i)}" for i in range(20)]
    table = pl.DataFrame(
        {
            "body": [" ".join(rng.choice(words, 5)) for _ in y],
            "amount": np.where(y, rng.normal(900, 100, 400), rng.normal(500, 250, 400)).round(2),
        }
    )
    model = RareTextClassifier("f1", text="body", columns=["amount"], random_state=0).fit(table, y)
    assert model.columns_ == ("amount",)
    rows = table.head(20).to_dicts()
    with TestClient(model_application(model)) as client:
        answer = ask(client, rows=rows, explain=True)
        found = [p["decision"] for p in answer.json()["predictions"]]
        assert found == model.predict(table.head(20)).tolist()
        assert "'amount'" in ask(client, documents=["text 1"]).json()["error"]
        for odd, words in [([1], "an array"), ({}, "an object")]:
            refused = ask(client, rows=[rows[0] | {"amount": odd}])
            assert (refused.status_code, words in refused.json()["error"]) == (422, True)
        assert "no 'amount'" in ask(client, rows=[{"body": "b"}]).json()["error"]
        assert ask(client, rows=[]).json()["predictions"] == []
        for odd in (None, "much", True, 1e300):
            assert ask(client, rows=[rows[0] | {"amount": odd}]).status_code in (200, 422)


def test_counts_for_prometheus(model):
    with TestClient(model_application(model)) as client:
        ask(client, documents=["oil price", "rain", "xyzzy plugh"])
        ask(client, documents=1)
        client.get("/nowhere/1")
        lines = client.get("/metrics").text.splitlines()
    counted = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    assert counted["imbtext_documents_total"] == "3.0"
    assert counted['imbtext_alarms_total{label="oil"}'] == "1.0"
    assert counted['imbtext_requests_total{path="/predict",status="200"}'] == "1.0"
    assert counted['imbtext_requests_total{path="/predict",status="422"}'] == "1.0"
    assert counted['imbtext_requests_total{path="other",status="404"}'] == "1.0"
    assert counted["imbtext_unknown_word_share_count"] == "3.0"
    assert counted["imbtext_unknown_word_share_sum"] == "1.0"


def test_requests_that_wait_go_together():
    calls = []

    def answer(documents, wishes):
        calls.append(len(documents))
        if "bad" in documents:
            raise ValueError("bad")
        return [(document, wish) for document, wish in zip(documents, wishes, strict=True)]

    async def ask_all():
        batcher = Batcher(answer)
        asked = [batcher.ask([f"{i}a", f"{i}b"], i) for i in range(20)]
        answers = await asyncio.gather(*asked, batcher.ask(["bad"], 0), return_exceptions=True)
        batcher.close()
        return answers

    *answers, failed = asyncio.run(ask_all())
    assert answers == [[(f"{i}a", i), (f"{i}b", i)] for i in range(20)]
    assert isinstance(failed, ValueError)
    assert calls[0] == 41  # all together; the bad one sends each off alone
    assert calls[1:] == [2] * 20 + [1]


def test_a_panic_is_an_answer_and_no_endless_wait():
    class Panic(BaseException):
        pass

    async def ask_once():
        def panic(_documents, _wishes):
            raise Panic

        batcher = Batcher(panic)
        with pytest.raises(Panic):
            await asyncio.wait_for(batcher.ask(["oil"], False), 30)
        batcher.close()

    asyncio.run(ask_once())


def test_few_short_documents_do_not_change_threads():
    threads = []

    def answer(documents, _wishes):
        threads.append(threading.current_thread() is threading.main_thread())
        return documents

    async def ask_each():
        batcher = Batcher(answer)
        for documents, wish in ((["oil"], False), (["oil"], True), (["oil " * 5_000], False)):
            assert await batcher.ask(documents, wish) == documents
        batcher.close()

    asyncio.run(ask_each())
    assert threads == [True, False, False]


def test_an_encoder_reads_texts_while_the_loop_answers_others():
    threads = []

    def encode(texts):
        threads.append(threading.current_thread().name)
        return [[0.1 + text.count("oil"), 0.1 + text.count("rain")] for text in texts]

    model = RareTextClassifier(encoder=encode, random_state=0).fit(TEXTS, LABELS)
    with TestClient(model_application(model)) as client:
        threads.clear()
        (answer,) = ask(client, documents=["oil, oil and oil"]).json()["predictions"]
        assert [name.startswith("model") for name in threads] == [True]
        (told,) = ask(client, documents=["oil, oil"], explain=True).json()["predictions"]
    assert answer["decision"] == "oil"
    assert told["explanation"]["meaning"]["adds"] > 0
    assert "oil" in told["explanation"]["meaning"]["near"]


def test_what_waits_is_bounded_and_who_left_is_not_answered():
    asked = []

    async def ask_many():
        batcher = Batcher(lambda documents, _: asked.extend(documents) or documents)
        with pytest.raises(TooManyWaitingError):
            await batcher.ask(["x"] * 20_001, None)
        gone = asyncio.ensure_future(batcher.ask(["gone"], None))
        await asyncio.sleep(0)
        gone.cancel()
        answer = await batcher.ask(["here"], None)
        batcher.close()
        return answer

    assert asyncio.run(ask_many()) == ["here"]
    assert asked == ["here"]


@pytest.mark.parametrize("body", [b"", b"oil price", b"[1]", b"NaN"])
def test_a_body_that_is_not_an_object_is_told_what_to_send(client, body):
    answer = client.post("/predict", content=body)
    assert answer.status_code == 400
    _, _, example = answer.json()["error"].partition("; send a JSON object such as ")
    assert client.post("/predict", content=example).status_code == 200


def test_a_model_of_columns_is_sent_rows():
    frame = pl.DataFrame({"subject": TEXTS, "body": TEXTS})
    model = RareTextClassifier(random_state=0, text=["subject", "body"]).fit(frame, LABELS)
    with TestClient(model_application(model)) as client:
        error = client.post("/predict", content=b"oil").json()["error"]
    assert error.endswith('{"rows": [{"subject": "...", "body": "..."}]}')
