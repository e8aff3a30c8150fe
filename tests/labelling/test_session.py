"""People label together: nobody reads what another has open, and everyone's words count."""

import importlib
import threading

import numpy as np
import pytest

from imbtext.labelling import _pool, _session
from imbtext.labelling._session import DocumentTakenError, LabellingSession, labels_of_classes

TEXTS = [f"oil price {word}" for word in ("up", "down", "flat", "crude", "cut", "rise")]
TEXTS += [f"rain {word} today" for word in ("more", "less", "light", "heavy", "cold", "warm")] * 3


@pytest.fixture
def session_of(tmp_path):
    sessions = []

    def make(**options):
        for session in sessions:
            session.close()
        sessions.append(
            LabellingSession(tmp_path / "labels.csv", {"body": TEXTS}, **{"words": "oil"} | options)
        )
        return sessions[-1]

    yield make
    for session in sessions:
        session.close()


def label_all(session, labeller="anna", n=None):
    given = {}
    while (document := session.open(labeller)) is not None and len(given) != n:
        given[document.row] = "yes" if "oil" in document.text else "no"
        session.decide(labeller, document.row, given[document.row])
    return given


def test_closing_and_starting_again_goes_on(session_of):
    first = session_of()
    given = label_all(first, n=8)
    again = session_of()
    assert {row: again.loop.labels[row] for row in again.loop.read} == given
    assert again.loop.read == first.loop.read
    given |= label_all(again)
    assert len(given) == len(TEXTS)


def test_labellers_get_other_documents(session_of):
    session = session_of()
    seen = set()
    for turn in range(8):
        rows = [session.open(name, seat).row for name, seat in [("a", "1"), ("a", "2"), ("b", "")]]
        assert len(set(rows)) == 3
        assert not seen & set(rows)
        seen |= set(rows)
        for row, (name, seat) in zip(rows, [("a", "1"), ("a", "2"), ("b", "")], strict=True):
            session.decide(name, row, "no" if turn else "yes", seat=seat)


def test_each_labeller_undoes_their_own(session_of):
    session = session_of()
    mine, theirs = session.open("anna").row, session.open("ben").row
    session.decide("anna", mine, "yes")
    session.decide("ben", theirs, "no")
    assert session.undo("anna").row == mine
    assert session.loop.labels[mine] is None
    assert session.loop.labels[theirs] == "no"
    assert session.open("anna").row == mine
    assert session.undo("anna") is None


def test_undo_of_a_second_thought_restores_the_first(session_of):
    session = session_of()
    row = session.open("anna").row
    session.decide("anna", row, "yes")
    session.look_up("anna", row)
    session.decide("anna", row, "no")
    session.undo("anna")
    assert session.loop.labels[row] == "yes"


def test_undo_goes_back_one_decision_at_a_time_in_any_window(session_of, monkeypatch):
    seconds = (f"2026-01-01T00:00:{second:02}Z" for second in range(60))
    monkeypatch.setattr(_session, "_now", lambda: next(seconds))
    session = session_of()
    rows = list(label_all(session, n=3))
    for decision in ("no", "unsure"):  # second and third thoughts
        session.look_up("anna", rows[0], "window")
        session.decide("anna", rows[0], decision, seat="window")
    for expected in ("no", "yes"):
        assert session.undo("anna").row == rows[0]
        assert session.file.of_row(rows[0])[0].decision == expected
    assert [one.row for one in session.file] == rows
    assert [session.undo("anna").row for _ in range(3)] == rows[::-1]
    assert session.undo("anna") is None


def test_an_undo_whose_answer_got_lost_takes_back_one_decision(session_of):
    session = session_of()
    rows = list(label_all(session, n=3))
    key = session.last_key("anna")
    assert session.undo("anna", key=key).row == rows[-1]
    assert session.undo("anna", key=key).row == rows[-1]
    assert [one.row for one in session.file] == rows[:-1]
    assert session.last_key("ben") == ""


def test_a_decision_that_comes_twice_counts_once_though_a_second_window_decided(session_of):
    session = session_of()
    row = session.open("anna", "one").row
    following = session.decide("anna", row, "yes", seat="one")
    session.decide("anna", session.open("anna", "two").row, "no", seat="two")
    assert session.decide("anna", row, "yes", seat="one") == following


def test_a_document_that_somebody_looked_up_and_decided_is_not_offered(session_of):
    session = session_of()
    row = session.open("anna").row
    session._windows["anna\n"].choosing.result()
    following = session._windows["anna\n"].following.row
    session.look_up("ben", following)
    session.decide("ben", following, "no")
    assert session.decide("anna", row, "yes").row != following


def test_labels_of_the_table_that_have_changed_are_taken_over(session_of):
    unread = [None] * (len(TEXTS) - 2)
    session = session_of(existing=["yes", "no", *unread])
    session.decide("anna", session.open("anna").row, "no")
    again = session_of(existing=["no", "no", *unread])
    assert again.loop.labels[0] == "no"
    assert len(again.loop.read) == 3


def test_an_undecided_document_of_a_sample_is_named_and_listed(session_of):
    session = session_of()
    label_all(session, n=7)
    skipped = session.open("anna").row
    session.decide("anna", skipped, "skip")
    session.read_sample("anna", n=len(TEXTS))
    while session.settings.in_sample:
        session.decide("anna", session.open("anna").row, "no")
    progress = session.progress()
    assert progress.sample.gap == skipped
    assert f"counts only up to row {skipped}" in progress.sentences()[-1]
    assert session.to_review() == [skipped]
    assert session.counts()["unsure"] == 1
    session.look_up("anna", skipped)
    session.decide("anna", skipped, "no")
    assert session.progress().sample.gap is None
    assert session.to_review() == []


def test_disagreements_are_listed_and_settled_by_who_looks_at_them(session_of):
    session = session_of()
    row = session.open("anna").row
    session.decide("anna", row, "yes")
    session.look_up("ben", row)
    session.decide("ben", row, "no")
    assert session.to_review() == [row]
    assert session.loop.labels[row] is None
    listed = session.file.disagreements.read_text().splitlines()
    assert [line.split(",")[3:5] for line in listed[1:]] == [["yes", "anna"], ["no", "ben"]]
    assert session.look_up("anna", row).chosen == "disagreement"
    session.decide("anna", row, "yes")
    assert session.to_review() == []
    assert session.loop.labels[row] == "yes"
    assert not session.file.disagreements.exists()


def test_unsure_and_skipped_documents_are_no_class(session_of):
    session = session_of()
    unsure = session.open("anna").row
    session.decide("anna", unsure, "unsure")
    skipped = session.open("anna").row
    session.decide("anna", skipped, "skip")
    counts = session.counts()
    assert (counts["read"], counts["found"], counts["unsure"]) == (0, 0, 1)
    rows = [session.open("anna").row]
    for _ in range(len(TEXTS) - 3):
        rows.append(session.decide("anna", rows[-1], "no").row)
    assert unsure not in rows
    assert skipped not in rows


def test_a_decision_that_comes_twice_counts_once_and_a_late_one_is_refused(session_of):
    session = session_of()
    row = session.open("anna").row
    following = session.decide("anna", row, "yes")
    assert session.decide("anna", row, "yes") == following
    with pytest.raises(DocumentTakenError):
        session.decide("anna", row, "no")
    assert session.loop.labels[row] == "yes"
    with pytest.raises(ValueError, match="not a decision"):
        session.decide("anna", following.row, "maybe")


def test_a_decision_whose_answer_a_kill_swallowed_counts_once(session_of):
    session = session_of()
    row = session.open("anna").row
    session.decide("anna", row, "yes")
    again = session_of()
    assert again.decide("anna", row, "yes").row != row
    assert len(list(again.file)) == 1


def test_many_decisions_are_saved_together_or_not_at_all(session_of, monkeypatch):
    session = session_of()
    written = session.file._append

    def full(data):
        monkeypatch.setattr(session.file, "_append", written)
        raise OSError("No space left on device")

    monkeypatch.setattr(session.file, "_append", full)
    given = {0: "yes", 6: "no", 7: "unsure"}
    with pytest.raises(OSError, match="No space left"):
        session.decide_all("anna", given)
    assert list(session.file) == []
    assert session.loop.read == []
    session.decide_all("anna", given)
    session.decide_all("ben", {})
    assert session.loop.read == [0, 6]
    assert session_of().file.label_of(6) == "no"
    session_of().decide_all("anna", {0: "no", 1: "yes"})  # a second thought among them
    assert session_of().loop.found() == [1]


def test_the_page_and_the_command_train_the_same_model(session_of, tmp_path):
    session = session_of(existing=["yes", "no", *[None] * (len(TEXTS) - 2)])
    label_all(session, n=6)
    for decision in ("skip", "unsure"):
        session.decide("anna", session.open("anna").row, decision)
    disputed = session.open("anna").row
    for labeller, decision in (("anna", "yes"), ("ben", "no")):
        session.look_up(labeller, disputed)
        session.decide(labeller, disputed, decision)
    session.undo("ben")
    session.look_up("ben", disputed)
    session.decide("ben", disputed, "yes")
    sampled = session.read_sample("anna", n=5).row
    session.decide("anna", sampled, "no")
    files = session.file.decided, tmp_path / "labels.model"
    session.train(files[1])
    by_page = [path.read_bytes() for path in files]
    session_of(words=None).train(files[1])
    assert [path.read_bytes() for path in files] == by_page


def test_labels_of_the_table_without_the_class_are_refused():
    with pytest.raises(ValueError, match=r"label 'fruad'; the column has .*did you mean 'fraud'"):
        labels_of_classes(["fraud", "billing", None], ["fruad"])
    for nothing_found in ([0.0, None], [False], ["no", " "], [None]):
        assert set(labels_of_classes(nothing_found, ["1"])) <= {"no", None}
    assert labels_of_classes([1.0, ["1", "2"], 10, True], ["1"]) == ["1", "1", "no", "no"]


def test_labels_of_the_table_are_used_and_written(session_of):
    existing = labels_of_classes(["yes", "spam", ""] + [None] * (len(TEXTS) - 3), ["yes"])
    session = session_of(existing=existing)
    assert session.loop.read == [0, 1]
    assert session.file.path.read_text().count(",given,") == 2
    session = session_of(existing=existing)
    assert session.file.path.read_text().count(",given,") == 2


def test_several_classes_and_a_file_of_other_classes(session_of):
    session = session_of(classes=["oil", "rain"], words={"oil": "oil", "rain": "rain"})
    for _ in range(6):
        document = session.open("anna")
        session.decide("anna", document.row, document.text.split()[0])
    assert set(session.loop.labels) == {"oil", "rain", None}
    with pytest.raises(ValueError, match="name the same classes"):
        session_of(classes=["sun"], words=None)
    with pytest.raises(ValueError, match="cannot be called"):
        session_of(classes=["skip"])


def test_words_that_were_typed_are_kept_over_a_restart(session_of):
    session = session_of(words="oil")
    assert "oil" in session.open("anna").text
    session.start(words=["rain"], examples=["light rain today"])
    again = session_of(words="oil")  # the same command
    assert again.settings.words == {"yes": ["rain"]}
    assert again.settings.examples == {"yes": ["light rain today"]}
    assert again.open("anna").text == "rain light today"
    other = session_of(words="price")
    assert other.settings.words == {"yes": ["price"]}
    assert other.settings.examples == {}


def test_settings_are_kept_and_what_is_given_again_wins(session_of):
    session_of(classes=["oil"], language="none", seed=3, metric="f1")
    kept = session_of(words=None).settings
    assert (kept.classes, kept.language, kept.seed, kept.metric) == (["oil"], "none", 3, "f1")
    assert session_of(words=None, language="german").settings.language == "german"


def test_words_that_say_next_to_nothing_are_not_shown(session_of):
    session = session_of()
    document = session.open("anna")
    document = session.decide("anna", document.row, "yes")
    session.loop.explain = lambda *_: [("oil", 1.0), ("rain", -0.9), ("price", 0.2), ("the", 0.1)]
    assert [words for words, _ in session._words(document.row)] == ["oil", "price"]


def test_settings_that_cannot_be_read_or_used_are_said(session_of):
    session = session_of()
    path = session.file.path.with_name("labels.settings.json")
    kept = path.read_text()
    path.write_text(kept.replace('"oil"', '"nothing"'))
    with pytest.warns(UserWarning, match="words of an earlier session are not used"):
        assert session_of(words=None).settings.words == {}
    for broken in ("{", "[]", "{}", kept.replace('"f2"', "2"), kept.replace('"draws": []', "")):
        path.write_text(broken)
        with pytest.raises(ValueError, match="move the file away"):
            session_of()


def test_a_random_sample_is_read_left_and_kept_over_a_restart(session_of):
    session = session_of()
    given = label_all(session, n=9)
    first = session.read_sample("anna", n=6)
    assert first.chosen == "random"
    assert session.counts()["sample"] == 6
    session.decide("anna", first.row, "no")
    left = session.leave_sample("anna")
    assert left.chosen == "ranking"
    session.decide("anna", left.row, "no")
    second = session.read_sample("anna")  # what is unread of the same sample
    assert second.chosen == "random"
    session.decide("anna", second.row, "no")
    before = session.progress()
    again = session_of()
    assert again.counts() == session.counts() | {"sample": 6}
    after = again.progress()
    assert after.sample == before.sample
    assert after.sample.n_unread == len(TEXTS) - len(given)
    assert after.confidence == before.confidence
    sample = [again.open("anna")]
    while again.settings.in_sample:
        sample.append(again.decide("anna", sample[-1].row, "no"))
    assert [one.chosen for one in sample] == ["random"] * (len(sample) - 1) + ["ranking"]
    assert again.progress().sample.n_sampled >= 6


def test_a_sample_of_other_documents_is_no_sample(session_of):
    session = session_of()
    label_all(session, n=3)
    session.read_sample("anna", n=2)
    with pytest.warns(UserWarning, match="no longer counts as a random sample"):
        again = session_of(seed=1)
    assert again.progress().sample is None


def test_several_columns_are_shown_copied_and_learnt_from(tmp_path):
    cells = {
        "ticket": [f"T{i}" for i in range(len(TEXTS))],
        "subject": [text.split()[0] for text in TEXTS],
        "body": TEXTS,
        "amount": [float(i) if i else None for i in range(len(TEXTS))],
    }
    options = {"text": ["subject", "body"], "show": ["amount"], "id": "ticket", "words": "oil"}
    path = tmp_path / "labels.csv"
    with LabellingSession(path, cells, **options) as session:
        document = session.open("anna")
        assert document.name == f"T{document.row}"
        assert document.parts == [("subject", "oil"), ("body", TEXTS[document.row])]
        assert document.columns[0][0] == "amount"
        label_all(session)
        model = session.train(tmp_path / "labels.model")
    assert model.text_columns_ == ("subject", "body")
    assert path.read_text().startswith("row,ticket,subject,body,amount,label,")


def test_a_column_that_is_shown_later_is_filled_in_for_all(tmp_path):
    path = tmp_path / "labels.csv"
    with LabellingSession(path, {"body": TEXTS}, words="oil") as session:
        given = label_all(session, n=3)
    cells = {"body": TEXTS, "day": list(range(len(TEXTS)))}
    with LabellingSession(path, cells, show=["day"]) as session:
        assert {row: session.loop.labels[row] for row in session.loop.read} == given
        assert session.settings.show == ["day"]
    lines = path.read_text().splitlines()
    assert lines[0].startswith("row,body,day,label")
    assert all(line.split(",")[0] == line.split(",")[2] for line in lines[1:])


MEANT = """
import threading

may_go_on, n_asked = threading.Event(), []


def meant(texts):
    n_asked.append(len(texts))
    may_go_on.wait(60)
    return [[0.1 + ("rain" in text), 0.1 + ("oil" in text)] for text in texts]


def broken(texts):
    raise ValueError("out of paper")
"""


@pytest.fixture
def meant(tmp_path, monkeypatch):
    """A module with encoders, the first of which waits until it may go on."""
    name = f"own_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(MEANT, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    module = importlib.import_module(name)
    yield module
    module.may_go_on.set()


def test_people_begin_by_words_while_texts_are_encoded(session_of, meant, monkeypatch):
    monkeypatch.setattr(_pool, "_AT_ONCE", 8)
    session = session_of(encoder=f"{meant.__name__}:meant")
    session.encode_in_background()
    document = session.open("anna")
    assert "oil" in document.text
    assert session.decide("anna", document.row, "yes") is not None
    assert session.encoding() == (0.0, "")
    assert session.loop._meaning is None
    meant.may_go_on.set()
    session._encoding.result(60)
    assert session.encoding() == (1.0, "")
    assert session.loop._meaning is not None
    assert sum(meant.n_asked) == len(set(TEXTS))
    label_all(session)
    assert session.counts()["found"] == 6


def test_a_sentence_of_other_words_waits_for_the_encoder(session_of, meant):
    session = session_of(encoder=f"{meant.__name__}:meant")
    session.start(words=["drizzle"])
    in_random_order = session.loop._shuffled[:6].tolist()
    assert session.next_rows(6) == in_random_order
    session.decide_all("anna", {in_random_order[0]: "yes"})
    assert session.next_rows(1)
    meant.may_go_on.set()
    session.encode()
    session.start(words=["rain of other words"])
    session.loop.undo()
    assert all("rain" in TEXTS[row] for row in session.next_rows(6))


def test_words_that_no_document_has_leave_no_file(session_of, tmp_path):
    with pytest.raises(ValueError, match="no two documents have a word of 'drizzle'"):
        session_of(words="drizzle")
    assert not list(tmp_path.glob("labels*"))
    session_of(words="oil").close()
    with pytest.raises(ValueError, match="'drizzle'"):
        session_of(words="drizzle")
    assert (tmp_path / "labels.csv").exists()


def test_the_model_waits_for_the_encoder(session_of, meant, tmp_path):
    session = session_of(encoder=f"{meant.__name__}:meant")
    label_all(session, n=12)
    session.encode_in_background()
    threading.Timer(0.2, meant.may_go_on.set).start()
    model = session.train(tmp_path / "labels.model")
    assert model.fitted_.meaning is not None
    # The command, which has not begun to encode, trains the same.
    again = session_of().train(tmp_path / "again.model")
    np.testing.assert_array_equal(again.decision_function(TEXTS), model.decision_function(TEXTS))


def test_a_session_that_ends_does_not_wait_for_the_encoder(session_of, meant, monkeypatch):
    monkeypatch.setattr(_pool, "_AT_ONCE", 8)
    session = session_of(encoder=f"{meant.__name__}:meant")
    session.encode_in_background()
    threading.Timer(0.2, meant.may_go_on.set).start()
    session.close()
    assert sum(meant.n_asked) < len(TEXTS)
    assert session.loop._meaning is None


def test_an_encoder_that_fails_is_named_and_words_go_on(session_of, meant, tmp_path):
    session = session_of(encoder=f"{meant.__name__}:broken")
    session.encode_in_background()
    session._encoding.exception(60)
    assert session.encoding() == (0.0, "out of paper")
    label_all(session)
    with pytest.raises(ValueError, match="out of paper"):
        session.train(tmp_path / "labels.model")
