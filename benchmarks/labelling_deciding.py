"""From reading to deciding: F2 on the unread documents and on new ones, three ways.

When half and when three quarters of a class are found, on the reviews that labelling_reviews.py
recorded (`news`, first seed): `Labelling.decide`; (a) a model that counts the unread as "no", which
is then asked about them; (b) a model of the documents that were read and a thousand random unread
ones as "no". New documents are those of the
source that are not in the pool; a task without enough of them
is tested on its unread documents alone. `labelling_report.py` writes the table.

    python benchmarks/labelling_deciding.py RUNS
    python benchmarks/labelling_deciding.py RUNS encoder

With `encoder`, `Labelling.decide` decides by words alone and with minilm, on reported tasks and on
a thousand new documents at most: they must be encoded.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from imbtext import Labelling, RareTextClassifier
from imbtext.documents import Documents
from labelling import new_rows
from labelling_reviews import smaller
from labelling_stopping import markdown_table
from labelling_tasks import Task, dataset, tasks

SHARES = (0.5, 0.75)
N_OTHERS = 1000
LEAST_READ = 10
LEAST_INSIDE, LEAST_OUTSIDE = 30, 100
ENCODED_INSIDE, ENCODED_OUTSIDE = 300, 700
WAYS = ("decide", "asked about its own training documents", "read and 1,000 random")


def main() -> None:
    runs = Path(sys.argv[1])
    if "encoder" in sys.argv[2:]:
        _with_encoder(runs)
        return
    (runs / "deciding").mkdir(exist_ok=True)
    for task in (*tasks("reported"), *tasks("development")):
        target = runs / "deciding" / f"{task.file_name}.json"
        order = runs / "news" / f"{task.file_name}.0.json"
        if not target.exists() and order.exists():
            rows = _rows(task, np.array(json.loads(order.read_text())["rows"]))
            target.write_text(json.dumps(rows))
            print(task.title, flush=True)


def _with_encoder(runs: Path) -> None:
    (runs / "deciding_encoder").mkdir(exist_ok=True)
    for task in tasks("reported"):
        target = runs / "deciding_encoder" / f"{task.file_name}.json"
        order = runs / "news" / f"{task.file_name}.0.json"
        if not target.exists() and order.exists():
            rows = _rows(task, np.array(json.loads(order.read_text())["rows"]), with_encoder=True)
            target.write_text(json.dumps(rows))
            print(task.title, flush=True)


def _rows(
    task: Task, order: NDArray[np.int64], *, with_encoder: bool = False
) -> list[dict[str, Any]]:
    chosen, texts = smaller(task), task.texts()
    texts, is_class = [texts[row] for row in chosen], task.is_class[chosen]
    inside, outside = new_rows(task)
    if with_encoder:
        inside, outside = inside[:ENCODED_INSIDE], outside[:ENCODED_OUTSIDE]
    of_source = dataset(task.source).texts
    new = [[" ".join(of_source[row].split()) for row in some] for some in (inside, outside)]
    if len(inside) < LEAST_INSIDE or len(outside) < LEAST_OUTSIDE:
        new = []
    found, documents = np.cumsum(is_class[order]), Documents.of(texts)
    rows = []
    for share in SHARES:
        n_read = int(np.searchsorted(found, np.ceil(share * is_class.sum()))) + 1
        read = order[: max(n_read, LEAST_READ)]
        unread = np.setdiff1d(np.arange(len(texts)), read)
        if is_class[unread].any():
            half = "development" if task.development else "reported"
            row = {"task": task.title, "half": half, "share": share, "n_read": len(read)}
            row |= {"n_class": int(is_class.sum()), "n_left": int(is_class[unread].sum())}
            of_ways = _both_encodings if with_encoder else _three_ways
            rows += of_ways(row, documents, texts, is_class, read, unread, new)
    return rows


def _loop(
    documents: Documents,
    is_class: NDArray[np.bool_],
    read: NDArray[np.int64],
    encoder: str | None = None,
) -> Labelling:
    known = np.full(len(is_class), None, dtype=object)
    known[read[:2]] = np.where(is_class[read[:2]], "yes", "no")
    loop = Labelling(documents, known, encoder=encoder)
    loop.add(read[2:], is_class[read[2:]])
    return loop


def _both_encodings(
    row: dict[str, Any],
    documents: Documents,
    _texts: list[str],
    is_class: NDArray[np.bool_],
    read: NDArray[np.int64],
    unread: NDArray[np.int64],
    new: list[list[str]],
) -> list[dict[str, Any]]:
    rows = []
    for way, encoder in (("words", None), ("words and minilm", "minilm")):
        decided = _loop(documents, is_class, read, encoder).decide()
        flagged = decided.labels[unread] == "yes"
        rows.append(_judged(row, way, decided.model, flagged, is_class, unread, new))
    return rows


def _three_ways(
    row: dict[str, Any],
    documents: Documents,
    texts: list[str],
    is_class: NDArray[np.bool_],
    read: NDArray[np.int64],
    unread: NDArray[np.int64],
    new: list[list[str]],
) -> list[dict[str, Any]]:
    loop = _loop(documents, is_class, read)
    labels = ["yes" if label == "yes" else "no" for label in loop.labels]
    random = np.random.default_rng(0).permutation(unread)[:N_OTHERS]
    decided = loop.decide()
    every = RareTextClassifier(pos_label="yes", random_state=0).fit(texts, labels)
    some = np.concatenate([read, random])
    chosen = RareTextClassifier(pos_label="yes", random_state=0)
    chosen.fit([texts[i] for i in some], [labels[i] for i in some])
    rest = [texts[i] for i in unread]
    ways = (
        (decided.model, decided.labels[unread] == "yes"),
        (every, every.predict(rest) == "yes"),
        (chosen, chosen.predict(rest) == "yes"),
    )
    return [
        _judged(row, way, model, flagged, is_class, unread, new)
        for way, (model, flagged) in zip(WAYS, ways, strict=True)
    ]


def _judged(
    row: dict[str, Any],
    way: str,
    model: RareTextClassifier,
    flagged: NDArray[np.bool_],
    is_class: NDArray[np.bool_],
    unread: NDArray[np.int64],
    new: list[list[str]],
) -> dict[str, Any]:
    one = row | {"way": way, "f2_unread": _f2(is_class[unread], flagged)}
    one |= {"f2_new": None, "recall_new": None, "precision_new": None}
    if new:
        hits, false = (float((model.predict(texts) == "yes").mean()) for texts in new)
        one |= _on_new(hits, false, float(is_class.mean()))
    expected = model.expectation_[0]
    for name in ("recall", "precision"):
        interval = getattr(expected, name)
        one |= {f"{name}_{end}": getattr(interval, end) for end in ("mean", "lower", "upper")}
    return {k: round(v, 4) if isinstance(v, float) else v for k, v in one.items()}


def _f2(truth: NDArray[np.bool_], flagged: NDArray[np.bool_]) -> float:
    found, missed = int((truth & flagged).sum()), int((truth & ~flagged).sum())
    return 5 * found / (5 * found + 4 * missed + int((~truth & flagged).sum()))


def _on_new(hits: float, false: float, share: float) -> dict[str, float | None]:
    """Weigh new documents so that the class is as rare as in the pool."""
    found, alarms = share * hits, (1 - share) * false
    f2 = 5 * found / (5 * found + 4 * (share - found) + alarms) if found else 0.0
    precision = found / (found + alarms) if found + alarms else None
    return {"f2_new": f2, "recall_new": hits, "precision_new": precision}


def table(runs: Path, stage: str = "deciding") -> list[dict[str, Any]]:
    """Return the rows of all tasks."""
    paths = sorted((runs / stage).glob("*.json"))
    return [row for path in paths for row in json.loads(path.read_text())]


def about(deciding: pl.DataFrame) -> str:
    """Return the text."""
    return "\n".join([_TEXT, _means(deciding, WAYS)])


def about_encoder(deciding: pl.DataFrame) -> str:
    """Return the text about models with an encoder."""
    ways = deciding["way"].unique(maintain_order=True).to_list()
    n = deciding["task"].n_unique()
    text = _ENCODER.format(n=n, inside=ENCODED_INSIDE, outside=ENCODED_OUTSIDE)
    return "\n".join([text, _means(deciding, ways)])


def _means(deciding: pl.DataFrame, ways: Sequence[str]) -> str:
    rows = []
    for half in ("reported", "development"):
        for share in SHARES:
            for way in ways:
                some = deciding.filter(half=half, share=share, way=way)
                if not len(some):
                    continue
                new = some.drop_nulls("f2_new")
                cells = [f"{some['f2_unread'].mean():.3f}", f"{new['f2_new'].mean():.3f}"]
                for name in ("recall", "precision"):
                    tested = new.drop_nulls(f"{name}_new")
                    held = tested[f"{name}_new"].is_between(
                        tested[f"{name}_lower"] - 1e-3, tested[f"{name}_upper"] + 1e-3
                    )
                    cells.append(f"{held.sum()} of {len(held)}")
                rows.append([half, f"{share:.0%}", way, len(some), *cells])
    head = ["half", "found", "way", "tasks", "F2, unread", "F2, new"]
    return markdown_table([*head, "recall covered", "precision covered"], rows)


_TEXT = """## From reading to deciding

Half or three quarters of a class are found; what about the unread documents, and new ones? "decide"
is `Labelling.decide`, which `imbtext label --train` and the page run. Beside it stand a model that
counts the unread as "no" and is then asked about them, and a model of the documents that were read
and a thousand random unread ones as "no". Pools have 3,000 documents. Of the unread, only the
documents that the loop ranks last are of the class, so F2 is low there. The last columns say how
often the intervals of `expectation_` hold what new documents show.
"""
_ENCODER = """### With an encoder

The model of `decide` has the loop's encoder. These are {n} reported tasks, recorded with minilm,
decided by words alone and with minilm, and tested on {inside} and {outside} new documents at most.
"""


if __name__ == "__main__":
    main()
