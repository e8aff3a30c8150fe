"""The guards that every application shares: host, origin, token, body, time, headers."""

import asyncio

import pytest
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from imbtext.web._application import (
    Limits,
    RequestError,
    guarded_application,
    hosts_of,
    json_object,
    new_token,
)

TOKEN = "a-token"


async def echo(request):
    return JSONResponse(await json_object(request))


async def slow(request):
    await asyncio.sleep(60)


async def broken(request):
    raise ZeroDivisionError


async def refuse(request):
    raise RequestError(422, "no label")


async def styled(request):
    return PlainTextResponse("x", headers={"Content-Security-Policy": "default-src *"})


ROUTES = [
    Route("/", lambda request: PlainTextResponse("page")),
    Route("/echo", echo, methods=["POST"]),
    Route("/slow", slow),
    Route("/broken", broken),
    Route("/refuse", refuse),
    Route("/styled", styled),
    Route("/health", lambda request: PlainTextResponse("ok")),
]


def client(base="http://127.0.0.1:8000", **settings):
    app = guarded_application(ROUTES, open_paths=["/health"], **settings)
    return TestClient(app, base_url=base, raise_server_exceptions=False, follow_redirects=False)


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost", "[::1]:80", "LOCALHOST:1"])
def test_a_loopback_server_answers_by_its_own_names(host):
    assert client().get("/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "evil@localhost.x", "", "[", "::1"]
)
def test_another_name_for_this_machine_is_refused(host):
    answer = client().get("/", headers={"host": host})
    assert answer.status_code == 421
    assert "own name" in answer.json()["error"]


def test_a_server_for_others_takes_any_name():
    assert hosts_of("0.0.0.0") is None
    assert client(hosts=None).get("/", headers={"host": "fraud.example"}).status_code == 200


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://127.0.0.1:8000", 200),
        ("http://evil.example", 403),
        ("http://127.0.0.1:9000", 403),
        ("null", 403),
        ("", 403),
        ("http://[", 403),
    ],
)
def test_pages_of_other_sites_are_refused(origin, status):
    assert client().post("/echo", json={}, headers={"origin": origin}).status_code == status


def test_without_the_token_nobody_is_let_in():
    asking = client(token=TOKEN)
    refused = asking.get("/")
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"] == "Bearer"
    assert TOKEN not in refused.text
    for header in ("Bearer wrong", "Basic a-token", "a-token", "Bearer ", "Bearer é"):
        headers = {"authorization": header.encode("latin-1")}
        assert asking.get("/", headers=headers).status_code == 401
    assert asking.get("/health").status_code == 200


def test_a_program_sends_the_token_in_a_header():
    answer = client(token=TOKEN).get("/", headers={"authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200


def test_a_person_opens_an_address_with_the_token_and_gets_a_cookie():
    asking = client(token=TOKEN)
    answer = asking.get(f"/?token={TOKEN}&page=2")
    assert (answer.status_code, answer.headers["location"]) == (303, "/?page=2")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert asking.get("/").status_code == 200
    elsewhere = client(token="another")
    elsewhere.cookies.update(asking.cookies)
    assert elsewhere.get("/").status_code == 401
    assert client(token=TOKEN).get("/?token=wrong").status_code == 401


def test_who_follows_a_link_on_another_site_is_led_on_by_a_page_of_ours():
    """After a redirect, a browser would not send the cookie: the way began on another site."""
    headers = {"sec-fetch-site": "cross-site"}
    answer = client(token=TOKEN).get(f"/?token={TOKEN}&page=2", headers=headers)
    assert (answer.status_code, answer.headers["refresh"]) == (200, "0; url=/?page=2")
    assert "samesite=strict" in answer.headers["set-cookie"].lower()
    wrong = client(token=TOKEN).get("/?token=wrong", headers=headers)
    assert wrong.status_code == 401
    odd = client(token=TOKEN).get(f"/%E2%82%AC?token={TOKEN}", headers=headers)
    assert odd.headers["refresh"] == "0; url=/%E2%82%AC"


def test_the_redirect_stays_on_this_machine():
    answer = client(token=TOKEN).get(f"http://127.0.0.1:8000//evil.example?token={TOKEN}")
    assert answer.headers["location"] == "/evil.example"


def test_tokens_are_long_and_new():
    assert len(new_token()) >= 32
    assert new_token() != new_token()


def test_a_body_that_is_too_large_is_refused():
    limits = Limits(body_bytes=100)
    assert client(limits=limits).post("/echo", json={"a": "x" * 50}).status_code == 200
    announced = client(limits=limits).post("/echo", json={"a": "x" * 200})
    assert announced.status_code == 413
    assert "100 bytes" in announced.json()["error"]

    def chunks():
        for _ in range(50):
            yield b"x" * 10

    assert client(limits=limits).post("/echo", content=chunks()).status_code == 413


def test_bodies_that_are_too_large_together_are_refused():
    answer = client(limits=Limits(held_bytes=50)).post("/echo", json={"a": "x" * 60})
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "1"


def test_what_was_held_is_let_go():
    asking = client(limits=Limits(body_bytes=100, held_bytes=100))
    for _ in range(5):
        assert asking.post("/echo", json={"a": "x" * 80}).status_code == 200
        assert asking.post("/echo", json={"a": "x" * 200}).status_code == 413


def test_an_answer_that_takes_too_long_is_given_up():
    answer = client(limits=Limits(seconds=0.05)).get("/slow")
    assert answer.status_code == 503
    assert "0.05 seconds" in answer.json()["error"]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"[1]", "an array"),
        (b"NaN", "no number NaN"),
        (b"\xff\xfe", "JSON|UTF-8"),
        (b'{"a": "\xff"}', "UTF-8"),
        (b"[" * 100_000, "deep"),
        (b'{"a":' * 100_000, "deep"),
        (b'{"a": ' + b"9" * 10_000 + b"}", "not JSON"),
    ],
)
def test_what_is_no_json_object_is_a_clear_400(body, words):
    answer = client().post("/echo", content=body)
    assert answer.status_code == 400
    assert any(word in answer.json()["error"] for word in words.split("|")), answer.text


def test_errors_are_json_and_tell_nothing_of_the_inside():
    asking = client()
    assert asking.get("/refuse").json() == {"error": "no label"}
    assert asking.get("/none").status_code == 404
    assert "error" in asking.get("/none").json()
    assert asking.get("/echo").status_code == 405
    broken_answer = asking.get("/broken")
    assert broken_answer.status_code == 500
    assert "ZeroDivision" not in broken_answer.text


def test_every_answer_has_the_headers_that_keep_a_page_to_itself():
    asking = client(token=TOKEN)
    for answer in (asking.get("/health"), asking.get("/"), asking.get("/none")):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["cache-control"] == "no-store"
    assert client().get("/styled").headers["content-security-policy"] == "default-src *"


def test_every_answer_is_watched():
    seen = []
    asking = client(token=TOKEN, watch=lambda path, status: seen.append((path, status)))
    asking.get("/health")
    asking.get("/")
    assert seen == [("/health", 200), ("/", 401)]
