"""What a sentence encoder brings beside the words, and what else one would do with one.

Six data sets, from headlines to whole posts; up to four classes of each. A model learns from 3, 5,
10, 20, 50 or all (at most 300) documents of the class and 2,000 others of the training side, and is
tested on 3,000 documents of the test side. Three draws of the class's documents; of all there is
one. The contestants:

* words: `RareTextClassifier`
* mixture: `RareTextClassifier(encoder=...)`, with MiniLM, with USE and with both
* encoder and LR: balanced logistic regression (C 1) on the encoder's vectors
* SVM: a linear SVM on words and characters (first draw only, its threshold costs five fits)

Printed are average precision, F2 at the threshold that held-out documents chose (for LR and SVM
with scikit-learn's TunedThresholdClassifierCV), and processor seconds of fit after encoding. Every
text is encoded once, before anything is measured, and the time of that is in encoding.csv. Whether
the promised recall comes true is measured by benchmarks/encoder_coverage.py.

With --out, cases go to FOLDER/encoder.csv and FOLDER/encoding.csv, from which
benchmarks/encoder_readme.py makes tables and the chart. Vectors that are in the cache already
cost nothing: IMBTEXT_CACHE names another one. --only runs some of the contestants, and --name gives
their cases a file of their own.

    python benchmarks/encoder.py [data set ...] [--out results/encoder] [--jobs 2]
    python benchmarks/encoder.py "HuffPost headlines" "Reuters headlines" --out results/encoder \
        --only words,mixture --name together
"""

import argparse
import multiprocessing
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, fbeta_score, make_scorer
from sklearn.model_selection import TunedThresholdClassifierCV
from sklearn.pipeline import make_pipeline, make_union
from sklearn.svm import LinearSVC

from imbtext import RareTextClassifier
from imbtext.datasets import load_20newsgroups, load_docstrings, load_huffpost, load_reuters
from imbtext.features.encoders import get_encoder

SIZES, DRAWS = (3, 5, 10, 20, 50, 0), 3  # 0: all
N_OTHERS, N_TESTED, N_CLASSES, MOST = 2000, 3000, 4, 300
ENCODERS = ("minilm", "use")
SETS = {
    "HuffPost headlines": lambda: load_huffpost("titles", verify=False),
    "Reuters headlines": lambda: load_reuters("titles"),
    "docstrings": load_docstrings,
    "HuffPost texts": lambda: load_huffpost("full", verify=False),
    "Reuters articles": lambda: load_reuters("full"),
    "newsgroups": load_20newsgroups,
}


@dataclass(frozen=True, eq=False)
class Task:
    """A class of a data set: documents to learn from, to test on, and where the class is."""

    name: str
    is_class: np.ndarray
    inside: np.ndarray
    others: np.ndarray


@cache
def tasks(title: str) -> tuple[list[str], np.ndarray, list[Task]]:
    """Return the texts of a data set, the tested ones, and its classes."""
    data, rng = SETS[title](), np.random.default_rng(0)
    train, test = data.train, data.test
    if test is None:
        order = rng.permutation(len(data.texts))
        train, test = order[::2], order[1::2]
    tested, pool = rng.permutation(test)[:N_TESTED], rng.permutation(train)
    members = {name: np.asarray(data.in_class(name)) for name in data.classes}
    kept = [
        name
        for name, is_class in members.items()
        if is_class[train].sum() >= 50 and 5 <= is_class[tested].sum() <= 0.1 * len(tested)
    ]
    chosen = sorted(rng.permutation(kept)[:N_CLASSES].tolist())
    found = [
        Task(name, c := members[name], pool[c[pool]][:MOST], pool[~c[pool]][:N_OTHERS])
        for name in chosen
    ]
    return list(data.texts), tested, found


@cache
def vectors(title: str, name: str) -> tuple[dict[str, np.ndarray], dict[str, float]]:
    """Return the vector of each text that a data set needs, and what they cost."""
    texts, tested, found = tasks(title)
    rows = [tested, *(part for task in found for part in (task.inside, task.others))]
    distinct = sorted({texts[i] for i in np.concatenate(rows)})
    lengths = np.mean([len(text) for text in distinct])
    encoder = get_encoder(name)
    if encoder.n_tokens and lengths <= 1000:
        encoder = encoder.reading(128)
    start = time.process_time()
    encoded = encoder.encode(distinct)
    cost = {
        "texts": len(distinct),
        "characters": int(lengths),
        "cpu_seconds": round(time.process_time() - start, 1),
    }
    return dict(zip(distinct, encoded, strict=True)), cost


class Kept:
    """An encoder that knows all texts already."""

    def __init__(self, title: str, name: str) -> None:
        self.of_texts = vectors(title, name)[0]

    def encode(self, texts: list[str]) -> np.ndarray:
        """Return their vectors."""
        return np.stack([self.of_texts[text] for text in texts])


def rare(model: RareTextClassifier, train, y, new, true) -> dict[str, float]:
    """Return what a model of ours reaches."""
    start = time.process_time()
    model.fit(train, y)
    seconds = time.process_time() - start
    found = model.predictions(new)
    decided = np.asarray(found.decision, bool)
    return {
        "average_precision": average_precision_score(true, found.class_scores[:, 0]),
        "f2": fbeta_score(true, decided, beta=2, zero_division=0.0),
        "seconds": seconds,
    }


def tuned(model, train, y, new, true) -> dict[str, float]:
    """Return what a classifier of scikit-learn reaches with a tuned threshold."""
    scorer = make_scorer(fbeta_score, beta=2, zero_division=0.0)
    start = time.process_time()
    search = TunedThresholdClassifierCV(model, scoring=scorer).fit(train, y)
    seconds = time.process_time() - start
    return {
        "average_precision": average_precision_score(true, search.decision_function(new)),
        "f2": fbeta_score(true, search.predict(new), beta=2, zero_division=0.0),
        "seconds": seconds,
    }


def linear_svm():
    """Return a linear SVM on words and characters."""
    words = TfidfVectorizer(sublinear_tf=True)
    characters = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
    return make_pipeline(make_union(words, characters), LinearSVC())


def contestants(title: str, size: int, draw: int) -> Iterator[tuple[str, object, str | None]]:
    """Yield the name, the model and the encoder whose vectors it takes instead of texts."""
    yield "words", RareTextClassifier(random_state=0), None
    for name in ENCODERS:
        mixture = RareTextClassifier(encoder=Kept(title, name), random_state=0)
        yield f"mixture, {name}", mixture, None
        logistic = LogisticRegression(class_weight="balanced", max_iter=1000)
        yield f"LR, {name}", logistic, name
    both = [Kept(title, name) for name in ENCODERS]
    yield "mixture, minilm+use", RareTextClassifier(encoder=both, random_state=0), None
    if draw == 0 and size in (5, 20, 0):
        yield "SVM", linear_svm(), None


def case(
    title: str, place: int, size: int, draw: int, only: tuple[str, ...]
) -> list[dict[str, object]]:
    """Return a row per contestant for one class, number of documents and draw."""
    warnings.simplefilter("ignore")
    texts, tested, found = tasks(title)
    task = found[place]
    order = np.random.default_rng(draw).permutation(len(task.inside))
    inside = task.inside[order[: size or len(order)]]
    learnt = np.concatenate([inside, task.others])
    train, new = [texts[i] for i in learnt], [texts[i] for i in tested]
    y, true = np.arange(len(learnt)) < len(inside), task.is_class[tested]
    rows = []
    for name, model, encoder in contestants(title, size, draw):
        if only and not name.startswith(only):
            continue
        if isinstance(model, RareTextClassifier):
            result = rare(model, train, y, new, true)
        elif encoder is None:
            result = tuned(model, train, y, new, true)
        else:
            encode = Kept(title, encoder).encode
            result = tuned(model, encode(train), y, encode(new), true)
        of_case = {"dataset": title, "label": task.name, "documents": str(size or "all")}
        of_case |= {"n_class": len(inside), "draw": draw, "contestant": name}
        rows.append(of_case | {key: round(float(value), 4) for key, value in result.items()})
    return rows


def all_cases(
    titles: list[str], only: tuple[str, ...]
) -> list[tuple[str, int, int, int, tuple[str, ...]]]:
    """Return what is to be run: data set, place of the class, size, draw, contestants."""
    return [
        (title, place, size, draw, only)
        for title in titles
        for place, task in enumerate(tasks(title)[2])
        for size in SIZES
        if size <= len(task.inside)
        for draw in range(DRAWS if size else 1)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", choices=[[], *SETS], help="all unless some are named")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="how names of contestants begin, with commas")
    parser.add_argument("--name", default="encoder", help="of the file with the cases")
    options = parser.parse_args()
    titles = options.sets or [*SETS]
    encoded = []
    for title in titles:
        for name in ENCODERS:
            encoded.append({"dataset": title, "encoder": name, **vectors(title, name)[1]})
            print(*encoded[-1].values(), sep="  ", flush=True)
    rows, only = [], tuple(filter(None, options.only.split(",")))
    cases = zip(*all_cases(titles, only), strict=True)
    fork = multiprocessing.get_context("fork")  # the vectors are there already
    with ExitStack() as stack:
        run = map
        if options.jobs > 1:
            run = stack.enter_context(ProcessPoolExecutor(options.jobs, fork)).map
        for of_case in run(case, *cases):
            rows += of_case
            print(*of_case[0].values(), sep="  ", flush=True)
    found = pl.DataFrame(rows)
    print("\n".join(table(found)))
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        found.write_csv(options.out / f"{options.name}.csv")
        if options.name == "encoder":
            pl.DataFrame(encoded).write_csv(options.out / "encoding.csv")


def table(found: pl.DataFrame) -> list[str]:
    """Return average precision and F2 by number of documents, averaged over the same cases."""
    of_all = found.filter(pl.col("contestant") != "SVM")
    lines = []
    for measure in ("average_precision", "f2", "seconds"):
        wide = of_all.pivot(
            "contestant", index="documents", values=measure, aggregate_function="mean"
        )
        lines += [measure, str(wide)]
    return lines


if __name__ == "__main__":
    main()
