"""Labelling without a browser: a document, a letter, the next document.

It stands apart from ``label.py``, which has the options. It reads lines, so it works over any
connection and with screen readers and pipes.
"""

import shutil
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Final

from imbtext._signals import take_ctrl_c_from_polars
from imbtext.cli._terminal import say

if TYPE_CHECKING:
    from imbtext.labelling import LabellingSession, OfferedDocument


# Commands that stand alone, that need a text after a space, and that begin a text.
_ALONE: Final = ("z", "p", "t", "r", "a", "q")
_WITH_TEXT: Final = ("e", "w", "x")
_BEFORE_TEXT: Final = ("/", "#")


def label_in_terminal(session: "LabellingSession", labeller: str, model: Path) -> None:
    """Show documents and read decisions until ``q``, Ctrl-C or the end of input."""
    # A thread chooses the next document with Polars while this one waits for a line.
    take_ctrl_c_from_polars()
    decisions = _decisions(session)
    _say_help(session, decisions)
    shown, note = None, ""
    while (document := session.open(labeller)) is not None:
        if document != shown:
            _show(session, document)
            shown = document
        try:
            typed = input("> ").strip()
        except (EOFError, KeyboardInterrupt):
            say("")
            return
        kind, text = _command(typed)
        if kind == "q":
            return
        # Keys and commands come first: they do what the help says, even if a class has their name.
        if typed.lower() in decisions or (not kind and typed in session.classes):
            session.decide(labeller, document.row, decisions.get(typed.lower(), typed), note)
            note = ""
        elif kind == "e" and text:
            note = text
            say("The note goes with your next decision.")
        elif not _run_command(session, labeller, model, kind, text):
            _say_help(session, decisions)
    say("There is nothing left to read.")


def _command(typed: str) -> tuple[str, str]:
    """Return the command that a line is, and the text it comes with; empty if it is none.

    Examples
    --------
    >>> _command("Z"), _command("w crude oil"), _command("#12"), _command("zebra")
    (('z', ''), ('w', 'crude oil'), ('#', '12'), ('', ''))
    """
    if typed[:1] in _BEFORE_TEXT:
        return typed[:1], typed[1:].strip()
    letter, _, text = typed.partition(" ")
    letter, text = letter.lower(), text.strip()
    if letter in _WITH_TEXT or (letter in _ALONE and not text):
        return letter, text
    return "", ""


def _run_command(
    session: "LabellingSession", labeller: str, model: Path, kind: str, text: str
) -> bool:
    """Run a command, which is anything but a decision; return whether there is such a command."""
    if kind == "z":
        if session.undo(labeller) is None:
            say("There is nothing to take back.")
    elif kind == "p":
        for sentence in session.progress().sentences():
            say(sentence)
    elif kind == "t":
        _train(session, model)
    elif kind == "r":
        _list(session, session.to_review(), "No document needs another look.")
    elif kind == "/":
        _list(session, session.search(text), "No document has such words.")
    elif kind == "#":
        _look_up(session, labeller, text)
    elif kind == "a":
        _switch_sample(session, labeller)
    elif kind in ("w", "x") and text:
        _start(session, kind, text)
    else:
        return False
    return True


def _decisions(session: "LabellingSession") -> dict[str, str]:
    """Return the decisions by what one types for them."""
    from imbtext.labelling import NO, SKIPPED, UNSURE

    if len(session.classes) == 1:
        classes = {"y": session.classes[0]}
    else:
        classes = {str(i): name for i, name in enumerate(session.classes, 1)}
    return classes | {"n": NO, "u": UNSURE, "s": SKIPPED}


def _say_help(session: "LabellingSession", decisions: dict[str, str]) -> None:
    say("   ".join(f"{key}: {decision}" for key, decision in decisions.items()) + "   z: undo")
    say(
        "e TEXT: a note   /WORDS: search   #NUMBER: open a document   r: documents to look at again"
        "   p: progress   a: read at random, or go back   t: train the model   q: stop"
    )
    if not session.counts()["found"]:
        say("Begin with   w WORDS, WORDS   or   x TEXT, a document like those you look for")


def _show(session: "LabellingSession", document: "OfferedDocument") -> None:
    counts = session.counts()
    width = min(shutil.get_terminal_size().columns, 100)
    say("")
    sample = ""
    if counts["sample"]:
        sample = f"; random sample: {counts['sample_read']:,} of {counts['sample']:,}"
    say(f"Document {document.name}   ({counts['read']:,} read, {counts['found']:,} found{sample})")
    for name, value in document.beside:
        say(f"{name}: {value}")
    for name, text in document.parts:
        if len(document.parts) > 1:
            say(f"[{name}]")
        for line in text.splitlines() or [""]:
            for part in textwrap.wrap(line, width) or [""]:
                say(part)
    if document.words:
        say(f"Speaks for it: {', '.join(words for words, _ in document.words)}")
    for decision in session.said_about(document.row):
        note = f" ({decision.note})" if decision.note else ""
        say(f"{decision.labeller or 'the table'}: {decision.decision}{note}")


def _list(session: "LabellingSession", rows: list[int], otherwise: str) -> None:
    for row in rows:
        decisions = ", ".join(
            f"{decision.labeller or 'the table'}: {decision.decision}"
            for decision in session.said_about(row)
        )
        text = " ".join(session.texts[row].split())[:70]
        name = session.name_of(row)
        in_brackets = f"  [{decisions}]" if decisions else ""
        say(f"#{row}  {f'{name}  ' * (name != str(row))}{text}{in_brackets}")
    if not rows:
        say(otherwise)


def _look_up(session: "LabellingSession", labeller: str, number: str) -> None:
    if number.isdecimal() and int(number) < len(session.texts):
        session.look_up(labeller, int(number))
    else:
        say(f"There is no document {number}; numbers go from 0 to {len(session.texts) - 1:,}.")


def _train(session: "LabellingSession", model: Path) -> None:
    try:
        trained = session.train(model)
    except ValueError as error:
        say(f"No model yet: {error}")
        return
    for sentence in session.what_to_expect(trained):
        say(sentence)
    say(f"Wrote {model}.")


def _start(session: "LabellingSession", kind: str, typed: str) -> None:
    """Begin with words, or with an example."""
    from imbtext.labelling import starts_by_class

    try:
        for label, texts in starts_by_class(typed, session.classes).items():
            words = [word.strip() for text in texts for word in text.split(",") if word.strip()]
            start = {"words": words} if kind == "w" else {"examples": texts}
            session.start(label=label, **start)
    except ValueError as error:
        say(str(error))


def _switch_sample(session: "LabellingSession", labeller: str) -> None:
    """Read a random sample, or go back to the likeliest documents."""
    if session.settings.in_sample:
        session.leave_sample(labeller)
        say("Back to the likeliest documents.")
    elif session.read_sample(labeller) is not None:
        say(f"A random sample of {session.counts()['sample']:,} unread documents; a goes back.")
