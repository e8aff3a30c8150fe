"""``imbtext serve``: what it says before it serves."""

import pytest

from imbtext.web import _serving


@pytest.mark.parametrize(
    ("host", "is_open"),
    [
        ("127.0.0.1", False),
        ("localhost", False),
        ("::1", False),
        ("0.0.0.0", True),
        ("192.168.1.5", True),
    ],
)
def test_who_lets_everybody_in_is_warned(run_command, monkeypatch, tmp_path, host, is_open):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.model").touch()
    monkeypatch.setattr(_serving, "serve", lambda _, started, **__: started("http://here/"))
    ran = run_command("serve", "a.model", "--host", host)
    assert "Serving a.model at http://here/" in ran.err
    assert ("every machine that reaches this one" in ran.err) == is_open
    ran = run_command("serve", "a.model", "--token", "s", "--host", host)
    assert "every machine" not in ran.err
