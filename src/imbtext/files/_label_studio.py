"""Tasks for Label Studio: rows of a table with the predictions of a model.

Label Studio imports a JSON array of tasks. A task has the cells of its row as ``data`` and the
decision as a prediction, which labellers find filled in. The score of a prediction is the
probability, so that tasks may be sorted by it.
"""

import json
import math
from collections.abc import Mapping, Sequence
from typing import IO, Final

from imbtext._typing import Record
from imbtext.tables._batches import Batch, TableWriter
from imbtext.tables._errors import TableError

LABEL_STUDIO: Final = "label-studio"


class TaskWriter(TableWriter):
    r"""Writes rows as tasks of Label Studio.

    Parameters
    ----------
    stream : binary stream
        Where to write.
    prefix : str
        What the names of the added columns begin with.
    several : bool, default=False
        Whether a decision may list several labels.

    Examples
    --------
    >>> import io
    >>> import numpy as np
    >>> stream, batch = io.BytesIO(), Batch(["body"], [["my card"]], np.array([2]))
    >>> with TaskWriter(stream) as writer:
    ...     writer.originals(batch, {"decision": ["fraud"], "probability": [0.9]})
    >>> task = json.loads(stream.getvalue())[0]
    >>> task["data"], task["predictions"][0]["score"]
    ({'body': 'my card'}, 0.9)
    """

    def __init__(self, stream: IO[bytes], prefix: str = "", *, several: bool = False) -> None:
        super().__init__(stream)
        self._prefix, self._several = prefix, several
        self._before = b"[\n"

    def originals(self, batch: Batch, added: Mapping[str, Sequence[object]]) -> None:
        """Write rows of the input."""
        rows = _rows({name: batch.values(name) for name in batch.names})
        predicted = _rows({name.removeprefix(self._prefix): cells for name, cells in added.items()})
        for row, about in zip(rows, predicted, strict=True):
            self._write({"data": row, **self._prediction(about)})

    def new(self, cells: Mapping[str, Sequence[object]]) -> None:
        """Write new rows, without a prediction."""
        for row in _rows(cells):
            self._write({"data": row})

    def close(self) -> None:
        """End the array."""
        self.stream.write(b"[]\n" if self._before == b"[\n" else b"\n]\n")

    def _prediction(self, about: Record) -> Record:
        """Return the prediction of a task, and the other added columns as its meta data."""
        decision, score = str(about.pop("decision")), about.pop("probability")
        choices = decision.split("; ") if self._several else [decision]
        region = {
            "from_name": "label",
            "to_name": "text",
            "type": "choices",
            "value": {"choices": choices},
        }
        result = [region] if decision else []
        prediction = {"model_version": "imbtext", "score": score, "result": result}
        return {"meta": about, "predictions": [prediction]}

    def _write(self, task: Record) -> None:
        try:
            line = json.dumps(task, ensure_ascii=False, allow_nan=False, default=_as_text)
        except TableError:
            raise
        except ValueError as error:
            raise TableError(
                "the input has a list with an infinite or missing number, which JSON does not "
                "have; drop the column, or write Parquet"
            ) from error
        self.stream.write(self._before + line.encode())
        self._before = b",\n"


def _rows(columns: Mapping[str, Sequence[object]]) -> list[Record]:
    cells = [list(map(_finite, values)) for values in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*cells, strict=True)]


def _finite(value: object) -> object:
    """Return a value, or None for a number that JSON does not have."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _as_text(value: object) -> str:
    """Return a date or another value that JSON does not have as text."""
    if isinstance(value, bytes):
        raise TableError("the input has a column of bytes, which JSON cannot hold; drop it")
    return str(value)
