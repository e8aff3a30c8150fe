"""People label together: nobody reads what another has open, and everyone's words count."""

import pytest

from imbtext.labelling import DocumentTakenError, LabellingSession, labels_of_classes

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


def test_disagreements_are_listed_and_settled_by_who_looks_at_them(session_of):
    session = session_of()
    row = session.open("anna").row
    session.decide("anna", row, "yes")
    session.look_up("ben", row)
    session.decide("ben", row, "no")
    assert session.to_review() == [row]
    assert session.loop.labels[row] is None
    assert session.look_up("anna", row).chosen == "disagreement"
    session.decide("anna", row, "yes")
    assert session.to_review() == []
    assert session.loop.labels[row] == "yes"


def test_unsure_and_skipped_documents_are_no_class(session_of):
    session = session_of()
    unsure = session.open("anna").row
    session.decide("anna", unsure, "unsure")
    skipped = session.open("anna").row
    session.decide("anna", skipped, "skip")
    assert session.counts() | {"documents": 0} == {
        "documents": 0,
        "read": 0,
        "found": 0,
        "unsure": 1,
        "disagreements": 0,
    }
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
    with pytest.raises(ValueError, match="no decision"):
        session.decide("anna", following.row, "maybe")


def test_a_decision_whose_answer_a_kill_swallowed_counts_once(session_of):
    session = session_of()
    row = session.open("anna").row
    session.decide("anna", row, "yes")
    again = session_of()
    assert again.decide("anna", row, "yes").row != row
    assert len(list(again.file)) == 1


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
