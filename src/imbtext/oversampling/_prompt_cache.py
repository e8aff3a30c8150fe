"""Answers on disk: a question that was paid for once is never paid for again.

The key is a digest of everything that determines an answer: the server, the model, the messages,
the settings and the number of the attempt. Neither the key of the service nor anything derived
from it is stored.
"""

import hashlib
import json
import os
import sqlite3
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from imbtext.oversampling._prompt_answers import Answer, PromptingError

_TABLE = "CREATE TABLE IF NOT EXISTS answers (question TEXT PRIMARY KEY, answer TEXT NOT NULL)"
_SECONDS_TO_WAIT = 60.0


def question_key(question: Mapping[str, Any]) -> str:
    """Return the digest of a question.

    Examples
    --------
    >>> question_key({"model": "m", "n": 1}) == question_key({"n": 1, "model": "m"})
    True
    """
    text = json.dumps(question, sort_keys=True, ensure_ascii=True)
    return hashlib.blake2b(text.encode(), digest_size=20).hexdigest()


class AnswerCache(AbstractContextManager["AnswerCache"]):
    """An SQLite file of answers, safe to share between processes; without a path, in memory."""

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        file = Path(":memory:" if path is None else path)
        if not file.parent.is_dir():
            raise FileNotFoundError(
                f"cannot keep answers in {file}: the folder {file.parent} does not exist; create "
                "it first"
            )
        try:
            self._connection = sqlite3.connect(file, timeout=_SECONDS_TO_WAIT)
            try:
                with self._connection:
                    self._connection.execute(_TABLE)
            except sqlite3.Error:
                self._connection.close()
                raise
        except sqlite3.Error as error:
            raise PromptingError(
                f"{file} is no cache of answers ({error}); remove it, or name another file"
            ) from error

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def get(self, key: str) -> Answer | None:
        """Return the answer to a question, if it was asked before."""
        row = self._connection.execute(
            "SELECT answer FROM answers WHERE question = ?", (key,)
        ).fetchone()
        return None if row is None else Answer(**json.loads(row[0]))

    def put(self, key: str, answer: Answer) -> None:
        """Keep an answer, at once: it was paid for."""
        with self._connection:
            self._connection.execute(
                "INSERT OR IGNORE INTO answers VALUES (?, ?)", (key, json.dumps(asdict(answer)))
            )
