"""PromptedSampler: the contract, a server that fails in every way, budget, cache, deadline, key."""

import json
import logging
import pickle
import sqlite3
import sys
import threading
import traceback
from contextlib import closing

import pytest
from prompt_server import completion, serving
from sklearn.base import clone

from imbtext import PromptedSampler
from imbtext._extras import MissingExtraError
from imbtext.oversampling import Answer, BudgetExceededError, OpenAIModel, PromptingError
from imbtext.testing import parametrize_with_checks

KEY = "sk-secret-0123456789abcdefghij"
OIL = ["Oil price up", "Crude oil price falls", "Opec meets", "Tanker lost", "Gas", "Refinery shut"]
TEXTS = OIL + ["Shares of the firm up"] * 16
Y = ["oil"] * 6 + ["other"] * 16
# The client waits as long as the server asks it to.
AT_ONCE = {"Retry-After-Ms": "1"}


@pytest.fixture(autouse=True)
def key_in_the_environment(monkeypatch):
    monkeypatch.setenv("IMBTEXT_TEST_KEY", KEY)


def asks(url, model=None, **parameters):
    """A sampler that asks the server; `model` holds parameters of the model."""
    pytest.importorskip("openai")
    settings = {"base_url": url, "api_key_variable": "IMBTEXT_TEST_KEY", "timeout": 0.5}
    return PromptedSampler(
        OpenAIModel("a-model", **settings | (model or {})),
        **{"random_state": 0, "deadline": 20, **parameters},
    )


def numbered(request):
    """Documents that tell which request they answer, so that every one differs."""
    asked = request["body"]["messages"][1]["content"]
    return completion([f"Oil news {abs(hash(asked)) % 10**6} part {i}" for i in range(5)])


def echo(messages):
    """A model without a server: it answers from what it is shown."""
    shown = messages[1]["content"].split("\n\n")[1]
    return json.dumps([f"{text} again" for text in json.loads(shown)])


@parametrize_with_checks([PromptedSampler(echo), PromptedSampler(echo, n_jobs=2, n_examples=2)])
def test_contract(sampler, check):
    check(sampler)


def test_a_server_is_asked_as_the_protocol_says():
    with serving(numbered) as (url, script):
        sampler = asks(
            url, {"temperature": 0.7, "max_tokens": 300}, descriptions={"oil": "crude oil"}
        )
        X, y = sampler.fit_resample(TEXTS, Y)
    assert len(X) == 32
    assert y.count("oil") == 16
    assert len(set(X[22:])) == 10
    request = script.requests[0]
    assert request["path"] == "/v1/chat/completions"
    assert request["headers"]["authorization"] == f"Bearer {KEY}"
    assert {k: v for k, v in request["body"].items() if k != "messages"} == {
        "model": "a-model",
        "temperature": 0.7,
        "max_tokens": 300,
    }
    question = request["body"]["messages"][1]["content"]
    assert '"oil"' in question
    assert "crude oil" in question
    assert any(text in question for text in OIL)
    assert len(script.requests) == 2
    usage = sampler.usage_
    assert (usage.requests, usage.prompt_tokens, usage.completion_tokens) == (2, 200, 40)
    assert usage.estimated_tokens == 0


FAILURES = {
    "too many requests": {
        "status": 429,
        "body": {"error": {"message": "slow down"}},
        "headers": AT_ONCE,
    },
    "server error": {"status": 500, "body": "<html>oops</html>", "headers": AT_ONCE},
    "dropped connection": "drop",
    "timeout": "slow",
    "cut short": "cut",
}


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
def test_a_failure_that_passes_is_tried_again(failure):
    with serving(failure, numbered) as (url, script):
        sampler = asks(url)
        X, _ = sampler.fit_resample(TEXTS, Y)
    assert len(X) == 32
    assert sampler.usage_.retries == 1
    assert len(script.requests) == sampler.usage_.requests == 3


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
def test_a_failure_that_stays_is_an_error_without_the_key(failure):
    with serving(failure) as (url, script), pytest.raises(PromptingError) as caught:
        asks(url, {"max_retries": 1}).fit_resample(TEXTS, Y)
    assert "gave no answer" in str(caught.value)
    assert "try again later" in str(caught.value)
    assert KEY not in "".join(traceback.format_exception(caught.value))
    assert len(script.requests) <= 4


@pytest.mark.parametrize("response", ["this is not JSON", {"choices": []}, {"choices": None}])
def test_a_response_of_another_form_is_an_answer_without_documents(response):
    with serving(response, numbered) as (url, _):
        sampler = asks(url)
        X, _ = sampler.fit_resample(TEXTS, Y)
    assert len(X) == 32
    assert sampler.usage_.malformed == 1


@pytest.mark.parametrize(
    ("status", "body", "says"),
    [
        (401, {"error": {"message": "Incorrect API key provided"}}, "check the key"),
        (403, "no access", "IMBTEXT_TEST_KEY"),
        (404, {"error": {"message": "no such model"}}, "'a-model'"),
        (400, {"error": {"message": "bad request"}}, "bad request.*will fail again"),
    ],
)
def test_a_failure_that_will_not_pass_is_an_error_at_once(status, body, says):
    step = {"status": status, "body": body}
    with serving(step) as (url, script), pytest.raises(PromptingError, match=says) as caught:
        asks(url, sampling_strategy={"oil": 8}).fit_resample(TEXTS, Y)
    assert len(script.requests) == 1
    assert KEY not in "".join(traceback.format_exception(caught.value))


def test_a_server_that_drips_bytes_ends_at_the_deadline():
    with serving("drip") as (url, script), pytest.raises(PromptingError) as caught:
        asks(url, deadline=1.5).fit_resample(TEXTS, Y)
    assert "did not answer within 1.5 seconds" in str(caught.value)
    assert len(script.requests) == 1  # it never stopped sending, so nothing was sent again


def test_any_model_ends_at_the_deadline():
    forever = threading.Event()
    sampler = PromptedSampler(lambda messages: forever.wait(), deadline=0.1)
    try:
        with pytest.raises(PromptingError, match="did not answer within"):
            sampler.fit_resample(TEXTS, Y)
    finally:
        forever.set()
    assert sampler.usage_.requests == 1
    assert sampler.usage_.tokens == sampler.usage_.estimated_tokens > 1024


def test_a_deadline_may_be_later_than_a_thread_can_wait():
    def thinks_first(messages):
        threading.Event().wait(0.05)
        return echo(messages)

    texts, _ = PromptedSampler(thinks_first, deadline=1e12).fit_resample(TEXTS, Y)
    assert len(texts) == 32


def test_refusals_and_malformed_answers_are_counted_and_asked_anew():
    with serving(
        completion("", message={"refusal": "no"}),
        completion("x", choice={"finish_reason": "content_filter"}),
        completion("I'm sorry, but I can't write that."),
        completion("Certainly! Here are the documents."),
        completion(["", "  ", 7]),
        completion('```json\n["Oil one", {"text": "Oil two"}, "Oil th'),
        numbered,
    ) as (url, _):
        sampler = asks(url)
        X, _ = sampler.fit_resample(TEXTS, Y)
    assert len(X) == 32
    assert sampler.usage_.refusals == 3
    assert sampler.usage_.malformed == 2
    assert "Oil one" in X
    assert "Oil two" in X


def test_a_model_that_only_refuses_is_given_up():
    refusing = serving(completion("I cannot do that."))
    with refusing as (url, script), pytest.raises(PromptingError, match="10 answers in a row"):
        asks(url).fit_resample(TEXTS, Y)
    assert len(script.requests) == 10


def test_near_copies_and_duplicates_are_counted_and_name_their_original():
    with serving(completion(["oil PRICE up!", "Gold is dear", "Gold is dear", "Tin", "Zinc"])) as (
        url,
        _,
    ):
        sampler = asks(url, sampling_strategy={"oil": 11})
        sampler.fit_resample(TEXTS, Y)
    assert sampler.usage_.near_copies == 1
    assert sampler.usage_.duplicates == 1
    assert sampler.sample_indices_[22:].tolist() == [0, -1, -1, -1, -1]


def test_what_was_asked_once_is_not_paid_twice(tmp_path):
    cache = tmp_path / "answers.sqlite"
    with serving(numbered) as (url, script):
        first = asks(url, cache=cache).fit_resample(TEXTS, Y)[0]
        again = asks(url, cache=cache)
        assert again.fit_resample(TEXTS, Y)[0] == first
        assert (again.usage_.requests, again.usage_.cached, again.usage_.tokens) == (0, 2, 0)
        assert len(script.requests) == 2
        # More documents: only the missing ones are asked for.
        more = asks(url, cache=cache, sampling_strategy={"oil": 26})
        longer = more.fit_resample(TEXTS, Y)[0]
        assert longer[:32] == first
        assert more.usage_.requests == 2
        # Whatever determines an answer is another question.
        for model, seed in (({"temperature": 0.5}, 0), ({}, 1), ({"max_tokens": 99}, 0)):
            other = asks(url, model, cache=cache, random_state=seed)
            other.fit_resample(TEXTS, Y)
            assert other.usage_.requests == 2, (model, seed)
    assert KEY.encode() not in cache.read_bytes()


def test_a_run_that_broke_goes_on_from_the_cache(tmp_path):
    cache = tmp_path / "answers.sqlite"
    with serving(numbered, {"status": 400, "body": "no"}, numbered) as (url, script):
        with pytest.raises(PromptingError, match="400"):
            asks(url, cache=cache).fit_resample(TEXTS, Y)
        sampler = asks(url, cache=cache)
        sampler.fit_resample(TEXTS, Y)
        assert (sampler.usage_.cached, sampler.usage_.requests) == (1, 1)
        assert len(script.requests) == 3


def test_documents_do_not_depend_on_the_number_of_jobs():
    found = []
    for n_jobs in (1, 4):
        with serving(numbered) as (url, _):
            sampler = asks(url, n_jobs=n_jobs, sampling_strategy={"oil": 30})
            found.append(sampler.fit_resample(TEXTS, Y)[0])
    assert found[0] == found[1]


@pytest.mark.parametrize("n_jobs", [1, 4])
def test_the_caps_hold(n_jobs):
    with serving(numbered) as (url, script):
        sampler = asks(url, max_total_tokens=9_000, n_jobs=n_jobs, sampling_strategy={"oil": 999})
        with pytest.raises(BudgetExceededError, match="raise max_total_tokens"):
            sampler.fit_resample(TEXTS, Y)
        assert 0 < sampler.usage_.tokens <= 9_000
        n_requests = len(script.requests)
        sampler = asks(url, max_cost=0.009, price=(1.0, 1.0), sampling_strategy={"oil": 999})
        with pytest.raises(BudgetExceededError, match="raise max_cost"):
            sampler.fit_resample(TEXTS, Y)
        assert 0 < sampler.usage_.cost <= 0.009
        assert sampler.usage_.cost == pytest.approx(sampler.usage_.tokens / 1e6)
        sampler = asks(url, max_total_tokens=10)
        with pytest.raises(BudgetExceededError):
            sampler.fit_resample(TEXTS, Y)
        assert len(script.requests) > n_requests  # but none of them by the last sampler
        assert sampler.usage_.requests == 0


def test_a_request_that_broke_is_counted_as_if_it_was_charged():
    with serving("drop", numbered) as (url, _):
        sampler = asks(url, sampling_strategy={"oil": 8})
        sampler.fit_resample(TEXTS, Y)
    usage = sampler.usage_
    assert usage.estimated_tokens > 1024
    assert usage.tokens == usage.estimated_tokens + 120


def test_a_server_that_tells_no_usage_is_counted_by_the_worst_case():
    with serving(completion(["a", "b", "c", "d", "e"], usage=None)) as (url, _):
        sampler = asks(url, sampling_strategy={"oil": 8})
        sampler.fit_resample(TEXTS, Y)
    assert sampler.usage_.estimated_tokens == sampler.usage_.tokens > 1024


def test_the_key_is_nowhere(tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    with serving(completion(["a", "b", "c", "d", "e"])) as (url, _):
        sampler = asks(url, cache=tmp_path / "answers.sqlite", sampling_strategy={"oil": 8})
        sampler.fit_resample(TEXTS, Y)
    places = [repr(sampler), repr(sampler.get_params()), repr(vars(sampler)), caplog.text]
    places += [repr(sampler.usage_), pickle.dumps(sampler).decode("latin-1")]
    places += [(tmp_path / "answers.sqlite").read_bytes().decode("latin-1")]
    assert all(KEY not in place for place in places)
    assert clone(sampler).model == pickle.loads(pickle.dumps(sampler)).model == sampler.model


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"max_cost": 1.0}, "price is not"),
        ({"price": (1.0,)}, "two numbers"),
        ({"cache": "no/such/folder/cache.sqlite"}, "folder no/such/folder does not exist"),
    ],
)
def test_wrong_settings_are_refused_before_anything_is_asked(parameters, says):
    calls = []
    with pytest.raises((ValueError, FileNotFoundError), match=says):
        PromptedSampler(calls.append, **parameters).fit_resample(TEXTS, Y)
    assert not calls


def test_a_missing_key_is_named():
    sampler = asks("http://127.0.0.1:9/v1", {"api_key_variable": "IMBTEXT_NO_SUCH_KEY"})
    with pytest.raises(PromptingError, match="IMBTEXT_NO_SUCH_KEY holds no key"):
        sampler.fit_resample(TEXTS, Y)


def test_without_the_package_the_command_to_install_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    for sampler in (OpenAIModel, lambda name: PromptedSampler(name).fit_resample(TEXTS, Y)):
        with pytest.raises(MissingExtraError, match="pip install openai"):
            sampler("a-model")


def test_a_name_is_short_for_a_model_on_the_server_of_the_environment(monkeypatch):
    pytest.importorskip("openai")
    with serving(numbered) as (url, script):
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        PromptedSampler("a-model", random_state=0).fit_resample(TEXTS, Y)
    assert script.requests[0]["body"]["model"] == "a-model"


def test_a_file_that_is_no_cache_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("these are my notes, not a data base\n" * 100)
    with pytest.raises(PromptingError, match=r"notes\.txt is not a cache of answers"):
        PromptedSampler(echo, cache=tmp_path / "notes.txt").fit_resample(TEXTS, Y)


def test_a_cache_of_another_form_is_refused(tmp_path):
    path = tmp_path / "answers.sqlite"
    sampler = PromptedSampler(echo, cache=path, random_state=0)
    sampler.fit_resample(TEXTS, Y)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE answers SET answer = '{\"words\": 3}'")
    with pytest.raises(PromptingError, match=r"answers\.sqlite is not a cache of answers"):
        sampler.fit_resample(TEXTS, Y)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TABLE answers")
        connection.execute("CREATE TABLE answers (something_else TEXT)")
    with pytest.raises(PromptingError, match=r"answers\.sqlite is not a cache of answers"):
        sampler.fit_resample(TEXTS, Y)


def test_a_server_without_a_key_never_sees_one():
    with serving(numbered) as (url, script):
        asks(url, {"api_key_variable": None}).fit_resample(TEXTS, Y)
    assert script.requests[0]["headers"]["authorization"] == "Bearer none"


def test_a_function_may_tell_its_tokens():
    def model(messages):
        return Answer('["Oil"]', prompt_tokens=3, completion_tokens=2)

    sampler = PromptedSampler(model, sampling_strategy={"oil": 7}, random_state=0)
    sampler.fit_resample(TEXTS, Y)
    assert (sampler.usage_.tokens, sampler.usage_.estimated_tokens) == (5, 0)
    with pytest.raises(TypeError, match="it must return a string"):
        PromptedSampler(lambda messages: 3).fit_resample(TEXTS, Y)


def test_an_error_of_a_function_is_its_own_and_what_came_before_is_kept(tmp_path):
    n_calls = 0

    def model(messages):
        nonlocal n_calls
        n_calls += 1
        if n_calls == 2:
            raise TimeoutError("the line is busy")
        return '["a", "b", "c", "d", "e"]'

    sampler = PromptedSampler(model, cache=tmp_path / "answers.sqlite", random_state=0)
    with pytest.raises(TimeoutError, match="the line is busy"):
        sampler.fit_resample(TEXTS, Y)
    sampler.fit_resample(TEXTS, Y)
    assert (sampler.usage_.cached, sampler.usage_.requests) == (1, 1)


def test_the_questions_follow_from_the_seed():
    asked = {0: [], 1: []}
    for seed in (0, 0, 1):

        def model(messages, seen=asked[seed]):
            seen.append(messages[1]["content"])
            return '["a", "b", "c", "d", "e"]'

        many = [f"Oil number {i}" for i in range(30)] + TEXTS * 3
        PromptedSampler(model, random_state=seed, sampling_strategy={"rare": 40}).fit_resample(
            many, ["rare"] * 30 + ["other"] * 66
        )
    half = len(asked[0]) // 2
    assert asked[0][:half] == asked[0][half:]
    assert asked[0][:half] != asked[1]
    assert len(set(asked[1])) == len(asked[1])


def test_a_label_that_says_nothing_is_not_shown():
    asked = []

    def model(messages):
        asked.append(messages[1]["content"])
        return '["a", "b", "c", "d", "e"]'

    PromptedSampler(model, random_state=0).fit_resample(TEXTS, [label == "oil" for label in Y])
    assert "documents of one class from" in asked[0]
    assert "True" not in asked[0]
