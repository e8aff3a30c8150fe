"""PromptedSampler: the contract, a server that fails in every way, the bill, the cache, the key."""

import json
import logging
import pickle
import traceback

import pytest
from prompt_server import completion, serving

from imbtext import PromptedSampler
from imbtext.oversampling import Answer, BudgetExceededError, PromptingError
from imbtext.oversampling import _prompt_asking as _asking
from imbtext.testing import parametrize_with_checks

KEY = "sk-secret-0123456789abcdefghij"
OIL = ["Oil price up", "Crude oil price falls", "Opec meets", "Tanker lost", "Gas", "Refinery shut"]
TEXTS = OIL + ["Shares of the firm up"] * 16
Y = ["oil"] * 6 + ["other"] * 16


@pytest.fixture(autouse=True)
def short_waits(monkeypatch):
    monkeypatch.setattr(_asking, "FIRST_WAIT", 0.01)
    monkeypatch.setenv("IMBTEXT_TEST_KEY", KEY)


def asks(url, **parameters):
    settings = {
        "base_url": url,
        "api_key_variable": "IMBTEXT_TEST_KEY",
        "random_state": 0,
        "timeout": 0.5,
        **parameters,
    }
    return PromptedSampler("a-model", **settings)


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
        sampler = asks(url, temperature=0.7, max_tokens=300, descriptions={"oil": "crude oil"})
        X, y = sampler.fit_resample(TEXTS, Y)
    assert len(X) == 32
    assert y.count("oil") == 16
    assert len(set(X[22:])) == 10
    request = script.requests[0]
    assert request["path"] == "/v1/chat/completions"
    assert request["headers"]["Authorization"] == f"Bearer {KEY}"
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
    "too many requests": {"status": 429, "body": {"error": {"message": "slow down"}}},
    "server error": {"status": 500, "body": "<html>oops</html>"},
    "bad gateway": {"status": 502},
    "overloaded": {"status": 529, "body": {"error": "overloaded"}},
    "dropped connection": "drop",
    "timeout": "slow",
    "cut short": "cut",
    "no JSON": "this is not JSON",
    "another form": {"choices": []},
}


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
def test_a_failure_that_passes_is_tried_again(failure):
    with serving(failure, failure, numbered) as (url, script):
        sampler = asks(url)
        X, _ = sampler.fit_resample(TEXTS, Y)
    assert len(X) == 32
    assert sampler.usage_.retries == 2
    assert len(script.requests) == sampler.usage_.requests == 4


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
def test_a_failure_that_stays_is_an_error_without_the_key(failure):
    with serving(failure) as (url, script), pytest.raises(PromptingError) as caught:
        asks(url, max_retries=1).fit_resample(TEXTS, Y)
    assert "no answer after 2 tries" in str(caught.value)
    assert "try again later" in str(caught.value)
    assert KEY not in "".join(traceback.format_exception(caught.value))
    assert len(script.requests) <= 4


def test_a_retry_after_is_obeyed():
    wait = {"status": 429, "headers": {"Retry-After": "0.4"}}
    with serving(wait, numbered) as (url, script):
        asks(url, sampling_strategy={"oil": 8}).fit_resample(TEXTS, Y)
    assert script.requests[1]["at"] - script.requests[0]["at"] >= 0.4


def test_a_retry_after_of_an_hour_is_an_error():
    wait = {"status": 429, "headers": {"Retry-After": "3600"}}
    with serving(wait) as (url, _), pytest.raises(PromptingError, match="wait 3600 seconds"):
        asks(url).fit_resample(TEXTS, Y)


@pytest.mark.parametrize(
    ("status", "body", "says"),
    [
        (401, {"error": {"message": f"Incorrect API key provided: {KEY}"}}, "look at the key"),
        (403, f"no access with {KEY[:10]}...", "IMBTEXT_TEST_KEY"),
        (404, {"error": {"message": "no such model"}}, "'a-model'"),
        (400, {"error": {"message": "bad request"}}, "bad request"),
        (301, "moved", "base_url"),
        (429, {"error": {"code": "insufficient_quota", "message": "pay"}}, "no credit"),
    ],
)
def test_what_will_not_pass_is_an_error_at_once(status, body, says):
    step = {"status": status, "body": body, "headers": {"Location": "http://127.0.0.1:9/"}}
    with serving(step) as (url, script), pytest.raises(PromptingError, match=says) as caught:
        asks(url, sampling_strategy={"oil": 8}).fit_resample(TEXTS, Y)
    assert len(script.requests) == 1
    shown = "".join(traceback.format_exception(caught.value))
    assert KEY not in shown
    assert KEY[:8] not in shown


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
        for change in ({"temperature": 0.5}, {"random_state": 1}, {"max_tokens": 99}):
            other = asks(url, cache=cache, **change)
            other.fit_resample(TEXTS, Y)
            assert other.usage_.requests == 2, change
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
        sampler = asks(url, max_total_tokens=5_000, n_jobs=n_jobs, sampling_strategy={"oil": 999})
        with pytest.raises(BudgetExceededError, match="raise max_total_tokens"):
            sampler.fit_resample(TEXTS, Y)
        assert 0 < sampler.usage_.tokens <= 5_000
        n_requests = len(script.requests)
        sampler = asks(url, max_cost=0.0021, price=(1.0, 1.0), sampling_strategy={"oil": 999})
        with pytest.raises(BudgetExceededError, match="raise max_cost"):
            sampler.fit_resample(TEXTS, Y)
        assert 0 < sampler.usage_.cost <= 0.0021
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
    echoing = completion([f"your key is {KEY}", "b", "c", "d", "e"])
    with serving(echoing) as (url, _):
        sampler = asks(url, cache=tmp_path / "answers.sqlite", sampling_strategy={"oil": 8})
        X, _ = sampler.fit_resample(TEXTS, Y)
    places = [repr(sampler), repr(sampler.get_params()), repr(vars(sampler)), caplog.text, repr(X)]
    places += [repr(sampler.usage_), pickle.dumps(sampler).decode("latin-1")]
    places += [(tmp_path / "answers.sqlite").read_bytes().decode("latin-1")]
    assert all(KEY not in place for place in places)
    assert X[-2] == "your key is [key]"


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"base_url": "http://name:secret@127.0.0.1/v1"}, "name, a password or a query"),
        ({"base_url": "ftp://127.0.0.1"}, "address of a server"),
        ({"base_url": "http://example.org/v1"}, "unencrypted"),
        ({"api_key_variable": "IMBTEXT_NO_SUCH_KEY"}, "IMBTEXT_NO_SUCH_KEY holds no key"),
        ({"max_cost": 1.0}, "price is not"),
        ({"price": (1.0,)}, "two numbers"),
        ({"cache": "no/such/folder/cache.sqlite"}, "folder no/such/folder does not exist"),
    ],
)
def test_wrong_settings_are_refused_before_anything_is_asked(parameters, says):
    sampler = asks("http://127.0.0.1:9/v1", max_retries=0).set_params(**parameters)
    with pytest.raises((ValueError, PromptingError, FileNotFoundError), match=says) as caught:
        sampler.fit_resample(TEXTS, Y)
    assert "secret" not in str(caught.value).replace("sk-secret", "")


def test_a_file_that_is_no_cache_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("these are my notes, not a data base\n" * 100)
    with pytest.raises(PromptingError, match="is no cache of answers"):
        PromptedSampler(echo, cache=tmp_path / "notes.txt").fit_resample(TEXTS, Y)


def test_a_server_without_a_key_gets_none():
    with serving(numbered) as (url, script):
        asks(url, api_key_variable=None).fit_resample(TEXTS, Y)
    assert "Authorization" not in script.requests[0]["headers"]


def test_a_function_may_fail_and_may_tell_its_tokens():
    calls = []

    def model(messages):
        calls.append(messages)
        if len(calls) == 1:
            raise ConnectionResetError
        return Answer('["Oil"]', prompt_tokens=3, completion_tokens=2)

    sampler = PromptedSampler(model, sampling_strategy={"oil": 7}, random_state=0)
    sampler.fit_resample(TEXTS, Y)
    assert sampler.usage_.tokens - sampler.usage_.estimated_tokens == 5
    with pytest.raises(TypeError, match="it must return a string"):
        PromptedSampler(lambda messages: 3).fit_resample(TEXTS, Y)


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
