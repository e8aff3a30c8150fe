"""``imbtext show``: the card of a model file, printed or written."""

from imbtext import RareTextClassifier


def test_the_card_is_printed_or_written(tmp_path, run_command):
    texts = ["oil price", "crude oil"] * 3 + ["rain today", "sun and rain", "sun"] * 9
    model = RareTextClassifier(random_state=0).fit(texts, ["oil"] * 6 + ["rain"] * 27)
    path = tmp_path / "oil.model"
    model.save(path)
    card = model.card("oil.model")
    assert run_command("show", path).out == card.text()
    assert run_command("show", path, "--markdown").out == card.markdown()
    for name, form in (("a.html", "html"), ("a.md", "markdown"), ("a.txt", "text")):
        assert run_command("show", path, "-o", tmp_path / name).code == 0
        assert (tmp_path / name).read_text("utf-8") == getattr(card, form)()
    refused = run_command("show", path, "-o", path)
    assert refused.code == 2
    assert len(refused.err.splitlines()) == 1


def test_the_model_is_written_as_a_page(tmp_path, run_command):
    texts = ["oil price", "crude oil"] * 3 + ["rain today", "sun and rain", "sun"] * 9
    model = RareTextClassifier(random_state=0).fit(texts, ["oil"] * 6 + ["rain"] * 27)
    path, page = tmp_path / "oil.model", tmp_path / "oil.html"
    model.save(path)
    ran = run_command("show", path, "--page", page)
    assert (ran.code, ran.out) == (0, "")
    assert page.read_text("utf-8") == model.page("oil.model")
    refused = run_command("show", path, "--page", path)
    assert (refused.code, len(refused.err.splitlines())) == (2, 1)
    texts, labels = ["oil", "rain", "gold"] * 9, ["a", "b", "c"] * 9
    RareTextClassifier(random_state=0).fit(texts, labels).save(path)
    refused = run_command("show", path, "--page", page)
    assert (refused.code, len(refused.err.splitlines())) == (2, 1)
    assert "several classes" in refused.err


def test_what_is_no_model_is_one_line(tmp_path, run_command):
    (tmp_path / "a.model").write_text("no model")
    ran = run_command("show", tmp_path / "a.model")
    assert (ran.code, len(ran.err.splitlines())) == (2, 1)
    assert "is not a RareTextClassifier" in ran.err
    ran = run_command("show", tmp_path / "b.model")
    assert ran.code == 2
    assert ran.err == f"imbtext: error: cannot read {tmp_path / 'b.model'}: there is no such file\n"
